/**
 * The law of each kind of ledger in one shape, so that whoever verifies need not know which kind it is.
 * @module
 */
import { ACCESS_SPELLING } from '../events/access-kinds.ts';
import { type EnvelopedEvent, type EventBody, type Opened, openEvent, openEventAs } from '../events/envelope.ts';
import type { LedgerKind } from '../events/identity.ts';
import { accessIllegality, encodeAccess, evolveAccess, initialAccess } from './access-state.ts';
import { type IllegalCause, illegality } from './legality.ts';
import { encodeState, evolve, initialState } from './preference-state.ts';

/** An event whose kind is not looked at. */
export type AnyEvent = EnvelopedEvent<EventBody>;

/** A state whose kind is not looked at: made by a law and handed back to the same law. */
export type FoldedState = { readonly law: LedgerKind; readonly state: unknown };

/** What is in force by a fold; commitment null: nothing. */
export type InForceByFold = { readonly revision: number; readonly commitment: string | null };

/** How one kind of ledger is read, judged and folded. */
export type LedgerLaw = {
  readonly open: (bytes: Uint8Array) => Opened<AnyEvent>;
  readonly initial: FoldedState;
  /** The first reason why the event may not follow, or null. */
  readonly illegality: (so: FoldedState, event: AnyEvent, previousTime: string | null) => IllegalCause | null;
  readonly evolve: (so: FoldedState, event: AnyEvent, hash: string) => FoldedState;
  /** The state as the text that stands in the head. */
  readonly encode: (so: FoldedState) => string;
  readonly inForce: (so: FoldedState) => InForceByFold;
};

type Parts<Event extends AnyEvent, State> = {
  readonly open: (bytes: Uint8Array) => Opened<Event>;
  readonly initial: State;
  readonly illegality: (state: State, event: Event, previousTime: string | null) => IllegalCause | null;
  readonly evolve: (state: State, event: Event, hash: string) => State;
  readonly encode: (state: State) => string;
  readonly inForce: (state: State) => InForceByFold;
};

/** Forgets the types of one kind. The casts are safe: events come from `open`, states from `initial` and `evolve`. */
function lawOf<Event extends AnyEvent, State>(kind: LedgerKind, parts: Parts<Event, State>): LedgerLaw {
  const state = (so: FoldedState): State => {
    if (so.law !== kind) throw new TypeError('A state of another kind of ledger');
    return so.state as State;
  };
  return {
    open: parts.open,
    initial: { law: kind, state: parts.initial },
    illegality: (so, event, previousTime) => parts.illegality(state(so), event as Event, previousTime),
    evolve: (so, event, hash) => ({ law: kind, state: parts.evolve(state(so), event as Event, hash) }),
    encode: (so) => parts.encode(state(so)),
    inForce: (so) => parts.inForce(state(so)),
  };
}

const PREFERENCE = lawOf('preference', {
  open: openEvent,
  initial: initialState,
  illegality,
  evolve,
  encode: encodeState,
  inForce: ({ present }) => present,
});
const ACCESS = lawOf('access', {
  open: (bytes) => openEventAs(ACCESS_SPELLING, bytes),
  initial: initialAccess,
  illegality: accessIllegality,
  evolve: evolveAccess,
  encode: encodeAccess,
  inForce: () => ({ revision: 0, commitment: null }),
});

/** The law of a kind of ledger, or null for one this program does not write or (from a changed store) does not know. */
export function ledgerLaw(kind: LedgerKind): LedgerLaw | null {
  switch (kind) {
    case 'preference':
      return PREFERENCE;
    case 'access':
      return ACCESS;
    case 'request':
    case 'gate':
    default:
      return null;
  }
}
