/**
 * The port between a channel and what answers: one message or button in, the facts of one answer out.
 * @module
 */
import type { LedgerRef, SubjectKey, TenantId } from '../events/identity.ts';
import type { Once } from '../events/ports.ts';
import type { Answer, InForce } from './answers.ts';
import type { Location } from './catalog.ts';
import type { Entry } from './entries.ts';
import type { ToolName } from './tools.ts';

/** Who a turn is for. */
export type Person = {
  readonly tenantId: TenantId;
  readonly subjectKey: SubjectKey;
  /** The ledger of diet_for_place_search. */
  readonly diet: LedgerRef;
};

/** The delivery a turn answers: its ids become the causation and correlation of what is recorded. */
export type Delivery = {
  /** The webhookEventId. */
  readonly causationId: string;
  /** The channel's message id, or the webhookEventId for what is no message. */
  readonly turnId: string;
  readonly messageId: string | null;
};

/** One turn's answer. */
export type Turn = {
  /** In the order they are told; empty: silence (it was answered before). */
  readonly answers: readonly Answer[];
  /** The once row to mark when the answer was given, or null. */
  readonly onceKey: string | null;
  /** The ledger revision the answer rests on; the sender compares it just before the reply. Null: it rests on none. */
  readonly restsOnRevision: number | null;
  /** The tools that ran, in order; absent for fixed entries and buttons, which run none. */
  readonly tools?: readonly ToolName[];
};

/** What is remembered at one moment, with the revision it belongs to. */
export type Remembered = { readonly revision: number; readonly inForce: InForce };

/** All that the assistant's side can do with a preference: see what is in force, and make an offer. */
export interface Offers {
  remembered(person: Person): Promise<Remembered>;
  /** What is in force and what is open, as an answer. */
  inspect(person: Person, because: 'asked' | 'bare_yes' | 'refused'): Promise<Answer>;
  /** Offers to remember a value, or (null) to forget; the answer carries the card. Nothing is stored but the offer. */
  propose(person: Person, value: string | null, collection: 'message' | 'button', delivery: Delivery): Promise<Answer>;
}

/** What a person is told of their own ledger; reads only. */
export interface OwnRecords {
  records(person: Person): Promise<Turn>;
  receipt(person: Person): Promise<Turn>;
}

/** A search of places as it was said; the condition left blank is filled from consented memory by the backend. */
export type SaidPlaceQuery = {
  readonly area: string;
  readonly dietary_type: string;
  readonly keyword: string;
  readonly near: Location | null;
  readonly page: number;
};

/** The searches of a turn, guarded by the revision before and after. */
export interface Searches {
  places(person: Person, said: SaidPlaceQuery): Promise<Turn>;
  events(said: { readonly date: string; readonly area: string; readonly keyword: string }): Promise<Turn>;
}

export interface Turns {
  /** Fixed entries and buttons: no model, ever. */
  entry(person: Person, entry: Entry, delivery: Delivery): Promise<Turn>;
  /** Free text: router, at most one tool a model asked for, guard. Never throws for what was typed. */
  text(person: Person, text: string, delivery: Delivery): Promise<Turn>;
  /** A decision of before, told again from its stored outcome and what is in force now. */
  again(person: Person, once: Once): Promise<Turn>;
  /** Closes the open card a message led to (unsend, edit). A value already agreed to is not touched. */
  withdraw(person: Person, messageId: string, method: 'unsend' | 'message', delivery: Delivery): Promise<void>;
  /** Whether what the answer rests on is still so. */
  stillCurrent(person: Person, turn: Turn): Promise<boolean>;
}
