/**
 * What the ledger asks of a store. Two types on purpose: an auditor is given a LedgerReader and cannot write.
 * @module
 */
import type { EventBody, SealedEvent, StoredEvent } from './envelope.ts';
import type { LedgerId, LedgerRef } from './identity.ts';

/**
 * The end of one ledger: newest position (0 = nothing happened), its hash and time, and the folded state as canonical
 * JSON text (null at position 0). One head read decides, whatever the length of the history.
 */
export type Head = {
  readonly position: number;
  readonly hash: string | null;
  readonly time: string | null;
  readonly state: string | null;
};

/** Content of the current revision, as stored; null when nothing is in force. */
export type StoredContent = { readonly revision: number; readonly bytes: Uint8Array };

/** A create-only row that makes a delivery or an operation take effect once. */
export type Once = {
  /** The webhookEventId or operation id. */
  readonly key: string;
  /** What was decided, as canonical JSON text: outcome, ids and revisions, never a value. */
  readonly outcome: string;
  /** Whether the person has been answered. */
  readonly answered: boolean;
};

/** What happens to the ledger's content row in a commit. */
export type ContentChange =
  | { readonly kind: 'keep' }
  | { readonly kind: 'put'; readonly revision: number; readonly bytes: Uint8Array }
  /** Erases the content and all that inbox, outbox and turn records of the subject still hold, in the same transaction. */
  | { readonly kind: 'forget' };

export type Commit = {
  readonly ledger: LedgerRef;
  /** The position the decision was made at; anything else there is a conflict. There is no unconditional append. */
  readonly expectedPosition: number;
  /** May be empty: then only `once` is recorded. */
  readonly events: readonly SealedEvent<EventBody>[];
  readonly content: ContentChange;
  /** The folded state after `events`, canonical JSON text. */
  readonly state: string;
  readonly once: Omit<Once, 'answered'> | null;
  /**
   * The inbox job whose words this commit answers: applied only while that job holds its body, or where no such job ever was.
   * So what a person took back while their words were being understood has no effect, to the transaction.
   */
  readonly whileHeld?: string;
};

export type CommitResult =
  | { readonly status: 'committed' }
  /** The event at expectedPosition + 1 has our first event's id: an earlier try of this commit went through. */
  | { readonly status: 'already_committed' }
  | { readonly status: 'conflict' }
  /** The job of `whileHeld` was emptied (a forget, an unsend, the end of its turn); nothing was appended. */
  | { readonly status: 'taken_back' }
  /** `once` was there before; nothing was appended. */
  | { readonly status: 'duplicate'; readonly once: Once };

/** The commit may or may not have happened (a lost answer, an I/O error at the last step). */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}

/** The store did not do it, and says so; trying later may help. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

export interface LedgerReader {
  /** The head; position 0 for a ledger that does not exist. */
  head(ledgerId: LedgerId): Promise<Head>;
  /** The ledger's naming, or null when it does not exist. */
  ledger(ledgerId: LedgerId): Promise<LedgerRef | null>;
  /** Head and content of the current revision, read in one step so that they belong together. */
  headWithContent(ledgerId: LedgerId): Promise<{ readonly head: Head; readonly content: StoredContent | null }>;
  /** Events from `fromPosition` through `throughPosition`, both inclusive, in order; at most 1,000 a call. */
  events(ledgerId: LedgerId, fromPosition: number, throughPosition: number): Promise<readonly StoredEvent[]>;
  /** Ledgers in order of ledgerId, after `after` (exclusive), at most `limit`. */
  ledgers(after: LedgerId | null, limit: number): Promise<readonly LedgerRef[]>;
  /** What was decided for a delivery or operation, or null. */
  once(key: string): Promise<Once | null>;
}

export interface Ledger extends LedgerReader {
  /**
   * Appends under compare-and-set, with head, content and once in one atomic step. No answer leaves before it is durable.
   * @throws CommitUnknown when the outcome is not known; StoreUnavailable when it certainly did not happen.
   */
  commit(commit: Commit): Promise<CommitResult>;
}

/** Runs `work` when all work given before for the same ledger has ended, well or badly; spares a store lost races. */
export type InTurn = <T>(ledgerId: LedgerId, work: () => Promise<T>) => Promise<T>;
