import { spawnSync } from 'node:child_process';
import { createHash, createSecretKey } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APPLICATION_ID, SCHEMA_USER_VERSION } from '../../../src/adapters/sqlite/schema.ts';
import { applySettings, readSettingsBack } from '../../../src/adapters/sqlite/settings.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { StoreRefused } from '../../../src/adapters/sqlite/store-refused.ts';
import { subjectKeyFingerprint } from '../../../src/events/identity.ts';
import { StoreUnavailable } from '../../../src/events/ports.ts';
import { BEGINNING, nextCommit, personLedger, personOn } from '../../support/ledger-world.ts';
import { newFolder, openIn, seededRandom } from './store-files.ts';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const path = (): string => join(folder, 'ledger.sqlite');

/** Every file of the folder with the hash of its bytes. Only while this process holds none of them open. */
function filesWithHashes(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
      ]),
  );
}

async function refusal(opening: Promise<unknown>): Promise<string> {
  const error = await opening.then(
    () => 'opened',
    (thrown: unknown) => thrown,
  );
  return error instanceof StoreRefused ? error.cause : String(error);
}

function makeDatabase(sql: string): void {
  const db = new DatabaseSync(path());
  db.exec(sql);
  db.close();
}

describe('opening', () => {
  it('makes a file that only its owner can read, and finds everything again', async () => {
    const first = await openIn(folder);
    await personOn(first.ledger, 'Person A').remember('cause', 'vegan');
    const head = await first.ledger.head(personLedger('Person A').ledgerId);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    await first.close();
    expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
    const second = await openIn(folder);
    expect(await second.ledger.head(personLedger('Person A').ledgerId)).toEqual(head);
    await second.close();
  });

  it('reads every setting back', async () => {
    const store = await openIn(folder);
    expect(store.settings).toMatchObject({
      journal_mode: 'wal',
      synchronous: 2,
      secure_delete: 1,
      foreign_keys: 1,
      busy_timeout: 5,
      wal_autocheckpoint: 8_000,
    });
    await store.close();
  });

  it.each([
    'PRAGMA synchronous = NORMAL',
    'PRAGMA secure_delete = OFF',
    'PRAGMA secure_delete = FAST',
    'PRAGMA foreign_keys = OFF',
    'PRAGMA journal_mode = DELETE',
    'PRAGMA busy_timeout = 60000',
  ])('refuses settings that are not as set: %s', async (sql) => {
    await (await openIn(folder)).close();
    const db = new DatabaseSync(path());
    applySettings(db);
    expect(() => readSettingsBack(db)).not.toThrow();
    db.exec(sql);
    expect(() => readSettingsBack(db)).toThrow(expect.objectContaining({ cause: 'settings_refused' }));
    db.close();
  });

  it('lets many instances make and open one new file at once', async () => {
    const stores = await Promise.all(
      Array.from({ length: 6 }, (_, index) => openIn(folder, { random: seededRandom(index) })),
    );
    await Promise.all(
      stores.map((store, index) => personOn(store.ledger, `Person ${index}`).remember('cause', 'vegan')),
    );
    expect(await stores[0]?.ledger.ledgers(null, 10)).toHaveLength(6);
    for (const store of stores) await store.close();
  });

  it.each([
    {
      what: 'a text file',
      cause: 'not_a_database',
      make: () => writeFileSync(path(), 'not a database at all\n'.repeat(400)),
    },
    { what: 'a file of three bytes', cause: 'not_a_database', make: () => writeFileSync(path(), 'abc') },
    { what: 'another program’s database', cause: 'not_ours', make: () => makeDatabase('CREATE TABLE theirs (x)') },
    {
      what: 'another program’s database with a log',
      cause: 'not_ours',
      make: () => makeDatabase('PRAGMA journal_mode = WAL; PRAGMA application_id = 7; CREATE TABLE theirs (x)'),
    },
    {
      what: 'a later version’s store',
      cause: 'newer_schema',
      make: () =>
        makeDatabase(
          `CREATE TABLE x (y); PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_USER_VERSION + 1}`,
        ),
    },
    {
      what: 'an unknown earlier version’s store',
      cause: 'older_schema',
      make: () => makeDatabase(`CREATE TABLE x (y); PRAGMA application_id = ${APPLICATION_ID}`),
    },
    {
      what: 'an empty file with somebody’s log beside it',
      cause: 'not_ours',
      make: () => {
        writeFileSync(path(), '');
        writeFileSync(`${path()}-wal`, 'a log');
      },
    },
    { what: 'a folder', cause: 'cannot_open', make: () => mkdirSync(path()) },
  ])('refuses $what with $cause and changes no byte', async ({ cause, make }) => {
    make();
    const before = cause === 'cannot_open' ? null : filesWithHashes();
    expect(await refusal(openIn(folder))).toBe(cause);
    expect(await refusal(openIn(folder, { readOnly: true }))).toBe(statSync(path()).size === 0 ? 'not_ours' : cause);
    if (before !== null) expect(filesWithHashes()).toEqual(before);
  });

  it('refuses a missing folder, and a missing file for reading only, without making them', async () => {
    expect(await refusal(openIn(join(folder, 'missing')))).toBe('cannot_open');
    expect(await refusal(openIn(folder, { readOnly: true }))).toBe('cannot_open');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a store made under another SUBJECT_KEY and changes no byte', async () => {
    await (await openIn(folder)).close();
    const before = filesWithHashes();
    const other = subjectKeyFingerprint(createSecretKey(Buffer.alloc(32, 8)));
    expect(await refusal(openIn(folder, { subjectKeyFingerprint: other }))).toBe('other_subject_key');
    expect(filesWithHashes()).toEqual(before);
  });

  it('refuses a file that another program keeps locked, once its patience is used up', async () => {
    makeDatabase('PRAGMA user_version = 0');
    writeFileSync(path(), '');
    const holder = new DatabaseSync(path());
    holder.exec('BEGIN EXCLUSIVE');
    expect(await refusal(openIn(folder, { lockBudgetMs: 20 }))).toBe('locked');
    holder.exec('ROLLBACK');
    holder.close();
    await (await openIn(folder)).close();
  });

  it('refuses a file that it may not write and changes no byte', async () => {
    await (await openIn(folder)).close();
    chmodSync(path(), 0o444);
    chmodSync(folder, 0o755);
    const before = filesWithHashes();
    // Permissions do not bind root, so the question is asked by a child that is nobody.
    const child = spawnSync(process.execPath, [fileURLToPath(new URL('./refusal.child.ts', import.meta.url)), folder], {
      encoding: 'utf8',
      ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
    });
    expect(child.stdout.trim(), child.stderr).toBe('read_only');
    expect(filesWithHashes()).toEqual(before);
  });

  it('reads only, when so opened, and says so to whoever writes', async () => {
    const writing = await openIn(folder);
    await personOn(writing.ledger, 'Person A').remember('cause', 'vegan');
    const reading = await openIn(folder, { readOnly: true });
    const { ledgerId } = personLedger('Person A');
    expect(await reading.ledger.head(ledgerId)).toEqual(await writing.ledger.head(ledgerId));
    const commit = nextCommit(personLedger('Person A'), await reading.ledger.head(ledgerId), 'x');
    await expect(reading.ledger.commit(commit)).rejects.toThrow(StoreUnavailable);
    await expect(reading.inbox.finish('w1')).rejects.toThrow(StoreUnavailable);
    await reading.close();
    await writing.close();
  });

  it.skipIf(process.platform !== 'linux')(
    'keeps the locks of a store that is already open in this process',
    async () => {
      const ownLocks = (): string[] =>
        readFileSync('/proc/locks', 'utf8')
          .split('\n')
          .flatMap((line) => (line.includes(` ${process.pid} `) ? [line.replace(/^\d+: /, '')] : []))
          .sort();
      const store = await openIn(folder);
      await personOn(store.ledger, 'Person A').remember('cause', 'vegan');
      const held = ownLocks();
      expect(held.length).toBeGreaterThan(1);
      await (await openIn(folder)).close();
      expect(await refusal(openIn(folder, { subjectKeyFingerprint: 'another' }))).toBe('other_subject_key');
      expect(ownLocks()).toEqual(held);
      await store.close();
    },
  );

  it('takes a relative path and a path that looks like a URL or like memory for what they are: files', async () => {
    const odd = join(folder, ':memory:?mode=memory&x=#%20.sqlite');
    const options = { subjectKeyFingerprint: 'f', clock: () => BEGINNING, random: seededRandom(1) };
    const store = await openSqliteStore({ path: odd, ...options });
    await store.close();
    const again = await openSqliteStore({ path: odd, ...options });
    await again.close();
    expect(readdirSync(folder)).toEqual([':memory:?mode=memory&x=#%20.sqlite']);
  });
});

