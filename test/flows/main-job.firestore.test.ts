/**
 * The main job, and what is taken back during it, over a real Firestore client, on the emulator.
 * @module
 */
import { newProject, openClient } from '../adapters/firestore/emulated-store.ts';
import { onEmulator } from '../support/on-emulator.ts';
import { mainJobSuite } from './main-job.flow.ts';
import { takingBackSuite } from './taking-back.flow.ts';

onEmulator('Firestore', (host) => {
  async function open() {
    const store = await openClient(host(), newProject(), { clock: Date.now });
    return { store, close: () => store.close() };
  }
  mainJobSuite('Firestore', open);
  takingBackSuite('Firestore', 3, open);
});
