import { describe, expect, test } from 'vitest';
import { LADDERS, RECORDED, REFUSED, UNCHANGED } from '../../src/commands/outcomes.ts';
import {
  after,
  approve,
  approved,
  cancel,
  cancelled,
  decideIn,
  forget,
  forgotten,
  given,
  issued,
  offer,
  propose,
  proposed,
  refused,
  tick,
  withdraw,
  type Offer,
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

type Row = {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly outcome: object;
  readonly events?: readonly Step[];
};

describe('approve, first that applies wins', () => {
  const rows: readonly Row[] = [
    {
      name: 'a card that made the present revision, also after its expiry → already_applied',
      steps: [proposed(A), approved(A), tick(2 * VALIDITY)],
      outcome: { outcome: 'already_applied', revision: 1 },
    },
    {
      name: 'a superseded card that is also expired → stale, not expired',
      steps: [proposed(A), proposed(B), tick(VALIDITY)],
      outcome: { outcome: 'stale_memory_card', cause: 'superseded', revision: 0 },
      events: [refused(A, 'superseded')],
    },
    {
      name: 'an open card at its end → expired, not saved',
      steps: [proposed(A), tick(VALIDITY)],
      outcome: { outcome: 'expired_memory_card', revision: 0 },
      events: [refused(A, 'expired')],
    },
    {
      name: 'an open card with nothing in force → memory_saved',
      steps: [proposed(A)],
      outcome: { outcome: 'memory_saved', revision: 1 },
      events: [approved(A)],
    },
    {
      name: 'an open card with a value in force → memory_corrected',
      steps: [...savedBefore, proposed(A)],
      outcome: { outcome: 'memory_corrected', revision: 2 },
      events: [approved(A)],
    },
    {
      name: 'an open card after a forget → memory_saved again',
      steps: [...savedBefore, forgotten(), proposed(A)],
      outcome: { outcome: 'memory_saved', revision: 3 },
      events: [approved(A)],
    },
  ];
  test.each(rows)('$name', ({ steps, outcome, events }) => {
    given(...steps)
      .when(approve(A))
      .then(outcome as never, events);
  });

  test('an open forget card → memory_forgotten', () => {
    given(...savedBefore, proposed(F))
      .when(approve(F))
      .then({ outcome: 'memory_forgotten', revision: 2, forgetsRevision: 1 }, [forgotten('card')]);
  });
});

describe('cancel, first that applies wins', () => {
  const rows: readonly Row[] = [
    {
      name: 'a cancelled card that is also overtaken and expired → already_cancelled',
      steps: [proposed(A), cancelled(A), ...savedBefore, tick(VALIDITY)],
      outcome: { outcome: 'already_cancelled', revision: 1 },
    },
    {
      name: 'a card closed by unsending its message → already_cancelled',
      steps: [proposed(A), cancelled(A, 'unsend')],
      outcome: { outcome: 'already_cancelled', revision: 0 },
    },
    {
      name: 'a card that made the present revision, also after its expiry → already_applied',
      steps: [proposed(A), approved(A), tick(VALIDITY)],
      outcome: { outcome: 'already_applied', revision: 1 },
    },
    {
      name: 'a superseded card that is also expired → stale, not expired',
      steps: [proposed(A), proposed(B), tick(VALIDITY)],
      outcome: { outcome: 'stale_memory_card', cause: 'superseded', revision: 0 },
      events: [refused(A, 'superseded')],
    },
    {
      name: 'an open card at its end → expired, not cancelled',
      steps: [proposed(A), tick(VALIDITY)],
      outcome: { outcome: 'expired_memory_card', revision: 0 },
      events: [refused(A, 'expired')],
    },
    {
      name: 'an open card → memory_proposal_cancelled',
      steps: [...savedBefore, proposed(A)],
      outcome: { outcome: 'memory_proposal_cancelled', revision: 1 },
      events: [cancelled(A)],
    },
  ];
  test.each(rows)('$name', ({ steps, outcome, events }) => {
    given(...steps)
      .when(cancel(A))
      .then(outcome as never, events);
  });
});

describe('propose, first that applies wins', () => {
  const again = { ...A, causationId: B.causationId };
  const rows: readonly (Row & { readonly asked: Offer })[] = [
    {
      name: 'the value in force, by a message that was decided → already_effective, not proposal_closed',
      asked: A,
      steps: [proposed(A), approved(A)],
      outcome: { outcome: 'already_effective', revision: 1, cancelledProposalId: null },
    },
    {
      name: 'the value in force while another card is open → already_effective, and that card is cancelled',
      asked: again,
      steps: [proposed(A), approved(A), proposed(C)],
      outcome: { outcome: 'already_effective', revision: 1, cancelledProposalId: C.proposalId },
      events: [cancelled(C, 'message')],
    },
    {
      name: 'a message whose card was cancelled → proposal_closed',
      asked: A,
      steps: [proposed(A), cancelled(A)],
      outcome: { outcome: 'proposal_closed', revision: 0 },
    },
    {
      name: 'a message whose card made the present revision, with another value → proposal_closed',
      asked: { ...C, causationId: A.causationId },
      steps: [proposed(A), approved(A)],
      outcome: { outcome: 'proposal_closed', revision: 1 },
    },
    {
      name: 'a message whose card was superseded → proposal_closed',
      asked: A,
      steps: [proposed(A), proposed(B)],
      outcome: { outcome: 'proposal_closed', revision: 0 },
    },
    {
      name: 'a message whose value was forgotten → proposal_closed',
      asked: A,
      steps: [proposed(A), approved(A), forgotten()],
      outcome: { outcome: 'proposal_closed', revision: 2 },
    },
    {
      name: 'a first value → awaiting_memory_consent to save',
      asked: A,
      steps: [],
      outcome: { outcome: 'awaiting_memory_consent', operation: 'save', revision: 0 },
      events: [proposed(issued(A, 1))],
    },
    {
      name: 'another value → awaiting_memory_consent to correct',
      asked: A,
      steps: savedBefore,
      outcome: { outcome: 'awaiting_memory_consent', operation: 'correct', revision: 1 },
      events: [proposed(issued(A, 1))],
    },
    {
      name: 'the same message while its card is open → a new card that supersedes the first',
      asked: A,
      steps: [proposed(issued(A, 1)), tick(1_000)],
      outcome: { outcome: 'awaiting_memory_consent', operation: 'save', proposalId: issued(A, 2).proposalId },
      events: [proposed(issued(A, 2))],
    },
    {
      name: 'the same message a third time → the third card',
      asked: A,
      steps: [proposed(issued(A, 1)), proposed(issued(A, 2))],
      outcome: { outcome: 'awaiting_memory_consent', proposalId: issued(A, 3).proposalId },
      events: [proposed(issued(A, 3))],
    },
    {
      name: 'the same message after its card expired unanswered → a new card',
      asked: A,
      steps: [proposed(issued(A, 1)), tick(VALIDITY)],
      outcome: { outcome: 'awaiting_memory_consent', proposalId: issued(A, 2).proposalId },
      events: [proposed(issued(A, 2))],
    },
  ];
  test.each(rows)('$name', ({ asked, steps, outcome, events }) => {
    given(...steps)
      .when(propose(asked))
      .then(outcome as never, events);
  });

  test('the first card of a re-issued message is superseded', () => {
    given(proposed(issued(A, 1)), proposed(issued(A, 2)))
      .when(approve(issued(A, 1)))
      .then({ outcome: 'stale_memory_card', cause: 'superseded' }, [refused(issued(A, 1), 'superseded')]);
  });
});

describe('propose to forget, first that applies wins', () => {
  const rows: readonly Row[] = [
    {
      name: 'nothing in force and nothing open, by a message that was decided → nothing_to_forget',
      steps: [...savedBefore, proposed(F), cancelled(F), forgotten()],
      outcome: { outcome: 'nothing_to_forget', revision: 2 },
    },
    {
      name: 'a message whose card was cancelled → proposal_closed',
      steps: [...savedBefore, proposed(F), cancelled(F)],
      outcome: { outcome: 'proposal_closed', revision: 1 },
    },
    {
      name: 'a value in force → awaiting_memory_consent to forget',
      steps: savedBefore,
      outcome: { outcome: 'awaiting_memory_consent', operation: 'forget', revision: 1 },
      events: [proposed(issued(F, 1))],
    },
    {
      name: 'nothing in force but a card open → awaiting_memory_consent to forget, superseding it',
      steps: [proposed(A)],
      outcome: { outcome: 'awaiting_memory_consent', operation: 'forget', revision: 0 },
      events: [proposed(issued(F, 1))],
    },
  ];
  test.each(rows)('$name', ({ steps, outcome, events }) => {
    given(...steps)
      .when(propose(F))
      .then(outcome as never, events);
  });
});

describe('forget, first that applies wins', () => {
  const rows: readonly Row[] = [
    { name: 'nothing ever → nothing_to_forget', steps: [], outcome: { outcome: 'nothing_to_forget', revision: 0 } },
    {
      name: 'forgotten before → nothing_to_forget',
      steps: [...savedBefore, forgotten()],
      outcome: { outcome: 'nothing_to_forget', revision: 2 },
    },
    {
      name: 'only a card open → memory_forgotten of no revision',
      steps: [proposed(A)],
      outcome: { outcome: 'memory_forgotten', revision: 1, forgetsRevision: null },
      events: [forgotten()],
    },
    {
      name: 'an expired card that nobody closed → memory_forgotten',
      steps: [proposed(A), tick(2 * VALIDITY)],
      outcome: { outcome: 'memory_forgotten', revision: 1, forgetsRevision: null },
      events: [forgotten()],
    },
    {
      name: 'a value in force → memory_forgotten',
      steps: savedBefore,
      outcome: { outcome: 'memory_forgotten', revision: 2, forgetsRevision: 1 },
      events: [forgotten()],
    },
  ];
  test.each(rows)('$name', ({ steps, outcome, events }) => {
    given(...steps)
      .when(forget)
      .then(outcome as never, events);
  });
});

describe('a message that is unsent or edited', () => {
  test('closes the open card it led to', () => {
    given(proposed(A))
      .when(withdraw(A))
      .then('memory_proposal_cancelled', [cancelled(A, 'unsend')]);
    given(proposed(A))
      .when(withdraw(A, 'message'))
      .then('memory_proposal_cancelled', [cancelled(A, 'message')]);
  });
  test.each<[string, readonly Step[]]>([
    ['no card', []],
    ['the card of another message', [proposed(B)]],
    ['a card already agreed to', [proposed(A), approved(A)]],
  ])('changes nothing when there is %s', (_, steps) => {
    given(...steps)
      .when(withdraw(A))
      .then('no_open_proposal');
  });
});

test('every outcome a ladder names is in the closed list, once', () => {
  const decided = new Set<string>([...RECORDED, ...UNCHANGED, ...REFUSED]);
  expect(decided.size).toBe(RECORDED.length + UNCHANGED.length + REFUSED.length);
  for (const ladder of Object.values(LADDERS)) {
    expect(new Set(ladder).size).toBe(ladder.length);
    for (const outcome of ladder) expect(decided).toContain(outcome);
  }
});

describe('what was asked with words that were taken back', () => {
  const cases: readonly (readonly [string, readonly Step[], Offer])[] = [
    ['a first value', [], A],
    ['the value in force', [proposed(A), approved(A)], A],
    ['the value in force, with another card open', [proposed(A), approved(A), proposed(B)], { ...A, causationId: 'x' }],
    ['a message that was decided', [proposed(A), cancelled(A)], A],
    ['a wish to forget a value in force', savedBefore, F],
    ['a wish to forget nothing', [], F],
  ];
  test.each(cases)('comes to message_taken_back before anything else, and writes nothing: %s', (_, steps, asked) => {
    const past = after(...steps);
    expect(decideIn(past, propose(asked), true)).toStrictEqual({
      outcome: { outcome: 'message_taken_back', revision: past.state.present.revision },
      events: [],
    });
    const ladder: readonly string[] = LADDERS[asked.value === null ? 'propose_forget' : 'propose'];
    expect(ladder[0]).toBe('message_taken_back');
  });

  test('a tap and a fixed entry answer no words, so they are decided as ever', () => {
    const past = after(proposed(A));
    for (const asked of [approve(A), cancel(A), forget, withdraw(A)])
      expect(decideIn(past, asked, true)).toStrictEqual(decideIn(past, asked));
  });
});

describe('where two outcomes could apply, the one named first in LADDERS is given', () => {
  type Overlap = readonly [
    ladder: keyof typeof LADDERS,
    first: string,
    second: string,
    steps: readonly Step[],
    asked: () => Parameters<typeof decideIn>[1],
  ];
  const overlaps: readonly Overlap[] = [
    ['propose', 'already_effective', 'proposal_closed', [proposed(A), approved(A)], () => propose(A)],
    ['propose', 'proposal_closed', 'awaiting_memory_consent', [proposed(A), cancelled(A)], () => propose(A)],
    ['propose_forget', 'nothing_to_forget', 'proposal_closed', [proposed(F), cancelled(F)], () => propose(F)],
    [
      'propose_forget',
      'proposal_closed',
      'awaiting_memory_consent',
      [...savedBefore, proposed(F), cancelled(F)],
      () => propose(F),
    ],
    ['approve', 'already_applied', 'expired_memory_card', [proposed(A), approved(A), tick(VALIDITY)], () => approve(A)],
    [
      'approve',
      'stale_memory_card',
      'expired_memory_card',
      [proposed(A), forgotten(), tick(VALIDITY)],
      () => approve(A),
    ],
    ['approve', 'expired_memory_card', 'memory_saved', [proposed(A), tick(VALIDITY)], () => approve(A)],
    [
      'approve',
      'expired_memory_card',
      'memory_corrected',
      [...savedBefore, proposed(A), tick(VALIDITY)],
      () => approve(A),
    ],
    [
      'approve',
      'expired_memory_card',
      'memory_forgotten',
      [...savedBefore, proposed(F), tick(VALIDITY)],
      () => approve(F),
    ],
    ['cancel', 'already_cancelled', 'stale_memory_card', [proposed(A), cancelled(A), forgotten()], () => cancel(A)],
    ['cancel', 'already_applied', 'expired_memory_card', [proposed(A), approved(A), tick(VALIDITY)], () => cancel(A)],
    ['cancel', 'stale_memory_card', 'expired_memory_card', [proposed(A), proposed(B), tick(VALIDITY)], () => cancel(A)],
    ['cancel', 'expired_memory_card', 'memory_proposal_cancelled', [proposed(A), tick(VALIDITY)], () => cancel(A)],
  ];
  test.each(overlaps)('%s: %s before %s', (ladder, first, second, steps, asked) => {
    const order: readonly string[] = LADDERS[ladder];
    expect(order.indexOf(first)).toBeGreaterThanOrEqual(0);
    expect(order.indexOf(first)).toBeLessThan(order.indexOf(second));
    expect(decideIn(after(...steps), asked()).outcome.outcome).toBe(first);
  });
});
