/**
 * The settings that promises rest on, set and read back at every open.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreRefused } from './store-refused.ts';

/** How long SQLite itself waits for a lock inside a call, milliseconds; longer waits are ours (wait-for-lock.ts). */
export const BUSY_TIMEOUT_MS = 5;
/** Pages in the write-ahead log from which a commit also checkpoints; the best of those measured. */
const CHECKPOINT_PAGES = 8_000;
/** The page cache, KiB. */
const CACHE_KIB = 65_536;

type Setting = { readonly pragma: string; readonly value: string; readonly readBack: string | number };

/** In order: secure_delete stands before anything that writes. */
const SETTINGS: readonly Setting[] = [
  { pragma: 'secure_delete', value: 'ON', readBack: 1 },
  { pragma: 'foreign_keys', value: 'ON', readBack: 1 },
  { pragma: 'recursive_triggers', value: 'ON', readBack: 1 },
  { pragma: 'trusted_schema', value: 'OFF', readBack: 0 },
  { pragma: 'cell_size_check', value: 'ON', readBack: 1 },
  { pragma: 'temp_store', value: 'MEMORY', readBack: 2 },
  { pragma: 'cache_size', value: `-${CACHE_KIB}`, readBack: -CACHE_KIB },
  { pragma: 'synchronous', value: 'FULL', readBack: 2 },
  { pragma: 'busy_timeout', value: String(BUSY_TIMEOUT_MS), readBack: BUSY_TIMEOUT_MS },
  { pragma: 'wal_autocheckpoint', value: String(CHECKPOINT_PAGES), readBack: CHECKPOINT_PAGES },
];

/** One pragma's value; for those that answer with one row of one column. */
export function readPragma(db: DatabaseSync, pragma: string): string | number {
  const row = db.prepare(`PRAGMA ${pragma}`).get();
  const value = row === undefined ? undefined : Object.values(row)[0];
  if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`PRAGMA ${pragma} gave no value`);
  return value;
}

/** Sets what belongs to a connection. Touches no byte of the file. */
export function applySettings(db: DatabaseSync): void {
  for (const { pragma, value } of SETTINGS) db.exec(`PRAGMA ${pragma} = ${value}`);
}

/**
 * Reads every setting back.
 * @returns them by name, to be printed by whoever reports on the store.
 * @throws StoreRefused `settings_refused`, naming the first that is not as set.
 */
export function readSettingsBack(db: DatabaseSync): Readonly<Record<string, string | number>> {
  const expected = [...SETTINGS, { pragma: 'journal_mode', readBack: 'wal' }];
  return Object.fromEntries(
    expected.map(({ pragma, readBack }) => {
      const value = readPragma(db, pragma);
      if (value !== readBack) throw new StoreRefused('settings_refused', `SQLite did not take ${pragma}`);
      return [pragma, value];
    }),
  );
}
