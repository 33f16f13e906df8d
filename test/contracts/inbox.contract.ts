/**
 * What every inbox promises (src/events/delivery-ports.ts), as a suite over a store factory.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INBOX_BODY_BYTES, type Inbox } from '../../src/events/delivery-ports.ts';
import type { SubjectKey } from '../../src/events/identity.ts';
import { BEGINNING, nextCommit, personLedger, personOn } from '../support/ledger-world.ts';
import type { StoreFactory, StoreUnderTest } from './stores.ts';

const A = personLedger('Person A').subjectKey;
const B = personLedger('Person B').subjectKey;
const LEASE_MS = 30_000;
const NOTHING_WAITS = { jobs: 0, oldestReceivedAt: null, dueSince: null };

function job(key: string, subjectKey: SubjectKey, receivedAt = BEGINNING, text = `text of ${key}`) {
  return { key, subjectKey, messageId: `message of ${key}`, body: Buffer.from(text), receivedAt };
}

export function inboxContract(storeName: string, openStore: StoreFactory): void {
  describe(`${storeName}: inbox`, () => {
    let store: StoreUnderTest;
    let inbox: Inbox;
    beforeEach(async () => {
      store = await openStore();
      inbox = store.view.inbox;
    });
    afterEach(() => store.close());

    async function leasedKeys(now: number, from: Inbox = inbox): Promise<string[]> {
      return (await from.lease(now, LEASE_MS, 100)).map(({ key }) => key);
    }

    it('gives an accepted job back as it was given, to any client', async () => {
      expect(await inbox.accept(job('w1', A))).toBe('accepted');
      const [leased] = await store.other.inbox.lease(BEGINNING, LEASE_MS, 10);
      expect(leased).toMatchObject({
        key: 'w1',
        subjectKey: A,
        messageId: 'message of w1',
        receivedAt: BEGINNING,
        attempts: 0,
      });
      expect(Buffer.from(leased?.body ?? []).toString()).toBe('text of w1');
    });

    it.each([0, 1, 4_000, INBOX_BODY_BYTES])('keeps a body of %i bytes exactly', async (length) => {
      const body = Buffer.alloc(length, 'x');
      await inbox.accept({ ...job('w1', A), body });
      const [leased] = await inbox.lease(BEGINNING, LEASE_MS, 10);
      expect(Buffer.from(leased?.body ?? []).equals(body)).toBe(true);
    });

    it('refuses a body that is too long and does not remember its key', async () => {
      const tooLong = { ...job('w1', A), body: Buffer.alloc(INBOX_BODY_BYTES + 1) };
      await expect(inbox.accept(tooLong)).rejects.toThrow(RangeError);
      expect(await inbox.accept(job('w1', A))).toBe('accepted');
    });

    it('accepts a key once, whatever became of the job, over two clients', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? inbox : store.other.inbox).accept(job('w1', A))),
      );
      expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1);
      await inbox.finish('w1');
      expect(await inbox.accept(job('w1', A))).toBe('duplicate');
      expect(await leasedKeys(BEGINNING + LEASE_MS)).toEqual([]);
    });

    it('leases only the oldest unfinished job of each person, oldest first', async () => {
      await inbox.accept(job('a-second', A, BEGINNING + 20));
      await inbox.accept(job('a-first', A, BEGINNING + 10));
      await inbox.accept(job('b-first', B, BEGINNING + 15));
      const now = BEGINNING + 100;
      expect(await leasedKeys(now)).toEqual(['a-first', 'b-first']);
      expect(await leasedKeys(now)).toEqual([]);
      await inbox.finish('a-first');
      expect(await leasedKeys(now)).toEqual(['a-second']);
    });

    it('keeps the order of arrival among jobs received in the same millisecond', async () => {
      for (const key of ['z', 'm', 'a']) await inbox.accept(job(key, A));
      const order: string[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const [leased] = await inbox.lease(BEGINNING, LEASE_MS, 10);
        order.push(leased?.key ?? '');
        await inbox.finish(leased?.key ?? '');
      }
      expect(order).toEqual(['z', 'm', 'a']);
    });

    it('leases no more than asked for', async () => {
      for (const name of ['A', 'B', 'C']) await inbox.accept(job(name, personLedger(name).subjectKey));
      expect(await inbox.lease(BEGINNING, LEASE_MS, 2)).toHaveLength(2);
      expect(await inbox.lease(BEGINNING, LEASE_MS, 2)).toHaveLength(1);
    });

    it('gives a job to one of many workers at a time', async () => {
      await inbox.accept(job('w1', A));
      const leases = await Promise.all(
        Array.from({ length: 10 }, (_, index) => leasedKeys(BEGINNING, index % 2 ? inbox : store.other.inbox)),
      );
      expect(leases.flat()).toEqual(['w1']);
    });

    it('gives a job again from the moment its lease ends, and counts the attempts', async () => {
      await inbox.accept(job('w1', A));
      await leasedKeys(BEGINNING);
      expect(await leasedKeys(BEGINNING + LEASE_MS - 1)).toEqual([]);
      const [again] = await inbox.lease(BEGINNING + LEASE_MS, LEASE_MS, 10);
      expect(again).toMatchObject({ key: 'w1', attempts: 1 });
    });

    it('holds a postponed job back until it is due, and what the same person said after it too', async () => {
      await inbox.accept(job('w1', A, BEGINNING));
      await inbox.accept(job('w2', A, BEGINNING + 1));
      await leasedKeys(BEGINNING + 1);
      await inbox.postpone('w1', BEGINNING + 500);
      expect(await leasedKeys(BEGINNING + 499)).toEqual([]);
      expect(await leasedKeys(BEGINNING + 500)).toEqual(['w1']);
    });

    it('changes nothing when a job is finished or postponed again', async () => {
      await inbox.accept(job('w1', A));
      await inbox.finish('w1');
      await inbox.finish('w1');
      await inbox.postpone('w1', BEGINNING);
      await inbox.finish('never seen');
      expect(await leasedKeys(BEGINNING + LEASE_MS)).toEqual([]);
      expect(await inbox.waiting()).toEqual(NOTHING_WAITS);
    });

    it('counts what waits and since when', async () => {
      expect(await inbox.waiting()).toEqual(NOTHING_WAITS);
      await inbox.accept(job('w1', A, BEGINNING + 7));
      await inbox.accept(job('w2', B, BEGINNING + 3));
      const both = { jobs: 2, oldestReceivedAt: BEGINNING + 3, dueSince: BEGINNING + 3 };
      expect(await store.other.inbox.waiting()).toEqual(both);
      await inbox.finish('w2');
      expect(await inbox.waiting()).toEqual({ jobs: 1, oldestReceivedAt: BEGINNING + 7, dueSince: BEGINNING + 7 });
    });

    it('says since when work could be taken: not by what is leased or postponed, nor by what waits behind it', async () => {
      await inbox.accept(job('a1', A, BEGINNING));
      await inbox.accept(job('a2', A, BEGINNING + 1));
      await leasedKeys(BEGINNING + 2);
      expect(await inbox.waiting()).toMatchObject({ jobs: 2, dueSince: BEGINNING + 2 + LEASE_MS });
      await inbox.postpone('a1', BEGINNING + 500);
      expect(await inbox.waiting()).toMatchObject({ dueSince: BEGINNING + 500 });
      await inbox.accept(job('b1', B, BEGINNING + 3));
      expect(await inbox.waiting()).toMatchObject({ oldestReceivedAt: BEGINNING, dueSince: BEGINNING + 3 });
    });

    it('drops an unsent message that was not read yet, and says whether one was waiting', async () => {
      await inbox.accept(job('w1', A, BEGINNING));
      await inbox.accept(job('w2', A, BEGINNING + 1));
      expect(await inbox.drop(B, 'message of w1')).toEqual({ dropped: false });
      expect(await inbox.drop(A, 'message of w1')).toEqual({ dropped: true });
      expect(await inbox.drop(A, 'message of w1')).toEqual({ dropped: false });
      expect(await leasedKeys(BEGINNING + 1)).toEqual(['w2']);
    });

    it('does not drop what was finished', async () => {
      await inbox.accept(job('w1', A));
      await inbox.finish('w1');
      expect(await inbox.drop(A, 'message of w1')).toEqual({ dropped: false });
    });

    it('does not take a message that was unsent before it came, until the names of that time are purged', async () => {
      expect(await inbox.drop(A, 'message of w1')).toEqual({ dropped: false });
      expect(await inbox.drop(A, 'message of w1')).toEqual({ dropped: false });
      expect(await store.other.inbox.accept(job('w1', A))).toBe('duplicate');
      expect(await inbox.waiting()).toEqual(NOTHING_WAITS);
      expect(await inbox.accept({ ...job('another', A), messageId: null })).toBe('accepted');
      expect(await inbox.accept({ ...job('of-another', B), messageId: 'message of w1' })).toBe('accepted');
      expect(await inbox.purge(BEGINNING + 1)).toBe(1);
      expect(await inbox.accept(job('w1', A))).toBe('accepted');
    });

    it('of a message and its unsending at the same moment nothing is left waiting', async () => {
      for (const round of [1, 2, 3, 4, 5]) {
        await Promise.all([inbox.accept(job(`w${round}`, A)), store.other.inbox.drop(A, `message of w${round}`)]);
        expect(await leasedKeys(BEGINNING)).toEqual([]);
      }
    });

    it('drops all that waits of a person who left, leased or not, and nothing of others', async () => {
      for (const key of ['a1', 'a2']) await inbox.accept(job(key, A));
      await inbox.accept(job('b1', B));
      await leasedKeys(BEGINNING);
      expect(await store.other.inbox.dropAll(A)).toBe(2);
      expect(await inbox.dropAll(A)).toBe(0);
      expect(await leasedKeys(BEGINNING + LEASE_MS)).toEqual(['b1']);
      expect(await inbox.accept(job('a2', A))).toBe('duplicate');
      expect(await inbox.accept(job('a3', A))).toBe('accepted');
    });

    describe('a decision about the words of a message', () => {
      const ref = personLedger('Person A');
      async function decided(whileHeld: string): Promise<string> {
        const { ledger } = store.other;
        const head = await ledger.head(ref.ledgerId);
        return (await ledger.commit(nextCommit(ref, head, `${whileHeld} ${head.position}`, { whileHeld }))).status;
      }
      async function position(): Promise<number> {
        return (await store.view.ledger.head(ref.ledgerId)).position;
      }

      it('is written while the inbox holds them, leased or not, and for a message that never stood there', async () => {
        await inbox.accept(job('w1', A));
        expect(await decided('w1')).toBe('committed');
        await leasedKeys(BEGINNING);
        expect(await decided('w1')).toBe('committed');
        expect(await decided('never seen')).toBe('committed');
        expect(await leasedKeys(BEGINNING + LEASE_MS)).toEqual(['w1']);
      });

      it.each<[string, () => Promise<unknown>]>([
        ['a forget of what was in force', () => personOn(store.view.ledger, 'Person A').forget('forget')],
        ['an unsending', () => inbox.drop(A, 'message of w1')],
        ['the person leaving', () => inbox.dropAll(A)],
        ['the end of the turn', () => inbox.finish('w1')],
      ])('is not written after %s', async (_by, takeBack) => {
        await personOn(store.view.ledger, 'Person A').remember('message-1', 'vegan');
        await inbox.accept(job('w1', A));
        await leasedKeys(BEGINNING);
        await takeBack();
        const before = await position();
        expect(await decided('w1')).toBe('taken_back');
        expect(await position()).toBe(before);
      });

      it('nor after a forget that had nothing to forget and wrote nothing itself', async () => {
        await inbox.accept(job('w1', A));
        await personOn(store.view.ledger, 'Person A').forget('forget');
        expect([await decided('w1'), await position()]).toEqual(['taken_back', 0]);
      });

      it('is a conflict first where the ledger moved, and known again where it was written before', async () => {
        await inbox.accept(job('w1', A));
        const { ledger } = store.view;
        const head = await ledger.head(ref.ledgerId);
        const commit = nextCommit(ref, head, 'one', { whileHeld: 'w1' });
        expect(await ledger.commit(commit)).toEqual({ status: 'committed' });
        await inbox.finish('w1');
        expect(await store.other.ledger.commit(commit)).toEqual({ status: 'already_committed' });
        const late = nextCommit(ref, head, 'two', { whileHeld: 'w1' });
        expect(await store.other.ledger.commit(late)).toEqual({ status: 'conflict' });
      });
    });

    it('purges names of jobs finished before a moment and nothing else', async () => {
      for (const [index, key] of ['old', 'young', 'open'].entries()) await inbox.accept(job(key, A, BEGINNING + index));
      store.clock.now = BEGINNING + 1_000;
      await inbox.finish('old');
      store.clock.now = BEGINNING + 2_000;
      await inbox.finish('young');
      expect(await inbox.purge(BEGINNING + 2_000)).toBe(1);
      expect(await inbox.accept(job('old', B))).toBe('accepted');
      expect(await inbox.accept(job('young', B))).toBe('duplicate');
      expect(await inbox.accept(job('open', B))).toBe('duplicate');
    });

    it('empties a forgotten person’s jobs but keeps them, so that they can be told to say it again', async () => {
      const person = personOn(store.view.ledger, 'Person A');
      await person.remember('message-1', 'vegan');
      await inbox.accept(job('a1', A, BEGINNING));
      await inbox.accept(job('a2', A, BEGINNING + 1));
      await inbox.accept(job('b1', B, BEGINNING + 2));
      await leasedKeys(BEGINNING);
      await person.forget();
      expect(await inbox.waiting()).toMatchObject({ jobs: 3 });
      const now = BEGINNING + LEASE_MS + 2;
      const leased = await store.other.inbox.lease(now, LEASE_MS, 10);
      expect(leased.map(({ key, body }) => [key, body === null ? null : Buffer.from(body).toString()])).toEqual([
        ['a1', null],
        ['b1', 'text of b1'],
      ]);
      await inbox.finish('a1');
      expect(await inbox.lease(now, LEASE_MS, 10)).toMatchObject([{ key: 'a2', body: null }]);
    });

    it('does not empty what a person says after they were forgotten', async () => {
      const person = personOn(store.view.ledger, 'Person A');
      await person.remember('message-1', 'vegan');
      await person.forget();
      await inbox.accept(job('a1', A));
      const [leased] = await inbox.lease(BEGINNING, LEASE_MS, 10);
      expect(Buffer.from(leased?.body ?? []).toString()).toBe('text of a1');
    });
  });
}
