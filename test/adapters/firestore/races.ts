/**
 * Many real clients on one ledger: each has its own connection, as instances of the service would.
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FirestoreStore } from '../../../src/adapters/firestore/store.ts';
import type { Execution } from '../../../src/commands/execute.ts';
import { type Offered, personLedger, personOn } from '../../support/ledger-world.ts';
import { newProject, openClient } from './emulated-store.ts';
import { problemOf } from './verified.ts';

const CLIENTS = 32;

function toldBy(execution: Execution): string {
  if (execution.kind === 'duplicate') return 'duplicate';
  return execution.kind === 'undecided' ? execution.outcome : execution.outcome.outcome;
}

/** Presses until the answer is not `busy`, as the person is asked to. */
async function pressed(press: () => Promise<Execution>): Promise<string> {
  for (;;) {
    const told = toldBy(await press());
    if (told !== 'busy') return told;
  }
}

function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** @param rounds how often each race is run. */
export function races(emulatorHost: () => string, rounds: number): void {
  describe(`${CLIENTS} clients on one ledger, ${rounds} rounds`, () => {
    let clients: FirestoreStore[];
    beforeAll(async () => {
      const projectId = newProject();
      clients = await Promise.all(Array.from({ length: CLIENTS }, () => openClient(emulatorHost(), projectId)));
    });
    afterAll(() => Promise.all(clients.map((client) => client.close())));

    const first = (): FirestoreStore => clients[0] as FirestoreStore;
    const numbered = Array.from({ length: rounds }, (_, round) => round);

    it.each(numbered)('round %i: the same card at once is saved once, and the others are told so', async (round) => {
      const name = `Person A${round}`;
      const offered = await personOn(first().ledger, name).propose('message-1', 'vegan');
      const told = await Promise.all(
        clients.map((client, index) =>
          pressed(() => personOn(client.ledger, name).approve(offered, `tap-${round}-${index}`)),
        ),
      );
      expect(counted(told)).toEqual({ memory_saved: 1, already_applied: CLIENTS - 1 });
      expect(await problemOf(first().ledger, personLedger(name))).toBeNull();
      expect((await first().ledger.head(personLedger(name).ledgerId)).position).toBe(2);
    });

    it.each(numbered)('round %i: of 32 cards of one ledger exactly the newest is saved', async (round) => {
      const name = `Person B${round}`;
      const ref = personLedger(name);
      const person = personOn(first().ledger, name);
      const cards: Offered[] = [];
      for (let card = 0; card < CLIENTS; card += 1) cards.push(await person.propose(`message-${card}`, 'vegan'));
      const told = await Promise.all(
        clients.map((client, index) => {
          const card = cards[index];
          if (card === undefined) throw new Error('A card for each client');
          return pressed(() => personOn(client.ledger, name).approve(card, `press-${round}-${index}`));
        }),
      );
      expect(told.at(-1)).toBe('memory_saved');
      expect(counted(told)).toEqual({ memory_saved: 1, stale_memory_card: CLIENTS - 1 });
      expect(await problemOf(first().ledger, ref)).toBeNull();
      const events = await first().ledger.events(ref.ledgerId, 1, 1_000);
      const types = events.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).type);
      expect(counted(types)).toMatchObject({ 'preference.proposed': CLIENTS, 'preference.approved': 1 });
    });
  });
}
