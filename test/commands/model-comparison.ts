/**
 * Runs random sequences through the decider and through the reference model and compares every step.
 * @module
 */
import { createHash, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type CardKeys, type CardScope, mintCard, openCard } from '../../src/commands/card.ts';
import type { Command } from '../../src/commands/decide.ts';
import { opens } from '../../src/events/commitment.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { illegality } from '../../src/projections/legality.ts';
import { encodeState, STATE_BYTES_MAX } from '../../src/projections/preference-state.ts';
import { type ReferenceModel, referenceModel, type Slip, type Verdict } from '../support/reference-model.ts';
import { append, beginning, cardOf, decideIn, LEDGER, type Offer, type Past, propose } from '../support/scenario.ts';

const values = DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value);
const keys: CardKeys = [{ keyId: 'k1', key: createSecretKey(Buffer.alloc(32, 1)) }];
const scope: CardScope = { tenantId: LEDGER.tenantId, subjectKey: LEDGER.subjectKey, purpose: DIET_FOR_PLACE_SEARCH };

type Act = 'say' | 'say_again' | 'ask_to_forget' | 'approve_newest' | 'approve' | 'cancel' | 'forget' | 'unsend';
/** One step; `pick` chooses the card, message or value it is about, as a share of those there are. */
type Step = { readonly act: Act; readonly pick: number; readonly wait: number };

const step = fc.record<Step>({
  act: fc.constantFrom<Act>(
    ...(['say', 'say', 'say', 'approve_newest', 'approve_newest', 'approve', 'approve', 'cancel', 'cancel'] as const),
    ...(['say_again', 'ask_to_forget', 'forget', 'unsend'] as const),
  ),
  pick: fc.nat({ max: 9_999 }),
  // Mostly some seconds, also the moments around the end of a card, and a clock that goes back.
  wait: fc.oneof(
    fc.integer({ min: 0, max: 400_000 }),
    fc.integer({ min: 0, max: 30_000 }),
    fc.constantFrom(299_999, 300_000, 300_001, -2_000),
  ),
});

/** The real side: what happened, and the token and offer of each card the model knows. */
type Real = { past: Past; readonly cards: Map<Slip, { readonly token: string; readonly by: Offer }> };

function offerFor(message: string, value: string | null, serial: number): Offer {
  const key = value === null ? Buffer.alloc(32) : createHash('sha256').update(`blinding ${serial}`).digest();
  return { proposalId: '', value, blindingKey: Uint8Array.from(key), causationId: message, messageId: message };
}

/** Decides and writes; says the same of it as the model does. */
function really(real: Real, command: Command, by: Offer | null): Verdict {
  const { outcome, events } = decideIn(real.past, command);
  const before = real.past;
  for (const body of events) real.past = append(before, body, by);
  const written = real.past.events[before.events.length];
  // What is decided is also what an auditor accepts.
  if (written !== undefined)
    expect(illegality(before.state, written.event, before.events.at(-1)?.event.time ?? null)).toBeNull();
  expect(events.length).toBeLessThanOrEqual(1);
  return {
    outcome: outcome.outcome,
    cause: outcome.outcome === 'stale_memory_card' ? outcome.cause : null,
    wrote: events.length > 0,
  };
}

function offered(real: Real, model: ReferenceModel, by: Offer): Verdict {
  const before = model.slips().length;
  const verdict = really(real, propose(by), by);
  const { clock, state } = real.past;
  const judged = by.value === null ? model.askToForget(by.messageId, clock) : model.say(by.value, by.messageId, clock);
  expect(verdict).toStrictEqual(judged);
  const slip = model.slips()[before];
  if (slip !== undefined && state.open !== null) {
    const named = { ...by, proposalId: state.open.proposalId };
    real.cards.set(slip, { by: named, token: mintCard(keys, scope, cardOf(real.past, named)) });
  }
  return verdict;
}

function pressed(real: Real, model: ReferenceModel, button: 'approve' | 'cancel', slip: Slip | undefined): void {
  const held = slip === undefined ? undefined : real.cards.get(slip);
  if (slip === undefined || held === undefined) return;
  const opened = openCard(keys, scope, held.token);
  if (!opened.ok) throw new Error(opened.refusal);
  expect(really(real, { kind: button, card: opened.card }, held.by)).toStrictEqual(
    model.press(button, slip, real.past.clock),
  );
}

function take(real: Real, model: ReferenceModel, { act, pick }: Step, serial: number): void {
  const slips = model.slips();
  const slip = slips[pick % Math.max(1, slips.length)];
  const value = values[pick % values.length] ?? null;
  const { clock } = real.past;
  switch (act) {
    case 'say':
      offered(real, model, offerFor(`message-${serial}`, value, serial));
      return;
    case 'say_again':
      if (slip !== undefined && model.remembers(slip.message))
        offered(real, model, offerFor(slip.message, value, serial));
      return;
    case 'ask_to_forget':
      offered(real, model, offerFor(`message-${serial}`, null, serial));
      return;
    case 'approve_newest':
      pressed(real, model, 'approve', slips.at(-1));
      return;
    case 'approve':
    case 'cancel':
      pressed(real, model, act, slip);
      return;
    case 'forget':
      expect(really(real, { kind: 'forget', method: 'fixed_entry', erasureScope: 'purpose' }, null)).toStrictEqual(
        model.forget(clock),
      );
      return;
    case 'unsend': {
      const messageId = slip?.message ?? 'none';
      expect(really(real, { kind: 'withdraw_proposal', messageId, method: 'unsend' }, null)).toStrictEqual(
        model.unsend(messageId, clock),
      );
    }
  }
}

function compareNow({ past: { state, content } }: Real, model: ReferenceModel): void {
  const { revision, value, open } = model.now();
  expect(state.present.revision).toBe(revision);
  expect(content?.value ?? null).toBe(value);
  expect(
    state.present.commitment === null ? content === null : content !== null && opens(state.present.commitment, content),
  ).toBe(true);
  expect(state.open?.expiresAt ?? null).toBe(open?.end ?? null);
  expect(state.open?.operation ?? null).toBe(open?.asks ?? null);
  expect(Buffer.byteLength(encodeState(state))).toBeLessThanOrEqual(STATE_BYTES_MAX);
}

/**
 * Compares decider and model.
 * @returns how often each outcome came up, so that a run which met only the easy ones is seen.
 * @throws with seed and shrunk counterexample at the first step where they differ.
 */
export function compareWithModel(size: { seed: number; sequences: number; steps: number }): Map<string, number> {
  const met = new Map<string, number>();
  const sequence = fc.array(step, { minLength: size.steps, maxLength: size.steps });
  fc.assert(
    fc.property(sequence, (taken) => {
      const model = referenceModel();
      const real: Real = { past: beginning, cards: new Map() };
      for (const [serial, each] of taken.entries()) {
        real.past = { ...real.past, clock: real.past.clock + each.wait };
        take(real, model, each, serial);
        compareNow(real, model);
      }
      for (const { event } of real.past.events) {
        const name = event.type === 'card.refused' ? event.data.reason : event.type;
        met.set(name, (met.get(name) ?? 0) + 1);
      }
    }),
    { numRuns: size.sequences, seed: size.seed },
  );
  return met;
}
