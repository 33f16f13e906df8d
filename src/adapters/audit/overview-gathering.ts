/**
 * Gathers the overview, bounded, for a page must come while somebody waits.
 * @module
 */
import type { LedgerRef } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { type AnyEvent, ledgerLaw } from '../../projections/ledger-law.ts';
import { emptyOverview, type Overview, withLedger } from '../../projections/overview.ts';
import { judgeByCheckpoint } from './judging.ts';
import type { AuditParts, FoundProblem } from './looking.ts';
import { summaryOf } from './views.ts';

/** Ledgers that are counted at most. */
const LEDGERS_COUNTED_MAX = 1_000;
/** Events of one ledger that are counted at most: one read. */
const EVENTS_COUNTED_MAX = 1_000;
/** Ledgers that are read at a time. */
const AT_ONCE = 16;

export type GatheredOverview = {
  readonly overview: Overview;
  readonly isWhole: boolean;
  /** What of the counted ledgers is not what the newest checkpoint signed. */
  readonly differing: readonly FoundProblem[];
};

/** Counts what the first ledgers hold, and compares them with the newest checkpoint. */
export async function gatherOverview(parts: Pick<AuditParts, 'reader' | 'checkpoints'>): Promise<GatheredOverview> {
  const { reader } = parts;
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
  const ledgerIds = counted.map(({ ledgerId }) => ledgerId);
  const differing = await judgeByCheckpoint(parts, ledgerIds, ledgers.length === counted.length);
  return { overview, isWhole, differing };
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
