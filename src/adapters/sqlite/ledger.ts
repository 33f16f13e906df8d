/**
 * The ledger port on SQLite: one commit is one write of a group, checked against the head inside the transaction.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import { genesisHash, sha256Hex } from '../../events/chain.ts';
import { CONTENT_BYTES } from '../../events/commitment.ts';
import type { StoredEvent } from '../../events/envelope.ts';
import type { LedgerId, LedgerKind, LedgerRef, SubjectKey, TenantId } from '../../events/identity.ts';
import type { Commit, CommitResult, Head, Ledger, Once, StoredContent } from '../../events/ports.ts';
import type { Erasure } from './erasure.ts';
import type { Writer } from './group-commit.ts';

/** The most events one call of `events` gives. */
const EVENTS_PER_CALL_MAX = 1_000;

/** What a ledger needs of the rest of the store. */
export type LedgerParts = {
  readonly db: DatabaseSync;
  readonly writer: Writer;
  /** Runs a read, again if another process is in the way. */
  readonly read: <T>(action: () => T) => Promise<T>;
  readonly erasure: Erasure;
  /** Empties what the inbox still holds of a subject; inside the same transaction as a forget. */
  readonly emptyInbox: (subjectKey: SubjectKey) => void;
  /** Unix milliseconds; the age of once rows. */
  readonly clock: () => number;
};

type LedgerRow = {
  readonly id: number;
  readonly kind: LedgerKind;
  readonly tenant: TenantId;
  readonly subject: SubjectKey;
  readonly purpose: string;
  readonly position: number;
  readonly hash: Uint8Array;
  readonly time: string;
  readonly content_revision: number | null;
  readonly state: string;
};

const NO_HEAD: Head = { position: 0, hash: null, time: null, state: null };

function toHead(row: LedgerRow | undefined): Head {
  if (row === undefined) return NO_HEAD;
  return { position: row.position, hash: toHex(row.hash), time: row.time, state: row.state };
}

