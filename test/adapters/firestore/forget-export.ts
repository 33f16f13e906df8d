/**
 * What the emulator's own export still holds after a forget, byte by byte.
 * @module
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FirestoreStore } from '../../../src/adapters/firestore/store.ts';
import { BEGINNING, type Offered, personOn, sentenceFor } from '../../support/ledger-world.ts';
import { openClientThrough } from './calls-between.ts';
import { newProject, openClient } from './emulated-store.ts';

/** All bytes of an export of the project. */
async function exported(emulatorHost: string, projectId: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'local-firestore-export-'));
  try {
    const database = `projects/${projectId}/databases/(default)`;
    const response = await fetch(`http://${emulatorHost}/emulator/v1/projects/${projectId}:export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ database, export_directory: folder, export_name: 'all' }),
    });
    if (!response.ok) throw new Error(`The export failed with ${response.status}`);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function forgetting(emulatorHost: () => string): void {
  describe('forget', () => {
    let projectId: string;
    let store: FirestoreStore;
    beforeEach(async () => {
      projectId = newProject();
      store = await openClient(emulatorHost(), projectId);
    });
    afterEach(() => store.close());

    function tracesIn(bytes: Buffer, offered: Offered): string[] {
      return offered.traces
        .filter((trace) => bytes.includes(Buffer.from(trace)))
        .map((trace) => Buffer.from(trace).toString());
    }

    it('leaves no byte of a value, its key or the sentence in an export, and all of them of everybody else', async () => {
      const [a, b] = ['Person A', 'Person B'].map((name) => personOn(store.ledger, name));
      if (a === undefined || b === undefined) throw new Error('Two people');
      const ofA = await a.remember('message-1', 'vegan');
      const ofB = await b.remember('message-1', 'lacto');
      for (const [person, value] of [
        [a, 'vegan'],
        [b, 'lacto'],
      ] as const) {
        await store.inbox.accept({
          key: `delivery of ${person.subjectKey}`,
          subjectKey: person.subjectKey,
          messageId: 'message-2',
          body: Buffer.from(sentenceFor(value)),
          receivedAt: BEGINNING,
        });
        const { subjectKey, ref } = person;
        const body = Buffer.from(`turn: ${sentenceFor(value)}`);
        const causationId = `delivery of ${subjectKey}`;
        const ids = { turnId: `turn of ${subjectKey}`, causationId, subjectKey, ledgerId: ref.ledgerId };
        await store.turnRecords.record({ ...ids, usedRevision: null, recordedAt: BEGINNING, body });
        const carried = Buffer.from(`carried: ${sentenceFor(value)}`);
        const context = { subjectKey, expectedGeneration: 0, body: carried, causationId, putAt: BEGINNING };
        expect(await store.contexts.put(context)).toBe('kept');
      }
      const before = await exported(emulatorHost(), projectId);
      // The scan must be able to find: content and inbox text are there before.
      expect(tracesIn(before, ofA).length).toBeGreaterThanOrEqual(3);
      for (const kind of ['turn', 'carried']) expect(before.includes(`${kind}: ${sentenceFor('vegan')}`)).toBe(true);
      const heldOfB = tracesIn(before, ofB);
      await a.forget();
      const after = await exported(emulatorHost(), projectId);
      expect(tracesIn(after, ofA)).toEqual([]);
      expect(tracesIn(after, ofB)).toEqual(heldOfB);
      expect(after.includes(a.ref.ledgerId)).toBe(true);
    });

    it('misses no job that was accepted while it was under way', async () => {
      const { subjectKey } = personOn(store.ledger, 'Person A');
      const accept = (key: string) =>
        store.inbox.accept({
          key,
          subjectKey,
          messageId: null,
          body: Buffer.from(`text of ${key}`),
          receivedAt: BEGINNING,
        });
      await personOn(store.ledger, 'Person A').remember('message-1', 'vegan');
      let interruptions = 0;
      const interrupted = await openClientThrough({ host: emulatorHost(), projectId }, (calls) => ({
        ...calls,
        async send(fill) {
          // Between reading what the inbox holds and the commit that empties it.
          if (interruptions < 2) {
            interruptions += 1;
            await accept(`job ${interruptions}`);
          }
          return calls.send(fill);
        },
      }));
      const forgotten = await personOn(interrupted.ledger, 'Person A').forget();
      expect(forgotten).toMatchObject({ kind: 'decided', outcome: { outcome: 'memory_forgotten' } });
      await accept('job after');
      const bodies: (string | null)[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const [job] = await store.inbox.lease(BEGINNING, 1_000, 10);
        bodies.push(job?.body ? Buffer.from(job.body).toString() : null);
        await store.inbox.finish(job?.key ?? '');
      }
      expect(interruptions).toBe(2);
      expect(bodies).toEqual([null, null, 'text of job after']);
      await interrupted.close();
    });

    it('empties more jobs than fit into one commit', async () => {
      const person = personOn(store.ledger, 'Person A');
      await person.remember('message-1', 'vegan');
      const numbers = Array.from({ length: 310 }, (_, number) => number);
      await Promise.all(
        numbers.map((number) =>
          store.inbox.accept({
            key: `delivery ${number}`,
            subjectKey: person.subjectKey,
            messageId: null,
            body: Buffer.from(sentenceFor('vegan')),
            receivedAt: BEGINNING + number,
          }),
        ),
      );
      await person.forget();
      expect(await store.inbox.waiting()).toMatchObject({ jobs: 310, oldestReceivedAt: BEGINNING });
      expect((await exported(emulatorHost(), projectId)).includes(sentenceFor('vegan'))).toBe(false);
    });
  });
}
