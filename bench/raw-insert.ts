/**
 * The yardstick: one durable one-row INSERT transaction of node:sqlite (WAL, synchronous=FULL), nothing else.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** A raw database; `insert` is one durable transaction. */
export function rawDatabase(path: string): {
  insert: () => void;
  settings: Record<string, unknown>;
  close: () => void;
} {
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE row (id INTEGER PRIMARY KEY, body BLOB) STRICT',
  );
  const statement = db.prepare('INSERT INTO row (body) VALUES (?)');
  const body = randomBytes(700);
  return {
    insert: () => void statement.run(body),
    settings: { ...db.prepare('PRAGMA journal_mode').get(), ...db.prepare('PRAGMA synchronous').get() },
    close: () => db.close(),
  };
}
