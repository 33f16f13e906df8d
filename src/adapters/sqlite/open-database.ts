/**
 * Opens or makes the file of a store, and refuses every other file without touching it.
 *
 * A file is judged by its header, read as plain bytes, before SQLite sees it: opening a foreign database would already
 * recover its log or leave files beside it. A new store is written under a rollback journal in one transaction and only
 * then switched to its write-ahead log, so that the header on disk always says whose file it is.
 * @module
 */
import { accessSync, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { APPLICATION_ID, SCHEMA_SQL, SCHEMA_USER_VERSION } from './schema.ts';
import { applySettings, BUSY_TIMEOUT_MS, readPragma, readSettingsBack } from './settings.ts';
import { asRefusal, StoreRefused } from './store-refused.ts';
import { type Patience, retryWhileLocked } from './wait-for-lock.ts';

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const USER_VERSION_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;
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
  const isNew = judgeFile(path, readOnly) === 'new';
  if (!readOnly) assertWritable(path);
  let db: DatabaseSync | null = null;
  try {
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

/** Reads the header as plain bytes; makes an empty file, readable by the owner only, where there is none. */
function judgeFile(path: string, readOnly: boolean): 'new' | 'ours' {
  const header = Buffer.alloc(HEADER_BYTES);
  let size: number;
  try {
    const descriptor = openForReading(path, readOnly);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new StoreRefused('cannot_open', 'The path of the store is not a file');
      size = stats.size;
      readSync(descriptor, header, 0, HEADER_BYTES, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused('cannot_open', 'The store cannot be opened');
  }
  if (size === 0 && !readOnly) {
    // An empty file with a log beside it is somebody's database that was never checkpointed.
    if (sizeOf(`${path}-wal`) > 0) throw new StoreRefused('not_ours', 'The log beside the file is not ours');
    return 'new';
  }
  if (size < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new StoreRefused('not_a_database', 'The file is not an SQLite database');
  assertOurNumbers(header.readUInt32BE(APPLICATION_ID_OFFSET), header.readUInt32BE(USER_VERSION_OFFSET));
  return 'ours';
}

function openForReading(path: string, readOnly: boolean): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (readOnly || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return openSync(path, 'a+', 0o600);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function assertWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
  } catch {
    throw new StoreRefused('read_only', 'The store cannot be written');
  }
}

function assertOurNumbers(applicationId: number, userVersion: number): void {
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
  assertOurNumbers(Number(readPragma(db, 'application_id')), Number(readPragma(db, 'user_version')));
  const row = db.prepare('SELECT value FROM store WHERE name = ?').get(FINGERPRINT);
  if (row?.['value'] !== subjectKeyFingerprint)
    throw new StoreRefused('other_subject_key', 'The store was made under another SUBJECT_KEY');
}
