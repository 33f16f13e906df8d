/**
 * Why a Firestore database is not used as a store.
 * @module
 */

/** Why a database was not taken as the store; it is then as it was. */
export type StoreRefusedCause =
  /** Nothing was ever recorded there, and it was opened for reading only. */
  | 'empty'
  /** Written by a later version of this program. */
  | 'newer_schema'
  /** Made under another SUBJECT_KEY: using it would turn every person into a stranger. */
  | 'other_subject_key';

/** A database was not taken as the store; `cause` says why in one word of a closed list. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  override readonly cause: StoreRefusedCause;
  constructor(cause: StoreRefusedCause, message: string) {
    super(message);
    this.cause = cause;
  }
}
