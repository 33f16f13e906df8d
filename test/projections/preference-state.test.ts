import { describe, expect, test } from 'vitest';
import { IDENTIFIER_LENGTH_MAX } from '../../src/events/envelope.ts';
import {
  CLOSED_PROPOSALS_KEPT,
  decodeState,
  encodeState,
  evolve,
  initialState,
  type PreferenceState,
  STATE_BYTES_MAX,
} from '../../src/projections/preference-state.ts';
import {
  after,
  approved,
  cancelled,
  forgotten,
  offer,
  proposed,
  refused,
  type Step,
  tick,
} from '../support/scenario.ts';

const A = offer('A');
const B = offer('B', 'vegan');
const F = offer('F', null);

describe('the fold', () => {
  test('before the first event nothing is in force, nothing open, revision 0', () => {
    expect(after().state).toStrictEqual(initialState);
  });

  test('a proposal opens and holds no value', () => {
    const { state, events } = after(proposed(A));
    expect(state.open).toStrictEqual({
      proposalId: A.proposalId,
      eventHash: events[0]?.hash,
      operation: 'save',
      commitment: expect.stringMatching(/^[0-9a-f]{64}$/),
      baseRevision: 0,
      expiresAt: after().clock + 300_000,
      causationId: A.causationId,
      messageId: A.messageId,
      issue: 1,
      refusals: [],
    });
    expect(encodeState(state)).not.toContain('vegetarian');
  });

  test('a forget card opens without a commitment', () => {
    expect(after(proposed(F)).state.open).toMatchObject({ operation: 'forget', commitment: null });
  });

  test('a second card of the same cause counts its issue, one of another cause begins again', () => {
    expect(after(proposed(A), proposed({ ...B, causationId: A.causationId })).state.open?.issue).toBe(2);
    expect(after(proposed(A), proposed(B)).state.open?.issue).toBe(1);
  });

  test.each<[string, readonly Step[], readonly (readonly [string, number])[]]>([
    ['a newer proposal supersedes', [proposed(A), proposed(B)], [['superseded', 0]]],
    ['a cancel closes', [proposed(A), cancelled(A)], [['cancelled', 0]]],
    ['a forget closes what is open', [proposed(A), forgotten()], [['forgotten', 1]]],
    ['an approval closes nothing', [proposed(A), approved(A)], []],
    ['a correction closes what it replaced', [proposed(A), approved(A), proposed(B), approved(B)], [['corrected', 2]]],
    [
      'a forget closes value and card',
      [proposed(A), approved(A), proposed(B), forgotten()],
      [
        ['forgotten', 2],
        ['forgotten', 2],
      ],
    ],
    [
      'a forget by card closes the value only',
      [proposed(A), approved(A), proposed(F), forgotten('card', F)],
      [['forgotten', 2]],
    ],
    [
      'a value after a forget by card closes that card',
      [proposed(A), proposed(F), forgotten('card', F), proposed(B), approved(B)],
      [
        ['superseded', 0],
        ['revision_moved', 2],
      ],
    ],
  ])('%s', (_, steps, closed) => {
    expect(after(...steps).state.closed.map(({ ended, revision }) => [ended, revision])).toStrictEqual(closed);
  });

  test('remembers the last 16 that closed, newest last', () => {
    const offers = Array.from({ length: 20 }, (_, index) => offer(`many-${index}`));
    const { state } = after(...offers.map((each) => proposed(each)));
    expect(state.closed.map(({ proposalId }) => proposalId)).toStrictEqual(
      offers.slice(3, 19).map(({ proposalId }) => proposalId),
    );
    expect(CLOSED_PROPOSALS_KEPT).toBe(16);
  });

  test('remembers which refusals were recorded, with the proposal wherever it stands', () => {
    const expired = [proposed(A), tick(300_000), refused(A, 'expired')] as const;
    expect(after(...expired).state.open?.refusals).toStrictEqual(['expired']);
    expect(after(...expired, proposed(B)).state.closed[0]?.refusals).toStrictEqual(['expired']);
    expect(after(...expired, refused(A, 'expired')).state.open?.refusals).toStrictEqual(['expired']);
  });

  test('propose, cancel and refusals leave the present revision as it is', () => {
    const before = after(proposed(A), approved(A));
    for (const steps of [[proposed(B)], [proposed(B), cancelled(B)], [proposed(B), refused(B, 'expired')]])
      expect(after(proposed(A), approved(A), ...steps).state.present).toStrictEqual(before.state.present);
  });

  test('is total: every event is read in every state, and one that fits nothing changes nothing that is decided', () => {
    const pasts = [
      after(),
      after(proposed(A)),
      after(proposed(A), approved(A)),
      after(proposed(A), approved(A), proposed(F), forgotten('card', F)),
      after(proposed(A), approved(A), forgotten(), proposed(B), cancelled(B)),
    ];
    const events = pasts.flatMap((past) => past.events);
    for (const { state } of pasts)
      for (const { event, hash } of events) {
        const next = evolve(state, event, hash);
        expect(decodeState(encodeState(next))).toStrictEqual(next);
        if (event.type === 'card.refused') expect(next.present.revision).toBe(state.present.revision);
      }
    const stranger = after(proposed(B), cancelled(B)).events[1];
    if (stranger === undefined) throw new Error('No event');
    const { state } = after(proposed(A));
    expect(evolve(state, stranger.event, stranger.hash)).toStrictEqual(state);
  });

  test('does not change the state it was given', () => {
    const past = after(proposed(A), approved(A), proposed(B));
    const text = encodeState(past.state);
    for (const { event, hash } of past.events) evolve(past.state, event, hash);
    expect(encodeState(past.state)).toBe(text);
  });
});

