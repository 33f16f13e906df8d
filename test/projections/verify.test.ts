import { describe, expect, test } from 'vitest';
import { canonicalBytes, type CanonicalValue } from '../../src/events/canonical.ts';
import { sha256Hex } from '../../src/events/chain.ts';
import { encodeContent } from '../../src/events/commitment.ts';
import type { StoredEvent } from '../../src/events/envelope.ts';
import type { LedgerId, SubjectKey } from '../../src/events/identity.ts';
import type { PreferenceEvent } from '../../src/events/kinds.ts';
import type { Head, StoredContent } from '../../src/events/ports.ts';
import { illegality } from '../../src/projections/legality.ts';
import { encodeState } from '../../src/projections/preference-state.ts';
import { finishVerification, type ProblemCause, startVerification, verifyEvent } from '../../src/projections/verify.ts';
import {
  after,
  append,
  approved,
  cancelled,
  forgotten,
  LEDGER,
  offer,
  type Past,
  proposed,
  refused,
  type Step,
  tick,
} from '../support/scenario.ts';

const A = offer('A', 'vegetarian');
const B = offer('B', 'vegan');
const C = offer('C', 'lacto');
const F = offer('F', null);
const GONE = '0'.repeat(64);

const headOf = ({ events, state }: Past): Head => {
  const last = events.at(-1);
  if (last === undefined) return { position: 0, hash: null, time: null, state: null };
  return { position: events.length, hash: last.hash, time: last.event.time, state: encodeState(state) };
};
const contentOf = ({ content, state }: Past): StoredContent | null =>
  content === null ? null : { revision: state.present.revision, bytes: encodeContent(content) };

/** The first problem of a ledger as a store would give it. */
function problemOf(
  events: readonly StoredEvent[],
  head: Head,
  content: StoredContent | null,
  ledger = LEDGER,
): { position: number; cause: ProblemCause } | null {
  const problem = finishVerification(events.reduce(verifyEvent, startVerification(ledger)), head, content);
  return problem === null ? null : { position: problem.position, cause: problem.cause };
}

const good = after(
  ...[proposed(A), approved(A), proposed(B), approved(B), refused(A, 'corrected'), tick(1_000)],
  ...[proposed(C), cancelled(C)],
);
const [head, content] = [headOf(good), contentOf(good)];

/** The good events with one replaced; `members` change its envelope, its hash is made to fit. */
function rewritten(position: number, members: Record<string, CanonicalValue>): StoredEvent[] {
  return good.events.map((sealed) => {
    if (sealed.position !== position) return sealed;
    const bytes = canonicalBytes({ ...(sealed.event as unknown as Record<string, CanonicalValue>), ...members });
    return { position, bytes, hash: sha256Hex(bytes) };
  });
}

describe('a ledger as it should be', () => {
  test.each<[string, readonly Step[]]>([
    ['empty', []],
    ['a card open', [proposed(A)]],
    [
      'a card refused as expired, then as superseded',
      [proposed(A), tick(300_000), refused(A, 'expired'), proposed(B), refused(A, 'superseded')],
    ],
    ['a value in force', [proposed(A), approved(A)]],
    ['forgotten', [proposed(A), approved(A), forgotten()]],
    [
      'forgotten by card, then another value',
      [proposed(A), approved(A), proposed(F), forgotten('card', F), proposed(B), approved(B)],
    ],
    ['a card forgotten before it was decided', [proposed(A), forgotten()]],
  ])('%s: no problem', (_, steps) => {
    const past = after(...steps);
    expect(problemOf(past.events, headOf(past), contentOf(past))).toBeNull();
  });
});

