/**
 * Puts the ledgers of a bundle into a store, chains and all: each is verified first, and nothing that is there is changed.
 * @module
 */
import { type LedgerId, type LedgerRef } from '../../events/identity.ts';
import { type Commit, CommitUnknown, type ContentChange, type Ledger } from '../../events/ports.ts';
import type { Problem } from '../../projections/verify.ts';
import type { Bundle, BundledLedger } from './bundle-reading.ts';

/** The most events of one commit: a Firestore commit holds some hundred documents and a few MB. */
const EVENTS_PER_COMMIT = 400;
/** The most events one read of the port gives. */
const EVENTS_PER_READ = 1_000;
/** How often a commit of unknown outcome is sent. */
const SENDS = 5;

/** Why a ledger was not imported; the store's is as it was. */
export type RefusedCause =
  /** What stands in the store is not the beginning of what the bundle holds, nor the other way round. */
  | 'history_differs'
  /** The same history, but a value in force that is not the bundle's, or is missing. */
  | 'content_differs'
  /** It has another name under this SUBJECT_KEY and TENANT_ID: it belongs to another deployment. */
  | 'other_deployment'
  /** Somebody wrote to it while it was imported; run it again. */
  | 'moved_meanwhile';

export type Refused = { readonly ledgerId: LedgerId; readonly cause: RefusedCause };

export type Imported = {
  readonly outcome: 'imported';
  /** Ledgers that were not there, or not whole. */
  readonly imported: number;
  readonly events: number;
  /** Ledgers that were there already, or further on. */
  readonly unchanged: number;
  readonly refused: readonly Refused[];
};

export type ImportOptions = {
  readonly bundle: Bundle;
  readonly ledger: Ledger;
  /** Whether a ledger is called this under the keys of this deployment. */
  readonly isOurs: (ref: LedgerRef) => boolean;
};

/**
 * Imports. A bundle with any problem is not touched: then `problems`, and nothing was written.
 * @throws StoreUnavailable, CommitUnknown: run it again, it goes on where it stopped.
 */
export async function importLedgers({
  bundle,
  ledger,
  isOurs,
}: ImportOptions): Promise<Imported | { readonly outcome: 'problems'; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  for await (const each of bundle.each()) if ('cause' in each) problems.push(each);
  if (problems.length > 0) return { outcome: 'problems', problems };
  const counts = { imported: 0, events: 0, unchanged: 0 };
  const refused: Refused[] = [];
  for await (const each of bundle.each()) {
    if ('cause' in each) throw new Error('The bundle changed while it was read');
    const done = isOurs(each.ref) ? await importOne(ledger, each) : 'other_deployment';
    if (typeof done === 'string') refused.push({ ledgerId: each.ref.ledgerId, cause: done });
    else if (done.appended === 0) counts.unchanged += 1;
    else {
      counts.imported += 1;
      counts.events += done.appended;
    }
  }
  return { outcome: 'imported', ...counts, refused };
}

async function importOne(
  ledger: Ledger,
  bundled: BundledLedger,
): Promise<{ readonly appended: number } | RefusedCause> {
  const { ref, events } = bundled;
  const known = await ledger.ledger(ref.ledgerId);
  const differs = known !== null && (known.kind !== ref.kind || known.purpose !== ref.purpose);
  if (differs || (known !== null && known.subjectKey !== ref.subjectKey)) return 'history_differs';
  const { head, content } = await ledger.headWithContent(ref.ledgerId);
  if (!(await isSamePath(ledger, bundled, head.position))) return 'history_differs';
  if (head.position > events.length) return { appended: 0 };
  const since = bundled.inForceSince ?? Number.POSITIVE_INFINITY;
  const shouldHold = head.position >= since ? bundled.content : null;
  if (head.position === events.length && !sameContent(content, shouldHold)) return 'content_differs';
  if (head.position >= since && !sameContent(content, shouldHold)) return 'content_differs';
  for (let from = head.position; from < events.length; ) {
    const next = nextCommit(bundled, from);
    const { status } = await commitSurely(ledger, next);
    if (status !== 'committed' && status !== 'already_committed') return 'moved_meanwhile';
    from += next.events.length;
  }
  return { appended: events.length - head.position };
}

/** Whether what is stored through a position and what the bundle holds are the same as far as both go. */
async function isSamePath(ledger: Ledger, { ref, events }: BundledLedger, position: number): Promise<boolean> {
  const through = Math.min(position, events.length);
  for (let from = 1; from <= through; from += EVENTS_PER_READ) {
    const page = await ledger.events(ref.ledgerId, from, Math.min(through, from + EVENTS_PER_READ - 1));
    if (page.length !== Math.min(through - from + 1, EVENTS_PER_READ)) return false;
    for (const [index, stored] of page.entries()) {
      const ours = events[from - 1 + index];
      if (ours === undefined || stored.position !== ours.position || stored.hash !== ours.hash) return false;
      if (Buffer.compare(stored.bytes, ours.bytes) !== 0) return false;
    }
  }
  return true;
}

function sameContent(one: BundledLedger['content'], other: BundledLedger['content']): boolean {
  if (one === null || other === null) return one === other;
  return one.revision === other.revision && Buffer.compare(one.bytes, other.bytes) === 0;
}

/** The value in force comes with the very event that made it so: from there on the store is whole at every moment. */
function nextCommit({ ref, events, states, content, inForceSince }: BundledLedger, from: number): Commit {
  const part = events.slice(from, from + EVENTS_PER_COMMIT);
  const through = from + part.length;
  const brings = content !== null && inForceSince !== null && inForceSince > from && inForceSince <= through;
  const change: ContentChange = brings ? { kind: 'put', ...content } : { kind: 'keep' };
  const state = states[through - 1];
  if (state === undefined) throw new Error('A state after every event');
  return { ledger: ref, expectedPosition: from, events: part, content: change, state, once: null };
}

async function commitSurely(ledger: Ledger, commit: Commit) {
  for (let sent = 1; ; sent += 1) {
    try {
      return await ledger.commit(commit);
    } catch (error) {
      if (!(error instanceof CommitUnknown) || sent === SENDS) throw error;
    }
  }
}
