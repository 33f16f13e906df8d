/**
 * What a command comes to, given what the ledger says now: pure, total, one ladder per command in the order of outcomes.ts.
 * @module
 */
import { v5 } from 'uuid';
import { type Content, commit } from '../events/commitment.ts';
import type { LedgerRef } from '../events/identity.ts';
import type { PreferenceEvent, RefusalReason } from '../events/kinds.ts';
import type { OpenProposal, PreferenceState } from '../projections/preference-state.ts';
import { CLOSED_PROPOSALS_KEPT } from '../projections/preference-state.ts';
import type { Card } from './card.ts';
import type { Outcome, StaleCause } from './outcomes.ts';

/** How long a proposal can be decided, seconds; at exactly this age it is expired. */
export const PROPOSAL_VALIDITY_SECONDS = 300;
/** The namespace of proposal ids, so that a retry of the same delivery finds the same proposal. */
const PROPOSAL_NAMESPACE = '5d9a1d5e-2a5f-5c0b-9c39-7f1b6a4f0c11';

type Notice = { readonly noticeVersion: string; readonly language: 'zh-TW' };
type Collection = { readonly collectionMethod: 'message' | 'button' | 'api' };

export type Command =
  /** A model or a rule understood that the person wants a value remembered: an offer, nothing more. */
  | ({
      readonly kind: 'propose';
      readonly value: string;
      readonly blindingKey: Uint8Array;
      readonly causationId: string;
    } & Notice &
      Collection)
  /** The person asked in their own words to be forgotten: an offer to do so. */
  | ({ readonly kind: 'propose_forget'; readonly causationId: string } & Notice & Collection)
  | { readonly kind: 'approve'; readonly card: Card }
  | { readonly kind: 'cancel'; readonly card: Card }
  /** The message behind an open card was unsent or edited. */
  | { readonly kind: 'withdraw_proposal'; readonly messageId: string; readonly method: 'unsend' | 'message' }
  | { readonly kind: 'forget'; readonly method: 'fixed_entry' | 'api'; readonly erasureScope: 'purpose' | 'all' };

/** What is asked from the assistant's side: approve, cancel and forget do not type-check there. */
export type AssistantCommand = Extract<Command, { kind: 'propose' | 'propose_forget' }>;

/** What the ledger says at the moment of deciding. */
export type Situation = {
  readonly ledger: LedgerRef;
  readonly position: number;
  readonly state: PreferenceState;
  /** The content of the present revision; null when nothing is in force. Needed by propose only. */
  readonly content: Content | null;
  /** Unix milliseconds: max(server clock, time of the newest event). It judges expiry and is what is written. */
  readonly now: number;
  /**
   * Whether the store said that the message asked with was taken back (a forget, an unsend, the end of its turn). It is asked
   * with the commit, so only where something would be written; looked at by what a message asks for.
   */
  readonly takenBack: boolean;
};

/** At most one event: a decision is one fact. */
export type Decision = { readonly outcome: Outcome; readonly events: readonly PreferenceEvent[] };

/** Decides. Never throws for anything a person or a store can bring about. */
export function decide(command: Command, situation: Situation): Decision {
  switch (command.kind) {
    case 'propose':
      return propose(command, situation);
    case 'propose_forget':
      return proposeForget(command, situation);
    case 'approve':
      return approve(command.card, situation);
    case 'cancel':
      return cancel(command.card, situation);
    case 'withdraw_proposal':
      return withdrawProposal(command, situation);
    case 'forget':
      return forget(command, situation);
  }
}

function unchanged(
  outcome:
    | 'already_applied'
    | 'already_cancelled'
    | 'proposal_closed'
    | 'nothing_to_forget'
    | 'no_open_proposal'
    | 'message_taken_back',
  { state }: Situation,
): Decision {
  return { outcome: { outcome, revision: state.present.revision }, events: [] };
}

/** Whether this causing message led to a proposal that was already decided. */
function causedAClosedProposal(state: PreferenceState, causationId: string): boolean {
  return (
    state.present.causationId === causationId || state.closed.some((proposal) => proposal.causationId === causationId)
  );
}

function proposalIdFor({ ledger, state }: Situation, causationId: string): string {
  const issue = state.open?.causationId === causationId ? state.open.issue + 1 : 1;
  return v5(`${ledger.ledgerId}|${causationId}|${issue}`, PROPOSAL_NAMESPACE);
}