function toRef(row: LedgerRow & { readonly key: LedgerId }): LedgerRef {
  return {
    ledgerId: row.key,
    kind: row.kind,
    tenantId: row.tenant,
    subjectKey: row.subject,
    purpose: row.purpose,
  };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Makes the port. A damaged ledger can be read, so that it can be judged, but nothing is appended to it. */
export function sqliteLedger(parts: LedgerParts): Ledger {
  const { db, read, writer } = parts;
  const selectLedger = db.prepare('SELECT * FROM ledgers WHERE key = ?');
  const selectWithContent = db.prepare(
    'SELECT ledgers.*, contents.body FROM ledgers LEFT JOIN contents ON contents.ledger = ledgers.id WHERE key = ?',
  );
  const selectEvents = db.prepare(
    'SELECT events.position, events.bytes, events.hash FROM events JOIN ledgers ON ledgers.id = events.ledger ' +
      'WHERE ledgers.key = ? AND events.position BETWEEN ? AND ? ORDER BY events.position LIMIT ?',
  );
  selectEvents.setReturnArrays(true);
  const selectLedgers = db.prepare('SELECT * FROM ledgers WHERE key > ? ORDER BY key LIMIT ?');
  const selectOnce = db.prepare('SELECT key, outcome, answered FROM once WHERE key = ?');
  const append = committing(parts);

  function onceRow(key: string): Once | null {
    const row = selectOnce.get(key) as { key: string; outcome: string; answered: number } | undefined;
    return row === undefined ? null : { key: row.key, outcome: row.outcome, answered: row.answered === 1 };
  }

  return {
    head: (ledgerId) => read(() => toHead(selectLedger.get(ledgerId) as LedgerRow | undefined)),
    ledger: (ledgerId) =>
      read(() => {
        const row = selectLedger.get(ledgerId) as (LedgerRow & { key: LedgerId }) | undefined;
        return row === undefined ? null : toRef(row);
      }),
    headWithContent: (ledgerId) =>
      read(() => {
        const row = selectWithContent.get(ledgerId) as (LedgerRow & { body: Uint8Array | null }) | undefined;
        return { head: toHead(row), content: row === undefined ? null : toContent(row) };
      }),
    events: (ledgerId, fromPosition, throughPosition) =>
      read(() => {
        const rows = selectEvents.all(ledgerId, fromPosition, throughPosition, EVENTS_PER_CALL_MAX);
        return (rows as unknown as [number, Uint8Array, Uint8Array][]).map(
          ([position, bytes, hash]): StoredEvent => ({ position, bytes, hash: toHex(hash) }),
        );
      }),
    ledgers: (after, limit) =>
      read(() => (selectLedgers.all(after ?? '', limit) as (LedgerRow & { key: LedgerId })[]).map(toRef)),
    once: (key) => read(() => onceRow(key)),
    async commit(commit) {
      assertWellFormed(commit);
      return writer.write((): CommitResult => {
        const once = commit.once === null ? null : onceRow(commit.once.key);
        if (once !== null) return { status: 'duplicate', once };
        return append(commit, selectLedger.get(commit.ledger.ledgerId) as LedgerRow | undefined);
      });
    },
  };
}

function toContent(row: LedgerRow & { readonly body: Uint8Array | null }): StoredContent | null {
  return row.content_revision === null || row.body === null
    ? null
    : { revision: row.content_revision, bytes: row.body };
}

/** What is wrong with a commit whatever the ledger says. @throws RangeError; nothing was written. */
function assertWellFormed({ ledger, events, expectedPosition, content }: Commit): void {
  if (content.kind === 'put' && (events.length === 0 || content.bytes.length !== CONTENT_BYTES))
    throw new RangeError(`Content comes with an event and has exactly ${CONTENT_BYTES} bytes`);
  events.forEach(({ position, bytes, hash, event }, index) => {
    const previous = events[index - 1];
    if (position !== expectedPosition + 1 + index || event.position !== position)
      throw new RangeError('The events do not follow the expected position');
    if (event.source !== `/ledgers/${ledger.ledgerId}` || event.subject !== ledger.subjectKey)
      throw new RangeError('The event belongs to another ledger');
    if (previous !== undefined && event.previoushash !== previous.hash)
      throw new RangeError('The events do not chain to each other');
    if (sha256Hex(bytes) !== hash) throw new RangeError('The hash is not of the bytes');
  });
}

type Append = (commit: Commit, row: LedgerRow | undefined) => CommitResult;

/** The part of a commit that runs inside the transaction, after `once` was found to be new. */
function committing({ db, erasure, emptyInbox, clock }: LedgerParts): Append {
  const selectEvent = db.prepare('SELECT bytes, hash FROM events WHERE ledger = ? AND position = ?');
  const insertLedger = db.prepare(
    'INSERT INTO ledgers (key, kind, tenant, subject, purpose, position, hash, time, content_revision, state) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)',
  );
  const insertContent = db.prepare('INSERT INTO contents (ledger, body) VALUES (?, ?)');
  const overwriteContent = db.prepare('UPDATE contents SET body = ? WHERE ledger = ?');
  const setRevision = db.prepare('UPDATE ledgers SET content_revision = ? WHERE id = ?');
  const moveHead = db.prepare('UPDATE ledgers SET position = ?, hash = ?, time = ?, state = ? WHERE id = ?');
  const insertEvent = db.prepare('INSERT INTO events (ledger, position, hash, bytes) VALUES (?, ?, ?, ?)');
  const insertOnce = db.prepare('INSERT INTO once (key, ledger, subject, outcome, created_at) VALUES (?, ?, ?, ?, ?)');
  const zeros = new Uint8Array(CONTENT_BYTES);

  function eventAt(ledger: number, position: number): { bytes: Uint8Array; hash: Uint8Array } | undefined {
    return selectEvent.get(ledger, position) as { bytes: Uint8Array; hash: Uint8Array } | undefined;
  }
  function wasOurs(row: LedgerRow | undefined, { expectedPosition, events: [first] }: Commit): boolean {
    if (row === undefined || first === undefined) return false;
    const stored = eventAt(row.id, expectedPosition + 1);
    return stored !== undefined && storedId(stored.bytes) === first.event.id;
  }
  /** Pair assertion: before anything is added, naming, head, newest event and what comes next must agree. */
  function assertFits(row: LedgerRow | undefined, { ledger, events: [first] }: Commit): void {
    if (row !== undefined) {
      const named = toRef({ ...row, key: ledger.ledgerId });
      if (named.kind !== ledger.kind || named.tenantId !== ledger.tenantId || named.purpose !== ledger.purpose)
        throw new RangeError('The ledger has another naming');
      if (named.subjectKey !== ledger.subjectKey) throw new RangeError('The ledger belongs to another subject');
      const newest = eventAt(row.id, row.position);
      if (newest === undefined || Buffer.compare(newest.hash, row.hash) !== 0)
        throw new Error(`Ledger ${ledger.ledgerId} is damaged: its head is not its newest event`);
    }
    const headHash = row === undefined ? genesisHash(ledger.ledgerId) : toHex(row.hash);
    if (first !== undefined && first.event.previoushash !== headHash)
      throw new RangeError('The event does not chain to the head');
  }
  function appendEvents(row: LedgerRow | undefined, { ledger, events, state }: Commit): number | null {
    const last = events.at(-1);
    if (last === undefined) return row?.id ?? null;
    const lastHash = Buffer.from(last.hash, 'hex');
    let id = row?.id;
    if (id === undefined) {
      const { ledgerId, kind, tenantId, subjectKey, purpose } = ledger;
      const made = insertLedger.run(
        ledgerId,
        kind,
        tenantId,
        subjectKey,
        purpose,
        last.position,
        lastHash,
        last.event.time,
        state,
      );
      id = Number(made.lastInsertRowid);
      insertContent.run(id, zeros);
    } else {
      moveHead.run(last.position, lastHash, last.event.time, state, id);
    }
    for (const { position, hash, bytes } of events) insertEvent.run(id, position, Buffer.from(hash, 'hex'), bytes);
    return id;
  }
  function changeContent(id: number | null, row: LedgerRow | undefined, { ledger, content }: Commit): void {
    if (content.kind === 'keep') return;
    if (content.kind === 'put') {
      if (id === null) return;
      overwriteContent.run(content.bytes, id);
      setRevision.run(content.revision, id);
      if (row?.content_revision != null) erasure.owe();
      return;
    }
    if (id !== null) {
      overwriteContent.run(zeros, id);
      setRevision.run(null, id);
    }
    emptyInbox(ledger.subjectKey);
    erasure.owe();
  }

  return (commit, row) => {
    if ((row?.position ?? 0) !== commit.expectedPosition)
      return { status: wasOurs(row, commit) ? 'already_committed' : 'conflict' };
    assertFits(row, commit);
    const id = appendEvents(row, commit);
    changeContent(id, row, commit);
    const { ledger, once } = commit;
    if (once !== null) insertOnce.run(once.key, ledger.ledgerId, ledger.subjectKey, once.outcome, clock());
    return { status: 'committed' };
  };
}

/** The id in stored bytes, found where it counts: in what was hashed. */
function storedId(bytes: Uint8Array): unknown {
  const record: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return typeof record === 'object' && record !== null && 'id' in record ? record.id : undefined;
}
