/**
 * What receiving and answering ask of a store: a durable inbox, who is still owed an answer, and where to send one.
 *
 * All bodies are erasable and have one fixed length per table. A forget empties the bodies of the subject in the ledger's
 * own transaction (ports.ts, ContentChange `forget`); the rows stay, so that the person is told to say it again.
 * @module
 */
import type { LedgerId, SubjectKey } from './identity.ts';

/** The length of every inbox body, bytes, padding included. */
export const INBOX_BODY_BYTES = 8_192;
/** The length of every sealed address, bytes, padding included. */
export const ADDRESS_BYTES = 160;

/** Work that was accepted and is not yet done. */
export type InboxJob = {
  /** The webhookEventId; the create-only name of the row. */
  readonly key: string;
  readonly subjectKey: SubjectKey;
  /** The channel's message id, so that an unsend finds it; null for what is no message. */
  readonly messageId: string | null;
  /** At most {@link INBOX_BODY_BYTES} before padding; null once a forget or an unsend emptied it. */
  readonly body: Uint8Array | null;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** How often it was leased before. */
  readonly attempts: number;
};

/** The name under which a store remembers that a message was dropped: a finished job of no webhook event. */
export function droppedKey(subjectKey: SubjectKey, messageId: string): string {
  return `dropped|${subjectKey}|${messageId}`;
}

/** What an inbox holds, without a word of it. */
export type InboxWaiting = {
  readonly jobs: number;
  /** When the oldest was received; null: none. */
  readonly oldestReceivedAt: number | null;
  /**
   * The earliest time from which a job that nothing of its person stands before is due, in the future for what is leased or
   * postponed; null: none. Long past means that nobody works here, whatever becomes of single jobs.
   */
  readonly dueSince: number | null;
};

export interface Inbox {
  /** Makes a job durable. `duplicate`: the key was accepted before, whatever became of it, or its message was dropped before it came. */
  accept(job: Omit<InboxJob, 'attempts' | 'body'> & { readonly body: Uint8Array }): Promise<'accepted' | 'duplicate'>;
  /**
   * Leases due jobs until `now + leaseMs`: for each subject only its oldest unfinished job, so that one person's
   * messages are answered in order. A job whose lease passed is due again.
   */
  lease(now: number, leaseMs: number, limit: number): Promise<readonly InboxJob[]>;
  /** Ends a turn: empties the body in the same transaction. Done again it changes nothing. */
  finish(key: string): Promise<void>;
  /** Gives the lease back; the job is due from `dueAt`. */
  postpone(key: string, dueAt: number): Promise<void>;
  /**
   * Empties and finishes an unread message that was unsent. `dropped` says whether one was waiting; a message that comes only
   * after this (deliveries may be out of order) is a duplicate until the names of that time are purged.
   */
  drop(subjectKey: SubjectKey, messageId: string): Promise<{ readonly dropped: boolean }>;
  /** Empties and finishes all that waits of a person who left. @returns how many jobs. */
  dropAll(subjectKey: SubjectKey): Promise<number>;
  /** What is unfinished. Times are Unix milliseconds. */
  waiting(): Promise<InboxWaiting>;
  /** Deletes the names of jobs finished before a moment; until then they keep a redelivery from running again. */
  purge(before: number): Promise<number>;
}

/** A decision that was made and whose person has not been answered: the outbox, holding no message body. */
export type OwedAnswer = {
  readonly key: string;
  readonly subjectKey: SubjectKey;
  readonly ledgerId: LedgerId;
  readonly outcome: string;
  readonly attempts: number;
};

export interface Outbox {
  /** Marks an answer as given. */
  answered(key: string): Promise<void>;
  /** Leases answers owed since before `before`, for `leaseMs` from `now`. */
  leaseOwed(now: number, before: number, leaseMs: number, limit: number): Promise<readonly OwedAnswer[]>;
  /** Deletes answered once rows older than a moment. */
  purgeAnswered(before: number): Promise<number>;
}

/** Where a push goes. The only place of the channel's user id, sealed by the caller. */
export interface Addresses {
  put(subjectKey: SubjectKey, sealed: Uint8Array): Promise<void>;
  get(subjectKey: SubjectKey): Promise<Uint8Array | null>;
  /** Deletes the address if no inbox job and no answer is owed to the subject any more. */
  release(subjectKey: SubjectKey): Promise<void>;
  /** Deletes the address whatever is owed (unfollow, 忘記全部). */
  remove(subjectKey: SubjectKey): Promise<void>;
}