describe('what was done to the bytes is found where it was done', () => {
  const [first, second] = good.events;
  if (first === undefined || second === undefined) throw new Error('No events');
  const rows: readonly (readonly [string, readonly StoredEvent[], number, ProblemCause])[] = [
    ['bytes changed, hash left', good.events.with(1, { ...second, bytes: first.bytes }), 2, 'hash_differs'],
    ['bytes and hash changed: the next link tells', rewritten(2, { correlationid: 'turn-x' }), 3, 'link_differs'],
    ['a link changed', rewritten(3, { previoushash: GONE }), 3, 'link_differs'],
    ['an event dropped', good.events.toSpliced(2, 1), 3, 'position_differs'],
    ['two events swapped', good.events.with(1, good.events[2] ?? first).with(2, second), 2, 'position_differs'],
    ['a position inside the bytes changed', rewritten(2, { position: 9 }), 2, 'position_differs'],
    ['an event of another ledger', rewritten(2, { source: `/ledgers/${'M'.repeat(43)}` }), 2, 'other_ledger'],
    ['an event of another person', rewritten(2, { subject: 'T'.repeat(43) }), 2, 'other_subject'],
    ['a newer schema', rewritten(2, { schemaversion: 2 }), 2, 'newer_schema'],
    ['no event at all', rewritten(2, { type: 'x' }), 2, 'not_an_event'],
    ['the end cut off', good.events.slice(0, -2), good.events.length - 1, 'cut_off'],
    [
      'events beyond the head',
      append(
        good,
        { type: 'preference.forgotten', data: { revision: 3, forgetsRevision: 2, method: 'api', erasureScope: 'all' } },
        null,
      ).events,
      good.events.length + 1,
      'head_behind_events',
    ],
  ];
  test.each(rows)('%s', (_, events, position, cause) => {
    expect(problemOf(events, head, content)).toStrictEqual({ position, cause });
  });

  test('the ledger of another name or person', () => {
    const elsewhere = { ...LEDGER, ledgerId: 'M'.repeat(43) as LedgerId };
    expect(problemOf(good.events, head, content, elsewhere)).toStrictEqual({ position: 1, cause: 'other_ledger' });
    const other = { ...LEDGER, subjectKey: 'T'.repeat(43) as SubjectKey };
    expect(problemOf(good.events, head, content, other)).toStrictEqual({ position: 1, cause: 'other_subject' });
  });
});

describe('a head or content that says something else than the events', () => {
  const erased = after(proposed(A), approved(A), forgotten());
  const other = after(proposed(B), approved(B));
  const rows: readonly (readonly [string, Past, Head, StoredContent | null, ProblemCause])[] = [
    ['hash', good, { ...head, hash: GONE }, content, 'head_hash_differs'],
    ['time', good, { ...head, time: '2026-01-05T00:00:00.000Z' }, content, 'head_time_differs'],
    ['state', good, { ...head, state: encodeState(erased.state) }, content, 'head_state_differs'],
    ['content missing', good, head, null, 'content_missing'],
    [
      'content of another revision',
      good,
      head,
      content === null ? null : { ...content, revision: 1 },
      'content_revision_differs',
    ],
    ['content damaged', good, head, { revision: 2, bytes: new Uint8Array(320) }, 'content_unreadable'],
    [
      'content swapped (C28)',
      good,
      head,
      { revision: 2, bytes: contentOf(after(proposed(A), approved(A)))?.bytes ?? new Uint8Array() },
      'content_does_not_open',
    ],
    ['content left behind after a forget', erased, headOf(erased), contentOf(other), 'content_left_behind'],
    ['content without any event', after(), headOf(after()), contentOf(other), 'content_left_behind'],
  ];
  test.each(rows)('%s', (_, past, standing, held, cause) => {
    expect(problemOf(past.events, standing, held)?.cause).toBe(cause);
  });
});

