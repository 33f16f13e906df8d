/**
 * The log of heads on SQLite: leaves in order, signed checkpoints, and one cursor over the events that are witnessed.
 *
 * No mark is written when something changes: events are numbered in the order of their commits, so whatever stands after
 * the cursor has changed. Witnessing costs the writers nothing.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import { type CheckpointLog, LEAVES_PER_READ_MAX, type StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import type { LedgerId } from '../../events/identity.ts';
import type { Writer } from './group-commit.ts';

/** The tables, part of the schema. */
export const CHECKPOINT_LOG_SQL = `
CREATE TABLE log_leaves (
  number INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;
CREATE TABLE checkpoints (
  size INTEGER PRIMARY KEY CHECK (size >= 1),
  note TEXT NOT NULL,
  signed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE log_writer (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  witnessed_event INTEGER NOT NULL,
  holder TEXT NOT NULL,
  leased_until INTEGER NOT NULL
) STRICT;
INSERT INTO log_writer VALUES (1, 0, '', 0);
CREATE TRIGGER log_leaves_append_only_update BEFORE UPDATE ON log_leaves
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_leaves_append_only_delete BEFORE DELETE ON log_leaves
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_leaves_append_only_insert BEFORE INSERT ON log_leaves
WHEN NEW.number <> coalesce((SELECT max(number) + 1 FROM log_leaves), 0)
BEGIN SELECT RAISE(ABORT, 'a leaf is only ever the next'); END;
CREATE TRIGGER checkpoints_keep_update BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are kept'); END;
CREATE TRIGGER checkpoints_keep_delete BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are kept'); END;
CREATE TRIGGER checkpoints_keep_insert BEFORE INSERT ON checkpoints
WHEN NEW.size <= coalesce((SELECT max(size) FROM checkpoints), 0)
BEGIN SELECT RAISE(ABORT, 'a checkpoint only ever covers more'); END;
`;

type Parts = {
  readonly db: DatabaseSync;
  readonly writer: Writer;
  readonly read: <T>(action: () => T) => Promise<T>;
};

/** Makes the port. One shard: SQLite has one writer anyway. */
export function sqliteCheckpointLog({ db, writer, read }: Parts): CheckpointLog {
  const selectLatest = db.prepare('SELECT size, note, signed_at FROM checkpoints ORDER BY size DESC LIMIT 1');
  const selectLeaves = db.prepare(
    `SELECT bytes FROM log_leaves WHERE number >= ? ORDER BY number LIMIT ${LEAVES_PER_READ_MAX}`,
  );
  // Only the newest event of a ledger stands for it; one that moved on meanwhile comes with its later event.
  const selectDue = db.prepare(
    'SELECT events.id, ledgers.key, ledgers.position, ledgers.hash FROM events JOIN ledgers ON ledgers.id = events.ledger ' +
      'WHERE events.id > (SELECT witnessed_event FROM log_writer) AND events.position = ledgers.position ' +
      'ORDER BY events.id LIMIT ?',
  );
  const selectSize = db.prepare('SELECT coalesce(max(number) + 1, 0) AS size FROM log_leaves');
  const insertLeaf = db.prepare('INSERT INTO log_leaves (number, bytes) VALUES (?, ?)');
  const moveCursor = db.prepare('UPDATE log_writer SET witnessed_event = max(witnessed_event, ?)');
  const takeLease = db.prepare(
    'UPDATE log_writer SET holder = ?1, leased_until = ?2 WHERE holder = ?1 OR leased_until <= ?3',
  );
  const insertCheckpoint = db.prepare('INSERT INTO checkpoints (size, note, signed_at) VALUES (?, ?, ?)');

  function latest(): StoredCheckpoint | null {
    const row = selectLatest.get() as { size: number; note: string; signed_at: number } | undefined;
    return row === undefined ? null : { size: row.size, note: row.note, signedAt: row.signed_at };
  }

  return {
    shards: 1,
    latest: () => read(latest),
    leaves: (fromIndex) =>
      read(() => (selectLeaves.all(fromIndex) as { bytes: Uint8Array }[]).map(({ bytes }) => bytes)),
    lease: (holder, now, leaseMs) => writer.write(() => takeLease.run(holder, now + leaseMs, now).changes === 1),
    due: (_shard, limit) =>
      read(() => {
        const rows = selectDue.all(limit) as { id: number; key: LedgerId; position: number; hash: Uint8Array }[];
        return {
          heads: rows.map(({ key, position, hash }) => ({
            ledgerId: key,
            position,
            hash: Buffer.from(hash).toString('hex'),
          })),
          mark: String(rows.at(-1)?.id ?? 0),
        };
      }),
    append: (firstIndex, leaves, done) =>
      writer.write(() => {
        const { size } = selectSize.get() as { size: number };
        if (size !== firstIndex) return 'conflict';
        leaves.forEach((bytes, index) => insertLeaf.run(firstIndex + index, bytes));
        if (done !== null) moveCursor.run(Number(done.mark));
        return 'appended';
      }),
    publish: (previousSize, { size, note, signedAt }) =>
      writer.write(() => {
        if ((latest()?.size ?? 0) !== previousSize) return 'conflict';
        insertCheckpoint.run(size, note, signedAt);
        return 'published';
      }),
  };
}
