/**
 * What every store of model budgets promises (src/events/turn-ports.ts), as a suite over a store factory.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelBudget } from '../../src/events/turn-ports.ts';
import { personLedger, personOn } from '../support/ledger-world.ts';
import type { StoreUnderTest, TurnStoreFactory, TurnStoreView } from './stores.ts';

const A = personLedger('Person A').subjectKey;
const B = personLedger('Person B').subjectKey;
const DAY = '2026-11-30';

export function budgetContract(storeName: string, openStore: TurnStoreFactory): void {
  describe(`${storeName}: model budget`, () => {
    let store: StoreUnderTest<TurnStoreView>;
    let budget: ModelBudget;
    beforeEach(async () => {
      store = await openStore();
      budget = store.view.modelBudget;
    });
    afterEach(() => store.close());

    const take = async (times: number, ...call: Parameters<ModelBudget['take']>) => {
      const results: string[] = [];
      for (let taken = 0; taken < times; taken += 1) results.push(await budget.take(...call));
      return results;
    };

    it('gives exactly as many calls as the limit says', async () => {
      expect(await take(4, A, DAY, 3)).toEqual(['taken', 'taken', 'taken', 'exhausted']);
    });

    it('gives none at a limit of 0', async () => {
      expect(await budget.take(A, DAY, 0)).toBe('exhausted');
    });

    it('counts each person and each day apart', async () => {
      await take(1, A, DAY, 1);
      expect(await budget.take(A, DAY, 1)).toBe('exhausted');
      expect(await budget.take(B, DAY, 1)).toBe('taken');
      expect(await budget.take(A, '2026-12-01', 1)).toBe('taken');
    });

    it('is one count for all instances, also at the same moment', async () => {
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? budget : store.other.modelBudget).take(A, DAY, 5)),
      );
      expect(results.filter((result) => result === 'taken')).toHaveLength(5);
    });

    it('is not given anew by a forget', async () => {
      await take(1, A, DAY, 1);
      await personOn(store.view.ledger, 'Person A').forget('forget-1');
      expect(await budget.take(A, DAY, 1)).toBe('exhausted');
    });

    it('purges days before a day, and not that day', async () => {
      await take(1, A, '2026-11-29', 1);
      await take(1, A, DAY, 1);
      expect(await budget.purge(DAY)).toBe(1);
      expect(await budget.take(A, '2026-11-29', 1)).toBe('taken');
      expect(await budget.take(A, DAY, 1)).toBe('exhausted');
    });
  });
}