describe('an event that no decider of this program writes there', () => {
  const later = tick(300_000);
  const closed = [proposed(A), cancelled(A)] as const;
  type Row = readonly [string, readonly Step[], Step | PreferenceEvent, string];
  const forgets = (
    revision: number,
    forgetsRevision: number | null,
    method: 'card' | 'api' = 'api',
  ): PreferenceEvent => ({
    type: 'preference.forgotten',
    data: { revision, forgetsRevision, method, erasureScope: 'purpose' },
  });
  const refusal = (proposalId: string, headRevision: number): PreferenceEvent => ({
    type: 'card.refused',
    data: { proposalId, reason: 'cancelled', presentedRevision: 0, headRevision },
  });
  const rows: readonly Row[] = [
    ['a proposal for another revision', [], at(proposed(A), { baseRevision: 1 }), 'base_revision_differs'],
    [
      'a first value offered over one',
      [proposed(A), approved(A)],
      at(proposed(B), { operation: 'save' }),
      'operation_does_not_fit',
    ],
    ['a correction of nothing', [], at(proposed(B), { operation: 'correct' }), 'operation_does_not_fit'],
    ['an offer to forget nothing', [], proposed(F), 'operation_does_not_fit'],
    ['an approval of a cancelled card', closed, approved(A), 'proposal_is_not_open'],
    ['an approval at the end', [proposed(A), later], approved(A), 'proposal_was_expired'],
    ['a revision left out', [proposed(A)], at(approved(A), { revision: 2 }), 'revision_is_not_next'],
    ['another value than was shown', [proposed(A)], at(approved(A), { commitment: GONE }), 'commitment_differs'],
    [
      'a correction that names another revision',
      [proposed(A), approved(A), proposed(B)],
      at(approved(B), { correctsRevision: 0 }),
      'revision_is_not_next',
    ],
    ['a cancel of what is not open', closed, cancelled(A), 'proposal_is_not_open'],
    ['a forget of nothing', [], forgets(1, null), 'nothing_to_forget'],
    ['a forget that leaves out a revision', [proposed(A)], forgets(2, null), 'revision_is_not_next'],
    ['a forget of another revision', [proposed(A)], forgets(1, 0), 'revision_is_not_next'],
    ['a forget by a card that saves', [proposed(A)], forgets(1, null, 'card'), 'proposal_is_not_open'],
    [
      'a forget by an expired card',
      [proposed(A), proposed(F), later],
      forgets(1, null, 'card'),
      'proposal_was_expired',
    ],
    ['a refusal at another revision', closed, refusal(A.proposalId, 1), 'base_revision_differs'],
    ['a refusal of what is in force', [proposed(A), approved(A)], refusal(A.proposalId, 1), 'refused_what_was_open'],
    ['a refusal of an open card before its end', [proposed(A)], refused(A, 'expired'), 'refused_what_was_open'],
    [
      'a refusal of an open card for what has not happened',
      [proposed(A), later],
      refused(A, 'cancelled'),
      'refused_what_was_open',
    ],
    ['a refusal for another reason than the card ended by', closed, refused(A, 'superseded'), 'refusal_does_not_fit'],
    ['the same refusal twice', [...closed, refused(A, 'cancelled')], refused(A, 'cancelled'), 'refusal_does_not_fit'],
    ['a refusal of a proposal nobody made', closed, refusal(B.proposalId, 0), 'refusal_does_not_fit'],
  ];
  test.each(rows)('%s', (_, steps, next, cause) => {
    const past = after(...steps);
    const body = 'type' in next ? next : next.body?.(past);
    if (body === undefined) throw new Error('No event');
    const written = append(past, body, A);
    const last = written.events.at(-1);
    if (last === undefined) throw new Error('No event');
    expect(illegality(past.state, last.event, past.events.at(-1)?.event.time ?? null)).toBe(cause);
    expect(problemOf(written.events, headOf(written), contentOf(written))).toStrictEqual({
      position: written.events.length,
      cause,
    });
  });

  test('a time that goes back', () => {
    const past = after(tick(1_000), proposed(A));
    const body: PreferenceEvent = { type: 'preference.cancelled', data: { proposalId: A.proposalId, method: 'api' } };
    const written = append(past, body, A, past.clock - 1);
    expect(problemOf(written.events, headOf(written), null)).toStrictEqual({ position: 2, cause: 'time_goes_back' });
  });

  /** The event of a step with members of its body replaced. */
  function at(step: Step, members: object): Step {
    return {
      ...step,
      body: (past) => {
        const body = step.body?.(past);
        if (body === undefined) throw new Error('No event');
        return { ...body, data: { ...body.data, ...members } } as PreferenceEvent;
      },
    };
  }
});
