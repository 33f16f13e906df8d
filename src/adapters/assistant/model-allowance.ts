/**
 * How many model calls a person has left today. Rules cost nothing and are never counted.
 * @module
 */
import type { Router } from '../../commands/tools.ts';
import type { Person } from '../../commands/turns.ts';
import type { ModelBudget } from '../../events/turn-ports.ts';

export interface ModelAllowance {
  /** Takes one call before a router is asked; a call that then fails was taken too. `false`: none is left. */
  take(person: Person, router: Router['name']): Promise<boolean>;
}

const TAIPEI_OFFSET_MS = 8 * 3_600_000;

/** The day in Taipei, `YYYY-MM-DD`, of a time in Unix milliseconds. */
export function taipeiDay(now: number): string {
  return new Date(now + TAIPEI_OFFSET_MS).toISOString().slice(0, 10);
}

/**
 * Builds the allowance over a store that all instances share.
 * @param callsPerDay for one person and one day in Taipei.
 */
export function createModelAllowance(budget: ModelBudget, callsPerDay: number, clock: () => number): ModelAllowance {
  return {
    async take({ subjectKey }, router) {
      return router === 'rules' || (await budget.take(subjectKey, taipeiDay(clock()), callsPerDay)) === 'taken';
    },
  };
}
