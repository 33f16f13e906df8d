/**
 * What every outbox promises (src/events/delivery-ports.ts), as a suite over a store factory.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outbox } from '../../src/events/delivery-ports.ts';
import { BEGINNING, nextCommit, personLedger } from '../support/ledger-world.ts';
import type { StoreFactory, StoreUnderTest } from './stores.ts';

const NOTHING_HAPPENED = { position: 0, hash: null, time: null, state: null };
const LEASE_MS = 30_000;
const LATER = BEGINNING + 10_000;

export function outboxContract(storeName: string, openStore: StoreFactory): void {
  describe(`${storeName}: outbox`, () => {
    let store: StoreUnderTest;
    let outbox: Outbox;
    beforeEach(async () => {
      store = await openStore();
      outbox = store.view.outbox;
    });
    afterEach(() => store.close());

    /** Decides something for a person at a moment. */
    async function decide(name: string, key: string, at: number): Promise<void> {
      store.clock.now = at;
      const once = { key, outcome: `{"outcome":"${key}"}` };
      const ref = personLedger(name);
      const head = await store.view.ledger.head(ref.ledgerId);
      await store.view.ledger.commit(nextCommit(ref, head, key, { once }));
    }

    it('leases what was decided and not answered, to any client, without a message body', async () => {
      await decide('Person A', 'w1', BEGINNING);
      const { ledgerId, subjectKey } = personLedger('Person A');
      expect(await store.other.outbox.leaseOwed(LATER, LATER, LEASE_MS, 10)).toEqual([
        { key: 'w1', subjectKey, ledgerId, outcome: '{"outcome":"w1"}', attempts: 0 },
      ]);
    });

    it('owes an answer also for a decision that recorded no event', async () => {
      const commit = nextCommit(personLedger('Person A'), NOTHING_HAPPENED, 'none', {
        events: [],
        once: { key: 'w1', outcome: '{}' },
      });
      await store.view.ledger.commit(commit);
      expect(await outbox.leaseOwed(LATER, LATER, LEASE_MS, 10)).toMatchObject([{ key: 'w1' }]);
    });

    it('owes nothing once the answer was given', async () => {
      await decide('Person A', 'w1', BEGINNING);
      await outbox.answered('w1');
      await outbox.answered('w1');
      await outbox.answered('never seen');
      expect(await outbox.leaseOwed(LATER, LATER, LEASE_MS, 10)).toEqual([]);
      expect(await store.view.ledger.once('w1')).toMatchObject({ answered: true });
    });

    it('leaves the decisions of the last moments to whoever is answering them now', async () => {
      await decide('Person A', 'old', BEGINNING);
      await decide('Person B', 'young', BEGINNING + 500);
      expect(await outbox.leaseOwed(LATER, BEGINNING + 500, LEASE_MS, 10)).toMatchObject([{ key: 'old' }]);
    });

    it('leases oldest first, no more than asked for, each to one worker at a time', async () => {
      for (const [index, name] of ['C', 'B', 'A'].entries()) await decide(name, `w${index}`, BEGINNING + index);
      const first = await outbox.leaseOwed(LATER, LATER, LEASE_MS, 2);
      const second = await store.other.outbox.leaseOwed(LATER, LATER, LEASE_MS, 2);
      expect([first, second].map((owed) => owed.map(({ key }) => key))).toEqual([['w0', 'w1'], ['w2']]);
      expect(await outbox.leaseOwed(LATER, LATER, LEASE_MS, 2)).toEqual([]);
    });

    it('gives an answer again from the moment its lease ends, and counts the attempts', async () => {
      await decide('Person A', 'w1', BEGINNING);
      await outbox.leaseOwed(LATER, LATER, LEASE_MS, 10);
      expect(await outbox.leaseOwed(LATER + LEASE_MS - 1, LATER, LEASE_MS, 10)).toEqual([]);
      expect(await outbox.leaseOwed(LATER + LEASE_MS, LATER, LEASE_MS, 10)).toMatchObject([{ key: 'w1', attempts: 1 }]);
    });

    it('purges answered rows older than a moment and never one that is still owed', async () => {
      await decide('Person A', 'answered', BEGINNING);
      await decide('Person B', 'owed', BEGINNING);
      await decide('Person C', 'young', BEGINNING + 1);
      await outbox.answered('answered');
      await outbox.answered('young');
      expect(await outbox.purgeAnswered(BEGINNING + 1)).toBe(1);
      expect(await store.view.ledger.once('answered')).toBeNull();
      expect(await store.view.ledger.once('owed')).not.toBeNull();
      expect(await store.view.ledger.once('young')).not.toBeNull();
    });
  });
}
