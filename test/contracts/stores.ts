/**
 * What the contract suites ask of a store under test.
 * @module
 */
import type { Addresses, Inbox, Outbox } from '../../src/events/delivery-ports.ts';
import type { Ledger } from '../../src/events/ports.ts';

/** One client of a store. */
export type StoreView = {
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: Addresses;
};

/** A fresh, empty store. */
export type StoreUnderTest = {
  readonly view: StoreView;
  /** Another connection or client onto the same data, as a second instance of the service would have. */
  readonly other: StoreView;
  /** What the store takes the time to be, Unix milliseconds; a test may set it. */
  readonly clock: { now: number };
  /** Lets go of everything and removes what was made. */
  close(): Promise<void>;
};

export type StoreFactory = () => Promise<StoreUnderTest>;
