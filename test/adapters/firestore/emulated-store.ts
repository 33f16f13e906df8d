/**
 * Stores on the emulator for tests, each in a project of its own, so that none sees another's documents.
 * @module
 */
import { randomUUID } from 'node:crypto';
import { type FirestoreStore, openFirestoreStore } from '../../../src/adapters/firestore/store.ts';
import { subjectKeyFingerprint } from '../../../src/events/identity.ts';
import type { StoreUnderTest } from '../../contracts/stores.ts';
import { BEGINNING, SUBJECT_KEY } from '../../support/ledger-world.ts';

/** Long enough for 32 clients on a busy machine, short enough that a test which hangs says so. */
export const TEST_DEADLINE_MS = 20_000;

/** A project id that nothing else uses. */
export function newProject(): string {
  return `demo-${randomUUID()}`;
}

/** One client of a project. */
export function openClient(
  emulatorHost: string,
  projectId: string,
  over: Partial<Parameters<typeof openFirestoreStore>[0]> = {},
): Promise<FirestoreStore> {
  return openFirestoreStore({
    projectId,
    emulatorHost,
    subjectKeyFingerprint: subjectKeyFingerprint(SUBJECT_KEY),
    clock: () => BEGINNING,
    random: Math.random,
    deadlineMs: TEST_DEADLINE_MS,
    ...over,
  });
}

/** A fresh store seen through two clients. */
export async function openTwice(emulatorHost: string): Promise<StoreUnderTest<FirestoreStore>> {
  const projectId = newProject();
  const clock = { now: BEGINNING };
  const view = await openClient(emulatorHost, projectId, { clock: () => clock.now });
  const other = await openClient(emulatorHost, projectId, { clock: () => clock.now });
  return {
    view,
    other,
    clock,
    async close() {
      await view.close();
      await other.close();
    },
  };
}
