/**
 * One decision after the other on a store that loses, delays and doubles: what is said is compared with what is so.
 * @module
 */
import { execute, type Execution } from '../../src/commands/execute.ts';
import type { Command } from '../../src/commands/decide.ts';
import { StoreUnavailable } from '../../src/events/ports.ts';
import { decodeState } from '../../src/projections/preference-state.ts';
import { faulty, forget, listening, offered, request } from '../commands/requests.ts';
import { type Fault, memoryLedger } from '../support/memory-ledger.ts';
import { BEGINNING, LEDGER, offer, propose } from '../support/scenario.ts';
import { seededRandom } from '../adapters/sqlite/store-files.ts';

/** What the sendings of one decision meet, in order. */
const PLANS: Readonly<Record<string, readonly Fault[]>> = {
  'no fault': [],
  'applied, then an error': ['applied_unknown'],
  'an error, not applied': ['lost_unknown'],
  'applied late': ['late_unknown'],
  'an error twice, then applied': ['lost_unknown', 'lost_unknown'],
  'applied, then errors to the end': ['applied_unknown', 'lost_unknown', 'lost_unknown'],
  'errors to the end': ['lost_unknown', 'lost_unknown', 'lost_unknown'],
  'late, and errors to the end': ['late_unknown', 'lost_unknown', 'lost_unknown'],
  'late twice': ['late_unknown', 'late_unknown'],
  'refused to try': ['unavailable'],
  'an error, then refused to try': ['lost_unknown', 'unavailable'],
  'late, then refused to try': ['late_unknown', 'unavailable', 'unavailable'],
  'overtaken, then applied and an error': ['conflict', 'applied_unknown'],
  'overtaken three times': ['conflict', 'conflict', 'conflict'],
};
const PLAN_NAMES = Object.keys(PLANS);
const ACTS = ['approve', 'cancel', 'forget', 'propose'] as const;
const WAITS = [0, 299_999, 300_000] as const;
const [A, B] = [offer('A', 'vegan'), offer('B', 'lacto')];

export type StoreFaultsReport = {
  readonly runs: number;
  /** Decisions that stand in the ledger more than once, or that a second delivery made again. */
  readonly doubled: number;
  /** "Saved" that was not so when it was said. */
  readonly saidButNotSo: number;
  /** "Not saved" that was so, or became so. */
  readonly deniedButSo: number;
  /** Content without a revision in force, or the other way round. */
  readonly contentAstray: number;
  /** How often each thing was said. */
  readonly said: Readonly<Record<string, number>>;
  /** The number of the first run that went wrong, to run it again with `from`; null: none. */
  readonly firstWrong: number | null;
};

type Judged = { readonly said: string; readonly wrong: readonly (keyof StoreFaultsReport)[] };

/**
 * @param count runs; each follows from `seed` and its own number alone.
 * @param from the number of the first run.
 */
export async function runStoreFaults(count: number, seed: number, from = 0): Promise<StoreFaultsReport> {
  const totals = { doubled: 0, saidButNotSo: 0, deniedButSo: 0, contentAstray: 0 };
  const said: Record<string, number> = {};
  let firstWrong: number | null = null;
  for (let run = from; run < from + count; run += 1) {
    const judged = await runOne(seededRandom(seed * 1_000_003 + run));
    said[judged.said] = (said[judged.said] ?? 0) + 1;
    for (const wrong of judged.wrong) totals[wrong as keyof typeof totals] += 1;
    if (judged.wrong.length > 0) firstWrong ??= run;
  }
  return { runs: count, ...totals, said, firstWrong };
}

function pick<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('Nothing to pick from');
  return value;
}

async function runOne(random: () => number): Promise<Judged> {
  const inner = memoryLedger();
  const card = await offered(inner, A);
  const act = pick(ACTS, random);
  const command: Command = act === 'forget' ? forget : act === 'propose' ? propose(B) : { kind: act, card };
  const onceKey = random() < 0.5 ? 'delivery-1' : null;
  const asked = request('press', command, BEGINNING + pick(WAITS, random), onceKey);
  const ledger = faulty(inner, PLANS[pick(PLAN_NAMES, random)] ?? [], 1 + Math.floor(random() * 8));
  const standing = (eventId: string): number => {
    const events = inner.kept().ledgers.get(LEDGER.ledgerId)?.events ?? [];
    return events.filter(({ id }) => id === eventId).length;
  };
  const ours = (): number => standing(asked.provenance.eventId);

  const execution = await execute(ledger, asked, listening().effects).catch((error: unknown): 'unavailable' => {
    if (error instanceof StoreUnavailable) return 'unavailable';
    throw error;
  });
  const durable = ours();
  await ledger.settle();
  const settled = ours();
  const again = { ...asked, provenance: { ...asked.provenance, eventId: '6a3f3c52-6c9d-5d0b-8f0e-2f2f6f0c7a11' } };
  const answer = await execute(inner, again, listening().effects);
  const { head, content } = await inner.headWithContent(LEDGER.ledgerId);
  const effects = (await inner.events(LEDGER.ledgerId, 1, 1_000)).filter(({ bytes }) =>
    Buffer.from(bytes).includes(`"causationid":"${asked.provenance.causationId}"`),
  ).length;

  const wrong: Judged['wrong'][number][] = [];
  // Without a delivery to remember, proposing again is a new card; every other command has one effect.
  if (settled > 1 || (effects > 1 && (onceKey !== null || act !== 'propose'))) wrong.push('doubled');
  const appendedAgain = answer.kind === 'decided' ? answer.appended : null;
  const liesAgain = appendedAgain !== null && standing(appendedAgain.event.id) === 0;
  if ((saysDone(execution) && durable !== 1) || liesAgain) wrong.push('saidButNotSo');
  if (deniesIt(execution) && settled !== 0) wrong.push('deniedButSo');
  const inForce = decodeState(head.state).present.commitment !== null;
  if (inForce !== (content !== null)) wrong.push('contentAstray');
  return { said: sayingOf(execution), wrong };
}

function saysDone(execution: Execution | 'unavailable'): boolean {
  if (execution === 'unavailable' || execution.kind === 'undecided') return false;
  return execution.kind === 'duplicate' || execution.appended !== null;
}

function deniesIt(execution: Execution | 'unavailable'): boolean {
  if (execution === 'unavailable') return true;
  return execution.kind === 'undecided' && execution.outcome === 'busy';
}

function sayingOf(execution: Execution | 'unavailable'): string {
  if (execution === 'unavailable') return execution;
  if (execution.kind === 'duplicate') return 'duplicate';
  return execution.kind === 'undecided' ? execution.outcome : execution.outcome.outcome;
}
