/**
 * A Ledger in memory that keeps the port's promises to the letter, and the faults a real one is allowed to show.
 * @module
 */
import { genesisHash, sha256Hex } from '../../src/events/chain.ts';
import { CONTENT_BYTES } from '../../src/events/commitment.ts';
import type { EventBody, SealedEvent, StoredEvent } from '../../src/events/envelope.ts';
import type { LedgerId, LedgerRef } from '../../src/events/identity.ts';
import {
  type Commit,
  type CommitResult,
  CommitUnknown,
  type Head,
  type Ledger,
  type Once,
  type StoredContent,
  StoreUnavailable,
} from '../../src/events/ports.ts';

type Row = {
  ref: LedgerRef;
  state: string;
  events: { readonly stored: StoredEvent; readonly id: string; readonly time: string }[];
  content: StoredContent | null;
};

/** Most events one read gives. */
const EVENTS_PER_READ = 1_000;

export type MemoryLedger = Ledger & {
  /** Marks what was decided for a delivery as answered. */
  readonly answered: (key: string) => Promise<void>;
  /** All that is kept, for tests that look for what should not be there. */
  readonly kept: () => {
    readonly ledgers: ReadonlyMap<LedgerId, Row>;
    readonly once: ReadonlyMap<string, Once>;
    readonly commits: readonly Commit[];
  };
};

/** An empty ledger store. */
export function memoryLedger(): MemoryLedger {
  const rows = new Map<LedgerId, Row>();
  const onceRows = new Map<string, Once>();
  const commits: Commit[] = [];

  function headOf(ledgerId: LedgerId): Head {
    const row = rows.get(ledgerId);
    const newest = row?.events.at(-1);
    if (row === undefined || newest === undefined) return { position: 0, hash: null, time: null, state: null };
    return { position: row.events.length, hash: newest.stored.hash, time: newest.time, state: row.state };
  }

  function apply(commit: Commit): CommitResult {
    const { ledger, expectedPosition, events, once } = commit;
    const row = rows.get(ledger.ledgerId);
    const [first] = events;
    const before = once === null ? undefined : onceRows.get(once.key);
    if (before !== undefined) return { status: 'duplicate', once: before };
    const head = headOf(ledger.ledgerId);
    if (head.position !== expectedPosition) {
      const isOurs = first !== undefined && row?.events[expectedPosition]?.id === first.event.id;
      return { status: isOurs ? 'already_committed' : 'conflict' };
    }
    assertFits(commit, head, row?.ref ?? ledger);
    commits.push(commit);
    if (once !== null) onceRows.set(once.key, { ...once, answered: false });
    // A decision without an event is remembered, but opens no ledger.
    if (first === undefined) return { status: 'committed' };
    const written = row ?? { ref: ledger, state: '', events: [], content: null };
    written.events.push(...events.map(storedOf));
    written.state = commit.state;
    if (commit.content.kind === 'forget') written.content = null;
    if (commit.content.kind === 'put') {
      const { revision, bytes } = commit.content;
      written.content = { revision, bytes: Uint8Array.from(bytes) };
    }
    rows.set(ledger.ledgerId, written);
    return { status: 'committed' };
  }

  return {
    head: async (ledgerId) => headOf(ledgerId),
    headWithContent: async (ledgerId) => ({ head: headOf(ledgerId), content: rows.get(ledgerId)?.content ?? null }),
    ledger: async (ledgerId) => rows.get(ledgerId)?.ref ?? null,
    events: async (ledgerId, from, through) =>
      (rows.get(ledgerId)?.events ?? [])
        .slice(Math.max(0, from - 1), through)
        .slice(0, EVENTS_PER_READ)
        .map(({ stored }) => stored),
    ledgers: async (after, limit) =>
      [...rows.values()]
        .map(({ ref }) => ref)
        .filter(({ ledgerId }) => after === null || ledgerId > after)
        .toSorted((one, other) => (one.ledgerId < other.ledgerId ? -1 : 1))
        .slice(0, limit),
    once: async (key) => onceRows.get(key) ?? null,
    commit: async (commit) => apply(commit),
    answered: async (key) => {
      const row = onceRows.get(key);
      if (row !== undefined) onceRows.set(key, { ...row, answered: true });
    },
    kept: () => ({ ledgers: rows, once: onceRows, commits }),
  };
}

