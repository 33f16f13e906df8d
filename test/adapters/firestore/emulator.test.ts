/** What the Firestore store promises, on the emulator: one process, started for this file and stopped after it. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { addressesContract } from '../../contracts/addresses.contract.ts';
import { inboxContract } from '../../contracts/inbox.contract.ts';
import { ledgerContract } from '../../contracts/ledger.contract.ts';
import { outboxContract } from '../../contracts/outbox.contract.ts';
import {
  findFirestoreEmulator,
  startFirestoreEmulator,
  type FirestoreEmulator,
} from '../../support/firestore-emulator.ts';
import { openTwice } from './emulated-store.ts';

const source = await findFirestoreEmulator();
describe.skipIf(source === null)('Firestore', () => {
  let emulator: FirestoreEmulator;
  beforeAll(async () => {
    if (source !== null) emulator = await startFirestoreEmulator(source);
  });
  afterAll(() => emulator?.stop());
  const open = () => openTwice(emulator.host);
  ledgerContract('Firestore', open);
  inboxContract('Firestore', open);
  outboxContract('Firestore', open);
  addressesContract('Firestore', open);
});
