/**
 * What only Firestore can get wrong: whose store it is, what another client did meanwhile, documents out of step.
 * @module
 */
import firestore from '@google-cloud/firestore';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FirestoreStore } from '../../../src/adapters/firestore/store.ts';
import type { Head } from '../../../src/events/ports.ts';
import { decodeState } from '../../../src/projections/preference-state.ts';
import { nextCommit, personLedger, personOn, sealedOn } from '../../support/ledger-world.ts';
import { newProject, openClient } from './emulated-store.ts';

const NOTHING_HAPPENED: Head = { position: 0, hash: null, time: null, state: null };
const ref = personLedger('Person A');

export function oneStore(emulatorHost: () => string): void {
  describe('whose store it is', () => {
    it('refuses another SUBJECT_KEY, and leaves the store as it was', async () => {
      const projectId = newProject();
      const store = await openClient(emulatorHost(), projectId);
      await expect(
        openClient(emulatorHost(), projectId, { subjectKeyFingerprint: 'x'.repeat(43) }),
      ).rejects.toMatchObject({ name: 'StoreRefused', cause: 'other_subject_key' });
      expect(await store.health()).toEqual({ reachable: true, erasurePending: false, writesWaiting: 0 });
      await store.close();
    });

    it('is one key’s when two are first at once', async () => {
      const projectId = newProject();
      const opened = await Promise.allSettled(
        ['x', 'y', 'x', 'y'].map((letter) =>
          openClient(emulatorHost(), projectId, { subjectKeyFingerprint: letter.repeat(43) }),
        ),
      );
      expect(opened.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
      for (const each of opened) if (each.status === 'fulfilled') await each.value.close();
    });

    it('refuses a store of a later version', async () => {
      const projectId = newProject();
      await withRaw(emulatorHost(), projectId, (db) =>
        db.doc('meta/store').set({ format: 2, subjectKeyFingerprint: 'x'.repeat(43) }),
      );
      await expect(openClient(emulatorHost(), projectId)).rejects.toMatchObject({ cause: 'newer_schema' });
    });
  });

  describe('another client', () => {
    let projectId: string;
    let store: FirestoreStore;
    let other: FirestoreStore;
    beforeEach(async () => {
      projectId = newProject();
      store = await openClient(emulatorHost(), projectId);
      other = await openClient(emulatorHost(), projectId);
    });
    afterEach(() => Promise.all([store.close(), other.close()]));

    async function append(by: FirestoreStore, name: string): Promise<void> {
      const head = await by.ledger.head(ref.ledgerId);
      expect(await by.ledger.commit(nextCommit(ref, head, name))).toEqual({ status: 'committed' });
    }

    it.each([0, 1])(
      'that moved the ledger from position %i makes an answer without an event a conflict',
      async (from) => {
        if (from === 1) await append(store, 'event 1');
        const head = await store.ledger.head(ref.ledgerId);
        await append(other, 'moved');
        const once = { key: 'w1', outcome: '{}' };
        expect(await store.ledger.commit(nextCommit(ref, head, 'none', { events: [], once }))).toEqual({
          status: 'conflict',
        });
        expect(await store.ledger.once('w1')).toBeNull();
      },
    );

    it('never sees a head with the content of another revision', async () => {
      const person = personOn(store.ledger, 'Person A');
      let changing = true;
      const changes = (async () => {
        for (const [index, value] of ['vegan', 'lacto', 'vegan', 'lacto'].entries()) {
          await person.remember(`message-${index}`, value);
          if (index % 2 === 1) await person.forget();
        }
        changing = false;
      })();
      let looks = 0;
      while (changing) {
        const { head, content } = await other.ledger.headWithContent(ref.ledgerId);
        const { present } = decodeState(head.state);
        expect(content?.revision ?? null).toBe(present.commitment === null ? null : present.revision);
        looks += 1;
      }
      await changes;
      expect(looks).toBeGreaterThan(5);
    });

    it('that wrote a head anew without moving it costs another try, not the commit', async () => {
      await append(store, 'event 1');
      const head = await store.ledger.head(ref.ledgerId);
      await withRaw(emulatorHost(), projectId, (db) => db.doc(`ledgers/${ref.ledgerId}`).update({ restored: true }));
      expect(await store.ledger.commit(nextCommit(ref, head, 'event 2'))).toEqual({ status: 'committed' });
    });

    it('that set a head back leaves a damaged ledger, to which nothing is appended', async () => {
      await append(store, 'event 1');
      const before = await store.ledger.head(ref.ledgerId);
      await append(store, 'event 2');
      await withRaw(emulatorHost(), projectId, (db) => db.doc(`ledgers/${ref.ledgerId}`).update({ ...before }));
      for (const client of [store, other])
        await expect(client.ledger.commit(nextCommit(ref, before, 'event 3'))).rejects.toThrow(/damaged/);
      expect(await other.ledger.events(ref.ledgerId, 1, 9)).toHaveLength(2);
    });

    it('gives 1,000 events a call, in order, however many there are', async () => {
      let head: Head = NOTHING_HAPPENED;
      for (let batch = 0; batch < 3; batch += 1) {
        const events = [];
        let last: Pick<Head, 'position' | 'hash'> = head;
        for (let count = 0; count < 350; count += 1) {
          const event = sealedOn(ref, last, `event ${last.position + 1}`);
          events.push(event);
          last = event;
        }
        const commit = nextCommit(ref, head, 'many', { events });
        expect(await store.ledger.commit(commit)).toEqual({ status: 'committed' });
        head = await store.ledger.head(ref.ledgerId);
      }
      const events = await other.ledger.events(ref.ledgerId, 1, Number.MAX_SAFE_INTEGER);
      expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
      expect(await other.ledger.events(ref.ledgerId, 1_001, 2_000)).toHaveLength(50);
    });

    it('waits its turn for a ledger inside one process, also behind one that failed', async () => {
      const order: string[] = [];
      const turn = (name: string, fails: boolean) =>
        store.inTurn(ref.ledgerId, async () => {
          order.push(`${name} begins`);
          await store.ledger.head(ref.ledgerId);
          order.push(`${name} ends`);
          if (fails) throw new Error(name);
        });
      await Promise.allSettled([turn('one', true), turn('two', false)]);
      expect(order).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
    });
  });
}

/** Does something to the documents behind the store's back. */
async function withRaw(
  host: string,
  projectId: string,
  work: (db: firestore.Firestore) => Promise<unknown>,
): Promise<void> {
  const db = new firestore.Firestore({ projectId, host, ssl: false });
  await work(db);
  await db.terminate();
}
