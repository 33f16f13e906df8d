/**
 * The main job over a real Firestore client, on the emulator.
 * @module
 */
import { newProject, openClient } from '../adapters/firestore/emulated-store.ts';
import { onEmulator } from '../support/on-emulator.ts';
import { mainJobSuite } from './main-job.flow.ts';

onEmulator('Firestore', (host) => {
  mainJobSuite('Firestore', async () => {
    const store = await openClient(host(), newProject(), { clock: Date.now });
    return { store, close: () => store.close() };
  });
});
