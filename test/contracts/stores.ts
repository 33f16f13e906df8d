/**
 * What the contract suites ask of a store under test.
 * @module
 */
import type { Addresses, Inbox, Outbox } from '../../src/events/delivery-ports.ts';
import type { Ledger } from '../../src/events/ports.ts';
import type { Contexts, ModelBudget, TurnRecords } from '../../src/events/turn-ports.ts';

/** One client of a store. */
export type StoreView = {
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: Addresses;
};

/** One client of a store that keeps turns too. */
export type TurnStoreView = StoreView & {
  readonly turnRecords: TurnRecords;
  readonly contexts: Contexts;
  readonly modelBudget: ModelBudget;
};

/** A fresh, empty store. */
export type StoreUnderTest<View extends StoreView = StoreView> = {
  readonly view: View;
  /** Another connection or client onto the same data, as a second instance of the service would have. */
  readonly other: View;
  /** What the store takes the time to be, Unix milliseconds; a test may set it. */
  readonly clock: { now: number };
  /** Lets go of everything and removes what was made. */
  close(): Promise<void>;
};

export type StoreFactory = () => Promise<StoreUnderTest>;
export type TurnStoreFactory = () => Promise<StoreUnderTest<TurnStoreView>>;
