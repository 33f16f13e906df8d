/**
 * A preference ledger's history as an auditor reads it: each event with the head it met and the card it is about.
 * @module
 */
import { evolve, initialState } from './preference-state.ts';
import type { HashedEvent } from './replay.ts';

/** The head as an event found it: where the ledger stood, what was in force, which card was open. */
export type MetHead = {
  /** 0: before the first event. */
  readonly position: number;
  /** The hash there; null at 0. */
  readonly hash: string | null;
  readonly revision: number;
  readonly inForce: boolean;
  readonly openProposalId: string | null;
};

export type HistoryEntry = HashedEvent & {
  readonly met: MetHead;
  /** The revision after it. */
  readonly revision: number;
  readonly inForceAfter: boolean;
  /** Where the card it is about was offered; null for an event that is about none, and for a card offered nowhere here. */
  readonly offeredAt: number | null;
};

/** The history in order, oldest first. */
export function historyOf(events: readonly HashedEvent[]): readonly HistoryEntry[] {
  const offered = new Map<string, number>();
  let state = initialState;
  let hash: string | null = null;
  return events.map((each, index) => {
    const met: MetHead = {
      position: index,
      hash,
      revision: state.present.revision,
      inForce: state.present.commitment !== null,
      openProposalId: state.open?.proposalId ?? null,
    };
    const { event } = each;
    if (event.type === 'preference.proposed') offered.set(event.data.proposalId, event.position);
    state = evolve(state, event, each.hash);
    hash = each.hash;
    const proposalId = 'proposalId' in event.data ? event.data.proposalId : null;
    return {
      ...each,
      met,
      revision: state.present.revision,
      inForceAfter: state.present.commitment !== null,
      offeredAt: proposalId === null ? null : (offered.get(proposalId) ?? null),
    };
  });
}

/** What became of a card. */
export type CardEnd = {
  readonly end: 'approved' | 'cancelled' | 'superseded' | 'forgotten' | 'expired' | 'open';
  /** The event that ended it; null for `expired` and `open`. */
  readonly position: number | null;
};

/**
 * How the card offered by an event ended, as far as the history goes.
 * @param offer an entry of a proposed event.
 * @param now Unix milliseconds; a card that nothing ended is expired from its last moment on.
 */
export function cardEnd(history: readonly HistoryEntry[], offer: HistoryEntry, now: number): CardEnd | null {
  const { event } = offer;
  if (event.type !== 'preference.proposed') return null;
  for (const { event: later } of history.slice(event.position)) {
    switch (later.type) {
      case 'preference.proposed':
        return { end: 'superseded', position: later.position };
      case 'preference.forgotten':
        return {
          end: later.data.method === 'card' && event.data.operation === 'forget' ? 'approved' : 'forgotten',
          position: later.position,
        };
      case 'preference.approved':
      case 'preference.corrected':
        return { end: 'approved', position: later.position };
      case 'preference.cancelled':
        return { end: 'cancelled', position: later.position };
      case 'card.refused':
        break;
    }
  }
  const isOver = now >= Date.parse(event.time) + event.data.validitySeconds * 1_000;
  return { end: isOver ? 'expired' : 'open', position: null };
}
