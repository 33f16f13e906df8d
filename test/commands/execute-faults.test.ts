import fc from 'fast-check';
import { v5 } from 'uuid';
import { expect, test } from 'vitest';
import type { Command } from '../../src/commands/decide.ts';
import { type Execution, execute } from '../../src/commands/execute.ts';
import { UNDECIDED } from '../../src/commands/outcomes.ts';
import { StoreUnavailable } from '../../src/events/ports.ts';
import { decodeState } from '../../src/projections/preference-state.ts';
import { type Fault, memoryLedger } from '../support/memory-ledger.ts';
import { BEGINNING, LEDGER, offer, propose } from '../support/scenario.ts';
import { faulty, forget, listening, offered, outcomeOf, request } from './requests.ts';

const A = offer('A', 'vegan');
const B = offer('B', 'lacto');

type Run = {
  readonly faults: readonly Fault[];
  readonly late: number;
  readonly what: 'approve' | 'cancel' | 'forget' | 'propose';
  readonly wait: number;
  readonly once: boolean;
};

/** What became of one command under faults, against what is in the ledger once everything has arrived. */
async function underFaults({ faults, late, what, wait, once }: Run): Promise<string> {
  const inner = memoryLedger();
  const card = await offered(inner, A);
  const ledger = faulty(inner, faults, late);
  const command: Command = what === 'forget' ? forget : what === 'propose' ? propose(B) : { kind: what, card };
  const asked = request('press', command, BEGINNING + wait, once ? 'delivery-1' : null);
  const ours = async () => {
    const events = await inner.events(LEDGER.ledgerId, 1, 1_000);
    return events.filter(({ bytes }) => Buffer.from(bytes).includes(asked.provenance.eventId)).length;
  };
  let execution: Execution | 'unavailable';
  try {
    execution = await execute(ledger, asked, listening().effects);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    execution = 'unavailable';
  }
  const durable = await ours();
  await ledger.settle();
  const settled = await ours();

  expect(settled, 'doubled').toBeLessThanOrEqual(1);
  if (execution === 'unavailable' || (execution.kind === 'undecided' && execution.outcome === 'busy'))
    expect(settled, 'said "not done", was done').toBe(0);
  if (execution !== 'unavailable' && execution.kind === 'decided')
    expect(durable, 'said "done", was not').toBe(execution.appended === null ? 0 : 1);
  if (execution !== 'unavailable' && execution.kind === 'duplicate') expect(durable, 'told of, was not').toBe(1);
  const { head, content } = await inner.headWithContent(LEDGER.ledgerId);
  const state = decodeState(head.state);
  expect(content !== null, 'content without revision or the reverse').toBe(state.present.commitment !== null);

  // Delivered again, as a channel does that heard no answer: with another event id, and no fault this time.
  const again = { ...asked, provenance: { ...asked.provenance, eventId: v5('delivered again', v5.URL) } };
  const answer = await execute(inner, again, listening().effects);
  if (once) expect(answer.kind === 'duplicate', 'remembered exactly if done').toBe(settled === 1);
  const caused = (await inner.events(LEDGER.ledgerId, 1, 1_000)).filter(({ bytes }) =>
    Buffer.from(bytes).includes(`"causationid":"${asked.provenance.causationId}"`),
  );
  // Without a delivery to remember, proposing again is a new card; every other command has one effect.
  if (once || what !== 'propose') expect(caused.length, 'doubled by a second delivery').toBeLessThanOrEqual(1);
  return execution === 'unavailable' ? execution : outcomeOf(execution);
}

const fault = fc.constantFrom<Fault>(
  'none',
  'applied_unknown',
  'lost_unknown',
  'late_unknown',
  'conflict',
  'unavailable',
);
const run = fc.record<Run>({
  faults: fc.array(fault, { maxLength: 9, size: 'max' }),
  late: fc.integer({ min: 1, max: 8 }),
  what: fc.constantFrom('approve', 'cancel', 'forget', 'propose'),
  wait: fc.constantFrom(0, 299_999, 300_000),
  once: fc.boolean(),
});

test('2,000 runs under faults (seed 20260106): none doubled, no "saved" that was not, no "not saved" that was', async () => {
  const met = new Set<string>();
  const property = fc.asyncProperty(run, async (each) => void met.add(await underFaults(each)));
  await fc.assert(property, { numRuns: 2_000, seed: 20260106 });
  for (const outcome of ['memory_saved', 'memory_forgotten', 'expired_memory_card', 'duplicate', 'unavailable'])
    expect(met).toContain(outcome);
  for (const undecided of UNDECIDED) expect(met).toContain(undecided);
}, 120_000);
