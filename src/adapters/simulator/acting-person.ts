/**
 * A person of the simulator acted by a program: says and taps what a person would, and waits for what is answered.
 * @module
 */
import type { BotItem, Chats, Person, PersonItem } from './chats.ts';
import { isFields } from './flex-limits.ts';
import { type ActionDeps, type Done, pressData, type Refused, sendText } from './person-actions.ts';

/** A message as it was shown: its text (a card's plain-text twin) and its postback buttons, also of long gone cards. */
export type Shown = {
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
};

export type ActingPerson = {
  /** Writes a text; resolves with the messages of the answer. @throws when nothing is answered in time. */
  readonly say: (text: string) => Promise<readonly Shown[]>;
  /** Taps a button by its data, as one that still stands in the chat. */
  readonly press: (data: string) => Promise<readonly Shown[]>;
};

/** How long an answer is waited for, milliseconds. */
const ANSWER_WAIT_MS = 15_000;
const MANNER = { mode: 'active', source: 'user', hold: false } as const;

/** Acts a person; `deliver` brings an event to the webhook. */
export function actingPerson(
  deps: ActionDeps,
  person: Person,
  deliver: (person: Person, item: PersonItem) => Promise<void>,
): ActingPerson {
  async function answered(act: () => Done | Refused): Promise<readonly Shown[]> {
    const answer = nextAnswer(deps.chats, person);
    const done = act();
    if ('refused' in done) throw new Error(done.refused);
    await deliver(person, done.item);
    return (await answer).map(shownOf);
  }
  return {
    say: (text) => answered(() => sendText(deps, person, text, MANNER)),
    press: (data) => answered(() => pressData(deps, person, data, MANNER)),
  };
}

/** The messages of the next answer: all of one call to the Messaging API arrive in one go. */
function nextAnswer(chats: Chats, person: Person): Promise<readonly BotItem[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly BotItem[]>();
  const items: BotItem[] = [];
  const late = setTimeout(() => {
    end();
    reject(new Error('Nothing was answered'));
  }, ANSWER_WAIT_MS);
  const end = chats.subscribe((change) => {
    if (change.kind !== 'item' || change.letter !== person.letter || change.item.from !== 'bot') return;
    if (items.push(change.item) > 1) return;
    setImmediate(() => {
      clearTimeout(late);
      end();
      resolve(items);
    });
  });
  return promise;
}

function shownOf({ message }: BotItem): Shown {
  const texts: string[] = [];
  const buttons: { label: string; data: string }[] = [];
  const look = (part: unknown): void => {
    if (Array.isArray(part)) for (const item of part) look(item);
    if (!isFields(part)) return;
    if (part.type === 'postback') buttons.push({ label: String(part.label), data: String(part.data) });
    for (const item of Object.values(part)) look(item);
  };
  look(message);
  for (const text of [message.text, message.altText]) if (typeof text === 'string') texts.push(text);
  return { text: texts.join('\n'), buttons };
}
