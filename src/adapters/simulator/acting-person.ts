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
  /** Writes a text; resolves with the messages of the answer. @throws when the webhook refuses or nothing is answered in time. */
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
    try {
      const done = act();
      if ('refused' in done) throw new Error(done.refused);
      await deliver(person, done.item);
      const status = done.item.deliveries.at(-1)?.status ?? null;
      if (status !== 200) throw new Error(`The webhook answered ${status ?? 'nothing'}`);
      return (await answer.messages).map(shownOf);
    } finally {
      answer.stop();
    }
  }
  return {
    say: (text) => answered(() => sendText(deps, person, text, MANNER)),
    press: (data) => answered(() => pressData(deps, person, data, MANNER)),
  };
}

/** The messages of the next answer: all of one call to the Messaging API arrive in one go. */
function nextAnswer(chats: Chats, person: Person): { messages: Promise<readonly BotItem[]>; stop: () => void } {
  const { promise, resolve, reject } = Promise.withResolvers<readonly BotItem[]>();
  const items: BotItem[] = [];
  const late = setTimeout(() => reject(new Error('Nothing was answered')), ANSWER_WAIT_MS);
  const unsubscribe = chats.subscribe((change) => {
    if (change.kind !== 'item' || change.letter !== person.letter || change.item.from !== 'bot') return;
    items.push(change.item);
    resolve(items);
  });
  // Nobody waits for it any more when the webhook refused while the time ran out.
  promise.catch(() => undefined);
  const stop = () => {
    clearTimeout(late);
    unsubscribe();
  };
  return { messages: promise, stop };
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