function awaiting(
  situation: Situation,
  proposal: Extract<PreferenceEvent, { type: 'preference.proposed' }>['data'],
): Decision {
  return {
    outcome: {
      outcome: 'awaiting_memory_consent',
      proposalId: proposal.proposalId,
      operation: proposal.operation,
      revision: situation.state.present.revision,
      expiresAt: situation.now + proposal.validitySeconds * 1_000,
    },
    events: [{ type: 'preference.proposed', data: proposal }],
  };
}

function propose(command: Extract<Command, { kind: 'propose' }>, situation: Situation): Decision {
  const { state, ledger, content } = situation;
  if (situation.takenBack) return unchanged('message_taken_back', situation);
  if (content !== null && content.value === command.value) {
    // Saying again what is already so is also an answer to whatever card is open.
    const proposalId = state.open?.proposalId ?? null;
    const { revision } = state.present;
    return {
      outcome: { outcome: 'already_effective', revision, cancelledProposalId: proposalId },
      events: proposalId === null ? [] : [{ type: 'preference.cancelled', data: { proposalId, method: 'message' } }],
    };
  }
  const reissued = state.open?.causationId === command.causationId;
  if (!reissued && causedAClosedProposal(state, command.causationId)) return unchanged('proposal_closed', situation);
  return awaiting(situation, {
    proposalId: proposalIdFor(situation, command.causationId),
    operation: state.present.commitment === null ? 'save' : 'correct',
    commitment: commit(command.blindingKey, {
      ledgerId: ledger.ledgerId,
      purpose: ledger.purpose,
      value: command.value,
    }),
    noticeVersion: command.noticeVersion,
    language: command.language,
    validitySeconds: PROPOSAL_VALIDITY_SECONDS,
    baseRevision: state.present.revision,
    collectionMethod: command.collectionMethod,
  });
}

function proposeForget(command: Extract<Command, { kind: 'propose_forget' }>, situation: Situation): Decision {
  const { state } = situation;
  if (situation.takenBack) return unchanged('message_taken_back', situation);
  if (state.present.commitment === null && state.open === null) return unchanged('nothing_to_forget', situation);
  const reissued = state.open?.causationId === command.causationId;
  if (!reissued && causedAClosedProposal(state, command.causationId)) return unchanged('proposal_closed', situation);
  return awaiting(situation, {
    proposalId: proposalIdFor(situation, command.causationId),
    operation: 'forget',
    noticeVersion: command.noticeVersion,
    language: command.language,
    validitySeconds: PROPOSAL_VALIDITY_SECONDS,
    baseRevision: state.present.revision,
    collectionMethod: command.collectionMethod,
  });
}

/** The commitment a card opens to, or null for a forget card. */
function commitmentOf(card: Card, { ledger }: Situation): string | null {
  if (card.value === null) return null;
  return commit(card.blindingKey, { ledgerId: ledger.ledgerId, purpose: ledger.purpose, value: card.value });
}

function matchesOpen(card: Card, open: OpenProposal, situation: Situation): boolean {
  return (
    open.eventHash.startsWith(card.eventHashPrefix) &&
    open.operation === card.operation &&
    open.baseRevision === card.baseRevision &&
    open.expiresAt === card.expiresAt &&
    open.commitment === commitmentOf(card, situation)
  );
}

/** Why the card of a proposal that is neither open nor the present revision's stands for nothing. */
function staleCause(card: Card, state: PreferenceState): StaleCause {
  const closed = state.closed.find((proposal) => proposal.proposalId === card.proposalId);
  if (closed !== undefined) return closed.ended;
  // Every proposal is in the state until 16 have closed: one that is not was never made in this history.
  if (state.closed.length < CLOSED_PROPOSALS_KEPT) return 'history_differs';
  return card.baseRevision === state.present.revision ? 'superseded' : 'revision_moved';
}

/** A refusal with its evidence: at most one event per proposal and reason, none for a proposal the state no longer holds. */
function refuse(card: Card, reason: RefusalReason, situation: Situation): readonly PreferenceEvent[] {
  const { state } = situation;
  const held = [state.open, ...state.closed].find((proposal) => proposal?.proposalId === card.proposalId);
  if (held === undefined || held === null || held.refusals.includes(reason)) return [];
  return [
    {
      type: 'card.refused',
      data: {
        proposalId: card.proposalId,
        reason,
        presentedRevision: card.baseRevision,
        headRevision: state.present.revision,
      },
    },
  ];
}