describe('the state in the head', () => {
  const id = 'i'.repeat(IDENTIFIER_LENGTH_MAX);
  const hash = 'f'.repeat(64);
  const revision = 1_000_000_000;
  const { proposalId } = A;
  /** No proposal collects more: expired while open, then why it is stale; and an expired one cannot be approved. */
  const longest: PreferenceState = {
    present: {
      revision,
      proposalId,
      causationId: id,
      commitment: hash,
      eventId: proposalId,
      refusals: [],
    },
    open: {
      proposalId,
      eventHash: hash,
      operation: 'correct',
      commitment: hash,
      baseRevision: revision,
      expiresAt: Date.UTC(9999, 11, 31),
      causationId: id,
      messageId: id,
      issue: revision,
      refusals: ['expired'],
    },
    closed: Array.from({ length: CLOSED_PROPOSALS_KEPT }, () => ({
      proposalId,
      causationId: id,
      ended: 'superseded',
      revision,
      refusals: ['expired', 'superseded'],
    })),
  };

  test('is at most 4,096 bytes with the longest ids, all 16 places taken and every refusal recorded', () => {
    const bytes = Buffer.byteLength(encodeState(longest));
    expect(STATE_BYTES_MAX).toBe(4_096);
    expect(bytes).toBeLessThanOrEqual(STATE_BYTES_MAX);
    expect(decodeState(encodeState(longest))).toStrictEqual(longest);
  });

  test('also if half of the 16 are forget cards a new value overtook', () => {
    // A forget card followed and a new value take turns, so at most every second closed proposal ends that way; such a
    // card was approved, so it was not expired.
    const closed = longest.closed.map((each, index) =>
      index % 2 === 0
        ? { ...each, ended: 'revision_moved' as const, refusals: ['revision_moved' as const] }
        : { ...each, ended: 'forgotten' as const, refusals: ['forgotten' as const] },
    );
    expect(Buffer.byteLength(encodeState({ ...longest, closed }))).toBeLessThanOrEqual(STATE_BYTES_MAX);
  });

  test('beyond its bound is refused instead of written', () => {
    const closed = longest.closed.map((each) => ({ ...each, causationId: 'i'.repeat(80) }));
    expect(() => encodeState({ ...longest, closed })).toThrow(RangeError);
  });

  test.each<[string, string]>([
    ['no JSON', '{'],
    ['a missing member', '{"open":null,"closed":[]}'],
    ['an unknown member', encodeState(initialState).replace('{', '{"more":1,')],
    [
      'seventeen closed',
      encodeState({ ...longest, open: null }).replace('"closed":[', `"closed":[${JSON.stringify(longest.closed[0])},`),
    ],
  ])('that is not a state of this program is refused: %s', (_, text) => {
    expect(() => decodeState(text)).toThrow();
  });

  test('of position 0 is the initial state', () => {
    expect(decodeState(null)).toBe(initialState);
  });
});
