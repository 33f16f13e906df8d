/**
 * What a person is told: a closed list of facts that fixed templates put into words. No prose of a model is among them.
 * @module
 */
import type { Diet, EventAnswer, PlaceAnswer } from './catalog.ts';
import type { CardRefusal } from './card.ts';
import type { Outcome, Undecided } from './outcomes.ts';
import type { Unanswered } from './tools.ts';
import type { OwnEntry } from '../projections/own-history.ts';
import type { DecisionKind } from '../projections/receipt.ts';

/** Why a search condition was used. */
export type Origin = 'this_turn' | 'consented_memory' | 'none';

/** What is remembered at the moment of answering; null when nothing is. */
export type InForce = {
  readonly value: string;
  readonly revision: number;
  readonly eventId: string;
} | null;

/** A link to the person's own page; null where no public address is set up. Made for this answer and never stored. */
export type OwnLink = {
  readonly url: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
} | null;

/** What a receipt says, in short. */
export type ReceiptSummary = {
  readonly kind: DecisionKind;
  /** Unix milliseconds. */
  readonly at: number;
  readonly position: number;
  readonly eventId: string;
  readonly revision: number | null;
  readonly noticeVersion: string | null;
  /** Whether the receipt opens its commitment: only while what was agreed to is in force. */
  readonly opens: boolean;
};

/** A card to show. The token is made for this answer and never stored. */
export type ConsentCard = {
  readonly operation: 'save' | 'correct' | 'forget';
  /** The value offered; null for a forget card. */
  readonly value: string | null;
  readonly noticeText: string;
  /** Unix milliseconds; shown as an absolute time in Taipei. */
  readonly expiresAt: number;
  readonly token: string;
};

export type Answer =
  | { readonly status: 'menu' }
  | { readonly status: 'welcome' }
  | { readonly status: 'unsupported'; readonly unanswered: readonly Unanswered[] }
  | { readonly status: 'unsupported_message' }
  | { readonly status: 'retry_guide' }
  | { readonly status: 'service_request_unavailable' }
  | { readonly status: 'choose_area'; readonly areas: readonly string[]; readonly page: number }
  | {
      readonly status: 'memory_inspected';
      readonly inForce: InForce;
      /** A card still waiting for a tap; typed words approve nothing. */
      readonly open: { readonly operation: 'save' | 'correct' | 'forget'; readonly expiresAt: number } | null;
      /** `refused`: the person said not to remember; nothing was done, and a card still open stays open. */
      readonly because: 'asked' | 'bare_yes' | 'refused';
    }
  | { readonly status: 'memory_explained'; readonly inForce: InForce }
  | { readonly status: 'memory_update_prompt'; readonly inForce: InForce }
  | {
      readonly status: 'my_records';
      /** The last events, newest first; no values. */
      readonly history: readonly OwnEntry[];
      /** How many came before these. */
      readonly earlier: number;
      readonly inForce: InForce;
      readonly link: OwnLink;
    }
  | {
      readonly status: 'my_receipt';
      /** The newest decision; null before the first. */
      readonly receipt: ReceiptSummary | null;
      readonly inForce: InForce;
      readonly link: OwnLink;
    }
  /** An event of the person's own ledger could not be read; nothing is said of the others. */
  | { readonly status: 'records_unreadable' }
  | { readonly status: 'awaiting_memory_consent'; readonly card: ConsentCard; readonly inForce: InForce }
  | {
      readonly status: 'memory';
      readonly outcome: Exclude<Outcome, { outcome: 'awaiting_memory_consent' | 'message_taken_back' }>;
      readonly inForce: InForce;
      /** What the refused card would have done, where it matters for the next step; null when it is not known any more. */
      readonly operation: 'save' | 'correct' | 'forget' | null;
      readonly erasureScope: 'purpose' | 'all' | null;
    }
  /** The signature did not hold or the format is no longer known; nothing was read. */
  | { readonly status: CardRefusal }
  | { readonly status: Undecided['outcome'] }
  | {
      readonly status: 'places';
      readonly answer: PlaceAnswer;
      readonly origin: Origin;
      /** The revision and event the condition came from, when origin is consented_memory. */
      readonly memory: { readonly revision: number; readonly eventId: string } | null;
      /** The condition as asked for this turn, '' when it was left to memory; a "more" button carries it. */
      readonly said: Diet | '';
      readonly near: { readonly latitude: number; readonly longitude: number } | null;
      readonly unanswered: readonly Unanswered[];
    }
  | { readonly status: 'events'; readonly answer: EventAnswer; readonly unanswered: readonly Unanswered[] }
  | { readonly status: 'preference_changed' }
  | { readonly status: 'unknown_diet'; readonly said: string }
  | {
      readonly status: 'clarify';
      readonly question:
        | 'which_diet_to_remember'
        | 'this_time_or_always'
        | 'one_thing_at_a_time'
        | 'whose_diet'
        | 'what_to_do';
      /** So that a question about remembering does not sound as if nothing were remembered. */
      readonly inForce: InForce;
    }
  /** Two calls of a model: the search ran, the wish to remember did not; a button sends it again. */
  | { readonly status: 'remember_separately'; readonly value: string }
  /** The wish to remember was taken up by a model, the search said beside it was not; it is named. */
  | { readonly status: 'search_separately' }
  | { readonly status: 'query_unavailable' }
  /** No model call is left today; menu and fixed entries work as before. */
  | { readonly status: 'model_budget_exhausted' }
  /** Reading a document was to do something else than a search; nothing was done. */
  | { readonly status: 'document_action_denied' }
  | {
      readonly status: 'document_unavailable';
      readonly because: 'too_long' | 'empty' | 'nothing_found' | 'not_read';
    }
  /** What was typed was emptied before it was read (a forget came in between). */
  | { readonly status: 'say_again' }
  | { readonly status: 'one_to_one_only' };
