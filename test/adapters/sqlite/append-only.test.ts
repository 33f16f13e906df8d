import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nextCommit, personLedger, personOn } from '../../support/ledger-world.ts';
import { newFolder, openIn } from './store-files.ts';

describe('what was written stays written, for any program that keeps the rules of the file', () => {
  let folder: string;
  let db: DatabaseSync;
  beforeEach(async () => {
    folder = newFolder();
    const store = await openIn(folder);
    await personOn(store.ledger, 'Person A').remember('cause', 'vegan');
    await store.close();
    db = new DatabaseSync(join(folder, 'ledger.sqlite'));
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['UPDATE events SET position = 3', /append-only/],
    ["UPDATE events SET bytes = x'00'", /append-only/],
    ['DELETE FROM events', /append-only/],
    ['DELETE FROM events WHERE position = 2', /append-only/],
    ['INSERT OR REPLACE INTO events SELECT id, ledger, position, hash, bytes FROM events', /next of its ledger/],
    [
      'REPLACE INTO events (ledger, position, hash, bytes) SELECT ledger, 1, hash, bytes FROM events',
      /next of its ledger/,
    ],
    [
      'REPLACE INTO events (id, ledger, position, hash, bytes) SELECT id, ledger, 3, hash, bytes FROM events',
      /next of/,
    ],
    [
      'INSERT INTO events (ledger, position, hash, bytes) SELECT ledger, 9, hash, bytes FROM events',
      /next of its ledger/,
    ],
    ['DELETE FROM ledgers', /kept/],
    ["UPDATE ledgers SET subject = 'x'", /fixed/],
    ["UPDATE contents SET body = x'00'", /CHECK/],
  ])('refuses %s', (sql, message) => {
    expect(() => db.exec(sql)).toThrow(message);
    expect(db.prepare('SELECT count(*) AS events FROM events').get()).toEqual({ events: 2 });
  });

  it('appends nothing to a ledger whose head is not its newest event, and still lets it be read', async () => {
    const ref = personLedger('Person A');
    db.exec('UPDATE ledgers SET hash = zeroblob(32)');
    const store = await openIn(folder);
    const head = await store.ledger.head(ref.ledgerId);
    expect(head).toMatchObject({ position: 2, hash: '0'.repeat(64) });
    await expect(store.ledger.commit(nextCommit(ref, head, 'x'))).rejects.toThrow(/damaged/);
    expect(await store.ledger.events(ref.ledgerId, 1, 9)).toHaveLength(2);
    await store.close();
  });
});
