/**
 * Whether an event may follow a state: what a decider of this program could have written, checked again by whoever reads.
 * @module
 */
import type { RecordedEvent } from '../events/envelope.ts';
import type { PreferenceState } from './preference-state.ts';

/** Why an event should not have been written where it stands. */
export type IllegalCause =
  | 'time_goes_back'
  | 'base_revision_differs'
  | 'operation_does_not_fit'
  | 'proposal_is_not_open'
  | 'proposal_was_expired'
  | 'revision_is_not_next'
  | 'commitment_differs'
  | 'nothing_to_forget'
  | 'refused_what_was_open'
  /** Evidence of a refusal that was kept before, for another reason, or of a proposal the state no longer knows. */
  | 'refusal_does_not_fit'
  /** In an access ledger: a read of a ledger whose reads are recorded elsewhere. */
  | 'read_of_another_ledger';

/**
 * The first reason why `event` may not follow, or null.
 * @param state the fold through the position before.
 * @param previousTime the time of the event before, or null at position 1.
 */
export function illegality(
  state: PreferenceState,
  event: RecordedEvent,
  previousTime: string | null,
): IllegalCause | null {
  if (previousTime !== null && event.time < previousTime) return 'time_goes_back';
  const { present, open } = state;
  const inForce = present.commitment !== null;
  switch (event.type) {
    case 'preference.proposed': {
      if (event.data.baseRevision !== present.revision) return 'base_revision_differs';
      const { operation } = event.data;
      if (operation === 'save' && inForce) return 'operation_does_not_fit';
      if (operation === 'correct' && !inForce) return 'operation_does_not_fit';
      if (operation === 'forget' && !inForce && open === null) return 'operation_does_not_fit';
      return null;
    }
    case 'preference.approved':
    case 'preference.corrected': {
      if (open?.proposalId !== event.data.proposalId) return 'proposal_is_not_open';
      if (Date.parse(event.time) >= open.expiresAt) return 'proposal_was_expired';
      if (event.data.revision !== present.revision + 1) return 'revision_is_not_next';
      if (open.commitment !== event.data.commitment) return 'commitment_differs';
      if ((event.type === 'preference.corrected') !== inForce) return 'operation_does_not_fit';
      if (event.type === 'preference.corrected' && event.data.correctsRevision !== present.revision) {
        return 'revision_is_not_next';
      }
      return null;
    }
    case 'preference.cancelled':
      return open?.proposalId === event.data.proposalId ? null : 'proposal_is_not_open';
    case 'preference.forgotten': {
      if (event.data.revision !== present.revision + 1) return 'revision_is_not_next';
      if (event.data.forgetsRevision !== (inForce ? present.revision : null)) return 'revision_is_not_next';
      if (!inForce && open === null) return 'nothing_to_forget';
      if (event.data.method !== 'card') return null;
      if (open?.operation !== 'forget') return 'proposal_is_not_open';
      return Date.parse(event.time) >= open.expiresAt ? 'proposal_was_expired' : null;
    }
    case 'card.refused': {
      const { proposalId, reason, headRevision } = event.data;
      if (headRevision !== present.revision) return 'base_revision_differs';
      if (present.proposalId === proposalId) return 'refused_what_was_open';
      const held = [open, ...state.closed].find((proposal) => proposal?.proposalId === proposalId);
      if (held === undefined || held === null || held.refusals.includes(reason)) return 'refusal_does_not_fit';
      if ('ended' in held) return held.ended === reason ? null : 'refusal_does_not_fit';
      return reason === 'expired' && Date.parse(event.time) >= held.expiresAt ? null : 'refused_what_was_open';
    }
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
}
