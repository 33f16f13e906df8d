/** What the Firestore store promises, on the emulator: one process, started for this file and stopped after it. */
import { addressesContract } from '../../contracts/addresses.contract.ts';
import { budgetContract } from '../../contracts/budget.contract.ts';
import { checkpointLogContract } from '../../contracts/checkpoint-log.contract.ts';
import { contextContract } from '../../contracts/context.contract.ts';
import { inboxContract } from '../../contracts/inbox.contract.ts';
import { ledgerContract } from '../../contracts/ledger.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';
import { turnRecordsContract } from '../../contracts/turn-records.contract.ts';
import { turnsSuite } from '../../flows/turns.flow.ts';
import { IN_CI, onEmulator } from '../../support/on-emulator.ts';
import { costs } from './cost.ts';
import { newProject, openClient, openTwice } from './emulated-store.ts';
import { faults, lostAnswers } from './faults.ts';
import { forgetting } from './forget-export.ts';
import { oneStore } from './one-store.ts';
import { races } from './races.ts';

/** How often something is done here: a number from the environment for a deep run, else the usual one. */
function figure(variable: string, usual: number): number {
  return Number(process.env[variable] ?? usual);
}

onEmulator('Firestore', (host) => {
  const open = () => openTwice(host());

  ledgerContract('Firestore', open);
  inboxContract('Firestore', open);
  outboxContract('Firestore', open);
  addressesContract('Firestore', open);
  turnRecordsContract('Firestore', open);
  contextContract('Firestore', open);
  budgetContract('Firestore', open);
  checkpointLogContract('Firestore', open);
  oneStore(host);
  turnsSuite('Firestore', async () => {
    const store = await openClient(host(), newProject());
    return { store, close: () => store.close() };
  });
  costs(host);
  forgetting(host);
  races(host, figure('FIRESTORE_RACE_ROUNDS', IN_CI ? 5 : 2));
  lostAnswers(host);
  faults(host, figure('FIRESTORE_FAULT_RUNS', IN_CI ? 2_000 : 200));
});
