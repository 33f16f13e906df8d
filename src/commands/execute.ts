/**
 * load → decide → commit, with three tries: the only place where a command meets a store.
 * @module
 */
import { canonicalText } from '../events/canonical.ts';
import { genesisHash } from '../events/chain.ts';
import { type Content, decodeContent, encodeContent } from '../events/commitment.ts';
import { type Provenance, type SealedEvent, seal } from '../events/envelope.ts';
import type { LedgerRef } from '../events/identity.ts';
import {
  type Commit,
  type CommitResult,
  CommitUnknown,
  type ContentChange,
  type Head,
  type Ledger,
  type Once,
} from '../events/ports.ts';
import { decodeState, encodeState, evolve, type PreferenceState } from '../projections/preference-state.ts';
import { type Command, type Decision, decide } from './decide.ts';
import type { Outcome, Undecided } from './outcomes.ts';

/** How often a decision is made again on a fresher head before the answer is `busy`. */
const TRIES = 3;
/** How often one commit of unknown outcome is sent again before the answer is `outcome_unknown`. */
const RESENDS = 3;
/** A newest event further ahead of the clock than this is a fault of a clock, milliseconds. */
export const CLOCK_AHEAD_MAX_MS = 10_000;

/** Everything a command needs that is not in the ledger, made once and outside the loop, so that each try writes the same. */
export type Request = {
  readonly ledger: LedgerRef;
  readonly command: Command;
  readonly provenance: Provenance;
  /** The server's clock when the command came, Unix milliseconds. */
  readonly clock: number;
  /** The delivery or operation that may have one effect only; null where the causing message itself is the guard. */
  readonly onceKey: string | null;
  /**
   * The inbox job whose words the command was understood from: once it was emptied nothing is written any more. Absent for what is
   * no understanding of words (a tap, a fixed entry), and where there is no inbox.
   */
  readonly whileHeld?: string;
};

/** What the loop asks of the world besides the ledger. */
export type Effects = {
  /** Waits before try `attempt` (1, 2) after a conflict; the wait is jittered by the caller. */
  readonly pause: (attempt: number) => Promise<void>;
  /** Told of what operators must hear about: a head from the future, a history that differs, lost refusal evidence. */
  readonly alarm: (fault: 'clock_behind_ledger' | 'history_differs' | 'refusal_evidence_lost') => void;
};

export type Execution =
  | {
      readonly kind: 'decided';
      readonly outcome: Outcome;
      readonly state: PreferenceState;
      readonly position: number;
      /** The event that was appended, if any. */
      readonly appended: SealedEvent | null;
    }
  /** This delivery was handled before; nothing was appended now. */
  | { readonly kind: 'duplicate'; readonly once: Once }
  | { readonly kind: 'undecided'; readonly outcome: Undecided['outcome'] };

/**
 * Runs one command.
 * @throws StoreUnavailable when the store certainly did nothing and could not be asked again.
 */
export async function execute(ledger: Ledger, request: Request, effects: Effects): Promise<Execution> {
  let refusal: Execution | null = null;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (attempt > 0) await effects.pause(attempt);
    const { head, content } = await load(ledger, request);
    if (head.time !== null && Date.parse(head.time) > request.clock + CLOCK_AHEAD_MAX_MS) {
      effects.alarm('clock_behind_ledger');
      return { kind: 'undecided', outcome: 'busy' };
    }
    const now = Math.max(request.clock, head.time === null ? 0 : Date.parse(head.time));
    const state = decodeState(head.state);
    const situation = { ledger: request.ledger, position: head.position, state, content, now, takenBack: false };
    const decision = decide(request.command, situation);
    if (isHistoryFault(decision)) effects.alarm('history_differs');
    const prepared = prepare(request, head, state, decision, now);
    if (prepared.commit.events.length === 0 && prepared.commit.once === null) return prepared.execution;
    const result = await commitSurely(ledger, prepared.commit);
    if (result === 'unknown') return { kind: 'undecided', outcome: 'outcome_unknown' };
    if (result.status === 'duplicate') return { kind: 'duplicate', once: result.once };
    if (result.status === 'taken_back') {
      const { outcome } = decide(request.command, { ...situation, takenBack: true });
      return { kind: 'decided', outcome, state, position: head.position, appended: null };
    }
    if (result.status !== 'conflict') return prepared.execution;
    refusal = isRefusal(decision)
      ? { kind: 'decided', outcome: decision.outcome, state, position: head.position, appended: null }
      : null;
  }
  if (refusal !== null) {
    // The evidence of a refusal never decides the answer.
    effects.alarm('refusal_evidence_lost');
    return refusal;
  }
  return { kind: 'undecided', outcome: 'busy' };
}

