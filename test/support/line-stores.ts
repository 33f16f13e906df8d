/**
 * Inbox, outbox and addresses in memory, as the ports describe them, with faults a test can switch on.
 * @module
 */
import type { Addresses, Inbox, InboxJob, Outbox, OwedAnswer } from '../../src/events/delivery-ports.ts';
import type { LedgerId, SubjectKey } from '../../src/events/identity.ts';
import { StoreUnavailable } from '../../src/events/ports.ts';

type Row = { -readonly [K in keyof InboxJob]: InboxJob[K] } & { dueAt: number; finishedAt: number | null };
type Decided = { -readonly [K in keyof OwedAnswer]: OwedAnswer[K] } & {
  answered: boolean;
  createdAt: number;
  leasedUntil: number;
};

export type LineStores = {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: Addresses;
  readonly rows: Map<string, Row>;
  readonly decided: Map<string, Decided>;
  readonly sealed: Map<SubjectKey, Uint8Array>;
  /** What a turn's transaction does: keeps the once row. `duplicate` gives the row that was there. */
  decide(row: { key: string; subjectKey: SubjectKey; ledgerId: LedgerId; outcome: string }): 'new' | Decided;
  /** What a forget does to what waits. */
  emptyBodies(subjectKey: SubjectKey): void;
  /** The store answers StoreUnavailable while this is true. */
  down: boolean;
};

/** Makes empty stores. `clock` gives Unix milliseconds. */
export function lineStores(clock: () => number): LineStores {
  const rows = new Map<string, Row>();
  const decided = new Map<string, Decided>();
  const sealed = new Map<SubjectKey, Uint8Array>();
  const droppedIds = new Set<string>();

  async function up(): Promise<void> {
    if (stores.down) throw new StoreUnavailable('switched off by the test');
  }

  const inbox: Inbox = {
    async accept(job) {
      await up();
      if (rows.has(job.key)) return 'duplicate';
      if (job.messageId !== null && droppedIds.has(`${job.subjectKey}|${job.messageId}`)) return 'duplicate';
      rows.set(job.key, { ...job, attempts: 0, dueAt: 0, finishedAt: null });
      return 'accepted';
    },
    async lease(now, leaseMs, limit) {
      await up();
      const oldest = new Map<SubjectKey, Row>();
      for (const row of rows.values()) {
        if (row.finishedAt === null && !oldest.has(row.subjectKey)) oldest.set(row.subjectKey, row);
      }
      const due = [...oldest.values()].filter((row) => row.dueAt <= now).slice(0, limit);
      return due.map((row) => {
        const leased = { ...row };
        row.dueAt = now + leaseMs;
        row.attempts += 1;
        return leased;
      });
    },
    async finish(key) {
      await up();
      const row = rows.get(key);
      if (row === undefined || row.finishedAt !== null) return;
      row.finishedAt = clock();
      row.body = null;
    },
    async postpone(key, dueAt) {
      await up();
      const row = rows.get(key);
      if (row !== undefined && row.finishedAt === null) row.dueAt = dueAt;
    },
    async drop(subjectKey, messageId) {
      await up();
      droppedIds.add(`${subjectKey}|${messageId}`);
      const row = [...rows.values()].find((one) => one.subjectKey === subjectKey && one.messageId === messageId);
      if (row === undefined || row.finishedAt !== null) return { dropped: false };
      row.finishedAt = clock();
      row.body = null;
      return { dropped: true };
    },
    async dropAll(subjectKey) {
      await up();
      const open = [...rows.values()].filter((row) => row.subjectKey === subjectKey && row.finishedAt === null);
      for (const row of open) Object.assign(row, { finishedAt: clock(), body: null });
      return open.length;
    },
    async waiting() {
      const open = [...rows.values()].filter((row) => row.finishedAt === null);
      return { jobs: open.length, oldestReceivedAt: open[0]?.receivedAt ?? null, dueSince: open[0]?.dueAt ?? null };
    },
    async purge(before) {
      const old = [...rows.values()].filter(({ finishedAt }) => finishedAt !== null && finishedAt < before);
      for (const { key } of old) rows.delete(key);
      return old.length;
    },
  };

  const outbox: Outbox = {
    async answered(key) {
      await up();
      const row = decided.get(key);
      if (row !== undefined) row.answered = true;
    },
    async leaseOwed(now, before, leaseMs, limit) {
      await up();
      const owed = [...decided.values()].filter(
        (row) => !row.answered && row.createdAt < before && row.leasedUntil <= now,
      );
      return owed.slice(0, limit).map((row) => {
        const leased = { ...row };
        row.leasedUntil = now + leaseMs;
        row.attempts += 1;
        return leased;
      });
    },
    async purgeAnswered(before) {
      const old = [...decided.values()].filter(({ answered, createdAt }) => answered && createdAt < before);
      for (const { key } of old) decided.delete(key);
      return old.length;
    },
  };

  const addresses: Addresses = {
    async put(subjectKey, bytes) {
      await up();
      sealed.set(subjectKey, bytes);
    },
    async get(subjectKey) {
      await up();
      return sealed.get(subjectKey) ?? null;
    },
    async release(subjectKey) {
      await up();
      const waits = [...rows.values()].some((row) => row.subjectKey === subjectKey && row.finishedAt === null);
      const owed = [...decided.values()].some((row) => row.subjectKey === subjectKey && !row.answered);
      if (!waits && !owed) sealed.delete(subjectKey);
    },
    async remove(subjectKey) {
      await up();
      sealed.delete(subjectKey);
    },
  };

  const stores: LineStores = {
    inbox,
    outbox,
    addresses,
    rows,
    decided,
    sealed,
    down: false,
    decide(row) {
      const known = decided.get(row.key);
      if (known !== undefined) return known;
      decided.set(row.key, { ...row, attempts: 0, answered: false, createdAt: clock(), leasedUntil: 0 });
      return 'new';
    },
    emptyBodies(subjectKey) {
      for (const row of rows.values()) if (row.subjectKey === subjectKey) row.body = null;
    },
  };
  return stores;
}
