/**
 * Runs preference commands for a person and says what came of them.
 * @module
 */
import type { Answer, InForce } from '../../commands/answers.ts';
import { type Card, type CardKeys, type CardRefusal, mintCard, openCard } from '../../commands/card.ts';
import type { Command } from '../../commands/decide.ts';
import { type Effects, type Execution, execute, type Request } from '../../commands/execute.ts';
import type { Outcome } from '../../commands/outcomes.ts';
import type { Delivery, Offers, Person, Remembered } from '../../commands/turns.ts';
import { BLINDING_KEY_BYTES, decodeContent } from '../../events/commitment.ts';
import type { InTurn, Ledger, Once, StoredContent } from '../../events/ports.ts';
import { currentNotice, DIET_FOR_PLACE_SEARCH } from '../../events/purposes.ts';
import { decodeState, type PreferenceState } from '../../projections/preference-state.ts';

/** What the desk counts; `card_*` are refusals that touch no ledger. */
export type DeskCount = `card_${CardRefusal}` | `fault_${Parameters<Effects['alarm']>[0]}`;

export type DeskDependencies = {
  readonly ledger: Ledger;
  readonly cardKeys: CardKeys;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** A new UUIDv7. */
  readonly newEventId: () => string;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly pause: Effects['pause'];
  /** Runs decisions of one ledger one after another where the store is slow to refuse a lost race. */
  readonly inTurn?: InTurn;
  readonly count: (name: DeskCount) => void;
};

/** The whole desk: what buttons and fixed entries can do. The assistant is given only {@link Offers}. */
export interface PreferenceDesk extends Offers {
  tap(person: Person, decision: 'approve' | 'cancel', token: string, delivery: Delivery): Promise<DeskAnswer>;
  forget(person: Person, scope: 'purpose' | 'all', delivery: Delivery): Promise<DeskAnswer>;
  withdraw(person: Person, messageId: string, method: 'unsend' | 'message', delivery: Delivery): Promise<void>;
  /** The answer of a decision made before, with what is in force now. */
  again(person: Person, once: Once): Promise<Answer>;
}

/** One answer and the once row it answers; `answer` null: it was answered before. */
export type DeskAnswer = { readonly answer: Answer | null; readonly onceKey: string | null };

const purpose = DIET_FOR_PLACE_SEARCH;

