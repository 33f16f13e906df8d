import type { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { applySettings, readSettingsBack } from '../../../src/adapters/sqlite/settings.ts';
import { scanForgets } from './forget-scan.ts';

/** In the ordinary run; `npm run deep` takes the same function to 10,000. */
const PEOPLE = 300;
const SEED = 20260105;

const mutant = vi.hoisted(() => ({ secureDelete: true }));
// The one setting under test is taken away behind the store's back, to see that the scan would notice.
vi.mock('../../../src/adapters/sqlite/settings.ts', async (importOriginal) => {
  const real = await importOriginal<{
    applySettings: typeof applySettings;
    readSettingsBack: typeof readSettingsBack;
  }>();
  return {
    ...real,
    applySettings(db: DatabaseSync) {
      real.applySettings(db);
      if (!mutant.secureDelete) db.exec('PRAGMA secure_delete = OFF');
    },
    readSettingsBack: (db: DatabaseSync) => (mutant.secureDelete ? real.readSettingsBack(db) : {}),
  };
});
afterEach(() => {
  mutant.secureDelete = true;
});

describe(`after ${PEOPLE} people have forgotten (seed ${SEED})`, () => {
  it('no byte of any file holds a label, a sentence, a content or a blinding key, with another process on the file', async () => {
    const scan = await scanForgets(PEOPLE, SEED);
    expect(scan.kindsBefore).toBe(4);
    expect(scan.afterErasure).toEqual([]);
    expect(scan.afterClose).toEqual([]);
  });

  it('what a reader still keeps in the log is found there, and the store says that erasure is pending', async () => {
    const { whilePending, saidPending } = await scanForgets(40, SEED);
    expect(saidPending).toBe(true);
    expect(whilePending.some(({ file }) => file.endsWith('-wal'))).toBe(true);
  });

  it('the scan finds what is left behind when secure_delete is off', async () => {
    mutant.secureDelete = false;
    const { afterErasure } = await scanForgets(PEOPLE, SEED);
    expect(afterErasure.length).toBeGreaterThan(0);
  });
});
