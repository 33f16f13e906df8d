/**
 * What is kept of one attempt to have a model understand a message: for the erasable trail of its turn, never for a log.
 * @module
 */

/** A call as the model proposed it, before anything was checked. */
export type ProposedCall = {
  /** The id the model gave the call, or null. */
  readonly functionCallId: string | null;
  /** At most 100 characters; the name may be one LOCAL does not have. */
  readonly name: string;
  /** The arguments as JSON text, or null when there were none or more than 2,000 characters of them. */
  readonly arguments: string | null;
};

/** Token counts as the service reported them; null: not reported, which is not 0. */
export type ModelUsage = {
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  readonly thoughtTokens: number | null;
  readonly totalTokens: number | null;
};

/** How an attempt ended. */
export type AttemptOutcome =
  | 'call'
  | 'clarify'
  | 'unsupported'
  | 'blocked'
  | 'unavailable'
  | 'invalid'
  /** Ended by LOCAL's own budget; what came later was dropped. */
  | 'timed_out'
  /** An HTTP status of the service, told in `httpStatus`. */
  | 'refused'
  /** No connection, or one that broke. */
  | 'network';

export type ModelAttempt = ModelUsage & {
  /** 0 for the first try, 1 for the one retry. */
  readonly retry: 0 | 1;
  /** Unix milliseconds. */
  readonly requestedAt: number;
  /** Unix milliseconds; for `timed_out` when the waiting ended. */
  readonly respondedAt: number;
  readonly backend: 'developer' | 'vertex';
  /** The model that was asked for. */
  readonly model: string;
  /** The version that answered by its own word, or null. */
  readonly modelVersion: string | null;
  /** The system text and the message as they were sent. */
  readonly request: { readonly systemText: string; readonly message: string };
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  /** What the outcome rests on, one word of a closed list. */
  readonly why: string;
  /** The first eight calls of the answer. */
  readonly proposed: readonly ProposedCall[];
};
