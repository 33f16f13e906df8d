import { describe, expect, test } from 'vitest';
import {
  after,
  approve,
  approved,
  cancel,
  cancelled,
  cardOf,
  decideIn,
  forgotten,
  given,
  offer,
  propose,
  proposed,
  refused,
  tick,
  type Step,
} from '../support/scenario.ts';

const A = offer('A', 'vegetarian');
const B = offer('B', 'ovo_lacto');
const C = offer('C', 'vegan');
/** A card that asks to forget. */
const F = offer('F', null);
const VALIDITY = 300_000;

/** A kept value, from another card than the ones a scenario is about. */
const kept = offer('kept', 'lacto');
const savedBefore: readonly Step[] = [proposed(kept), approved(kept)];

/** Enough closed proposals that everything before is older than the 16 the state remembers. */
const sixteenMore: readonly Step[] = Array.from({ length: 16 }, (_, index) => offer(`more-${index}`)).flatMap(
  (each) => [proposed(each), cancelled(each)],
);

describe('why a card is stale: the first event that ended what it stood for', () => {
  const rows: readonly { readonly name: string; readonly cause: string; readonly steps: readonly Step[] }[] = [
    {
      name: 'never approved, then superseded',
      cause: 'superseded',
      steps: [proposed(A), proposed(B), forgotten()],
    },
    {
      name: 'never approved, then cancelled',
      cause: 'cancelled',
      steps: [proposed(A), cancelled(A), ...savedBefore],
    },
    {
      name: 'never approved, then forgotten (D01)',
      cause: 'forgotten',
      steps: [proposed(A), forgotten()],
    },
    {
      name: 'approved, then corrected, then forgotten',
      cause: 'corrected',
      steps: [proposed(A), approved(A), proposed(B), approved(B), forgotten()],
    },
    {
      name: 'approved, then forgotten',
      cause: 'forgotten',
      steps: [proposed(A), approved(A), forgotten()],
    },
  ];
  test.each(rows)('$name → $cause', ({ cause, steps }) => {
    given(...steps)
      .when(approve(A))
      .then({ outcome: 'stale_memory_card', cause: cause as never }, [refused(A, cause as never)]);
  });

  test('a forget card that was followed, then a new value → revision_moved', () => {
    given(...savedBefore, proposed(F), forgotten('card', F), proposed(A), approved(A))
      .when(approve(F))
      .then({ outcome: 'stale_memory_card', cause: 'revision_moved' }, [refused(F, 'revision_moved')]);
  });

  test('older than the 16, same base revision → superseded, and no evidence is kept', () => {
    given(proposed(A), ...sixteenMore, proposed(B))
      .when(approve(A))
      .then({ outcome: 'stale_memory_card', cause: 'superseded' });
  });

  test('older than the 16, another base revision → revision_moved, and no evidence is kept', () => {
    given(proposed(A), approved(A), ...sixteenMore, forgotten(), ...sixteenMore)
      .when(cancel(A))
      .then({ outcome: 'stale_memory_card', cause: 'revision_moved', revision: 2 });
  });

  test('the sixteenth closed proposal is still known by its cause', () => {
    given(proposed(A), cancelled(A), ...sixteenMore.slice(0, 30))
      .when(approve(A))
      .then({ outcome: 'stale_memory_card', cause: 'cancelled' }, [refused(A, 'cancelled')]);
  });

  test.each<[string, Parameters<typeof approve>[1]]>([
    ['event hash', { eventHashPrefix: '0'.repeat(16) }],
    ['value', { value: 'vegan' }],
    ['blinding key', { blindingKey: new Uint8Array(32) }],
    ['base revision', { baseRevision: 7 }],
    ['expiry', { expiresAt: 1 }],
    ['operation', { operation: 'correct' }],
  ])('an open proposal whose %s is not the card’s → history_differs, nothing is written (C27, C28)', (_, change) => {
    for (const ask of [approve, cancel])
      given(proposed(A)).when(ask(A, change)).then({ outcome: 'stale_memory_card', cause: 'history_differs' });
  });

  test('the present revision’s proposal with another commitment → history_differs, nothing is written', () => {
    for (const ask of [approve, cancel])
      given(proposed(A), approved(A))
        .when(ask(A, { value: 'any' }))
        .then({ outcome: 'stale_memory_card', cause: 'history_differs' });
  });

  test('a card of a proposal this history never held, also in an empty ledger (C43) → history_differs, no event', () => {
    const foreign = { kind: 'approve', card: cardOf(after(proposed(A)), A) } as const;
    for (const steps of [[], savedBefore])
      given(...steps)
        .when(foreign)
        .then({ outcome: 'stale_memory_card', cause: 'history_differs' });
  });
});

