/**
 * The closed list of what a command can come to, in order of precedence within each command: the first that applies wins.
 * The same words stand in cards, logs, evaluation and test titles.
 * @module
 */
import type { RefusalReason } from '../events/kinds.ts';

/** Why a genuine card no longer stands for anything; `history_differs` is not a refusal to keep but an alarm. */
export type StaleCause = Exclude<RefusalReason, 'expired'> | 'history_differs';

/** Recorded: an event says so. */
export const RECORDED = [
  'awaiting_memory_consent',
  'memory_saved',
  'memory_corrected',
  'memory_forgotten',
  'memory_proposal_cancelled',
] as const;
/** Unchanged: asking again, or for what already is, changes nothing. */
export const UNCHANGED = [
  'already_applied',
  'already_cancelled',
  'already_effective',
  'proposal_closed',
  'nothing_to_forget',
  'no_open_proposal',
  /** The words asked with were forgotten or unsent before they were understood. */
  'message_taken_back',
] as const;
/** Refused: a rule said no. */
export const REFUSED = [
  'invalid_memory_card',
  'unreadable_memory_card',
  'stale_memory_card',
  'expired_memory_card',
] as const;
/** Undecided: nothing was promised; `outcome_unknown` may or may not have happened. */
export const UNDECIDED = ['busy', 'outcome_unknown'] as const;

/** The order in which each command's outcomes are tried (after `invalid` and `unreadable`, before any state is read). */
export const LADDERS = {
  propose: ['message_taken_back', 'already_effective', 'proposal_closed', 'awaiting_memory_consent'],
  propose_forget: ['message_taken_back', 'nothing_to_forget', 'proposal_closed', 'awaiting_memory_consent'],
  approve: [
    'already_applied',
    'stale_memory_card',
    'expired_memory_card',
    'memory_saved',
    'memory_corrected',
    'memory_forgotten',
  ],
  cancel: [
    'already_cancelled',
    'already_applied',
    'stale_memory_card',
    'expired_memory_card',
    'memory_proposal_cancelled',
  ],
  withdraw_proposal: ['no_open_proposal', 'memory_proposal_cancelled'],
  forget: ['nothing_to_forget', 'memory_forgotten'],
} as const;

/** What deciding a command gives, beside the events: the outcome with what an answer to a person needs. */
export type Outcome =
  | {
      readonly outcome: 'awaiting_memory_consent';
      readonly proposalId: string;
      readonly operation: 'save' | 'correct' | 'forget';
      readonly revision: number;
      readonly expiresAt: number;
    }
  | { readonly outcome: 'memory_saved' | 'memory_corrected'; readonly revision: number }
  | {
      readonly outcome: 'memory_forgotten';
      readonly revision: number;
      /** The revision that was in force and is gone; null: none was, only an open card was closed. */
      readonly forgetsRevision: number | null;
    }
  | {
      readonly outcome: 'already_effective';
      readonly revision: number;
      /** The undecided card that was closed by saying it again; null: there was none. */
      readonly cancelledProposalId: string | null;
    }
  | {
      readonly outcome:
        | 'memory_proposal_cancelled'
        | 'already_applied'
        | 'already_cancelled'
        | 'proposal_closed'
        | 'nothing_to_forget'
        | 'no_open_proposal'
        | 'expired_memory_card';
      readonly revision: number;
    }
  | { readonly outcome: 'message_taken_back'; readonly revision: number }
  | { readonly outcome: 'stale_memory_card'; readonly cause: StaleCause; readonly revision: number };

/** Answers that come before or instead of a decision. */
export type Undecided = { readonly outcome: (typeof UNDECIDED)[number] };
