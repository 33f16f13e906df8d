/**
 * Goal: an auditor reads what each event met and what became of each card.
 * Method: real histories in memory, read back and folded; rows name the card and its end.
 */
import { describe, expect, test } from 'vitest';
import { readLedger } from '../../src/adapters/audit/reading.ts';
import { cardEnd, historyOf } from '../../src/projections/history.ts';
import { decodeState } from '../../src/projections/preference-state.ts';
import { BEGINNING, type Offered, type Person, personOn } from '../support/ledger-world.ts';
import { memoryLedger } from '../support/memory-ledger.ts';

type Step = (person: Person, clock: { now: number }) => Promise<unknown>;

async function historyAfter(...steps: readonly Step[]) {
  const ledger = memoryLedger();
  const clock = { now: BEGINNING };
  const person = personOn(ledger, 'A', () => clock.now);
  for (const step of steps) {
    clock.now += 1_000;
    await step(person, clock);
  }
  const head = await ledger.head(person.ref.ledgerId);
  return { history: historyOf((await readLedger(ledger, person.ref)).events), head, now: clock.now };
}

const cards = new Map<string, Offered>();
const propose =
  (cause: string, value: string): Step =>
  async (person) =>
    cards.set(cause, await person.propose(cause, value));
const card = (cause: string): Offered => {
  const offered = cards.get(cause);
  if (offered === undefined) throw new Error(`No card ${cause}`);
  return offered;
};
const approve =
  (cause: string): Step =>
  (person) =>
    person.approve(card(cause));
const cancel =
  (cause: string): Step =>
  (person) =>
    person.cancel(card(cause));
const forget: Step = (person) => person.forget();
const wait =
  (milliseconds: number): Step =>
  async (_, clock) => {
    clock.now += milliseconds;
  };

test('each event met the head that the one before it left', async () => {
  const { history, head } = await historyAfter(
    propose('a', 'vegan'),
    approve('a'),
    propose('b', 'lacto'),
    forget,
    approve('b'),
    approve('a'),
  );
  expect(history.map(({ event, met }) => [event.type, met.position, met.revision, met.inForce])).toStrictEqual([
    ['preference.proposed', 0, 0, false],
    ['preference.approved', 1, 0, false],
    ['preference.proposed', 2, 1, true],
    ['preference.forgotten', 3, 1, true],
    ['card.refused', 4, 2, false],
    ['card.refused', 5, 2, false],
  ]);
  for (const [index, { met }] of history.entries()) expect(met.hash).toBe(history[index - 1]?.hash ?? null);
  expect(history[3]?.met.openProposalId).toBe(card('b').card.proposalId);
  expect(history.map(({ offeredAt }) => offeredAt)).toStrictEqual([1, 1, 3, null, 3, 1]);
  expect(history.at(-1)?.revision).toBe(decodeState(head.state).present.revision);
});

describe('what became of the first card', () => {
  const rows: readonly (readonly [end: string, at: number | null, steps: readonly Step[]])[] = [
    ['open', null, [propose('a', 'vegan')]],
    ['open', null, [propose('a', 'vegan'), wait(298_000)]],
    ['expired', null, [propose('a', 'vegan'), wait(299_000)]],
    ['expired', null, [propose('a', 'vegan'), wait(300_000), approve('a')]],
    ['approved', 2, [propose('a', 'vegan'), approve('a'), forget]],
    ['cancelled', 2, [propose('a', 'vegan'), cancel('a')]],
    ['superseded', 2, [propose('a', 'vegan'), propose('b', 'lacto'), approve('b')]],
    ['forgotten', 2, [propose('a', 'vegan'), forget]],
  ];
  test.each(rows)('%s at %j', async (end, position, steps) => {
    const { history, now } = await historyAfter(...steps);
    const [first] = history;
    if (first === undefined) throw new Error('Nothing happened');
    expect(cardEnd(history, first, now)).toStrictEqual({ end, position });
  });

  test('an event that offers no card has none', async () => {
    const { history, now } = await historyAfter(propose('a', 'vegan'), approve('a'));
    const approved = history[1];
    if (approved === undefined) throw new Error('Nothing happened');
    expect(cardEnd(history, approved, now)).toBeNull();
  });
});
