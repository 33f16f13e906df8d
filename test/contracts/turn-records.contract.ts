/**
 * What every store of turn records promises (src/events/turn-ports.ts), as a suite over a store factory.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TURN_BODY_BYTES, type TurnIds, type TurnRecords } from '../../src/events/turn-ports.ts';
import { BEGINNING, personLedger, personOn } from '../support/ledger-world.ts';
import type { StoreUnderTest, TurnStoreFactory, TurnStoreView } from './stores.ts';

const refA = personLedger('Person A');
const refB = personLedger('Person B');

function idsOf(turnId: string, over: Partial<TurnIds> = {}): TurnIds {
  return {
    turnId,
    causationId: `w-${turnId}`,
    subjectKey: refA.subjectKey,
    ledgerId: refA.ledgerId,
    usedRevision: null,
    recordedAt: BEGINNING,
    ...over,
  };
}
const idsOfB = { subjectKey: refB.subjectKey, ledgerId: refB.ledgerId };

export function turnRecordsContract(storeName: string, openStore: TurnStoreFactory): void {
  describe(`${storeName}: turn records`, () => {
    let store: StoreUnderTest<TurnStoreView>;
    let turns: TurnRecords;
    beforeEach(async () => {
      store = await openStore();
      turns = store.view.turnRecords;
    });
    afterEach(() => store.close());

    async function textOf(turnId: string): Promise<string | null> {
      const row = await store.other.turnRecords.read(turnId);
      return row?.body == null ? null : Buffer.from(row.body).toString();
    }
    const record = (turnId: string, text = `words of ${turnId}`, over: Partial<TurnIds> = {}) =>
      turns.record({ ...idsOf(turnId, over), body: Buffer.from(text) });
    const accept = (key: string, messageId: string) =>
      store.view.inbox.accept({
        key,
        subjectKey: refA.subjectKey,
        messageId,
        body: Buffer.from('typed'),
        receivedAt: BEGINNING,
      });

    it('gives a turn back exactly, to any client, and knows no other', async () => {
      const body = Buffer.alloc(TURN_BODY_BYTES, 'x');
      expect(await turns.record({ ...idsOf('m1', { usedRevision: 3 }), body })).toBe('kept');
      const row = await store.other.turnRecords.read('m1');
      expect(row).toEqual({ ...idsOf('m1', { usedRevision: 3 }), body: new Uint8Array(body) });
      expect(await turns.read('m2')).toBeNull();
    });

    it('refuses a body that is too long', async () => {
      const body = Buffer.alloc(TURN_BODY_BYTES + 1);
      await expect(turns.record({ ...idsOf('m1'), body })).rejects.toThrow(RangeError);
      expect(await turns.read('m1')).toBeNull();
    });

    it('keeps one row for a turn that ran twice', async () => {
      await record('m1', 'first');
      await record('m1', 'second', { usedRevision: 2 });
      expect(await textOf('m1')).toBe('second');
      expect((await turns.using(refA.ledgerId, 2, 10)).map(({ turnId }) => turnId)).toEqual(['m1']);
    });

    it('gives no turn to another person under the same id', async () => {
      await record('m1');
      await expect(record('m1', 'of B', idsOfB)).rejects.toThrow(RangeError);
      expect(await textOf('m1')).toBe('words of m1');
    });

    it('a forget empties every turn of the person and keeps the ids; nobody else’s is touched', async () => {
      const person = personOn(store.view.ledger, 'Person A');
      await person.remember('cause', 'vegan');
      await record('m1');
      await record('m2', 'more words', { usedRevision: 1 });
      await record('b1', 'of B', idsOfB);
      await person.forget();
      expect(await turns.read('m1')).toEqual({ ...idsOf('m1'), body: null });
      expect(await turns.read('m2')).toEqual({ ...idsOf('m2', { usedRevision: 1 }), body: null });
      expect((await turns.using(refA.ledgerId, 1, 10)).map(({ turnId }) => turnId)).toEqual(['m2']);
      expect(await textOf('b1')).toBe('of B');
    });

    it('a forget with nothing in force empties them as well', async () => {
      await record('m1');
      await personOn(store.view.ledger, 'Person A').forget('forget-1');
      expect(await turns.read('m1')).toEqual({ ...idsOf('m1'), body: null });
    });

    it('approving and correcting leave turns as they are', async () => {
      const person = personOn(store.view.ledger, 'Person A');
      await record('m1');
      await person.remember('cause-1', 'vegan');
      await person.remember('cause-2', 'lacto');
      expect(await textOf('m1')).toBe('words of m1');
    });

    it('words a forget emptied while their turn ran do not come back with its trail', async () => {
      await accept('w-m1', 'm1');
      await personOn(store.other.ledger, 'Person A').forget('forget-1');
      expect(await record('m1')).toBe('kept_without_body');
      expect(await turns.read('m1')).toEqual({ ...idsOf('m1'), body: null });
    });

    it('neither do words that were unsent while their turn ran', async () => {
      await accept('w-m1', 'm1');
      await store.view.inbox.drop(refA.subjectKey, 'm1');
      expect(await record('m1')).toBe('kept_without_body');
      expect(await textOf('m1')).toBeNull();
    });

    it('a turn whose message still waits is kept, and is there after the message is finished', async () => {
      await accept('w-m1', 'm1');
      expect(await record('m1')).toBe('kept');
      await store.view.inbox.finish('w-m1');
      expect(await textOf('m1')).toBe('words of m1');
    });

    it('an earlier run of a turn is emptied by a later one whose words are gone', async () => {
      await record('m1');
      await accept('w-m1', 'm1');
      await store.view.inbox.drop(refA.subjectKey, 'm1');
      await record('m1');
      expect(await textOf('m1')).toBeNull();
    });

    it('one turn can be emptied, by its own person only, and again without effect', async () => {
      await record('m1');
      await record('m2');
      await turns.empty(refB.subjectKey, 'm1');
      expect(await textOf('m1')).toBe('words of m1');
      await turns.empty(refA.subjectKey, 'm1');
      await turns.empty(refA.subjectKey, 'm1');
      await turns.empty(refA.subjectKey, 'unknown');
      expect([await textOf('m1'), await textOf('m2')]).toEqual([null, 'words of m2']);
    });

    it('lists the turns that used a revision, oldest first, at most as many as asked for', async () => {
      await record('m3', 'c', { usedRevision: 1, recordedAt: BEGINNING + 3 });
      await record('m1', 'a', { usedRevision: 1, recordedAt: BEGINNING + 1 });
      await record('m2', 'b', { usedRevision: 2, recordedAt: BEGINNING + 2 });
      await record('m4', 'd', { recordedAt: BEGINNING + 4 });
      const used = async (limit: number) =>
        (await store.other.turnRecords.using(refA.ledgerId, 1, limit)).map(({ turnId }) => turnId);
      expect([await used(10), await used(1)]).toEqual([['m1', 'm3'], ['m1']]);
      expect(await turns.using(refB.ledgerId, 1, 10)).toEqual([]);
    });

    it('purges what was recorded before a moment, ids included, and nothing of that moment', async () => {
      await record('old');
      await record('new', 'words', { recordedAt: BEGINNING + 1 });
      expect(await turns.purge(BEGINNING + 1)).toBe(1);
      expect(await turns.read('old')).toBeNull();
      expect(await textOf('new')).toBe('words');
      expect(await turns.purge(BEGINNING + 1)).toBe(0);
    });
  });
}
