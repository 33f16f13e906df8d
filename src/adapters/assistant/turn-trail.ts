/**
 * The trail of a turn: what was asked, what the router made of it, what ran and what it took, in one erasable row.
 * @module
 */
import type { Answer } from '../../commands/answers.ts';
import type { ModelAttempt } from '../../commands/model-attempt.ts';
import type { PublicContext, Routed, Router, ToolCall } from '../../commands/tools.ts';
import { encodeTurnBody, type TurnBody } from '../../commands/turn-body.ts';
import type { Delivery, Person } from '../../commands/turns.ts';
import type { TurnRecords } from '../../events/turn-ports.ts';
import { speaksOfMemory } from './memory-wish.ts';
import { folded, normalised } from './spoken-text.ts';

/** A tool that ran and the answer it led to. */
export type RanCall = { readonly call: ToolCall; readonly answer: Answer };

/** A turn that has its answer. */
export type FinishedTurn = {
  readonly person: Person;
  readonly delivery: Delivery;
  readonly route: 'chat' | 'document';
  readonly router: Router['name'];
  readonly catalogVersion: string;
  readonly context: PublicContext | null;
  /** As typed; for a document the document. */
  readonly said: string;
  /** The revision the turn began at, or null when it looked at none. */
  readonly revision: number | null;
  readonly attempts: readonly ModelAttempt[];
  /** Null when no router was asked. */
  readonly routed: Routed['outcome'] | null;
  readonly ran: readonly RanCall[];
  readonly answers: readonly Answer[];
};

export interface TurnTrail {
  /** Keeps a turn. Never rejects: a trail that cannot be kept breaks no answer; it is counted. */
  record(turn: FinishedTurn): Promise<void>;
}

export type TurnTrailDependencies = {
  readonly records: TurnRecords;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Micro-USD of an attempt by the price list, or null where it is not known. */
  readonly costOf: (attempt: ModelAttempt) => number | null;
  readonly count: (name: 'trail_failed' | 'trail_without_body') => void;
};

const MEMORY_TOOLS: readonly string[] = ['propose_dietary_memory', 'request_memory_management'];

/** Builds the trail over a store. */
export function createTurnTrail({ records, clock, costOf, count }: TurnTrailDependencies): TurnTrail {
  return {
    async record(turn) {
      const { person, delivery } = turn;
      try {
        const kept = await records.record({
          turnId: delivery.turnId,
          causationId: delivery.causationId,
          subjectKey: person.subjectKey,
          ledgerId: person.diet.ledgerId,
          usedRevision: usedRevisionOf(turn.answers),
          recordedAt: clock(),
          body: encodeTurnBody(bodyOf(turn, costOf)),
        });
        if (kept === 'kept_without_body') count('trail_without_body');
      } catch {
        count('trail_failed');
      }
    },
  };
}

function usedRevisionOf(answers: readonly Answer[]): number | null {
  const used = answers.find((answer) => answer.status === 'places' && answer.memory !== null);
  return used?.status === 'places' ? (used.memory?.revision ?? null) : null;
}

/**
 * Nothing of a wish to remember is kept before consent, so such a turn keeps ids, names and times, and no words: a person who
 * is told "not stored yet" must find no readable value in the store. The document route cannot lead to a card.
 */
function isMemoryWish({ route, said, ran, attempts }: FinishedTurn): boolean {
  if (route === 'document') return false;
  return (
    ran.some(({ call }) => MEMORY_TOOLS.includes(call.tool)) ||
    attempts.some(({ proposed }) => proposed.some(({ name }) => MEMORY_TOOLS.some((tool) => name.includes(tool)))) ||
    speaksOfMemory(folded(normalised(said)))
  );
}

function bodyOf(turn: FinishedTurn, costOf: TurnTrailDependencies['costOf']): TurnBody {
  const withheld = isMemoryWish(turn);
  const attempts = turn.attempts.map((attempt) => attemptOf(attempt, withheld, costOf(attempt)));
  const costs = attempts.map(({ costMicroUsd }) => costMicroUsd);
  return {
    version: 1,
    route: turn.route,
    router: turn.router,
    request: { catalogVersion: turn.catalogVersion, context: copyOf(turn.context), text: withheld ? null : turn.said },
    withheld: withheld ? 'memory_wish' : null,
    trimmed: false,
    revision: turn.revision,
    attempts,
    costMicroUsd: costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
    routed: turn.routed ?? 'not_asked',
    ran: turn.ran.map((each) => ranOf(each, withheld)),
    statuses: turn.answers.map(({ status }) => status),
  };
}

function copyOf(context: PublicContext | null): TurnBody['request']['context'] {
  return context === null ? null : { goal: context.goal, turns: [...context.turns] };
}

function attemptOf(
  attempt: ModelAttempt,
  withheld: boolean,
  costMicroUsd: number | null,
): TurnBody['attempts'][number] {
  const { requestedAt, respondedAt, request: _asSent, proposed, ...rest } = attempt;
  return {
    ...rest,
    from: requestedAt,
    to: respondedAt,
    costMicroUsd,
    proposed: proposed.map((call) => ({ ...call, arguments: withheld ? null : call.arguments })),
  };
}

function ranOf({ call, answer }: RanCall, withheld: boolean): TurnBody['ran'][number] {
  const { tool, ...given } = call;
  return {
    tool,
    arguments: withheld ? null : given,
    effective: withheld ? null : effectiveOf(answer),
    origin: answer.status === 'places' ? answer.origin : null,
    status: answer.status,
    resultIds: withheld ? [] : resultIdsOf(answer),
  };
}

/**
 * What took effect. A diet out of memory is left out, and so are the ids that would tell it: origin and revision lead to it as
 * long as it is remembered, and after a correction no row still holds what was.
 */
function effectiveOf(answer: Answer): Record<string, string> | null {
  if (answer.status !== 'places' || (answer.answer.status !== 'ok' && answer.answer.status !== 'no_data')) return null;
  const { area, diet, keyword } = answer.answer;
  return answer.origin === 'consented_memory' ? { area, keyword } : { area, dietary_type: diet, keyword };
}

function resultIdsOf(answer: Answer): string[] {
  if (answer.status === 'places' && answer.origin === 'consented_memory') return [];
  if (answer.status === 'places' && answer.answer.status === 'ok')
    return [...answer.answer.places, ...answer.answer.nearMisses].map(({ placeId }) => placeId);
  if (answer.status === 'events' && answer.answer.status === 'ok')
    return answer.answer.events.map(({ eventId }) => eventId);
  return [];
}