async function load(
  ledger: Ledger,
  { ledger: ref, command }: Request,
): Promise<{ head: Head; content: Content | null }> {
  if (command.kind !== 'propose') return { head: await ledger.head(ref.ledgerId), content: null };
  const { head, content } = await ledger.headWithContent(ref.ledgerId);
  return { head, content: content === null ? null : decodeContent(content.bytes) };
}

function isRefusal({ outcome }: Decision): boolean {
  return outcome.outcome === 'stale_memory_card' || outcome.outcome === 'expired_memory_card';
}

function isHistoryFault({ outcome }: Decision): boolean {
  return outcome.outcome === 'stale_memory_card' && outcome.cause === 'history_differs';
}

function prepare(
  request: Request,
  head: Head,
  state: PreferenceState,
  decision: Decision,
  now: number,
): { commit: Commit; execution: Extract<Execution, { kind: 'decided' }> } {
  const { ledger } = request;
  const [body] = decision.events;
  const sealed =
    body === undefined
      ? null
      : seal(
          body,
          {
            ledgerId: ledger.ledgerId,
            subjectKey: ledger.subjectKey,
            position: head.position + 1,
            previousHash: head.hash ?? genesisHash(ledger.ledgerId),
            time: new Date(now).toISOString(),
          },
          request.provenance,
        );
  const next = sealed === null ? state : evolve(state, sealed.event, sealed.hash);
  return {
    commit: {
      ledger,
      expectedPosition: head.position,
      events: sealed === null ? [] : [sealed],
      content: contentChange(request, decision),
      state: encodeState(next),
      once: request.onceKey === null ? null : { key: request.onceKey, outcome: canonicalText(decision.outcome) },
      ...(request.whileHeld === undefined ? {} : { whileHeld: request.whileHeld }),
    },
    execution: {
      kind: 'decided',
      outcome: decision.outcome,
      state: next,
      position: head.position + (sealed === null ? 0 : 1),
      appended: sealed,
    },
  };
}

function contentChange({ ledger, command }: Request, { events }: Decision): ContentChange {
  const [body] = events;
  // Also with nothing in force: what was typed before may still stand in inbox and turns, and it is asked to be gone.
  if (body?.type === 'preference.forgotten' || command.kind === 'forget') return { kind: 'forget' };
  if (body?.type !== 'preference.approved' && body?.type !== 'preference.corrected') return { kind: 'keep' };
  if (command.kind !== 'approve' || command.card.value === null) return { kind: 'keep' };
  const { value, blindingKey } = command.card;
  return {
    kind: 'put',
    revision: body.data.revision,
    bytes: encodeContent({
      ledgerId: ledger.ledgerId,
      purpose: ledger.purpose,
      version: 1,
      value,
      blindingKey: Buffer.from(blindingKey).toString('base64url'),
    }),
  };
}

/**
 * Sends one commit until its outcome is known: the same events with the same ids, so at most one of the tries can win.
 * After a try of unknown outcome a later "certainly not" speaks of the later try only, so it settles nothing.
 */
async function commitSurely(ledger: Ledger, commit: Commit): Promise<CommitResult | 'unknown'> {
  for (let sent = 1; ; sent += 1) {
    try {
      return await ledger.commit(commit);
    } catch (error) {
      if (sent === 1 && !(error instanceof CommitUnknown)) throw error;
      if (sent === RESENDS) return 'unknown';
    }
  }
}