function stale(card: Card, cause: StaleCause, situation: Situation): Decision {
  return {
    outcome: { outcome: 'stale_memory_card', cause, revision: situation.state.present.revision },
    events: cause === 'history_differs' ? [] : refuse(card, cause, situation),
  };
}

function expired(card: Card, situation: Situation): Decision {
  return {
    outcome: { outcome: 'expired_memory_card', revision: situation.state.present.revision },
    events: refuse(card, 'expired', situation),
  };
}

function madePresent(card: Card, situation: Situation): 'no' | 'yes' | 'history_differs' {
  const { present } = situation.state;
  if (present.proposalId !== card.proposalId) return 'no';
  return present.commitment === commitmentOf(card, situation) ? 'yes' : 'history_differs';
}

function approve(card: Card, situation: Situation): Decision {
  const { state, now } = situation;
  const applied = madePresent(card, situation);
  if (applied === 'yes') return unchanged('already_applied', situation);
  if (applied === 'history_differs') return stale(card, 'history_differs', situation);
  const open = state.open;
  if (open?.proposalId !== card.proposalId) return stale(card, staleCause(card, state), situation);
  if (!matchesOpen(card, open, situation)) return stale(card, 'history_differs', situation);
  if (now >= open.expiresAt) return expired(card, situation);
  const revision = state.present.revision + 1;
  const { proposalId, commitment } = open;
  if (commitment === null) {
    return forgotten({ method: 'card', erasureScope: 'purpose' }, situation);
  }
  if (state.present.commitment === null) {
    return {
      outcome: { outcome: 'memory_saved', revision },
      events: [{ type: 'preference.approved', data: { proposalId, revision, commitment, method: 'card' } }],
    };
  }
  return {
    outcome: { outcome: 'memory_corrected', revision },
    events: [
      {
        type: 'preference.corrected',
        data: { proposalId, revision, commitment, correctsRevision: state.present.revision, method: 'card' },
      },
    ],
  };
}

function cancel(card: Card, situation: Situation): Decision {
  const { state, now } = situation;
  const closed = state.closed.find((proposal) => proposal.proposalId === card.proposalId);
  if (closed?.ended === 'cancelled') return unchanged('already_cancelled', situation);
  const applied = madePresent(card, situation);
  if (applied === 'yes') return unchanged('already_applied', situation);
  if (applied === 'history_differs') return stale(card, 'history_differs', situation);
  const open = state.open;
  if (open?.proposalId !== card.proposalId) return stale(card, staleCause(card, state), situation);
  if (!matchesOpen(card, open, situation)) return stale(card, 'history_differs', situation);
  if (now >= open.expiresAt) return expired(card, situation);
  return {
    outcome: { outcome: 'memory_proposal_cancelled', revision: state.present.revision },
    events: [{ type: 'preference.cancelled', data: { proposalId: card.proposalId, method: 'card' } }],
  };
}

function withdrawProposal(command: Extract<Command, { kind: 'withdraw_proposal' }>, situation: Situation): Decision {
  const { open, present } = situation.state;
  if (open === null || open.messageId !== command.messageId) return unchanged('no_open_proposal', situation);
  return {
    outcome: { outcome: 'memory_proposal_cancelled', revision: present.revision },
    events: [{ type: 'preference.cancelled', data: { proposalId: open.proposalId, method: command.method } }],
  };
}

/** The revision a forget takes away, or null when nothing was in force. */
function forgetsRevision(state: PreferenceState): number | null {
  return state.present.commitment === null ? null : state.present.revision;
}

function forgotten(
  how: Pick<Extract<PreferenceEvent, { type: 'preference.forgotten' }>['data'], 'method' | 'erasureScope'>,
  { state }: Situation,
): Decision {
  const revision = state.present.revision + 1;
  const forgets = forgetsRevision(state);
  return {
    outcome: { outcome: 'memory_forgotten', revision, forgetsRevision: forgets },
    events: [{ type: 'preference.forgotten', data: { revision, forgetsRevision: forgets, ...how } }],
  };
}

function forget({ method, erasureScope }: Extract<Command, { kind: 'forget' }>, situation: Situation): Decision {
  const { present, open } = situation.state;
  if (present.commitment === null && open === null) return unchanged('nothing_to_forget', situation);
  return forgotten({ method, erasureScope }, situation);
}
