/**
 * Many real clients on one ledger: exactly one decision, and everybody is told the truth.
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FirestoreStore } from '../../../src/adapters/firestore/store.ts';
import { CLIENTS, onAllCards, onOneCard, openClients } from './race-rounds.ts';

/** @param rounds how often each race is run. */
export function races(emulatorHost: () => string, rounds: number): void {
  describe(`${CLIENTS} clients on one ledger, ${rounds} rounds`, () => {
    let clients: readonly FirestoreStore[];
    beforeAll(async () => {
      clients = await openClients(emulatorHost());
    });
    afterAll(() => Promise.all(clients.map((client) => client.close())));
    const numbered = Array.from({ length: rounds }, (_, round) => round);

    it.each(numbered)('round %i: the same card at once is saved once, and the others are told so', async (round) => {
      expect(await onOneCard(clients, `Person A${round}`)).toMatchObject({
        told: { memory_saved: 1, already_applied: CLIENTS - 1 },
        events: { 'preference.proposed': 1, 'preference.approved': 1 },
        problem: null,
      });
    });

    it.each(numbered)('round %i: of 32 cards of one ledger exactly the newest is saved', async (round) => {
      expect(await onAllCards(clients, `Person B${round}`)).toMatchObject({
        told: { memory_saved: 1, stale_memory_card: CLIENTS - 1 },
        newest: 'memory_saved',
        events: { 'preference.proposed': CLIENTS, 'preference.approved': 1 },
        problem: null,
      });
    });
  });
}
