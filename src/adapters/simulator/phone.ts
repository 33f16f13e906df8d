/**
 * A person's phone without a page: says and taps, and sees the answer. For demonstrations and tests over several processes.
 * @module
 */
import type { BotItem, Chats, Person, PersonItem } from './chats.ts';
import { isFields } from './flex-limits.ts';
import { type ActionDeps, type Done, type Manner, pressData, type Refused, sendText } from './person-actions.ts';

/** How long an answer is waited for, milliseconds. */
export const ANSWER_WAIT_MS = 20_000;
const NOW: Manner = { mode: 'active', source: 'user', hold: false };

/** One message as a person meets it: its words (of a card: the alternative text) and what can be tapped. */
export type Shown = {
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
};

export type Phone = {
  /** Sends a text; gives the messages of the answer. Throws when the webhook refuses or no answer comes. */
  readonly say: (text: string) => Promise<readonly Shown[]>;
  /** Taps a button by its postback data, also one this process never showed; else as `say`. */
  readonly press: (data: string) => Promise<readonly Shown[]>;
};

export type PhoneDeps = ActionDeps & {
  readonly deliver: (person: Person, item: PersonItem, kind: 'first') => Promise<void>;
};

/** The phone of one person of the simulator. */
export function phoneOf(deps: PhoneDeps, person: Person): Phone {
  const act = async (done: Done | Refused): Promise<readonly Shown[]> => {
    if ('refused' in done) throw new Error(done.refused);
    const answer = nextAnswer(deps.chats, person);
    try {
      await deps.deliver(person, done.item, 'first');
      const status = done.item.deliveries.at(-1)?.status ?? null;
      if (status !== 200) throw new Error(`The webhook answered ${status ?? 'nothing'}`);
      return (await answer.messages).map(shown);
    } finally {
      answer.stop();
    }
  };
  return {
    say: (text) => act(sendText(deps, person, text, NOW)),
    press: (data) => act(pressData(deps, person, data, NOW)),
  };
}

/** The messages of the next call that answers this person; they arrive together. */
function nextAnswer(chats: Chats, person: Person): { messages: Promise<readonly BotItem[]>; stop: () => void } {
  const items: BotItem[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<readonly BotItem[]>();
  const timeout = setTimeout(() => reject(new Error('No answer came in time')), ANSWER_WAIT_MS);
  const unsubscribe = chats.subscribe((change) => {
    if (change.kind !== 'item' || change.letter !== person.letter || change.item.from !== 'bot') return;
    items.push(change.item);
    resolve(items);
  });
  // A refusal of the webhook ends the wait first; the timeout is then nobody's.
  promise.catch(() => undefined);
  const stop = () => {
    clearTimeout(timeout);
    unsubscribe();
  };
  return { messages: promise, stop };
}

function shown({ message }: BotItem): Shown {
  const words = message.text ?? message.altText;
  return { text: typeof words === 'string' ? words : '', buttons: postbacksIn(message) };
}

/** The postback buttons of a message, in the order they stand in it. */
function postbacksIn(value: unknown): Shown['buttons'] {
  if (Array.isArray(value)) return value.flatMap((member: unknown) => postbacksIn(member));
  if (!isFields(value)) return [];
  if (value.type === 'postback' && typeof value.data === 'string')
    return [{ label: typeof value.label === 'string' ? value.label : '', data: value.data }];
  return Object.values(value).flatMap(postbacksIn);
}
