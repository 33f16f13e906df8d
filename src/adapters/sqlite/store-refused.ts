/**
 * Why a file is not opened as a store, and how errors of node:sqlite are told apart.
 * @module
 */
import { StoreUnavailable } from '../../events/ports.ts';

/** Why a store was not opened; in each case the file is left as it was. */
export type StoreRefusedCause =
  /** Not an SQLite file. */
  | 'not_a_database'
  /** An SQLite file of another program. */
  | 'not_ours'
  /** Written by a later version of this program. */
  | 'newer_schema'
  /** Written by an earlier version that this one does not know. */
  | 'older_schema'
  /** Another program holds the file and did not let go within the time given. */
  | 'locked'
  /** The file, or the folder its log stands in, cannot be written. */
  | 'read_only'
  /** No such file or folder, no permission, or not a file. */
  | 'cannot_open'
  /** SQLite did not take a setting that a promise rests on. */
  | 'settings_refused'
  /** Made under another SUBJECT_KEY: opening it would turn every person into a stranger. */
  | 'other_subject_key';

/** A file was not opened as a store; `cause` says why in one word of a closed list. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  override readonly cause: StoreRefusedCause;
  constructor(cause: StoreRefusedCause, message: string) {
    super(message);
    this.cause = cause;
  }
}

/** The primary result codes of SQLite that are treated apart. */
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** The primary result code of an error of node:sqlite, or null for any other error. */
function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}

/** Whether another connection is in the way and trying again may help. */
export function isLocked(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/** Whether a failed COMMIT may still have reached the disk: an I/O error says nothing about what was written before it. */
export function leavesOutcomeOpen(error: unknown): boolean {
  return primaryCode(error) === IO_ERROR;
}

/** An error of opening as a {@link StoreRefused}; errors that are not SQLite's stay as they are. */
export function asRefusal(error: unknown): unknown {
  switch (primaryCode(error)) {
    case BUSY:
    case LOCKED:
      return new StoreRefused('locked', 'The store is locked by another program');
    case READ_ONLY:
      return new StoreRefused('read_only', 'The store cannot be written');
    case CORRUPT:
    case NOT_A_DATABASE:
      return new StoreRefused('not_a_database', 'The file is not an SQLite database');
    case CANNOT_OPEN:
    case IO_ERROR:
      return new StoreRefused('cannot_open', 'The store cannot be opened');
    default:
      return error;
  }
}

/** An error of reading or writing as the port's {@link StoreUnavailable}; errors that are not SQLite's stay as they are. */
export function asPortError(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === null) return error;
  return new StoreUnavailable(`SQLite answered with result code ${code}`, { cause: error });
}
