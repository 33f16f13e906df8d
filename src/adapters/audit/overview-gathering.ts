/**
 * Gathers the overview and verifies ledgers in batches, both bounded, for a page must come while somebody waits.
 * @module
 */
import type { LedgerId, LedgerRef } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { type AnyEvent, ledgerLaw } from '../../projections/ledger-law.ts';
import { emptyOverview, type Overview, withLedger } from '../../projections/overview.ts';
import type { Problem } from '../../projections/verify.ts';
import { verifyLedger } from './reading.ts';
import { summaryOf } from './views.ts';

/** Ledgers that are counted at most. */
const LEDGERS_COUNTED_MAX = 1_000;
/** Events of one ledger that are counted at most: one read. */
const EVENTS_COUNTED_MAX = 1_000;
/** Ledgers that are read at a time. */
const AT_ONCE = 16;
/** Ledgers in one batch of a verification. */
export const VERIFY_BATCH = 200;

export type GatheredOverview = { readonly overview: Overview; readonly isWhole: boolean };

/** Counts what the first ledgers hold. */
export async function gatherOverview(reader: LedgerReader): Promise<GatheredOverview> {
  const ledgers = await reader.ledgers(null, LEDGERS_COUNTED_MAX + 1);
  let overview = emptyOverview;
  let isWhole = ledgers.length <= LEDGERS_COUNTED_MAX;
  const counted = ledgers.slice(0, LEDGERS_COUNTED_MAX);
  for (let from = 0; from < counted.length; from += AT_ONCE) {
    const read = await Promise.all(counted.slice(from, from + AT_ONCE).map((ledger) => readOne(reader, ledger)));
    for (const { facts, events, isAll } of read) {
      overview = withLedger(overview, facts, events);
      isWhole &&= isAll;
    }
  }
  return { overview, isWhole };
}

async function readOne(reader: LedgerReader, ledger: LedgerRef) {
  const head = await reader.head(ledger.ledgerId);
  const stored = await reader.events(ledger.ledgerId, 1, EVENTS_COUNTED_MAX);
  const law = ledgerLaw(ledger.kind);
  const events = stored.flatMap(({ bytes }): AnyEvent[] => {
    const opened = law?.open(bytes);
    return opened?.ok === true ? [opened.event] : [];
  });
  return {
    facts: {
      kind: ledger.kind,
      isInForce: summaryOf(ledger, head).inForce === true,
      isReadable: events.length === stored.length,
    },
    events,
    isAll: head.position <= EVENTS_COUNTED_MAX,
  };
}

/** Verifies the ledgers after a cursor (exclusive), at most {@link VERIFY_BATCH}; `next` is null at the end. */
export async function verifyBatch(
  reader: LedgerReader,
  after: LedgerId | null,
): Promise<{
  readonly ledgers: number;
  readonly events: number;
  readonly problems: readonly Problem[];
  readonly next: LedgerId | null;
}> {
  const page = await reader.ledgers(after, VERIFY_BATCH + 1);
  const batch = page.slice(0, VERIFY_BATCH);
  const problems: Problem[] = [];
  let events = 0;
  for (const ledger of batch) {
    const verified = await verifyLedger(reader, ledger);
    events += verified.events;
    if (verified.problem !== null) problems.push(verified.problem);
  }
  return {
    ledgers: batch.length,
    events,
    problems,
    next: page.length > batch.length ? (batch.at(-1)?.ledgerId ?? null) : null,
  };
}
