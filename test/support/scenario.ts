/**
 * Sentences about the decider: given what happened, when this is asked, then this outcome and these events.
 * @module
 */
import { createHash } from 'node:crypto';
import { v5 } from 'uuid';
import { expect } from 'vitest';
import type { Card } from '../../src/commands/card.ts';
import { type Command, type Decision, decide, PROPOSAL_VALIDITY_SECONDS } from '../../src/commands/decide.ts';
import type { Outcome } from '../../src/commands/outcomes.ts';
import { genesisHash } from '../../src/events/chain.ts';
import { type Content, commit } from '../../src/events/commitment.ts';
import { type SealedEvent, seal } from '../../src/events/envelope.ts';
import type { LedgerId, LedgerRef, SubjectKey, TenantId } from '../../src/events/identity.ts';
import type { PreferenceEvent, RefusalReason } from '../../src/events/kinds.ts';
import { evolve, initialState, type PreferenceState } from '../../src/projections/preference-state.ts';

/** The ledger every scenario is about. */
export const LEDGER: LedgerRef = {
  ledgerId: 'L'.repeat(43) as LedgerId,
  kind: 'preference',
  tenantId: 'tenant-a' as TenantId,
  subjectKey: 'S'.repeat(43) as SubjectKey,
  purpose: 'diet_for_place_search',
};
/** When every scenario begins, Unix milliseconds. */
export const BEGINNING = Date.UTC(2026, 0, 5, 2, 0, 0);
/** What a proposal of a scenario says about its notice. */
export const NOTICE = { noticeVersion: 'diet_for_place_search/1', language: 'zh-TW' } as const;

const NAMES = '8f1c1f9e-62a0-5b0e-9f6e-0a4b7a1f5f10';

/** What a card stands for in a scenario; ids and keys follow from the label. */
export type Offer = {
  readonly proposalId: string;
  /** Null: a card that asks to forget. */
  readonly value: string | null;
  readonly blindingKey: Uint8Array;
  readonly causationId: string;
  readonly messageId: string;
};

/** An offer named by its label. */
export function offer(label: string, value: string | null = 'vegetarian'): Offer {
  const key = value === null ? Buffer.alloc(32) : createHash('sha256').update(label).digest();
  return {
    proposalId: v5(label, NAMES),
    value,
    blindingKey: Uint8Array.from(key),
    causationId: `cause-${label}`,
    messageId: `message-${label}`,
  };
}

/** The offer under the id its proposal gets as the nth card of its causing message: law, for a retry must find it again. */
export function issued(by: Offer, issue: number): Offer {
  const name = `${LEDGER.ledgerId}|${by.causationId}|${issue}`;
  return { ...by, proposalId: v5(name, '5d9a1d5e-2a5f-5c0b-9c39-7f1b6a4f0c11') };
}

/** Everything that is so at one moment of a scenario. */
export type Past = {
  /** The server's clock. */
  readonly clock: number;
  readonly state: PreferenceState;
  readonly events: readonly SealedEvent[];
  /** What approvals opened; null when nothing is in force. */
  readonly content: Content | null;
};

/** Before anything. */
export const beginning: Past = { clock: BEGINNING, state: initialState, events: [], content: null };

/** Something that happened, or time that passed. */
export type Step = {
  readonly offer: Offer | null;
  readonly body: ((past: Past) => PreferenceEvent) | null;
  readonly milliseconds: number;
};

const fact = (by: Offer | null, body: (past: Past) => PreferenceEvent): Step => ({ offer: by, body, milliseconds: 0 });

/** Time passes. */
export const tick = (milliseconds: number): Step => ({ offer: null, body: null, milliseconds });

export function proposed(by: Offer): Step {
  return fact(by, ({ state }) => {
    const common = {
      proposalId: by.proposalId,
      ...NOTICE,
      validitySeconds: PROPOSAL_VALIDITY_SECONDS,
      baseRevision: state.present.revision,
      collectionMethod: 'message',
    } as const;
    if (by.value === null) return { type: 'preference.proposed', data: { operation: 'forget', ...common } };
    const operation = state.present.commitment === null ? 'save' : 'correct';
    return { type: 'preference.proposed', data: { operation, ...common, commitment: commitmentOf(by) } };
  });
}

export function approved(by: Offer): Step {
  return fact(by, ({ state: { present } }) => {
    const data = {
      proposalId: by.proposalId,
      revision: present.revision + 1,
      commitment: commitmentOf(by),
      method: 'card',
    } as const;
    return present.commitment === null
      ? { type: 'preference.approved', data }
      : { type: 'preference.corrected', data: { ...data, correctsRevision: present.revision } };
  });
}

export function cancelled(by: Offer, method: 'card' | 'unsend' | 'message' = 'card'): Step {
  return fact(by, () => ({ type: 'preference.cancelled', data: { proposalId: by.proposalId, method } }));
}

export function forgotten(method: 'fixed_entry' | 'card' = 'fixed_entry', by: Offer | null = null): Step {
  return fact(by, ({ state: { present } }) => ({
    type: 'preference.forgotten',
    data: {
      revision: present.revision + 1,
      forgetsRevision: present.commitment === null ? null : present.revision,
      method,
      erasureScope: 'purpose',
    },
  }));
}