/**
 * A commit that no correct caller sends is thrown, not answered.
 * @throws RangeError for events that do not continue the chain, and for content that could not be kept.
 */
function assertFits({ ledger, events, content }: Commit, head: Head, known: LedgerRef): void {
  let { position } = head;
  let previous = head.hash ?? genesisHash(ledger.ledgerId);
  const isKnown = known.purpose === ledger.purpose && known.subjectKey === ledger.subjectKey;
  let fits = isKnown && (content.kind !== 'put' || events.length > 0);
  if (content.kind === 'put') fits &&= content.bytes.length === CONTENT_BYTES;
  for (const { event, bytes, hash } of events) {
    position += 1;
    fits &&= event.source === `/ledgers/${ledger.ledgerId}` && event.position === position;
    fits &&= event.previoushash === previous && sha256Hex(bytes) === hash;
    previous = hash;
  }
  if (!fits) throw new RangeError('A commit that does not fit its ledger');
}

function storedOf({ position, bytes, hash, event }: SealedEvent<EventBody>): Row['events'][number] {
  return { stored: { position, bytes: Uint8Array.from(bytes), hash }, id: event.id, time: event.time };
}

/**
 * What may happen to one commit:
 * - `applied_unknown`: done, but the answer is lost;
 * - `lost_unknown`: not done, and the answer is lost;
 * - `late_unknown`: the answer is lost, and it is done only some calls later, or at the very end;
 * - `conflict`: somebody else wrote in between;
 * - `unavailable`: not done, and the store says so.
 */
export type Fault = 'none' | 'applied_unknown' | 'lost_unknown' | 'late_unknown' | 'conflict' | 'unavailable';

/** A ledger that meets faults, and what is still on its way. */
export type FaultyLedger = Ledger & {
  /** Lets every late commit arrive. */
  readonly settle: () => Promise<void>;
};

/**
 * @param next the fault of each commit, in order.
 * @param interfere writes something of somebody else, so that a conflict is a true one.
 * @param lateCalls after how many further calls a late commit arrives.
 */
export function withFaults(
  inner: Ledger,
  { next, interfere, lateCalls }: { next: () => Fault; interfere: () => Promise<void>; lateCalls: () => number },
): FaultyLedger {
  let late: { readonly commit: Commit; calls: number }[] = [];

  async function arrive(): Promise<void> {
    for (const each of late) each.calls -= 1;
    const due = late.filter(({ calls }) => calls <= 0);
    late = late.filter(({ calls }) => calls > 0);
    for (const { commit } of due) await inner.commit(commit);
  }

  return {
    ...inner,
    async head(ledgerId) {
      await arrive();
      return inner.head(ledgerId);
    },
    async headWithContent(ledgerId) {
      await arrive();
      return inner.headWithContent(ledgerId);
    },
    async commit(commit) {
      await arrive();
      switch (next()) {
        case 'none':
          return inner.commit(commit);
        case 'conflict':
          await interfere();
          return inner.commit(commit);
        case 'applied_unknown':
          await inner.commit(commit);
          throw new CommitUnknown('The answer was lost');
        case 'lost_unknown':
          throw new CommitUnknown('The commit was lost');
        case 'late_unknown':
          late.push({ commit, calls: lateCalls() });
          throw new CommitUnknown('The answer was lost');
        case 'unavailable':
          throw new StoreUnavailable('Not now');
      }
    },
    async settle() {
      for (const { commit } of late.splice(0)) await inner.commit(commit);
    },
  };
}
