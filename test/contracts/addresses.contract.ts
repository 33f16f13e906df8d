/**
 * What every store of addresses promises (src/events/delivery-ports.ts), as a suite over a store factory.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADDRESS_BYTES, type Addresses } from '../../src/events/delivery-ports.ts';
import { BEGINNING, nextCommit, personLedger } from '../support/ledger-world.ts';
import type { StoreFactory, StoreUnderTest } from './stores.ts';

const NOTHING_HAPPENED = { position: 0, hash: null, time: null, state: null };
const refA = personLedger('Person A');
const A = refA.subjectKey;
const B = personLedger('Person B').subjectKey;

export function addressesContract(storeName: string, openStore: StoreFactory): void {
  describe(`${storeName}: addresses`, () => {
    let store: StoreUnderTest;
    let addresses: Addresses;
    beforeEach(async () => {
      store = await openStore();
      addresses = store.view.addresses;
    });
    afterEach(() => store.close());

    async function addressOf(subjectKey: typeof A): Promise<string | null> {
      const sealed = await store.other.addresses.get(subjectKey);
      return sealed === null ? null : Buffer.from(sealed).toString();
    }

    it('knows no address of a stranger', async () => {
      expect(await addresses.get(A)).toBeNull();
    });

    it('gives an address back exactly, to any client, and the newest one', async () => {
      await addresses.put(A, Buffer.from('sealed'));
      expect(await addressOf(A)).toBe('sealed');
      await addresses.put(A, Buffer.alloc(ADDRESS_BYTES, 'n'));
      expect(await addressOf(A)).toBe('n'.repeat(ADDRESS_BYTES));
    });

    it('refuses an address that is too long', async () => {
      await expect(addresses.put(A, Buffer.alloc(ADDRESS_BYTES + 1))).rejects.toThrow(RangeError);
      expect(await addressOf(A)).toBeNull();
    });

    it('removes one person’s address whatever is owed, and nobody else’s', async () => {
      await addresses.put(A, Buffer.from('of A'));
      await addresses.put(B, Buffer.from('of B'));
      await store.view.inbox.accept({
        key: 'w1',
        subjectKey: A,
        messageId: null,
        body: Buffer.from('x'),
        receivedAt: BEGINNING,
      });
      await addresses.remove(A);
      await addresses.remove(A);
      expect([await addressOf(A), await addressOf(B)]).toEqual([null, 'of B']);
    });

    it('can be put again after it was removed', async () => {
      await addresses.put(A, Buffer.from('first'));
      await addresses.remove(A);
      await addresses.put(B, Buffer.from('of B'));
      await addresses.put(A, Buffer.from('second'));
      expect([await addressOf(A), await addressOf(B)]).toEqual(['second', 'of B']);
    });

    it('is released when nothing is owed to the person', async () => {
      await addresses.put(A, Buffer.from('of A'));
      await addresses.release(A);
      await addresses.release(B);
      expect(await addressOf(A)).toBeNull();
    });

    it('is not released while a message of the person waits', async () => {
      await addresses.put(A, Buffer.from('of A'));
      await store.view.inbox.accept({
        key: 'w1',
        subjectKey: A,
        messageId: null,
        body: Buffer.from('x'),
        receivedAt: BEGINNING,
      });
      await addresses.release(A);
      expect(await addressOf(A)).toBe('of A');
      await store.view.inbox.finish('w1');
      await addresses.release(A);
      expect(await addressOf(A)).toBeNull();
    });

    it('is not released while the person is owed an answer', async () => {
      await addresses.put(A, Buffer.from('of A'));
      const once = { key: 'w1', outcome: '{}' };
      await store.view.ledger.commit(nextCommit(refA, NOTHING_HAPPENED, 'event 1', { once }));
      await addresses.release(A);
      expect(await addressOf(A)).toBe('of A');
      await store.view.outbox.answered('w1');
      await addresses.release(A);
      expect(await addressOf(A)).toBeNull();
    });

    it('is released whatever is owed to somebody else', async () => {
      await addresses.put(A, Buffer.from('of A'));
      await store.view.inbox.accept({
        key: 'w1',
        subjectKey: B,
        messageId: null,
        body: Buffer.from('x'),
        receivedAt: BEGINNING,
      });
      await addresses.release(A);
      expect(await addressOf(A)).toBeNull();
    });
  });
}
