import { describe, expect, test } from 'vitest';
import { encodeContent } from '../../src/events/commitment.ts';
import type { StoredContent } from '../../src/events/ports.ts';
import { type Bound, reaches, replay, through } from '../../src/projections/replay.ts';
import {
  after,
  approved,
  BEGINNING,
  cancelled,
  forgotten,
  offer,
  type Past,
  proposed,
  tick,
} from '../support/scenario.ts';

const A = offer('A', 'vegetarian');
const B = offer('B', 'vegan');
const C = offer('C', 'lacto');

/** One second between events: position n is written n − 1 seconds after the beginning. */
const second = tick(1_000);
const steps = [
  ...[proposed(A), second, approved(A), second],
  ...[proposed(B), second, approved(B), second],
  ...[proposed(C), second, cancelled(C), second],
] as const;
const kept = after(...steps);
const gone = after(...steps, forgotten());

const contentOf = ({ content, state }: Past): StoredContent | null =>
  content === null ? null : { revision: state.present.revision, bytes: encodeContent(content) };
const revision = (number: number): Bound => ({ kind: 'through_revision', revision: number });
const position = (number: number): Bound => ({ kind: 'through_position', position: number });
const at = (milliseconds: number): Bound => ({ kind: 'at', at: BEGINNING + milliseconds });

describe('bounds are inclusive', () => {
  test.each<[string, Bound, number]>([
    ['everything', { kind: 'all' }, 7],
    ['revision 0: nothing, although a card was open', revision(0), 0],
    ['revision 1: through the event that made it', revision(1), 2],
    ['revision 2', revision(2), 4],
    ['revision 3: the forget', revision(3), 7],
    ['position 0', position(0), 0],
    ['position 3', position(3), 3],
    ['the moment of position 3', at(2_000), 3],
    ['one millisecond before it', at(1_999), 2],
    ['before the beginning', at(-1), 0],
    ['long after', at(1_000_000), 7],
  ])('%s', (_, bound, count) => {
    expect(through(gone.events, bound)).toHaveLength(count);
    expect(reaches(gone.events, bound)).toBe(true);
  });

  test.each<[string, Bound]>([
    ['a revision', revision(4)],
    ['a position', position(8)],
  ])('%s beyond the end is not reached', (_, bound) => {
    expect(reaches(gone.events, bound)).toBe(false);
  });
});

describe('what was in force', () => {
  test('now: the value, the consent it rests on and its notice', () => {
    expect(replay(kept.events, { kind: 'all' }, contentOf(kept))).toStrictEqual({
      position: 6,
      revision: 2,
      time: new Date(BEGINNING + 5_000).toISOString(),
      state: 'in_force',
      value: 'vegan',
      consent: {
        eventId: kept.events[3]?.event.id,
        proposalId: B.proposalId,
        noticeVersion: 'diet_for_place_search/1',
      },
      erased: null,
      proposalOpen: false,
    });
  });

  test('before the correction: something, whose value was erased by it', () => {
    expect(replay(kept.events, revision(1), contentOf(kept))).toMatchObject({
      state: 'erased',
      value: null,
      consent: { proposalId: A.proposalId },
      erased: { eventId: kept.events[3]?.event.id, by: 'corrected' },
    });
  });

  test('before the forget: something, whose value was erased by it', () => {
    expect(replay(gone.events, revision(2), contentOf(gone))).toMatchObject({
      state: 'erased',
      value: null,
      erased: { eventId: gone.events[6]?.event.id, by: 'forgotten' },
    });
  });

  test.each<[string, Bound]>([
    ['before anything', position(0)],
    ['while only a card was open', position(1)],
    ['after the forget', { kind: 'all' }],
  ])('%s: none', (_, bound) => {
    expect(replay(gone.events, bound, contentOf(gone))).toMatchObject({
      state: 'none',
      value: null,
      consent: null,
      erased: null,
    });
  });

  test('the content of another revision is never told as the value of this one', () => {
    for (const number of [0, 1]) expect(replay(kept.events, revision(number), contentOf(kept)).value).toBeNull();
  });
});

describe('whether a proposal was open', () => {
  test.each<[string, Bound, boolean]>([
    ['when it was made', at(0), true],
    ['one millisecond before its end', at(299_999), true],
    ['at its end', at(300_000), false],
  ])('%s', (_, bound, open) => {
    expect(replay(after(proposed(A)).events, bound, null).proposalOpen).toBe(open);
  });
});
