/**
 * What this channel tells operators: a closed list of counters and one log record per turn, neither holding content.
 * @module
 */
import type { Answer, Origin } from '../../commands/answers.ts';
import type { ToolName } from '../../commands/tools.ts';

/** Requests refused before any event is looked at. */
export type RequestCount = 'signature_refused' | 'body_too_large' | 'body_malformed' | 'destination_refused';

/** Events that are left alone, and why. */
export type IgnoredCount =
  | 'event_malformed'
  | 'event_standby'
  | 'event_verification'
  | 'event_without_user'
  | 'event_of_other_type'
  | 'event_in_group';

/** What became of events that were taken. */
export type TakenCount =
  | 'event_queued'
  | 'event_duplicate'
  /** Answered with 503: not taken, or not known to be. */
  | 'event_deferred'
  | 'event_withdrawn'
  | 'event_unfollowed'
  | 'group_pointed_to_chat';

/** What became of answers. */
export type AnswerCount =
  | 'answer_replied'
  | 'answer_pushed'
  /** Already given; nothing said. */
  | 'answer_silent'
  /** Not given yet; a later try will. */
  | 'answer_owed'
  /** LINE refused it for good (4xx). */
  | 'answer_rejected'
  | 'answer_given_up'
  | 'answer_without_address'
  | 'answer_overtaken';

/** Faults of the parts behind the channel. */
export type FaultCount =
  | 'turn_failed'
  | 'turn_too_slow'
  | 'store_failed'
  | 'job_failed'
  | 'job_unreadable'
  | 'text_emptied';

export type LineCount = RequestCount | IgnoredCount | TakenCount | AnswerCount | FaultCount;
/** Raises one counter by one. Must not throw. */
export type CountLine = (name: LineCount) => void;

/** One turn as it is logged: ids of the channel, closed words and a number; no text, no person, no token. */
export type TurnRecord = {
  /** The channel's message id, or the webhookEventId for what is no message. */
  readonly turnId: string;
  /** What ran; none for fixed entries and buttons. */
  readonly tools: readonly ToolName[];
  /** Where the condition of a search came from; null when nothing was searched by a condition. */
  readonly origin: Origin | null;
  readonly statuses: readonly Answer['status'][];
  readonly outcome: 'replied' | 'pushed' | 'rejected' | 'owed' | 'silent' | 'given_up';
  readonly revision: number | null;
};
/** Writes one record. Must not throw. */
export type LogTurn = (record: TurnRecord) => void;
