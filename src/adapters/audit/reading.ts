/**
 * How an auditor reads: pages of events through the read-only port, and one ledger as a whole that belongs together.
 * @module
 */
import { type Opened, openEvent, type RecordedEvent, type StoredEvent } from '../../events/envelope.ts';
import type { LedgerId, LedgerRef } from '../../events/identity.ts';
import type { Head, LedgerReader, StoredContent } from '../../events/ports.ts';
import { type AnyEvent, ledgerLaw } from '../../projections/ledger-law.ts';
import type { HashedEvent } from '../../projections/replay.ts';
import { finishVerification, type Problem, startVerification, verifyEvent } from '../../projections/verify.ts';

const PAGE = 1_000;
/** How often a ledger that moved while it was read is read again. */
const READS_MAX = 5;

/** Every ledger, in order of ledgerId. */
export async function* allLedgers(reader: LedgerReader): AsyncGenerator<LedgerRef> {
  let after: LedgerId | null = null;
  for (;;) {
    const page: readonly LedgerRef[] = await reader.ledgers(after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.ledgerId;
  }
}

/** Events of a ledger from position 1, a page at a time, to the end. */
export async function* eventPages(reader: LedgerReader, ledgerId: LedgerId): AsyncGenerator<readonly StoredEvent[]> {
  for (let from = 1; ; from += PAGE) {
    const page = await reader.events(ledgerId, from, from + PAGE - 1);
    if (page.length > 0) yield page;
    // A short page may hide a gap: one more look beyond it, so that a dropped event does not end the reading.
    if (page.length < PAGE && (await reader.events(ledgerId, from + PAGE, from + 2 * PAGE - 1)).length === 0) return;
  }
}

/**
 * Verifies one ledger, reading again when it moved meanwhile; memory does not grow with the history.
 * @returns the number of events read and the first problem.
 */
export async function verifyLedger(
  reader: LedgerReader,
  ledger: LedgerRef,
): Promise<{ readonly events: number; readonly problem: Problem | null }> {
  for (let read = 1; ; read += 1) {
    let events = 0;
    let so = startVerification(ledger);
    for await (const page of eventPages(reader, ledger.ledgerId)) {
      for (const stored of page) so = verifyEvent(so, stored);
      events += page.length;
    }
    const { head, content } = await reader.headWithContent(ledger.ledgerId);
    const problem = finishVerification(so, head, content);
    const moved =
      problem !== null &&
      so.problem === null &&
      head.position > so.position &&
      (await grew(reader, ledger, so.position));
    if (!moved || read === READS_MAX) return { events, problem };
  }
}

async function grew(reader: LedgerReader, ledger: LedgerRef, position: number): Promise<boolean> {
  return (await reader.events(ledger.ledgerId, position + 1, position + 1)).length > 0;
}

/** One ledger's readable history with the head and content that stood when it was read. */
export type ReadLedger<Event = RecordedEvent> = {
  readonly ledger: LedgerRef;
  readonly head: Head;
  readonly content: StoredContent | null;
  readonly events: readonly HashedEvent<Event>[];
  /** The first position that could not be read as an event, or null. */
  readonly unreadableAt: number | null;
};

/** Reads one preference ledger whole, through the head's position. */
export function readLedger(reader: LedgerReader, ledger: LedgerRef): Promise<ReadLedger> {
  return readAs(reader, ledger, openEvent);
}

/** Reads one ledger of any kind whole; of a kind this program does not know nothing is readable. */
export function readAnyLedger(reader: LedgerReader, ledger: LedgerRef): Promise<ReadLedger<AnyEvent>> {
  return readAs(reader, ledger, ledgerLaw(ledger.kind)?.open ?? (() => ({ ok: false, cause: 'not_an_event' })));
}

async function readAs<Event extends AnyEvent>(
  reader: LedgerReader,
  ledger: LedgerRef,
  open: (bytes: Uint8Array) => Opened<Event>,
): Promise<ReadLedger<Event>> {
  const { head, content } = await reader.headWithContent(ledger.ledgerId);
  const events: HashedEvent<Event>[] = [];
  for await (const page of eventPages(reader, ledger.ledgerId)) {
    for (const stored of page) {
      if (stored.position > head.position) break;
      const opened = open(stored.bytes);
      if (!opened.ok || opened.event.position !== events.length + 1) {
        return { ledger, head, content, events, unreadableAt: events.length + 1 };
      }
      events.push({ event: opened.event, hash: stored.hash });
    }
  }
  return { ledger, head, content, events, unreadableAt: events.length === head.position ? null : events.length + 1 };
}
