/**
 * Who chats and what stands in each chat. Everything is in memory and bounded; each change is told to the open pages.
 * @module
 */
import { groupIdOf, userIdOf } from './ids.ts';
import type { LineEvent } from './webhook-events.ts';

/** Items kept per chat; older ones are dropped. */
export const ITEMS_MAX = 200;
/** Lines kept of what went between the platform and the product. */
export const TRAFFIC_MAX = 60;
const LETTERS = 'ABCDEFGH';
const LETTERS_AT_START = 3;

/** How an event was delivered to the webhook. */
export type DeliveryKind = 'first' | 'redelivery' | 'replay' | 'wrong_signature';
export type Delivery = {
  readonly kind: DeliveryKind;
  readonly at: number;
  /** The HTTP status of the answer; null when none came. */
  readonly status: number | null;
  readonly milliseconds: number;
};

/** Something a person did, with the event that tells of it. */
export type PersonItem = {
  readonly id: string;
  readonly from: 'person';
  readonly at: number;
  readonly event: LineEvent;
  /** What stands in the chat: the text, the echo of a tapped button, or a line about what happened. */
  text: string;
  /** `said` is a bubble, `happened` a small line. */
  readonly shown: 'said' | 'happened';
  held: boolean;
  unsent: boolean;
  edited: boolean;
  read: boolean;
  deliveries: Delivery[];
  /** The bytes last delivered and their signature, for a replay. */
  last: { readonly body: string; readonly signature: string } | null;
};

/** A message the product sent. */
export type BotItem = {
  readonly id: string;
  readonly from: 'bot';
  readonly at: number;
  readonly via: 'reply' | 'push';
  readonly message: Readonly<Record<string, unknown>>;
};

export type Item = PersonItem | BotItem;

/** `new`: has not added the account yet. */
export type Relation = 'new' | 'friend' | 'blocked';

export type Person = {
  readonly letter: string;
  readonly userId: string;
  relation: Relation;
  inGroup: boolean;
  readonly items: Item[];
};

/** One call or delivery between platform and product, without content. */
export type Traffic = {
  readonly at: number;
  readonly direction: 'to_product' | 'to_platform';
  readonly what: string;
  readonly status: number | null;
  readonly note: string;
};

/** What open pages are told. `letter` null: it concerns every page. */
export type Change =
  | { readonly kind: 'item'; readonly letter: string; readonly item: Item }
  | { readonly kind: 'people'; readonly letter: null }
  | { readonly kind: 'loading'; readonly letter: string; readonly seconds: number }
  | { readonly kind: 'traffic'; readonly letter: null; readonly traffic: Traffic }
  | { readonly kind: 'ledger'; readonly letter: string };

export type Chats = {
  readonly groupId: string;
  readonly people: readonly Person[];
  readonly traffic: readonly Traffic[];
  readonly byLetter: (letter: string) => Person | undefined;
  readonly byUserId: (userId: string) => Person | undefined;
  /** One more person; null when there are as many as there can be. */
  readonly addPerson: () => Person | null;
  readonly addItem: (person: Person, item: Item) => void;
  readonly changed: (change: Change) => void;
  readonly addTraffic: (traffic: Traffic) => void;
  /** @returns the function that ends the subscription. */
  readonly subscribe: (listener: (change: Change) => void) => () => void;
};

/** @param channelSecret the user ids are derived from it. */
export function createChats(channelSecret: string): Chats {
  const people: Person[] = [];
  const traffic: Traffic[] = [];
  const listeners = new Set<(change: Change) => void>();
  const changed = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  const addPerson = (): Person | null => {
    const letter = LETTERS[people.length];
    if (letter === undefined) return null;
    const person: Person = {
      letter,
      userId: userIdOf(channelSecret, letter),
      relation: 'new',
      inGroup: false,
      items: [],
    };
    people.push(person);
    changed({ kind: 'people', letter: null });
    return person;
  };
  for (let count = 0; count < LETTERS_AT_START; count += 1) addPerson();
  return {
    groupId: groupIdOf(channelSecret),
    people,
    traffic,
    byLetter: (letter) => people.find((person) => person.letter === letter),
    byUserId: (userId) => people.find((person) => person.userId === userId),
    addPerson,
    addItem(person, item) {
      person.items.push(item);
      if (person.items.length > ITEMS_MAX) person.items.shift();
      changed({ kind: 'item', letter: person.letter, item });
      changed({ kind: 'people', letter: null });
    },
    changed,
    addTraffic(line) {
      traffic.push(line);
      if (traffic.length > TRAFFIC_MAX) traffic.shift();
      changed({ kind: 'traffic', letter: null, traffic: line });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
