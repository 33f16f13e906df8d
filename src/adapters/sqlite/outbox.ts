/**
 * The outbox port on SQLite: the once rows whose person was not answered yet. It holds no message body.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Outbox } from '../../events/delivery-ports.ts';
import type { LedgerId, SubjectKey } from '../../events/identity.ts';
import type { Writer } from './group-commit.ts';

/** How many answered rows one write deletes. */
const PURGE_CHUNK = 1_000;

type OwedRow = {
  readonly key: string;
  readonly ledger: LedgerId;
  readonly subject: SubjectKey;
  readonly outcome: string;
  readonly attempts: number;
};

export function sqliteOutbox(db: DatabaseSync, writer: Writer, read: <T>(action: () => T) => Promise<T>): Outbox {
  const answer = db.prepare('UPDATE once SET answered = 1 WHERE key = ? AND answered = 0');
  const owed = db.prepare(
    'SELECT key, ledger, subject, outcome, attempts FROM once ' +
      'WHERE answered = 0 AND created_at < ? AND leased_until <= ? ORDER BY created_at, key LIMIT ?',
  );
  const lease = db.prepare('UPDATE once SET leased_until = ?, attempts = attempts + 1 WHERE key = ?');
  const purge = db.prepare(
    'DELETE FROM once WHERE key IN (SELECT key FROM once WHERE answered = 1 AND created_at < ? LIMIT ?)',
  );

  return {
    answered: (key) =>
      writer.write(() => {
        answer.run(key);
      }),
    async leaseOwed(now, before, leaseMs, limit) {
      if ((await read(() => owed.get(before, now, 1))) === undefined) return [];
      return writer.write(() => {
        const rows = owed.all(before, now, limit) as OwedRow[];
        for (const { key } of rows) lease.run(now + leaseMs, key);
        return rows.map(({ key, ledger, subject, outcome, attempts }) => ({
          key,
          subjectKey: subject,
          ledgerId: ledger,
          outcome,
          attempts,
        }));
      });
    },
    async purgeAnswered(before) {
      let deleted = 0;
      for (;;) {
        const chunk = await writer.write(() => Number(purge.run(before, PURGE_CHUNK).changes));
        deleted += chunk;
        if (chunk < PURGE_CHUNK) return deleted;
      }
    },
  };
}
