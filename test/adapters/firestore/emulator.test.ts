/** What the Firestore store promises, on the emulator: one process, started for this file and stopped after it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressesContract } from '../../contracts/addresses.contract.ts';
import { budgetContract } from '../../contracts/budget.contract.ts';
import { contextContract } from '../../contracts/context.contract.ts';
import { inboxContract } from '../../contracts/inbox.contract.ts';
import { ledgerContract } from '../../contracts/ledger.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';
import { turnRecordsContract } from '../../contracts/turn-records.contract.ts';
import { turnsSuite } from '../../flows/turns.flow.ts';
import {
  type FirestoreEmulator,
  findFirestoreEmulator,
  NO_FIRESTORE_EMULATOR,
  startFirestoreEmulator,
} from '../../support/firestore-emulator.ts';
import { costs } from './cost.ts';
import { newProject, openClient, openTwice } from './emulated-store.ts';
import { faults, lostAnswers } from './faults.ts';
import { forgetting } from './forget-export.ts';
import { oneStore } from './one-store.ts';
import { races } from './races.ts';

const source = await findFirestoreEmulator();
const inCi = (process.env['CI'] ?? '') !== '';

/** How often something is done here: a number from the environment for a deep run, else the usual one. */
function figure(variable: string, usual: number): number {
  return Number(process.env[variable] ?? usual);
}

it.runIf(source === null)('needs an emulator: where there is none all below is skipped, and in CI this fails', () => {
  process.stderr.write(
    `${NO_FIRESTORE_EMULATOR} The tests of the Firestore store are skipped; their number stands below.\n`,
  );
  expect(inCi).toBe(false);
});

describe.skipIf(source === null)('Firestore (emulator)', () => {
  let emulator: FirestoreEmulator;
  beforeAll(async () => {
    if (source !== null) emulator = await startFirestoreEmulator(source);
  });
  afterAll(() => emulator?.stop());
  const host = (): string => emulator.host;
  const open = () => openTwice(host());

  ledgerContract('Firestore', open);
  inboxContract('Firestore', open);
  outboxContract('Firestore', open);
  addressesContract('Firestore', open);
  turnRecordsContract('Firestore', open);
  contextContract('Firestore', open);
  budgetContract('Firestore', open);
  oneStore(host);
  turnsSuite('Firestore', async () => {
    const store = await openClient(host(), newProject());
    return { store, close: () => store.close() };
  });
  costs(host);
  forgetting(host);
  races(host, figure('FIRESTORE_RACE_ROUNDS', inCi ? 5 : 2));
  lostAnswers(host);
  faults(host, figure('FIRESTORE_FAULT_RUNS', inCi ? 2_000 : 200));
});
