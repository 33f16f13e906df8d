import { ledgerContract } from '../contracts/ledger.contract.ts';
import type { StoreView } from '../contracts/stores.ts';
import { memoryLedger } from './memory-ledger.ts';

// The double that the tests of the execute loop rest on keeps what every store promises.
ledgerContract('memory', async () => {
  const ledger = memoryLedger();
  // The ledger's suite asks for no inbox and no address; of the outbox only that an answer is marked as given.
  const view = { ledger, outbox: { answered: ledger.answered } } as unknown as StoreView;
  return { view, other: view, clock: { now: 0 }, close: async () => {} };
});
