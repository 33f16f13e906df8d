/**
 * The ledger port on SQLite: one commit is one write of a group, checked against the head inside the transaction.
 * @module
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { genesisHash, sha256Hex } from '../../events/chain.ts';
import { CONTENT_BYTES } from '../../events/commitment.ts';
import type { StoredEvent } from '../../events/envelope.ts';
import type { LedgerId, LedgerKind, LedgerRef, SubjectKey, TenantId } from '../../events/identity.ts';
import type { Commit, CommitResult, Head, Ledger, Once } from '../../events/ports.ts';
import type { Erasure } from './erasure.ts';
import type { Writer } from './group-commit.ts';
import { messageHeld } from './message-held.ts';

/** The most events one call of `events` gives. */
const EVENTS_PER_CALL_MAX = 1_000;

/** What a ledger needs of the rest of the store. */
export type LedgerParts = {
  readonly db: DatabaseSync;
  readonly writer: Writer;
  /** Runs a read, again if another process is in the way. */
  readonly read: <T>(action: () => T) => Promise<T>;
  readonly erasure: Erasure;
  /** Empties what inbox, turns and context still hold of a subject; inside the same transaction as a forget. */
  readonly emptySubject: (subjectKey: SubjectKey) => void;
  /** Unix milliseconds; the age of once rows. */
  readonly clock: () => number;
};

/** Rows are read as arrays: naming their columns would cost more than finding them. */
const HEAD_COLUMNS = 'position, hash, time, state';
type HeadRow = [position: number, hash: Uint8Array, time: string, state: string];
type ContentRow = [...head: HeadRow, contentRevision: number | null, body: Uint8Array | null];
const REF_COLUMNS = 'key, kind, tenant, subject, purpose';
type RefRow = [key: LedgerId, kind: LedgerKind, tenant: TenantId, subject: SubjectKey, purpose: string];
/** What a commit compares with: the row, its head and who it is about. */
type Stored = {
  readonly id: number;
  readonly position: number;
  readonly hash: Uint8Array;
  readonly contentRevision: number | null;
  readonly ref: LedgerRef;
};
type StoredRow = [id: number, position: number, hash: Uint8Array, contentRevision: number | null, ...ref: RefRow];

const NO_HEAD: Head = { position: 0, hash: null, time: null, state: null };

function toHead(row: HeadRow | undefined): Head {
  if (row === undefined) return NO_HEAD;
  const [position, hash, time, state] = row;
  return { position, hash: toHex(hash), time, state };
}

function toRef([ledgerId, kind, tenantId, subjectKey, purpose]: RefRow): LedgerRef {
  return { ledgerId, kind, tenantId, subjectKey, purpose };
}

