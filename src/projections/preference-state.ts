/**
 * What a preference ledger says now: the fold whose result stands in the head, so that one read decides.
 * @module
 */
import * as v from 'valibot';
import { canonicalText } from '../events/canonical.ts';
import type { RecordedEvent } from '../events/envelope.ts';
import { Operation, RefusalReason } from '../events/kinds.ts';

/** How many ended proposals the state remembers; older ones can still be told to be over, but not why. */
export const CLOSED_PROPOSALS_KEPT = 16;
/** No state is longer than this, bytes of canonical JSON (design: at most 4 KB, so that a head is one small read). */
export const STATE_BYTES_MAX = 4_096;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const refusals = v.array(RefusalReason);

const PresentRevision = v.strictObject({
  /** 0 before anything was ever decided. */
  revision: count,
  /** The proposal that made this revision; null at 0 and after a forget that needed no card. */
  proposalId: v.nullable(v.string()),
  /** What caused that proposal. */
  causationId: v.nullable(v.string()),
  /** Commitment to the value in force; null when nothing is in force. */
  commitment: v.nullable(v.string()),
  /** The event that made this revision. */
  eventId: v.nullable(v.string()),
  refusals,
});

const OpenProposal = v.strictObject({
  proposalId: v.string(),
  /** SHA-256 of the bytes of its proposed event, hex; the card carries the first 8 bytes. */
  eventHash: v.string(),
  operation: Operation,
  commitment: v.nullable(v.string()),
  baseRevision: count,
  /** Unix milliseconds from which the proposal can no longer be decided. */
  expiresAt: count,
  causationId: v.string(),
  /** The chat message that led to it, so that an unsend can close it. */
  messageId: v.nullable(v.string()),
  /** Which card this is for the same causing event, from 1. */
  issue: count,
  refusals,
});

/** How a proposal ended, or, for one that was approved, what later ended what it had made. */
const Ended = v.picklist(['superseded', 'cancelled', 'forgotten', 'corrected', 'revision_moved']);

const ClosedProposal = v.strictObject({
  proposalId: v.string(),
  causationId: v.nullable(v.string()),
  ended: Ended,
  /** The revision at which it ended. */
  revision: count,
  refusals,
});

export const PreferenceState = v.strictObject({
  present: PresentRevision,
  open: v.nullable(OpenProposal),
  /** Newest last. */
  closed: v.pipe(v.array(ClosedProposal), v.maxLength(CLOSED_PROPOSALS_KEPT)),
});
export type PreferenceState = v.InferOutput<typeof PreferenceState>;
export type OpenProposal = v.InferOutput<typeof OpenProposal>;
export type ClosedProposal = v.InferOutput<typeof ClosedProposal>;

/** Before the first event. */
export const initialState: PreferenceState = {
  present: { revision: 0, proposalId: null, causationId: null, commitment: null, eventId: null, refusals: [] },
  open: null,
  closed: [],
};

type Ended = v.InferOutput<typeof Ended>;

function close(closed: readonly ClosedProposal[], more: readonly ClosedProposal[]): ClosedProposal[] {
  return [...closed, ...more].slice(-CLOSED_PROPOSALS_KEPT);
}

function endOpen(state: PreferenceState, ended: Ended, revision: number): ClosedProposal[] {
  if (state.open === null) return [];
  const { proposalId, causationId, refusals: kept } = state.open;
  return [{ proposalId, causationId, ended, revision, refusals: kept }];
}

function endPresent(state: PreferenceState, ended: Ended, revision: number): ClosedProposal[] {
  const { proposalId, causationId, refusals: kept } = state.present;
  if (proposalId === null) return [];
  return [{ proposalId, causationId, ended, revision, refusals: kept }];
}

/**
 * The state after one more event. Total: an event that fits nothing leaves the state as it was, for a fact is not
 * rejected by reading it (verify reports what should not have been written).
 * @param eventHash SHA-256 of the event's stored bytes, 64 hex digits.
 */
export function evolve(state: PreferenceState, event: RecordedEvent, eventHash: string): PreferenceState {
  switch (event.type) {
    case 'preference.proposed': {
      const { data } = event;
      const issue = state.open?.causationId === event.causationid ? state.open.issue + 1 : 1;
      return {
        ...state,
        open: {
          proposalId: data.proposalId,
          eventHash,
          operation: data.operation,
          commitment: data.operation === 'forget' ? null : data.commitment,
          baseRevision: data.baseRevision,
          expiresAt: Date.parse(event.time) + data.validitySeconds * 1_000,
          causationId: event.causationid,
          messageId: data.collectionMethod === 'message' ? event.correlationid : null,
          issue,
          refusals: [],
        },
        closed: close(state.closed, endOpen(state, 'superseded', state.present.revision)),
      };
    }
    case 'preference.approved':
    case 'preference.corrected': {
      const { data } = event;
      // A first value after a forget made by a card: that card stood for "gone" and no longer does.
      const ended: Ended = event.type === 'preference.corrected' ? 'corrected' : 'revision_moved';
      return {
        present: {
          revision: data.revision,
          proposalId: data.proposalId,
          causationId: state.open?.causationId ?? null,
          commitment: data.commitment,
          eventId: event.id,
          refusals: state.open?.refusals ?? [],
        },
        open: null,
        closed: close(state.closed, endPresent(state, ended, data.revision)),
      };
    }
    case 'preference.cancelled':
      if (state.open?.proposalId !== event.data.proposalId) return state;
      return {
        ...state,
        open: null,
        closed: close(state.closed, endOpen(state, 'cancelled', state.present.revision)),
      };
    case 'preference.forgotten': {
      const { revision, method } = event.data;
      const byCard = method === 'card' && state.open?.operation === 'forget' ? state.open : null;
      return {
        present: {
          revision,
          proposalId: byCard?.proposalId ?? null,
          causationId: byCard?.causationId ?? null,
          commitment: null,
          eventId: event.id,
          refusals: byCard?.refusals ?? [],
        },
        open: null,
        closed: close(state.closed, [
          ...endPresent(state, 'forgotten', revision),
          ...(byCard === null ? endOpen(state, 'forgotten', revision) : []),
        ]),
      };
    }
    case 'card.refused': {
      const { proposalId, reason } = event.data;
      const add = <T extends { proposalId: string | null; refusals: RefusalReason[] }>(held: T): T =>
        held.proposalId === proposalId && !held.refusals.includes(reason)
          ? { ...held, refusals: [...held.refusals, reason] }
          : held;
      return {
        present: add(state.present),
        open: state.open === null ? null : add(state.open),
        closed: state.closed.map(add),
      };
    }
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
}

/** The state as the text that stands in the head. */
export function encodeState(state: PreferenceState): string {
  const text = canonicalText(state);
  if (Buffer.byteLength(text) > STATE_BYTES_MAX) throw new RangeError('The state is longer than its bound');
  return text;
}

/**
 * Reads a head's state; null (position 0) is the initial state.
 * @throws ValiError when the text is not a state of this program: a store that returns it is damaged or newer.
 */
export function decodeState(text: string | null): PreferenceState {
  return text === null ? initialState : v.parse(PreferenceState, JSON.parse(text));
}
