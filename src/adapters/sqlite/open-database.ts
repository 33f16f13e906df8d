/**
 * Opens or makes the file of a store, and refuses every other file without touching it.
 *
 * A file is judged by its header before it is opened for good: opening a foreign database would already recover its log or
 * leave files beside it. A new store is written under a rollback journal in one transaction and only then switched to its
 * write-ahead log, so that the header on disk always says whose file it is.
 * @module
 */
import { accessSync, closeSync, constants, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { APPLICATION_ID, SCHEMA_SQL, SCHEMA_USER_VERSION } from './schema.ts';
import { applySettings, BUSY_TIMEOUT_MS, readPragma, readSettingsBack } from './settings.ts';
import { asRefusal, StoreRefused } from './store-refused.ts';
import { type Patience, retryWhileLocked } from './wait-for-lock.ts';

const FINGERPRINT = 'subject_key_fingerprint';

/** What to open. */
export type DatabaseFile = {
  /** Absolute. */
  readonly path: string;
  readonly subjectKeyFingerprint: string;
  readonly readOnly: boolean;
};

/** An open database whose settings were read back. */
export type OpenDatabase = {
  readonly db: DatabaseSync;
  readonly settings: Readonly<Record<string, string | number>>;
};

/**
 * Opens a store's file; makes it when it is missing or empty and `readOnly` is false.
 * @throws StoreRefused with the cause; the file is then as it was.
 */
export async function openDatabase(file: DatabaseFile, patience: Patience): Promise<OpenDatabase> {
  const { path, readOnly, subjectKeyFingerprint } = file;
  let db: DatabaseSync | null = null;
  try {
    const isNew = judgeFile(path, readOnly) === 'new';
    if (!readOnly) assertWritable(path);
    const opened = await retryWhileLocked(
      () => new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS, defensive: true }),
      patience,
    );
    db = opened;
    applySettings(opened);
    if (isNew) await retryWhileLocked(() => createSchema(opened, subjectKeyFingerprint), patience);
    await retryWhileLocked(() => assertKnown(opened, subjectKeyFingerprint), patience);
    if (!readOnly) await retryWhileLocked(() => opened.exec('PRAGMA journal_mode = WAL'), patience);
    return { db: opened, settings: await retryWhileLocked(() => readSettingsBack(opened), patience) };
  } catch (error) {
    db?.close();
    throw asRefusal(error);
  }
}

/**
 * Reads the header, taking no lock and leaving nothing behind; makes an empty file, readable by its owner only, where there
 * is none.
 *
 * SQLite itself reads it ("immutable"), never node:fs: closing any descriptor of a file drops every POSIX lock that this
 * process holds on it, also those of a store that is already open.
 */
function judgeFile(path: string, readOnly: boolean): 'new' | 'ours' {
  const stats = statsOf(path);
  if (stats === undefined && !readOnly) {
    makeEmptyFile(path);
    return 'new';
  }
  if (stats?.isFile() !== true) throw new StoreRefused('cannot_open', 'The path of the store is not a file');
  if (stats.size === 0 && !readOnly) {
    // An empty file with a log beside it is somebody's database that was never checkpointed.
    if ((statsOf(`${path}-wal`)?.size ?? 0) > 0)
      throw new StoreRefused('not_ours', 'The log beside the file is not ours');
    return 'new';
  }
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  const header = new DatabaseSync(url, { readOnly: true });
  try {
    assertOurNumbers(header);
  } finally {
    header.close();
  }
  return 'ours';
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    throw new StoreRefused('cannot_open', 'The store cannot be opened');
  }
}

function makeEmptyFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process was first; whose it is will be seen inside the transaction that makes the tables.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new StoreRefused('cannot_open', 'The store cannot be opened');
  }
}

function assertWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
  } catch {
    throw new StoreRefused('read_only', 'The store cannot be written');
  }
}

function assertOurNumbers(db: DatabaseSync): void {
  const applicationId = readPragma(db, 'application_id');
  const userVersion = Number(readPragma(db, 'user_version'));
  if (applicationId !== APPLICATION_ID) throw new StoreRefused('not_ours', 'The database is not a store of ours');
  if (userVersion > SCHEMA_USER_VERSION)
    throw new StoreRefused('newer_schema', 'The store was written by a later version of this program');
  if (userVersion < SCHEMA_USER_VERSION)
    throw new StoreRefused('older_schema', 'The store was written by an earlier version that is not known any more');
}

/** Writes the tables, unless another process was first. */
function createSchema(db: DatabaseSync, subjectKeyFingerprint: string): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    if (readPragma(db, 'application_id') === 0) {
      if (db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined)
        throw new StoreRefused('not_ours', 'The database is not a store of ours');
      db.exec(SCHEMA_SQL);
      db.prepare('INSERT INTO store (name, value) VALUES (?, ?)').run(FINGERPRINT, subjectKeyFingerprint);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_USER_VERSION}`);
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** The same questions as to the header, now answered through the log too; and whose people these are. */
function assertKnown(db: DatabaseSync, subjectKeyFingerprint: string): void {
  assertOurNumbers(db);
  const row = db.prepare('SELECT value FROM store WHERE name = ?').get(FINGERPRINT);
  if (row?.['value'] !== subjectKeyFingerprint)
    throw new StoreRefused('other_subject_key', 'The store was made under another SUBJECT_KEY');
}