/** A prepared statement whose rows are arrays of the columns in order. */
function rowsAsArrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** The first row of a statement of {@link rowsAsArrays}, or undefined; the caller names its columns. */
function firstRow(statement: StatementSync, ...values: (string | number)[]): unknown {
  return statement.get(...values);
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Makes the port. A damaged ledger can be read, so that it can be judged, but nothing is appended to it. */
export function sqliteLedger(parts: LedgerParts): Ledger {
  const { db, read, writer } = parts;
  const selectHead = rowsAsArrays(db, `SELECT ${HEAD_COLUMNS} FROM ledgers WHERE key = ?`);
  const selectRef = rowsAsArrays(db, `SELECT ${REF_COLUMNS} FROM ledgers WHERE key = ?`);
  const selectRefs = rowsAsArrays(db, `SELECT ${REF_COLUMNS} FROM ledgers WHERE key > ? ORDER BY key LIMIT ?`);
  const selectWithContent = rowsAsArrays(
    db,
    `SELECT ${HEAD_COLUMNS}, content_revision, body FROM ledgers LEFT JOIN contents ON contents.ledger = ledgers.id ` +
      'WHERE key = ?',
  );
  const selectEvents = rowsAsArrays(
    db,
    'SELECT events.position, events.bytes, events.hash FROM events JOIN ledgers ON ledgers.id = events.ledger ' +
      'WHERE ledgers.key = ? AND events.position BETWEEN ? AND ? ORDER BY events.position LIMIT ?',
  );
  const selectOnce = rowsAsArrays(db, 'SELECT outcome, answered FROM once WHERE key = ?');
  const append = committing(parts);

  function onceRow(key: string): Once | null {
    const row = firstRow(selectOnce, key) as [string, number] | undefined;
    return row === undefined ? null : { key, outcome: row[0], answered: row[1] === 1 };
  }

  return {
    head: (ledgerId) => read(() => toHead(firstRow(selectHead, ledgerId) as HeadRow | undefined)),
    ledger: (ledgerId) =>
      read(() => {
        const row = firstRow(selectRef, ledgerId) as RefRow | undefined;
        return row === undefined ? null : toRef(row);
      }),
    headWithContent: (ledgerId) =>
      read(() => {
        const row = firstRow(selectWithContent, ledgerId) as ContentRow | undefined;
        if (row === undefined) return { head: NO_HEAD, content: null };
        const [position, hash, time, state, revision, bytes] = row;
        const content = revision === null || bytes === null ? null : { revision, bytes };
        return { head: toHead([position, hash, time, state]), content };
      }),
    events: (ledgerId, fromPosition, throughPosition) =>
      read(() => {
        const rows = selectEvents.all(ledgerId, fromPosition, throughPosition, EVENTS_PER_CALL_MAX);
        return (rows as unknown as [number, Uint8Array, Uint8Array][]).map(
          ([position, bytes, hash]): StoredEvent => ({ position, bytes, hash: toHex(hash) }),
        );
      }),
    ledgers: (after, limit) => read(() => (selectRefs.all(after ?? '', limit) as unknown as RefRow[]).map(toRef)),
    once: (key) => read(() => onceRow(key)),
    async commit(commit) {
      assertWellFormed(commit);
      return writer.write((): CommitResult => {
        const once = commit.once === null ? null : onceRow(commit.once.key);
        return once === null ? append(commit) : { status: 'duplicate', once };
      });
    },
  };
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

type Append = (commit: Commit) => CommitResult;

/** The part of a commit that runs inside the transaction, after `once` was found to be new. */
function committing({ db, erasure, emptySubject, clock }: LedgerParts): Append {
  const selectStored = rowsAsArrays(
    db,
    `SELECT id, position, hash, content_revision, ${REF_COLUMNS} FROM ledgers WHERE key = ?`,
  );
  const selectBytes = rowsAsArrays(db, 'SELECT bytes FROM events WHERE ledger = ? AND position = ?');
  const selectHash = rowsAsArrays(db, 'SELECT hash FROM events WHERE ledger = ? AND position = ?');
  const insertLedger = db.prepare(
    'INSERT INTO ledgers (key, kind, tenant, subject, purpose, position, hash, time, content_revision, state) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const insertContent = db.prepare('INSERT INTO contents (ledger, body) VALUES (?, ?)');
  const overwriteContent = db.prepare('UPDATE contents SET body = ? WHERE ledger = ?');
  const moveHead = db.prepare(
    'UPDATE ledgers SET position = ?, hash = ?, time = ?, content_revision = ?, state = ? WHERE id = ?',
  );
  const dropContentRevision = db.prepare('UPDATE ledgers SET content_revision = NULL WHERE id = ?');
  const insertEvent = db.prepare('INSERT INTO events (ledger, position, hash, bytes) VALUES (?, ?, ?, ?)');
  const insertOnce = db.prepare('INSERT INTO once (key, ledger, subject, outcome, created_at) VALUES (?, ?, ?, ?, ?)');
  const held = messageHeld(db);
  const zeros = new Uint8Array(CONTENT_BYTES);

  function storedLedger(ledgerId: LedgerId): Stored | null {
    const row = firstRow(selectStored, ledgerId) as StoredRow | undefined;
    if (row === undefined) return null;
    const [id, position, hash, contentRevision, ...ref] = row;
    return { id, position, hash, contentRevision, ref: toRef(ref) };
  }
  function wasOurs(stored: Stored | null, { expectedPosition, events: [first] }: Commit): boolean {
    if (stored === null || first === undefined) return false;
    const row = firstRow(selectBytes, stored.id, expectedPosition + 1) as [Uint8Array] | undefined;
    return row !== undefined && storedId(row[0]) === first.event.id;
  }
  /** Pair assertion: before anything is added, naming, head, newest event and what comes next must agree. */
  function assertFits(stored: Stored | null, { ledger, events: [first] }: Commit): void {
    const { ledgerId } = ledger;
    if (stored !== null) {
      const { ref } = stored;
      if (ref.kind !== ledger.kind || ref.tenantId !== ledger.tenantId || ref.purpose !== ledger.purpose)
        throw new RangeError('The ledger has another naming');
      if (ref.subjectKey !== ledger.subjectKey) throw new RangeError('The ledger belongs to another subject');
      const newest = firstRow(selectHash, stored.id, stored.position) as [Uint8Array] | undefined;
      if (newest === undefined || Buffer.compare(newest[0], stored.hash) !== 0)
        throw new Error(`Ledger ${ledgerId} is damaged: its head is not its newest event`);
    }
    const headHash = stored === null ? genesisHash(ledgerId) : toHex(stored.hash);
    if (first !== undefined && first.event.previoushash !== headHash)
      throw new RangeError('The event does not chain to the head');
  }
  /** Head and events; the row of the ledger, or null when nothing has happened in it. */
  function appendEvents(stored: Stored | null, { ledger, events, content, state }: Commit): number | null {
    const last = events.at(-1);
    if (last === undefined) return stored?.id ?? null;
    const { position, event } = last;
    const hash = Buffer.from(last.hash, 'hex');
    const revision =
      content.kind === 'put' ? content.revision : content.kind === 'keep' ? stored?.contentRevision : null;
    let id = stored?.id;
    if (id === undefined) {
      const { ledgerId, kind, tenantId, subjectKey, purpose } = ledger;
      const naming = [ledgerId, kind, tenantId, subjectKey, purpose] as const;
      const made = insertLedger.run(...naming, position, hash, event.time, revision ?? null, state);
      id = Number(made.lastInsertRowid);
      insertContent.run(id, content.kind === 'put' ? content.bytes : zeros);
    } else {
      moveHead.run(position, hash, event.time, revision ?? null, state, id);
      if (content.kind === 'put') overwriteContent.run(content.bytes, id);
    }
    for (const each of events) insertEvent.run(id, each.position, Buffer.from(each.hash, 'hex'), each.bytes);
    return id;
  }
  /** What is to be gone: the value that was replaced or forgotten, and with a forget all that waits of the subject. */
  function erase(id: number | null, stored: Stored | null, { ledger, content }: Commit): void {
    if (content.kind === 'put' && stored !== null && stored.contentRevision !== null) erasure.owe();
    if (content.kind !== 'forget') return;
    if (id !== null) {
      overwriteContent.run(zeros, id);
      dropContentRevision.run(id);
    }
    emptySubject(ledger.subjectKey);
    erasure.owe();
  }

  return (commit) => {
    const stored = storedLedger(commit.ledger.ledgerId);
    if ((stored?.position ?? 0) !== commit.expectedPosition)
      return { status: wasOurs(stored, commit) ? 'already_committed' : 'conflict' };
    assertFits(stored, commit);
    if (commit.whileHeld !== undefined && !held(commit.whileHeld)) return { status: 'taken_back' };
    erase(appendEvents(stored, commit), stored, commit);
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
