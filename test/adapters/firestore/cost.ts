/**
 * What a decision costs on Firestore: requests as they pass on the wire, and documents written.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FirestoreStore } from '../../../src/adapters/firestore/store.ts';
import { personOn } from '../../support/ledger-world.ts';
import { collectionsWritten, openClientThrough } from './calls-between.ts';
import { newProject, openClient } from './emulated-store.ts';
import { openWire, type Wire } from './wire.ts';

const READ = 'BatchGetDocuments';
const COMMIT = 'Commit';

export function costs(emulatorHost: () => string): void {
  describe('requests and documents', () => {
    let wire: Wire;
    let other: FirestoreStore;
    let store: FirestoreStore;
    let written: string[];
    let beforeSending: (() => Promise<void>) | null;
    beforeEach(async () => {
      wire = await openWire(emulatorHost());
      const projectId = newProject();
      written = [];
      beforeSending = null;
      store = await openClientThrough({ host: wire.host, projectId }, (calls) => ({
        ...calls,
        async send(fill) {
          await beforeSending?.();
          written = collectionsWritten(fill);
          return calls.send(fill);
        },
      }));
      other = await openClient(emulatorHost(), projectId);
      wire.requests.length = 0;
    });
    afterEach(async () => {
      await Promise.all([store.close(), other.close()]);
      await wire.close();
    });

    it('an approval reads one document in one request and writes five in another, cold and warm', async () => {
      const offered = await personOn(other.ledger, 'Person A').propose('message-1', 'vegan');
      await personOn(store.ledger, 'Person A').approve(offered, 'tap-1');
      expect(wire.requests).toEqual([READ, COMMIT]);
      expect(written).toEqual(['ledgers', 'events', 'moved', 'content', 'once']);
      const next = await personOn(store.ledger, 'Person A').propose('message-2', 'lacto');
      wire.requests.length = 0;
      await personOn(store.ledger, 'Person A').approve(next, 'tap-2');
      expect(wire.requests).toEqual([READ, COMMIT]);
    });

    it('a proposal reads head and content in one request and writes three documents', async () => {
      await personOn(store.ledger, 'Person A').propose('message-1', 'vegan');
      expect(wire.requests).toEqual([READ, COMMIT]);
      expect(written).toEqual(['ledgers', 'events', 'moved']);
    });

    it('a forget reads head, fence, waiting jobs and turns and writes seven documents', async () => {
      await personOn(other.ledger, 'Person A').remember('message-1', 'vegan');
      await personOn(store.ledger, 'Person A').forget('tap-1');
      expect(wire.requests).toEqual([READ, READ, 'RunQuery', 'RunQuery', COMMIT]);
      expect(written).toEqual(['ledgers', 'events', 'moved', 'content', 'once', 'subjects', 'contexts']);
    });

    it('a race lost to another instance costs two requests more: why it was lost, and the head again', async () => {
      const offered = await personOn(other.ledger, 'Person A').propose('message-1', 'vegan');
      const [winner, loser] = [other, store].map(({ ledger }) => personOn(ledger, 'Person A'));
      beforeSending = async () => {
        beforeSending = null;
        await winner?.approve(offered, 'tap-1');
      };
      const told = await loser?.approve(offered, 'tap-2');
      expect(told).toMatchObject({ outcome: { outcome: 'already_applied' } });
      expect(wire.requests).toEqual([READ, COMMIT, READ, ...[READ, COMMIT]]);
    });
  });
}
