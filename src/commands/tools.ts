/**
 * What may be asked for in a turn, and what a router may answer: closed lists, strict arguments.
 * @module
 */
import * as v from 'valibot';
import type { ModelAttempt } from './model-attempt.ts';

const argument = v.pipe(v.string(), v.trim(), v.maxLength(80), v.regex(/^[^\p{Cc}]*$/u));

/** Searches sourced places. A blank dietary_type may be filled from consented memory, by the backend only. */
export const SearchLocalPlaces = v.strictObject({
  tool: v.literal('search_local_places'),
  area: v.optional(argument, ''),
  dietary_type: v.optional(argument, ''),
  keyword: v.optional(argument, ''),
});
/** Searches local events. */
export const SearchLocalEvents = v.strictObject({
  tool: v.literal('search_local_events'),
  date: v.optional(argument, ''),
  area: v.optional(argument, ''),
  keyword: v.optional(argument, ''),
});
/** Asks the backend to show a consent card. Stores nothing. */
export const ProposeDietaryMemory = v.strictObject({
  tool: v.literal('propose_dietary_memory'),
  dietary_type: v.pipe(argument, v.minLength(1)),
});
/** Asks to see, change or forget what is remembered; change and forget lead to a card. */
export const RequestMemoryManagement = v.strictObject({
  tool: v.literal('request_memory_management'),
  action: v.picklist(['inspect', 'update', 'forget', 'explain']),
  dietary_type: v.optional(argument, ''),
});
/** The menu, or "outside what LOCAL does". */
export const ShowLocalHelp = v.strictObject({
  tool: v.literal('show_local_help'),
  reason: v.optional(v.picklist(['', 'unsupported']), ''),
});

/** One tool with its arguments; unknown tools and arguments are refused. */
export const ToolCall = v.variant('tool', [
  SearchLocalPlaces,
  SearchLocalEvents,
  ProposeDietaryMemory,
  RequestMemoryManagement,
  ShowLocalHelp,
]);
export type ToolCall = v.InferOutput<typeof ToolCall>;
export type ToolName = ToolCall['tool'];

/** A part of a message that LOCAL has no data or service for; the answer names it instead of dropping it. */
export const UNANSWERED = [
  'opening_hours',
  'accessibility',
  'walking_distance',
  'parking',
  'transport',
  'booking',
] as const;
export type Unanswered = (typeof UNANSWERED)[number];

/** What a router made of a person's words. */
export type Routed =
  | { readonly outcome: 'call'; readonly calls: readonly ToolCall[]; readonly unanswered: readonly Unanswered[] }
  /** A question back; the closed list names which one. */
  | {
      readonly outcome: 'clarify';
      readonly question:
        | 'which_diet_to_remember'
        | 'this_time_or_always'
        | 'one_thing_at_a_time'
        | 'whose_diet'
        | 'what_to_do'
        /** No question at all: the person said not to remember, and asked for nothing else. */
        | 'not_remembered';
    }
  | { readonly outcome: 'unsupported'; readonly unanswered: readonly Unanswered[] }
  | { readonly outcome: 'blocked' }
  | { readonly outcome: 'unavailable' }
  | { readonly outcome: 'invalid' };

/** What an earlier turn was about: one of three topics, and one of the townships or '' for none. */
export type PublicTurn = { readonly topic: 'places' | 'events' | 'help'; readonly area: string };

/** What is known of the turns before, oldest first, and what the person is after. Data, not instructions, and no consent. */
export type PublicContext = { readonly goal: PublicTurn | null; readonly turns: readonly PublicTurn[] };

/** What a router is told: public facts only, never a stored value, a revision or an earlier chat. */
export type RouterFacts = {
  readonly catalogVersion: string;
  readonly areas: readonly string[];
  /** So that a follow-up can be understood; null or absent when nothing is carried over. */
  readonly context?: PublicContext | null;
};

/** Understands one message. Never throws for what a person typed. */
export interface Router {
  readonly name: 'rules' | 'gemini';
  /**
   * @param record is told of every attempt on a model, for the trail of this turn.
   * @param mayAskAgain is asked before a second request is made to a model; absent: it may.
   */
  route(
    text: string,
    facts: RouterFacts,
    record?: (attempt: ModelAttempt) => void,
    mayAskAgain?: () => Promise<boolean>,
  ): Promise<Routed>;
}
