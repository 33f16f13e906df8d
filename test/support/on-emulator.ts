/**
 * Suites that need the Firestore emulator: one process for each file, and a skip that is told where there is none.
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FirestoreEmulator,
  findFirestoreEmulator,
  NO_FIRESTORE_EMULATOR,
  startFirestoreEmulator,
} from './firestore-emulator.ts';

/** Whether this is a run that must have every part. */
export const IN_CI = (process.env['CI'] ?? '') !== '';

const source = await findFirestoreEmulator();

/** Defines tests over one emulator, whose `host:port` is known once they run. Without one they are skipped; CI fails. */
export function onEmulator(what: string, define: (host: () => string) => void): void {
  if (source === null) {
    it('needs an emulator: where there is none all below is skipped, and in CI this fails', () => {
      process.stderr.write(`${NO_FIRESTORE_EMULATOR} Skipped, their number stands below: ${what}.\n`);
      expect(IN_CI).toBe(false);
    });
  }
  describe.skipIf(source === null)(`${what} (emulator)`, () => {
    let emulator: FirestoreEmulator | undefined;
    beforeAll(async () => {
      if (source !== null) emulator = await startFirestoreEmulator(source);
    });
    afterAll(() => emulator?.stop());
    define(() => emulator?.host ?? '');
  });
}
