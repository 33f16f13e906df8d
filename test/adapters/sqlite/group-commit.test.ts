import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  groupCommit,
  type Transaction,
  transactionOn,
  type Writer,
} from '../../../src/adapters/sqlite/group-commit.ts';
import { CommitUnknown, StoreUnavailable } from '../../../src/events/ports.ts';
import { BEGINNING, nextCommit, personLedger } from '../../support/ledger-world.ts';
import { newFolder, openIn, seededRandom } from './store-files.ts';

const PATIENCE = { random: seededRandom(1), budgetMs: 50 };

/** An error as node:sqlite throws it. */
function sqliteError(errcode: number): Error {
  return Object.assign(new Error('a fault of the test'), { code: 'ERR_SQLITE_ERROR', errcode });
}

describe('group commit', () => {
  let folder: string;
  let db: DatabaseSync;
  let steps: string[];
  /** Called at the nth COMMIT (from 1); may throw in place of it or after it. */
  let atCommit: (nth: number, commit: () => void) => void;
  let writer: Writer;
  let insert: (value: number) => void;

  beforeEach(() => {
    folder = newFolder();
    db = new DatabaseSync(join(folder, 'any.sqlite'), { timeout: 0 });
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (value INTEGER PRIMARY KEY) STRICT');
    db.exec('CREATE TABLE orphans (parent INTEGER REFERENCES numbers (value) DEFERRABLE INITIALLY DEFERRED) STRICT');
    steps = [];
    atCommit = (_nth, commit) => commit();
    const real = transactionOn(db);
    const traced: Transaction = {
      ...real,
      begin() {
        real.begin();
        steps.push('begin');
      },
      commit() {
        steps.push('commit');
        atCommit(steps.filter((step) => step === 'commit').length, real.commit);
      },
    };
    writer = groupCommit(traced, PATIENCE);
    const statement = db.prepare('INSERT INTO numbers VALUES (?)');
    insert = (value) => {
      statement.run(value);
    };
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  function stored(): number[] {
    return db
      .prepare('SELECT value FROM numbers ORDER BY value')
      .all()
      .map((row) => Number(row['value']));
  }

  it('gives everything that waits one transaction', async () => {
    await Promise.all([1, 2, 3, 4, 5].map((value) => writer.write(() => insert(value))));
    expect(steps).toEqual(['begin', 'commit']);
    expect(stored()).toEqual([1, 2, 3, 4, 5]);
  });

  it('answers in order, only after COMMIT, also those that changed nothing', async () => {
    const told: string[] = [];
    const tell = (what: string) => (): void => {
      told.push(`${what} after ${steps.at(-1)}`);
    };
    await Promise.all([
      writer.write(() => insert(1)).then(tell('written')),
      writer.write(() => 'conflict').then(tell('refused')),
      writer.write(() => insert(1)).catch(tell('failed')),
    ]);
    expect(told.sort()).toEqual(['failed after commit', 'refused after commit', 'written after commit']);
  });

  it('takes back what a failing write did, and nothing of its neighbours', async () => {
    const results = await Promise.allSettled([
      writer.write(() => insert(1)),
      writer.write(() => {
        insert(2);
        throw new RangeError('no');
      }),
      writer.write(() => insert(3)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: expect.any(RangeError) });
    expect(stored()).toEqual([1, 3]);
  });

  it('takes back what a failing write did when it is alone', async () => {
    const failing = writer.write(() => {
      insert(2);
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(stored()).toEqual([]);
    expect(db.isTransaction).toBe(false);
  });

  it('tries each write again alone when COMMIT fails, and only the guilty one is told', async () => {
    const results = await Promise.allSettled([
      writer.write(() => insert(1)),
      writer.write(() => db.exec('INSERT INTO orphans VALUES (99)')),
      writer.write(() => insert(3)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: expect.any(StoreUnavailable) });
    expect(stored()).toEqual([1, 3]);
    expect(steps.filter((step) => step === 'commit')).toHaveLength(4);
  });

  it('says that the outcome is not known when COMMIT ended in an I/O error', async () => {
    atCommit = (_nth, commit) => {
      commit();
      throw sqliteError(10);
    };
    await expect(writer.write(() => insert(1))).rejects.toThrow(CommitUnknown);
    expect(stored()).toEqual([1]);
  });

  it('keeps "not known" for a group whose COMMIT ended in an I/O error and whose second tries failed as well', async () => {
    atCommit = (nth) => {
      throw sqliteError(nth === 1 ? 10 : 13);
    };
    const results = await Promise.allSettled([1, 2].map((value) => writer.write(() => insert(value))));
    for (const result of results) expect(result).toMatchObject({ reason: expect.any(CommitUnknown) });
  });

  it('says that nothing happened when the disk is full', async () => {
    atCommit = () => {
      throw sqliteError(13);
    };
    await expect(writer.write(() => insert(1))).rejects.toThrow(StoreUnavailable);
    expect(stored()).toEqual([]);
  });

  it('waits for a lock of another connection and gives up with StoreUnavailable when it stays', async () => {
    const holder = new DatabaseSync(join(folder, 'any.sqlite'));
    holder.exec('BEGIN IMMEDIATE');
    await expect(writer.write(() => insert(1))).rejects.toThrow(StoreUnavailable);
    const patient = writer.write(() => insert(2));
    setImmediate(() => holder.exec('ROLLBACK'));
    await patient;
    expect(stored()).toEqual([2]);
    holder.close();
  });

  it('takes further writes while a group is answered, and is idle when none is left', async () => {
    await writer.write(() => insert(1)).then(() => writer.write(() => insert(2)));
    await writer.idle();
    expect(stored()).toEqual([1, 2]);
    expect(writer.waiting()).toBe(0);
  });
});

describe('the writes of one store', () => {
  it('share one commit in the write-ahead log, whichever port they came through', async () => {
    const folder = newFolder();
    const store = await openIn(folder);
    await store.erased();
    const reader = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true });
    const dataVersion = (): unknown => reader.prepare('PRAGMA data_version').get()?.['data_version'];
    const nothing = { position: 0, hash: null, time: null, state: null };
    const seen = [dataVersion()];
    const writes = Promise.all([
      ...Array.from({ length: 30 }, (_, index) => {
        const ref = personLedger(`Person ${index}`);
        return store.ledger.commit(nextCommit(ref, nothing, `event of ${index}`));
      }),
      store.inbox.accept({
        key: 'w1',
        subjectKey: personLedger('Person A').subjectKey,
        messageId: null,
        body: Buffer.from('x'),
        receivedAt: BEGINNING,
      }),
      store.addresses.put(personLedger('Person A').subjectKey, Buffer.from('sealed')),
      store.outbox.answered('never seen'),
    ]);
    // The first turn of the event loop writes them all; a second transaction would need another one.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(dataVersion());
    await writes;
    seen.push(dataVersion());
    expect(seen[1]).not.toBe(seen[0]);
    expect(seen[2]).toBe(seen[1]);
    expect(reader.prepare('SELECT count(*) AS ledgers FROM ledgers').get()).toEqual({ ledgers: 30 });
    reader.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
});
