/**
 * What every store of contexts promises (src/events/turn-ports.ts), as a suite over a store factory.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubjectKey } from '../../src/events/identity.ts';
import { CONTEXT_BODY_BYTES, type Contexts } from '../../src/events/turn-ports.ts';
import { BEGINNING, personLedger, personOn } from '../support/ledger-world.ts';
import type { StoreUnderTest, TurnStoreFactory, TurnStoreView } from './stores.ts';

const A = personLedger('Person A').subjectKey;
const B = personLedger('Person B').subjectKey;

export function contextContract(storeName: string, openStore: TurnStoreFactory): void {
  describe(`${storeName}: context between turns`, () => {
    let store: StoreUnderTest<TurnStoreView>;
    let contexts: Contexts;
    beforeEach(async () => {
      store = await openStore();
      contexts = store.view.contexts;
    });
    afterEach(() => store.close());

    async function kept(subjectKey: SubjectKey) {
      const { generation, body } = await store.other.contexts.read(subjectKey);
      return { generation, text: body === null ? null : Buffer.from(body).toString() };
    }
    const put = (subjectKey: SubjectKey, expectedGeneration: number, text: string, putAt = BEGINNING) =>
      contexts.put({ subjectKey, expectedGeneration, body: Buffer.from(text), causationId: 'w1', putAt });

    it('holds nothing of a stranger', async () => {
      expect(await kept(A)).toEqual({ generation: 0, text: null });
    });

    it('gives it back exactly, to any client, and each person their own', async () => {
      const long = 'x'.repeat(CONTEXT_BODY_BYTES);
      expect(await put(A, 0, long)).toBe('kept');
      expect(await put(B, 0, 'of B')).toBe('kept');
      expect([(await kept(A)).text, (await kept(B)).text]).toEqual([long, 'of B']);
    });

    it('refuses one that is too long', async () => {
      const body = Buffer.alloc(CONTEXT_BODY_BYTES + 1);
      const change = { subjectKey: A, expectedGeneration: 0, body, causationId: 'w1', putAt: BEGINNING };
      await expect(contexts.put(change)).rejects.toThrow(RangeError);
      expect((await kept(A)).text).toBeNull();
    });

    it('is replaced only by a turn that saw it', async () => {
      await put(A, 0, 'first');
      const { generation } = await kept(A);
      expect(await put(A, generation, 'second')).toBe('kept');
      expect(await put(A, generation, 'late')).toBe('conflict');
      expect((await kept(A)).text).toBe('second');
    });

    it('of many turns that saw the same, one is kept', async () => {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? contexts : store.other.contexts).put({
            subjectKey: A,
            expectedGeneration: 0,
            body: Buffer.from(String(index)),
            causationId: 'w1',
            putAt: BEGINNING,
          }),
        ),
      );
      expect(results.filter((result) => result === 'kept')).toHaveLength(1);
    });

    it('a forget empties it, and no turn that began before can put it back', async () => {
      const person = personOn(store.view.ledger, 'Person A');
      await person.remember('cause', 'vegan');
      await put(A, 0, 'of A');
      await put(B, 0, 'of B');
      const before = await kept(A);
      await person.forget();
      expect((await kept(A)).text).toBeNull();
      expect(await put(A, before.generation, 'late')).toBe('conflict');
      expect([(await kept(A)).text, (await kept(B)).text]).toEqual([null, 'of B']);
    });

    it('nor can one that had seen an empty one', async () => {
      await personOn(store.view.ledger, 'Person A').forget('forget-1');
      expect(await put(A, 0, 'late')).toBe('conflict');
    });

    it('nothing is put for a message that was emptied while its turn ran', async () => {
      const job = { key: 'w1', subjectKey: A, messageId: 'm1', body: Buffer.from('typed'), receivedAt: BEGINNING };
      await store.view.inbox.accept(job);
      await store.view.inbox.drop(A, 'm1');
      expect(await put(A, 0, 'late')).toBe('emptied');
      expect((await kept(A)).text).toBeNull();
    });

    it('purges what was put before a moment, and a turn that saw it puts nothing stale in its place', async () => {
      await put(A, 0, 'old');
      await put(B, 0, 'new', BEGINNING + 1_000);
      expect(await contexts.purge(BEGINNING + 1_000)).toBe(1);
      expect([(await kept(A)).text, (await kept(B)).text]).toEqual([null, 'new']);
      expect(await contexts.purge(BEGINNING + 1_000)).toBe(0);
    });
  });
}
