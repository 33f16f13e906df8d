/**
 * What LOCAL says in a group or room: that it is for the one-to-one chat, and nothing else.
 * @module
 */
import type { LineClient } from './client.ts';
import type { Incoming } from './events.ts';
import type { CountLine } from './signals.ts';
import { view } from './view/view.ts';

/** In one group typed words are answered at most once in so long, milliseconds. */
const WORDS_PAUSE_MS = 600_000;
/** A redelivered press is known again for so long, milliseconds. */
const PRESS_MEMORY_MS = 600_000;
/** How many groups and presses are remembered; the oldest go first. */
const REMEMBERED_MAX = 1_000;

type GroupEvent = Extract<Incoming, { kind: 'in_group' }>;

/**
 * Makes the answer to groups. Each press of a button is answered once, typed words once in ten minutes for the group, so
 * that a lively group is not answered all the time. Best effort: nothing is kept beyond this process, nothing sent later.
 * @param clock Unix milliseconds.
 */
export function createGroupPointer(parts: {
  readonly client: LineClient;
  readonly buildId: string;
  readonly clock: () => number;
  readonly count: CountLine;
}): (event: GroupEvent) => Promise<void> {
  const { client, buildId, clock, count } = parts;
  const toldUntil = new Map<string, number>();

  function isFirst(name: string, pauseMs: number): boolean {
    const now = clock();
    if ((toldUntil.get(name) ?? 0) > now) return false;
    toldUntil.delete(name);
    toldUntil.set(name, now + pauseMs);
    const [oldest] = toldUntil.keys();
    if (toldUntil.size > REMEMBERED_MAX && oldest !== undefined) toldUntil.delete(oldest);
    return true;
  }

  return async function pointToChat({ eventId, groupId, replyToken, pressed }) {
    const first = pressed ? isFirst(`press|${eventId}`, PRESS_MEMORY_MS) : isFirst(`words|${groupId}`, WORDS_PAUSE_MS);
    if (!first) return count('event_in_group');
    count('group_pointed_to_chat');
    await client.reply({ replyToken, messages: view([{ status: 'one_to_one_only' }], { buildId }) });
  };
}
