/**
 * The inbox port on SQLite: accepted work, leased in the order of each person's messages.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  droppedKey,
  INBOX_BODY_BYTES,
  type Inbox,
  type InboxJob,
  type InboxWaiting,
} from '../../events/delivery-ports.ts';
import type { SubjectKey } from '../../events/identity.ts';
import { bodySlots } from './body-slots.ts';
import type { Erasure } from './erasure.ts';
import type { Writer } from './group-commit.ts';

/** How many finished names one write deletes. */
const PURGE_CHUNK = 1_000;
/** What may be leased: of each person the oldest unfinished job. */
const FIRST_OF_PERSON =
  'job.finished_at IS NULL AND NOT EXISTS (SELECT 1 FROM inbox AS older WHERE older.subject = job.subject ' +
  'AND older.finished_at IS NULL AND (older.received_at, older.id) < (job.received_at, job.id))';

/** What an inbox needs of the rest of the store. */
export type InboxParts = {
  readonly db: DatabaseSync;
  readonly writer: Writer;
  readonly read: <T>(action: () => T) => Promise<T>;
  readonly erasure: Erasure;
  readonly clock: () => number;
};

type JobRow = {
  readonly id: number;
  readonly key: string;
  readonly subject: SubjectKey;
  readonly message_id: string | null;
  readonly received_at: number;
  readonly attempts: number;
  readonly body_slot: number | null;
};

/** The port, and what a forget does to it: empties a subject's bodies inside the forget's transaction, keeping the rows. */
export type SqliteInbox = { readonly inbox: Inbox; readonly emptyBodies: (subjectKey: SubjectKey) => void };

export function sqliteInbox({ db, writer, read, erasure, clock }: InboxParts): SqliteInbox {
  const bodies = bodySlots(db, 'inbox_bodies', INBOX_BODY_BYTES);
  const known = db.prepare('SELECT 1 FROM inbox WHERE key = ?');
  const insert = db.prepare(
    'INSERT INTO inbox (key, subject, message_id, received_at, due_at, body_slot) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const due = db.prepare(
    `SELECT job.* FROM inbox AS job WHERE ${FIRST_OF_PERSON} AND job.due_at <= ? ORDER BY job.received_at, job.id LIMIT ?`,
  );
  const lease = db.prepare('UPDATE inbox SET due_at = ?, attempts = attempts + 1 WHERE id = ?');
  const unfinished = db.prepare('SELECT id, body_slot FROM inbox WHERE key = ? AND finished_at IS NULL');
  const unfinishedOf = db.prepare('SELECT id, body_slot FROM inbox WHERE subject = ? AND finished_at IS NULL');
  const unread = db.prepare(
    'SELECT id, body_slot FROM inbox WHERE subject = ? AND message_id = ? AND finished_at IS NULL',
  );
  const end = db.prepare('UPDATE inbox SET finished_at = ?, body_slot = NULL WHERE id = ?');
  const mark = db.prepare(
    'INSERT OR IGNORE INTO inbox (key, subject, message_id, received_at, due_at, finished_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const forgetBody = db.prepare('UPDATE inbox SET body_slot = NULL WHERE id = ?');
  const postpone = db.prepare('UPDATE inbox SET due_at = ? WHERE key = ? AND finished_at IS NULL');
  const count = db.prepare(
    'SELECT count(*) AS jobs, min(received_at) AS oldestReceivedAt, ' +
      `(SELECT min(job.due_at) FROM inbox AS job WHERE ${FIRST_OF_PERSON}) AS dueSince FROM inbox WHERE finished_at IS NULL`,
  );
  const purge = db.prepare('DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE finished_at < ? LIMIT ?)');

  type Held = { readonly id: number; readonly body_slot: number | null };

  function finishHeld({ id, body_slot }: Held): void {
    end.run(clock(), id);
    if (body_slot !== null) bodies.empty(body_slot);
  }
  function toJob(row: JobRow): InboxJob {
    return {
      key: row.key,
      subjectKey: row.subject,
      messageId: row.message_id,
      body: row.body_slot === null ? null : bodies.read(row.body_slot),
      receivedAt: row.received_at,
      attempts: row.attempts,
    };
  }

  const inbox: Inbox = {
    accept: ({ key, subjectKey, messageId, body, receivedAt }) =>
      writer.write(() => {
        if (known.get(key) !== undefined) return 'duplicate';
        if (messageId !== null && known.get(droppedKey(subjectKey, messageId)) !== undefined) return 'duplicate';
        insert.run(key, subjectKey, messageId, receivedAt, receivedAt, bodies.take(body));
        return 'accepted';
      }),
    async lease(now, leaseMs, limit) {
      // Asked first without the write lock: an idle worker costs no transaction.
      if ((await read(() => due.get(now, 1))) === undefined) return [];
      return writer.write(() => {
        const rows = due.all(now, limit) as JobRow[];
        for (const { id } of rows) lease.run(now + leaseMs, id);
        return rows.map(toJob);
      });
    },
    finish: (key) =>
      writer.write(() => {
        const held = unfinished.get(key) as Held | undefined;
        if (held === undefined) return;
        finishHeld(held);
        erasure.soon();
      }),
    postpone: (key, dueAt) =>
      writer.write(() => {
        postpone.run(dueAt, key);
      }),
    drop: (subjectKey, messageId) =>
      writer.write(() => {
        const held = unread.all(subjectKey, messageId) as Held[];
        held.forEach(finishHeld);
        if (held.length > 0) erasure.owe();
        const now = clock();
        mark.run(droppedKey(subjectKey, messageId), subjectKey, messageId, now, now, now);
        return { dropped: held.length > 0 };
      }),
    dropAll: (subjectKey) =>
      writer.write(() => {
        const held = unfinishedOf.all(subjectKey) as Held[];
        held.forEach(finishHeld);
        if (held.length > 0) erasure.owe();
        return held.length;
      }),
    waiting: () => read(() => ({ ...(count.get() as InboxWaiting) })),
    purge: (before) => inChunks(writer, () => Number(purge.run(before, PURGE_CHUNK).changes)),
  };

  return {
    inbox,
    emptyBodies(subjectKey) {
      for (const { id, body_slot } of unfinishedOf.all(subjectKey) as Held[]) {
        if (body_slot === null) continue;
        forgetBody.run(id);
        bodies.empty(body_slot);
      }
    },
  };
}

/** Deletes in writes of at most {@link PURGE_CHUNK} rows, so that nobody waits long behind it. */
async function inChunks(writer: Writer, deleteChunk: () => number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const chunk = await writer.write(deleteChunk);
    deleted += chunk;
    if (chunk < PURGE_CHUNK) return deleted;
  }
}
