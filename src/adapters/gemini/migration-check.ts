/**
 * The same questions over two routes: which calls, which arguments, and how the unknown is told; what each route cost stays apart.
 * @module
 */
import type { ModelAttempt } from '../../commands/model-attempt.ts';
import type { Routed, Router, RouterFacts } from '../../commands/tools.ts';
import { costOf, type PriceList } from './usage.ts';

/** What differs between two answers to one question. */
export type Difference = 'outcome' | 'tools' | 'arguments' | 'told_as_unknown';

export type ComparedQuestion = {
  readonly question: string;
  readonly developer: Routed;
  readonly vertex: Routed;
  /** Empty: both routes say the same. */
  readonly differences: readonly Difference[];
};

/** One route's own account. */
export type RouteAccount = {
  readonly attempts: number;
  /** Attempts without a usage or without a price for it. */
  readonly attemptsWithoutCost: number;
  /** Micro-USD of the whole route; null as soon as one attempt's cost is not known. */
  readonly costMicroUsd: number | null;
  readonly modelVersions: readonly string[];
};

export type MigrationReport = {
  readonly questions: readonly ComparedQuestion[];
  readonly same: number;
  readonly developer: RouteAccount;
  readonly vertex: RouteAccount;
};

/**
 * Asks both routes, one question after the other. The accounts are never added up: the two services have prices of their own.
 * @throws Error when an attempt was made over another backend than its route names.
 */
export async function compareRoutes(
  questions: readonly string[],
  facts: RouterFacts,
  routes: { readonly developer: Router; readonly vertex: Router },
  prices: PriceList,
): Promise<MigrationReport> {
  const attempts = { developer: [] as ModelAttempt[], vertex: [] as ModelAttempt[] };
  async function ask(backend: 'developer' | 'vertex', question: string): Promise<Routed> {
    return routes[backend].route(question, facts, (attempt) => {
      if (attempt.backend !== backend) throw new Error(`The ${backend} route went over ${attempt.backend}`);
      attempts[backend].push(attempt);
    });
  }
  const compared: ComparedQuestion[] = [];
  for (const question of questions) {
    const developer = await ask('developer', question);
    const vertex = await ask('vertex', question);
    compared.push({ question, developer, vertex, differences: differencesOf(developer, vertex) });
  }
  return {
    questions: compared,
    same: compared.filter(({ differences }) => differences.length === 0).length,
    developer: accountOf(attempts.developer, prices),
    vertex: accountOf(attempts.vertex, prices),
  };
}

function differencesOf(one: Routed, other: Routed): Difference[] {
  const found: Difference[] = [];
  if (one.outcome !== other.outcome) found.push('outcome');
  const [calls, otherCalls] = [callsOf(one), callsOf(other)];
  if (!equal(calls.map(({ tool }) => tool).toSorted(), otherCalls.map(({ tool }) => tool).toSorted())) {
    found.push('tools');
  } else if (!equal(sortedCalls(one), sortedCalls(other))) {
    found.push('arguments');
  }
  if (!equal(unknownOf(one), unknownOf(other))) found.push('told_as_unknown');
  return found;
}

function callsOf(routed: Routed) {
  return routed.outcome === 'call' ? routed.calls : [];
}

function sortedCalls(routed: Routed): readonly string[] {
  return callsOf(routed)
    .map((call) => JSON.stringify(call, Object.keys(call).toSorted()))
    .toSorted();
}

/** How a route says that it does not know: by a question, or by naming the parts without an answer. */
function unknownOf(routed: Routed): readonly string[] {
  if (routed.outcome === 'clarify') return [routed.question];
  return routed.outcome === 'call' || routed.outcome === 'unsupported' ? routed.unanswered : [];
}

function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function accountOf(attempts: readonly ModelAttempt[], prices: PriceList): RouteAccount {
  const costs = attempts.map((attempt) => costOf(attempt, prices));
  const known = costs.filter((cost) => cost !== null);
  return {
    attempts: attempts.length,
    attemptsWithoutCost: costs.length - known.length,
    costMicroUsd: known.length === costs.length ? known.reduce((sum, cost) => sum + cost, 0) : null,
    modelVersions: [...new Set(attempts.map(({ modelVersion }) => modelVersion).filter((known) => known !== null))],
  };
}