export function refused(by: Offer, reason: RefusalReason): Step {
  return fact(by, (past) => ({
    type: 'card.refused',
    data: {
      proposalId: by.proposalId,
      reason,
      presentedRevision: cardOf(past, by).baseRevision,
      headRevision: past.state.present.revision,
    },
  }));
}

function commitmentOf(by: Offer): string {
  return commit(by.blindingKey, {
    ledgerId: LEDGER.ledgerId,
    purpose: LEDGER.purpose,
    value: by.value ?? 'not a value',
  });
}

/** The moment a decision is written at: the clock, or the newest event where that is later. */
export function decisionTime({ clock, events }: Past): number {
  const newest = events.at(-1);
  return newest === undefined ? clock : Math.max(clock, Date.parse(newest.event.time));
}

/** The past with one more event, caused by `by`. */
export function append(past: Past, body: PreferenceEvent, by: Offer | null, time = decisionTime(past)): Past {
  const position = past.events.length + 1;
  const sealed = seal(
    body,
    {
      ledgerId: LEDGER.ledgerId,
      subjectKey: LEDGER.subjectKey,
      position,
      previousHash: past.events.at(-1)?.hash ?? genesisHash(LEDGER.ledgerId),
      time: new Date(time).toISOString(),
    },
    {
      eventId: v5(`event ${position}`, NAMES),
      actor: LEDGER.subjectKey,
      actorRole: 'subject',
      causationId: by?.causationId ?? `cause-${position}`,
      correlationId: by?.messageId ?? `turn-${position}`,
    },
  );
  const state = evolve(past.state, sealed.event, sealed.hash);
  return { ...past, state, events: [...past.events, sealed], content: contentAfter(past, body, by) };
}

function contentAfter({ content }: Past, body: PreferenceEvent, by: Offer | null): Content | null {
  if (body.type === 'preference.forgotten') return null;
  if (body.type !== 'preference.approved' && body.type !== 'preference.corrected') return content;
  if (by === null || by.value === null) throw new Error('An approval needs the offer that was approved');
  return {
    ledgerId: LEDGER.ledgerId,
    purpose: LEDGER.purpose,
    version: 1,
    value: by.value,
    blindingKey: Buffer.from(by.blindingKey).toString('base64url'),
  };
}

/** The card of an offer as it was made when its proposal was written. */
export function cardOf(past: Past, by: Offer): Card {
  const event = past.events.findLast(
    (each) => each.event.type === 'preference.proposed' && each.event.data.proposalId === by.proposalId,
  );
  if (event?.event.type !== 'preference.proposed') throw new Error('No such proposal in this past');
  const { data, time } = event.event;
  return {
    proposalId: by.proposalId,
    operation: data.operation,
    value: by.value,
    baseRevision: data.baseRevision,
    eventHashPrefix: event.hash.slice(0, 16),
    expiresAt: Date.parse(time) + data.validitySeconds * 1_000,
    blindingKey: by.blindingKey,
  };
}

/** A command, or how to make it from what happened. */
export type Asked = Command | ((past: Past) => Command);

export const approve =
  (by: Offer, change: Partial<Card> = {}): Asked =>
  (past) => ({ kind: 'approve', card: { ...cardOf(past, by), ...change } });
export const cancel =
  (by: Offer, change: Partial<Card> = {}): Asked =>
  (past) => ({ kind: 'cancel', card: { ...cardOf(past, by), ...change } });
export const forget: Asked = { kind: 'forget', method: 'fixed_entry', erasureScope: 'purpose' };
export function propose({ value, blindingKey, causationId }: Offer): Command {
  const common = { causationId, ...NOTICE, collectionMethod: 'message' } as const;
  return value === null ? { kind: 'propose_forget', ...common } : { kind: 'propose', value, blindingKey, ...common };
}
export function withdraw(by: Offer, method: 'unsend' | 'message' = 'unsend'): Command {
  return { kind: 'withdraw_proposal', messageId: by.messageId, method };
}

/** Decides in a past. @param takenBack whether the words asked with are gone. */
export function decideIn(past: Past, asked: Asked, takenBack = false): Decision {
  const command = typeof asked === 'function' ? asked(past) : asked;
  return decide(command, {
    ledger: LEDGER,
    position: past.events.length,
    state: past.state,
    content: command.kind === 'propose' ? past.content : null,
    now: decisionTime(past),
    takenBack,
  });
}

/** The past after some steps. */
export function after(...steps: readonly Step[]): Past {
  return steps.reduce<Past>(
    (past, { body, offer: by, milliseconds }) =>
      body === null ? { ...past, clock: past.clock + milliseconds } : append(past, body(past), by),
    beginning,
  );
}

type Expected = Outcome['outcome'] | (Partial<Outcome> & { outcome: Outcome['outcome'] });

/** `given(what happened).when(asked, clock?).then(outcome, events)`; whole events are compared. */
export function given(...steps: readonly Step[]): {
  when: (asked: Asked, clock?: number) => { then: (outcome: Expected, events?: readonly Step[]) => Decision };
} {
  const settled = after(...steps);
  return {
    when(asked, clock = settled.clock) {
      const past = { ...settled, clock };
      const decision = decideIn(past, asked);
      return {
        // The sentence ends in `then`; nothing here is ever awaited.
        then(outcome, events = []) {
          expect(decision.outcome).toMatchObject(typeof outcome === 'string' ? { outcome } : outcome);
          expect(decision.events).toStrictEqual(events.map((step) => step.body?.(past)));
          return decision;
        },
      };
    },
  };
}
