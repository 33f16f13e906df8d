/**
 * Whether ledgers are as they should be: each by itself, and against the newest signed checkpoint, by which a rewritten
 * history is seen that fits together, and a ledger that is gone as a whole.
 * @module
 */
import type { LedgerId, LedgerRef } from '../../events/identity.ts';
import type { AuditParts, Comparison, FoundProblem } from './looking.ts';
import { verifyLedger } from './reading.ts';

/** Ledgers in one batch of a verification. */
const VERIFY_BATCH = 200;

type Judged = Pick<AuditParts, 'reader' | 'checkpoints'>;

const LOG_DAMAGED: FoundProblem = { ledgerId: 'checkpoints', position: 0, cause: 'checkpoint_log_damaged' };

/** Judges one ledger. @returns the events read, and its first problem before that of the log of heads. */
export async function judgeLedger(
  { reader, checkpoints }: Judged,
  ledger: LedgerRef,
): Promise<{ readonly events: number; readonly problems: readonly FoundProblem[] }> {
  const comparison = (await checkpoints?.comparison()) ?? null;
  const { events, problem } = await verifyLedger(reader, ledger);
  const differing = await differingOf(comparison, [ledger.ledgerId]);
  const first = firstOf(problem, differing[0] ?? null);
  return { events, problems: [...(first === null ? [] : [first]), ...damageOf(comparison)] };
}

/** Judges the ledgers after a cursor (exclusive), at most {@link VERIFY_BATCH}; `next` is null at the end. */
export async function judgeBatch(
  { reader, checkpoints }: Judged,
  after: LedgerId | null,
): Promise<{
  readonly ledgers: number;
  readonly events: number;
  readonly problems: readonly FoundProblem[];
  readonly next: LedgerId | null;
}> {
  const comparison = (await checkpoints?.comparison()) ?? null;
  const page = await reader.ledgers(after, VERIFY_BATCH + 1);
  const batch = page.slice(0, VERIFY_BATCH);
  const next = page.length > batch.length ? (batch.at(-1)?.ledgerId ?? null) : null;
  const found: FoundProblem[] = [];
  let events = 0;
  for (const ledger of batch) {
    const verified = await verifyLedger(reader, ledger);
    events += verified.events;
    if (verified.problem !== null) found.push(verified.problem);
  }
  const ledgerIds = batch.map(({ ledgerId }) => ledgerId);
  const differing = await differingOf(comparison, ledgerIds);
  const both = ledgerIds.flatMap((ledgerId) => {
    const of = (problems: readonly FoundProblem[]) => problems.find((each) => each.ledgerId === ledgerId) ?? null;
    return firstOf(of(found), of(differing)) ?? [];
  });
  const gone = await goneOf({ reader, comparison }, new Set(ledgerIds), { after, through: next });
  return { ledgers: batch.length, events, problems: [...both, ...gone, ...damageOf(comparison)], next };
}

/** What the newest checkpoint says against ledgers that were read in order from the first; cheap where nothing is wrong. */
export async function judgeByCheckpoint(
  { reader, checkpoints }: Judged,
  ledgerIds: readonly LedgerId[],
  isWhole: boolean,
): Promise<readonly FoundProblem[]> {
  const comparison = (await checkpoints?.comparison()) ?? null;
  const range = { after: null, through: isWhole ? null : (ledgerIds.at(-1) ?? null) };
  return [
    ...(await differingOf(comparison, ledgerIds)),
    ...(await goneOf({ reader, comparison }, new Set(ledgerIds), range)),
    ...damageOf(comparison),
  ];
}

type Compared = Comparison | 'damaged' | null;

function damageOf(comparison: Compared): readonly FoundProblem[] {
  return comparison === 'damaged' ? [LOG_DAMAGED] : [];
}

async function differingOf(comparison: Compared, ledgerIds: readonly LedgerId[]): Promise<readonly FoundProblem[]> {
  return comparison === null || comparison === 'damaged' ? [] : comparison.differing(ledgerIds);
}

async function goneOf(
  { reader, comparison }: Pick<Judged, 'reader'> & { readonly comparison: Compared },
  here: ReadonlySet<LedgerId>,
  { after, through }: { readonly after: LedgerId | null; readonly through: LedgerId | null },
): Promise<readonly FoundProblem[]> {
  if (comparison === null || comparison === 'damaged') return [];
  const gone: FoundProblem[] = [];
  for (const ledgerId of comparison.ledgerIds(after, through)) {
    // One that began after the list was read is not gone.
    if (!here.has(ledgerId) && (await reader.ledger(ledgerId)) === null)
      gone.push({ ledgerId, position: 1, cause: 'cut_off' });
  }
  return gone;
}

/** Of two problems of one ledger the one at the earlier position. */
function firstOf(own: FoundProblem | null, witnessed: FoundProblem | null): FoundProblem | null {
  if (own === null || witnessed === null) return own ?? witnessed;
  return witnessed.position < own.position ? witnessed : own;
}
