/**
 * What a turn asks of a store beside the ledger: its trail, what is carried to the next turn, and how many model calls are left.
 *
 * Bodies are erasable and have one fixed length per table. A forget empties the bodies of the subject in the ledger's own
 * transaction (ports.ts, ContentChange `forget`); the ids of a turn stay, so that they still join with the events.
 * @module
 */
import type { LedgerId, SubjectKey } from './identity.ts';

/** The length of every trail body, bytes, padding included. */
export const TURN_BODY_BYTES = 8_192;
/** The length of every context body, bytes, padding included. */
export const CONTEXT_BODY_BYTES = 512;

/** What names a turn and joins it with events; no content. */
export type TurnIds = {
  /** The channel's message id, or the webhookEventId; the `correlationid` of the events it led to. */
  readonly turnId: string;
  /** The webhookEventId; the `causationid` of those events. */
  readonly causationId: string;
  readonly subjectKey: SubjectKey;
  readonly ledgerId: LedgerId;
  /** The revision whose content its answer used; null when none was used. */
  readonly usedRevision: number | null;
  /** Unix milliseconds. */
  readonly recordedAt: number;
};

/** One turn as kept; `body` null: erased, or never kept because its message was emptied first. */
export type TurnRow = TurnIds & { readonly body: Uint8Array | null };

export interface TurnRecordReader {
  read(turnId: string): Promise<TurnRow | null>;
  /** Turns of a ledger whose answers used a revision, oldest first. */
  using(ledgerId: LedgerId, revision: number, limit: number): Promise<readonly TurnIds[]>;
}

export interface TurnRecords extends TurnRecordReader {
  /**
   * Keeps one row for a turn; a turn that ran again replaces its row. The body is kept only while the inbox still holds the
   * message the turn answers (the job named `causationId`): what a forget, an unsend or the end of the turn emptied meanwhile
   * does not come back this way. A message that never stood in the inbox has nothing to compare with and is kept.
   * @throws RangeError when the body is longer than {@link TURN_BODY_BYTES}.
   */
  record(row: TurnIds & { readonly body: Uint8Array }): Promise<'kept' | 'kept_without_body'>;
  /** Empties the body of one turn of the subject (its message was unsent); the ids stay. */
  empty(subjectKey: SubjectKey, turnId: string): Promise<void>;
  /** Empties and deletes rows recorded before a moment. */
  purge(before: number): Promise<number>;
}

/** What is carried from turn to turn, as kept. A generation is never used twice while a turn may hold it. */
export type KeptContext = { readonly generation: number; readonly body: Uint8Array | null };

export interface Contexts {
  read(subjectKey: SubjectKey): Promise<KeptContext>;
  /**
   * Replaces the body under compare-and-set; a forget moves the generation on. Kept only while the inbox still holds the
   * message, as {@link TurnRecords.record}.
   * @throws RangeError when the body is longer than {@link CONTEXT_BODY_BYTES}.
   */
  put(change: {
    readonly subjectKey: SubjectKey;
    readonly expectedGeneration: number;
    readonly body: Uint8Array;
    readonly causationId: string;
    /** Unix milliseconds. */
    readonly putAt: number;
  }): Promise<'kept' | 'conflict' | 'emptied'>;
  /** Erases bodies put before a moment. */
  purge(before: number): Promise<number>;
}

export interface ModelBudget {
  /**
   * Takes one call of a person's day, if fewer than `limit` were taken, whichever instance took them.
   * @param day `YYYY-MM-DD`.
   */
  take(subjectKey: SubjectKey, day: string, limit: number): Promise<'taken' | 'exhausted'>;
  /** Deletes what was counted on days before `day`. */
  purge(day: string): Promise<number>;
}
