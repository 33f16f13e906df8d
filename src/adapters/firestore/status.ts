/**
 * What each gRPC status of a commit says about whether it happened.
 * @module
 */

/** What is known of a commit that was answered with an error. */
export type Verdict =
  /** A precondition did not hold: this sending wrote nothing. An earlier sending of the same writes may have. */
  | 'refused'
  /** Given up for another writer's sake; nothing was written, and the same writes may be sent again. */
  | 'contended'
  /** Turned away before it was looked at; nothing was written. */
  | 'not_done'
  /** It may have been written, or may yet be. */
  | 'unknown';

/** Statuses by number, as gRPC names them; each has its verdict on purpose. */
const STATUSES: readonly (readonly [name: string, verdict: Verdict])[] = [
  ['OK', 'unknown'],
  ['CANCELLED', 'unknown'],
  ['UNKNOWN', 'unknown'],
  ['INVALID_ARGUMENT', 'not_done'],
  // Documented by Firestore as possible after a change that succeeded.
  ['DEADLINE_EXCEEDED', 'unknown'],
  ['NOT_FOUND', 'refused'],
  ['ALREADY_EXISTS', 'refused'],
  ['PERMISSION_DENIED', 'not_done'],
  ['RESOURCE_EXHAUSTED', 'not_done'],
  ['FAILED_PRECONDITION', 'refused'],
  ['ABORTED', 'contended'],
  ['OUT_OF_RANGE', 'not_done'],
  ['UNIMPLEMENTED', 'not_done'],
  ['INTERNAL', 'unknown'],
  // A connection that broke: before or after the request was carried out, nobody can say.
  ['UNAVAILABLE', 'unknown'],
  ['DATA_LOSS', 'unknown'],
  ['UNAUTHENTICATED', 'not_done'],
];

function statusOf(error: unknown): (typeof STATUSES)[number] | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return undefined;
  return STATUSES[error.code];
}

/** The verdict on a failed commit. What carries no status, such as a deadline of ours, is unknown. */
export function verdictOf(error: unknown): Verdict {
  return statusOf(error)?.[1] ?? 'unknown';
}

/** The name of what went wrong, fit for a log: messages of Firestore name documents, and a document names a person. */
export function statusName(error: unknown): string {
  return statusOf(error)?.[0] ?? (error instanceof Error ? error.name : 'UNKNOWN');
}