describe('expiry is half open', () => {
  const rows = [
    { at: 'e − 1 ms', wait: VALIDITY - 1, approving: 'memory_saved', cancelling: 'memory_proposal_cancelled' },
    { at: 'e', wait: VALIDITY, approving: 'expired_memory_card', cancelling: 'expired_memory_card' },
    { at: 'e + 1 ms', wait: VALIDITY + 1, approving: 'expired_memory_card', cancelling: 'expired_memory_card' },
  ] as const;
  test.each(rows)('at $at: $approving, $cancelling (D04, C42)', ({ wait, approving, cancelling }) => {
    const past = after(proposed(A), tick(wait));
    expect(decideIn(past, approve(A)).outcome.outcome).toBe(approving);
    expect(decideIn(past, cancel(A)).outcome.outcome).toBe(cancelling);
  });

  test('a clock behind the newest event does not bring a dead card back', () => {
    const late = offer('late', 'vegan');
    given(proposed(A), tick(VALIDITY), refused(A, 'expired'))
      .when(approve(A), after().clock)
      .then('expired_memory_card');
    given(...savedBefore, tick(VALIDITY), proposed(late))
      .when(approve(late), after().clock)
      .then('memory_corrected', [approved(late)]);
  });
});

describe('hard inputs', () => {
  test('D02: 先不要, then 同意 within the five minutes → cancelled; 先不要 again after a 同意 → nothing changes', () => {
    given(proposed(A), cancelled(A))
      .when(approve(A))
      .then({ outcome: 'stale_memory_card', cause: 'cancelled' }, [refused(A, 'cancelled')]);
    given(proposed(A), approved(A)).when(cancel(A)).then('already_applied');
  });

  test('D04: pressed before the end, delivered again after it → already_applied', () => {
    given(proposed(A), tick(VALIDITY - 1), approved(A), tick(1_000))
      .when(approve(A))
      .then('already_applied');
  });

  test('D06: proposing alone leaves the revision, the newer card wins, the older is stale', () => {
    const both = [...savedBefore, proposed(A), proposed(B)];
    given(...both)
      .when(approve(B))
      .then({ outcome: 'memory_corrected', revision: 2 }, [approved(B)]);
    given(...both, approved(B))
      .when(approve(A))
      .then({ outcome: 'stale_memory_card', cause: 'superseded', revision: 2 }, [refused(A, 'superseded')]);
  });

  test('D07: a correction to the value already in force is answered without an event', () => {
    const sameAgain = offer('same again', 'vegetarian');
    given(proposed(A), approved(A)).when(propose(sameAgain)).then({ outcome: 'already_effective', revision: 1 });
  });

  test('C24: what the pressed card shows is what is written; a newer offer makes it stale instead of changing it', () => {
    const { events } = given(proposed(A))
      .when(approve(A))
      .then('memory_saved', [approved(A)]);
    expect(events[0]?.data).not.toHaveProperty('value');
    given(proposed(A), proposed(C))
      .when(approve(A))
      .then({ outcome: 'stale_memory_card', cause: 'superseded' }, [refused(A, 'superseded')]);
  });

  test('C118: 先不要 on an older card writes no value; what was agreed to later stays', () => {
    const past = after(proposed(A), proposed(B), approved(B));
    const decision = decideIn(past, cancel(A));
    expect(decision.outcome).toMatchObject({ outcome: 'stale_memory_card', cause: 'superseded' });
    expect(decision.events.map((event) => event.type)).toStrictEqual(['card.refused']);
  });

  test('a forget card does not survive a forget without a card', () => {
    given(...savedBefore, proposed(F), forgotten())
      .when(approve(F))
      .then({ outcome: 'stale_memory_card', cause: 'forgotten' }, [refused(F, 'forgotten')]);
  });

  test('a followed forget card pressed again → already_applied', () => {
    for (const ask of [approve, cancel])
      given(...savedBefore, proposed(F), forgotten('card', F))
        .when(ask(F))
        .then('already_applied');
  });
});

describe('evidence of a refusal', () => {
  test('is kept once per proposal and reason, whichever button was pressed', () => {
    given(proposed(A), proposed(B), refused(A, 'superseded')).when(approve(A)).then('stale_memory_card');
    given(proposed(A), proposed(B), refused(A, 'superseded')).when(cancel(A)).then('stale_memory_card');
    given(proposed(A), tick(VALIDITY), refused(A, 'expired')).when(approve(A)).then('expired_memory_card');
  });

  test('is kept for another reason of the same proposal', () => {
    given(proposed(A), tick(VALIDITY), refused(A, 'expired'), proposed(B))
      .when(approve(A))
      .then('stale_memory_card', [refused(A, 'superseded')]);
  });

  test('survives from the open proposal into the closed one', () => {
    given(proposed(A), proposed(B), refused(A, 'superseded'), forgotten()).when(approve(A)).then('stale_memory_card');
  });
});

describe('the revision', () => {
  test.each<[string, readonly Step[], number]>([
    ['propose', [proposed(B)], 1],
    ['cancel', [proposed(B), cancelled(B)], 1],
    ['a refusal', [proposed(B), proposed(C), refused(B, 'superseded')], 1],
    ['approve', [proposed(B), approved(B)], 2],
    ['forget', [forgotten()], 2],
  ])('after %s', (_, steps, revision) => {
    expect(after(...savedBefore, ...steps).state.present.revision).toBe(revision);
  });
});