/** Builds the desk over a ledger. */
export function createPreferenceDesk(dependencies: DeskDependencies): PreferenceDesk {
  const { ledger, cardKeys, clock, newEventId, randomBytes, count } = dependencies;
  const { inTurn = (_ledgerId, work) => work() } = dependencies;
  const effects: Effects = { pause: dependencies.pause, alarm: (fault) => count(`fault_${fault}`) };

  function run(
    person: Person,
    command: Command,
    delivery: Delivery,
    guard: { readonly onceKey: string | null; readonly whileHeld?: string },
  ): Promise<Execution> {
    const request: Request = {
      ledger: person.diet,
      command,
      provenance: {
        eventId: newEventId(),
        actor: person.subjectKey,
        actorRole: 'subject',
        causationId: delivery.causationId,
        correlationId: delivery.turnId,
      },
      clock: clock(),
      ...guard,
    };
    return inTurn(person.diet.ledgerId, () => execute(ledger, request, effects));
  }

  async function remembered(person: Person): Promise<Remembered> {
    const { head, content } = await ledger.headWithContent(person.diet.ledgerId);
    return rememberedOf(decodeState(head.state), content);
  }

  async function memoryAnswer(
    person: Person,
    outcome: Outcome,
    operation: Card['operation'] | null,
    erasureScope: 'purpose' | 'all' | null,
  ): Promise<Answer> {
    if (outcome.outcome === 'message_taken_back') return { status: 'say_again' };
    const { inForce } = await remembered(person);
    // A card is signed only while its command runs; what is left to say of an old offer is what is in force.
    if (outcome.outcome === 'awaiting_memory_consent') {
      return {
        status: 'memory',
        outcome: { outcome: 'proposal_closed', revision: outcome.revision },
        inForce,
        operation,
        erasureScope,
      };
    }
    return { status: 'memory', outcome, inForce, operation, erasureScope };
  }

  async function decided(
    person: Person,
    execution: Execution,
    delivery: Delivery,
    operation: Card['operation'] | null,
    erasureScope: 'purpose' | 'all' | null,
  ): Promise<DeskAnswer> {
    if (execution.kind === 'undecided') return { answer: { status: execution.outcome }, onceKey: null };
    if (execution.kind === 'duplicate') {
      if (execution.once.answered) return { answer: null, onceKey: null };
      return { answer: await again(person, execution.once), onceKey: execution.once.key };
    }
    return {
      answer: await memoryAnswer(person, execution.outcome, operation, erasureScope),
      onceKey: delivery.causationId,
    };
  }

  async function again(person: Person, once: Once): Promise<Answer> {
    return memoryAnswer(person, JSON.parse(once.outcome) as Outcome, null, null);
  }

  return {
    remembered,
    again,

    async propose(person, value, collection, delivery) {
      const notice = currentNotice(purpose);
      const shared = {
        causationId: delivery.causationId,
        noticeVersion: notice.version,
        language: notice.language,
        collectionMethod: collection,
      } as const;
      const blindingKey = value === null ? new Uint8Array(BLINDING_KEY_BYTES) : randomBytes(BLINDING_KEY_BYTES);
      const command: Command =
        value === null ? { kind: 'propose_forget', ...shared } : { kind: 'propose', value, blindingKey, ...shared };
      const execution = await run(person, command, delivery, { onceKey: null, whileHeld: delivery.causationId });
      if (execution.kind === 'undecided') return { status: execution.outcome };
      if (execution.kind === 'duplicate') return again(person, execution.once);
      const { open } = execution.state;
      if (execution.outcome.outcome !== 'awaiting_memory_consent' || open === null) {
        return memoryAnswer(person, execution.outcome, null, null);
      }
      const token = mintCard(
        cardKeys,
        { tenantId: person.tenantId, subjectKey: person.subjectKey, purpose },
        {
          proposalId: open.proposalId,
          operation: open.operation,
          value,
          baseRevision: open.baseRevision,
          eventHashPrefix: open.eventHash.slice(0, 16),
          expiresAt: open.expiresAt,
          blindingKey,
        },
      );
      return {
        status: 'awaiting_memory_consent',
        card: { operation: open.operation, value, noticeText: notice.text, expiresAt: open.expiresAt, token },
        inForce: (await remembered(person)).inForce,
      };
    },

    async tap(person, decision, token, delivery) {
      const opened = openCard(cardKeys, { tenantId: person.tenantId, subjectKey: person.subjectKey, purpose }, token);
      if (!opened.ok) {
        count(`card_${opened.refusal}`);
        return { answer: { status: opened.refusal }, onceKey: null };
      }
      const execution = await run(person, { kind: decision, card: opened.card }, delivery, {
        onceKey: delivery.causationId,
      });
      return decided(person, execution, delivery, opened.card.operation, null);
    },

    async forget(person, scope, delivery) {
      const command: Command = { kind: 'forget', method: 'fixed_entry', erasureScope: scope };
      const execution = await run(person, command, delivery, { onceKey: delivery.causationId });
      return decided(person, execution, delivery, null, scope);
    },

    async withdraw(person, messageId, method, delivery) {
      await run(person, { kind: 'withdraw_proposal', messageId, method }, delivery, { onceKey: null });
    },

    async inspect(person, because) {
      const { head, content } = await ledger.headWithContent(person.diet.ledgerId);
      const state = decodeState(head.state);
      const open = state.open !== null && clock() < state.open.expiresAt ? state.open : null;
      return {
        status: 'memory_inspected',
        inForce: rememberedOf(state, content).inForce,
        open: open === null ? null : { operation: open.operation, expiresAt: open.expiresAt },
        because,
      };
    },
  };
}

function rememberedOf(state: PreferenceState, content: StoredContent | null): Remembered {
  const { revision, eventId } = state.present;
  const inForce: InForce =
    content === null || eventId === null ? null : { value: decodeContent(content.bytes).value, revision, eventId };
  return { revision, inForce };
}
