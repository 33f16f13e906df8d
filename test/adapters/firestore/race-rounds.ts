/**
 * Many real clients on one ledger: each has its own connection, as instances of the service would.
 * @module
 */
import type { FirestoreStore } from '../../../src/adapters/firestore/store.ts';
import type { Execution } from '../../../src/commands/execute.ts';
import { type Offered, personLedger, personOn } from '../../support/ledger-world.ts';
import { newProject, openClient } from './emulated-store.ts';
import { problemOf } from './verified.ts';

/** How many clients race. */
export const CLIENTS = 32;

/** What a round came to. */
export type Raced = {
  /** How often each thing was told. */
  readonly told: Readonly<Record<string, number>>;
  /** What the presser of the newest card was told. */
  readonly newest: string;
  /** How many events of each type the ledger then holds. */
  readonly events: Readonly<Record<string, number>>;
  readonly problem: unknown;
};

/** The clients of one project, and what lets go of them. */
export async function openClients(emulatorHost: string): Promise<readonly FirestoreStore[]> {
  const projectId = newProject();
  return Promise.all(Array.from({ length: CLIENTS }, () => openClient(emulatorHost, projectId)));
}

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

/** All clients press at once; with one card the same one, else each its own. */
async function race(clients: readonly FirestoreStore[], name: string, cards: number): Promise<Raced> {
  const [first] = clients;
  if (first === undefined) throw new Error('Nobody races');
  const offered: Offered[] = [];
  for (let card = 0; card < cards; card += 1)
    offered.push(await personOn(first.ledger, name).propose(`message-${card}`, 'vegan'));
  const told = await Promise.all(
    clients.map((client, index) => {
      const card = offered[index % cards];
      if (card === undefined) throw new Error('A card for each client');
      return pressed(() => personOn(client.ledger, name).approve(card, `tap-${name.replaceAll(' ', '-')}-${index}`));
    }),
  );
  const ref = personLedger(name);
  const events = await first.ledger.events(ref.ledgerId, 1, 1_000);
  return {
    told: counted(told),
    newest: told.at(-1) ?? '',
    events: counted(events.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).type)),
    problem: await problemOf(first.ledger, ref),
  };
}

/** All clients tap the same card. */
export const onOneCard = (clients: readonly FirestoreStore[], name: string): Promise<Raced> => race(clients, name, 1);
/** Each client taps its own card of the same ledger; only the newest is in force. */
export const onAllCards = (clients: readonly FirestoreStore[], name: string): Promise<Raced> =>
  race(clients, name, CLIENTS);

export type RacesReport = {
  readonly clients: number;
  readonly rounds: number;
  /** Rounds that did not end as they must. */
  readonly wrongOnOneCard: number;
  readonly wrongOnAllCards: number;
  readonly slowestRoundMs: number;
};

/** Runs both races again and again. */
export async function runRaces(emulatorHost: string, rounds: number): Promise<RacesReport> {
  const clients = await openClients(emulatorHost);
  let [wrongOnOneCard, wrongOnAllCards, slowestRoundMs] = [0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const one = await onOneCard(clients, `Person A${round}`);
    slowestRoundMs = Math.max(slowestRoundMs, performance.now() - began);
    const saved = one.told['memory_saved'] === 1 && one.told['already_applied'] === CLIENTS - 1;
    if (!saved || one.events['preference.approved'] !== 1 || one.problem !== null) wrongOnOneCard += 1;
    const all = await onAllCards(clients, `Person B${round}`);
    const newest = all.newest === 'memory_saved' && all.told['stale_memory_card'] === CLIENTS - 1;
    if (!newest || all.events['preference.approved'] !== 1 || all.problem !== null) wrongOnAllCards += 1;
  }
  await Promise.all(clients.map((client) => client.close()));
  return {
    clients: CLIENTS,
    rounds,
    wrongOnOneCard,
    wrongOnAllCards,
    slowestRoundMs: Math.round(slowestRoundMs),
  };
}