describe('closing and copying', () => {
  it('answers what was asked before close, and refuses what comes after', async () => {
    const store = await openIn(folder);
    const commit = store.ledger.commit(
      nextCommit(personLedger('Person A'), { position: 0, hash: null, time: null, state: null }, 'x'),
    );
    const closed = store.close();
    expect(await commit).toEqual({ status: 'committed' });
    await expect(store.ledger.head(personLedger('Person A').ledgerId)).rejects.toThrow(StoreUnavailable);
    await expect(store.inbox.finish('w1')).rejects.toThrow(StoreUnavailable);
    await closed;
    await store.close();
    expect(store.health()).toMatchObject({ reachable: false, erasurePending: true });
  });

  it('copies the store into a new file that opens as a store, and overwrites nothing', async () => {
    const store = await openIn(folder);
    await personOn(store.ledger, 'Person A').remember('cause', 'vegan');
    const copyFolder = join(folder, 'copy');
    mkdirSync(copyFolder);
    const copy = join(copyFolder, 'ledger.sqlite');
    await store.backup(copy);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    await expect(store.backup(copy)).rejects.toThrow(/EEXIST/);
    const restored = await openIn(copyFolder);
    const { ledgerId } = personLedger('Person A');
    expect(await restored.ledger.headWithContent(ledgerId)).toEqual(await store.ledger.headWithContent(ledgerId));
    await restored.close();
    await store.close();
  });
});
