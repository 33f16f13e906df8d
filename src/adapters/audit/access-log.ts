/**
 * Records each look in its access ledger, through a port that can append nothing else.
 * @module
 */
import { type AccessLog, AccessNotRecorded, accessEvent, type Read } from '../../commands/access.ts';
import { ACCESS_SPELLING, type AccessEvent } from '../../events/access-kinds.ts';
import { genesisHash } from '../../events/chain.ts';
import { type SealedEvent, sealAs } from '../../events/envelope.ts';
import type { LedgerRef } from '../../events/identity.ts';
import { type Commit, type CommitResult, CommitUnknown, type Head } from '../../events/ports.ts';
import { decodeAccess, encodeAccess, evolveAccess } from '../../projections/access-state.ts';

/** How often a look is put after a newer head before it counts as not recorded. */
const TRIES = 6;
/** How often a commit of unknown outcome is sent again. */
const RESENDS = 3;

/** A commit that holds looks and no content. */
export type AccessCommit = Omit<Commit, 'ledger' | 'events' | 'content' | 'once'> & {
  readonly ledger: LedgerRef & { readonly kind: 'access' };
  readonly events: readonly SealedEvent<AccessEvent>[];
  readonly content: { readonly kind: 'keep' };
  readonly once: null;
};

/** What is needed of a store: any Ledger fits, and nothing but looks can be put into it. */
export type AccessStore = {
  readonly head: (ledgerId: LedgerRef['ledgerId']) => Promise<Head>;
  readonly commit: (commit: AccessCommit) => Promise<CommitResult>;
};

export type AccessLogParts = {
  readonly store: AccessStore;
  /** The access ledger of one audited ledger. */
  readonly ofLedger: (audited: LedgerRef) => LedgerRef;
  /** The access ledger of one reader and one day (UTC, YYYY-MM-DD). */
  readonly ofReader: (reader: string, day: string) => LedgerRef;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** A new UUIDv7. */
  readonly newEventId: () => string;
  /** Waits before try `attempt` (from 1) after a conflict. */
  readonly pause: (attempt: number) => Promise<void>;
};

/** Makes the log. */
export function createAccessLog(parts: AccessLogParts): AccessLog {
  const { store, clock, newEventId, pause } = parts;

  async function append(read: Read): Promise<boolean> {
    const asked = clock();
    const ledger = accessLedgerFor(read, asked, parts);
    const eventId = newEventId();
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      if (attempt > 0) await pause(attempt);
      const head = await store.head(ledger.ledgerId);
      const result = await commitSurely(store, accessCommit(read, ledger, head, eventId, asked));
      if (result === 'unknown') return false;
      if (result.status === 'committed' || result.status === 'already_committed') return true;
    }
    return false;
  }

  return {
    async record(read) {
      let recorded = false;
      try {
        recorded = await append(read);
      } catch (error) {
        throw new AccessNotRecorded('The look could not be recorded', { cause: error });
      }
      if (!recorded) throw new AccessNotRecorded('It is not known that the look was recorded');
    },
  };
}

function accessLedgerFor({ reader, ledger }: Read, now: number, parts: AccessLogParts): AccessCommit['ledger'] {
  const day = new Date(now).toISOString().slice(0, 10);
  const found = ledger === null ? parts.ofReader(reader.name, day) : parts.ofLedger(ledger);
  if (found.kind !== 'access') throw new TypeError('Looks are recorded in access ledgers only');
  return { ...found, kind: found.kind };
}

function accessCommit(
  read: Read,
  ledger: AccessCommit['ledger'],
  head: Head,
  eventId: string,
  asked: number,
): AccessCommit {
  const now = Math.max(asked, head.time === null ? 0 : Date.parse(head.time));
  const sealed = sealAs(
    ACCESS_SPELLING,
    accessEvent(read),
    {
      ledgerId: ledger.ledgerId,
      subjectKey: ledger.subjectKey,
      position: head.position + 1,
      previousHash: head.hash ?? genesisHash(ledger.ledgerId),
      time: new Date(now).toISOString(),
    },
    { eventId, actor: read.reader.name, actorRole: 'operator', causationId: eventId, correlationId: eventId },
  );
  return {
    ledger,
    expectedPosition: head.position,
    events: [sealed],
    content: { kind: 'keep' },
    state: encodeAccess(evolveAccess(decodeAccess(head.state), sealed.event)),
    once: null,
  };
}

/** Sends one commit until its outcome is known; the event keeps its id, so at most one of the tries can win. */
async function commitSurely(store: AccessStore, commit: AccessCommit): Promise<CommitResult | 'unknown'> {
  for (let sent = 1; ; sent += 1) {
    try {
      return await store.commit(commit);
    } catch (error) {
      if (sent === 1 && !(error instanceof CommitUnknown)) throw error;
      if (sent === RESENDS) return 'unknown';
    }
  }
}
