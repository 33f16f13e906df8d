/**
 * Real SQLite files in a folder of their own, for one test each.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from '../../../src/adapters/sqlite/store.ts';
import { subjectKeyFingerprint } from '../../../src/events/identity.ts';
import type { StoreUnderTest } from '../../contracts/stores.ts';
import { BEGINNING, SUBJECT_KEY } from '../../support/ledger-world.ts';

/** A new empty folder, removed by whoever made it. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'local-store-'));
}

/** Even draws that follow from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Opens the store file of a folder with the keys of every test world. */
export function openIn(folder: string, over: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  return openSqliteStore({
    path: join(folder, 'ledger.sqlite'),
    subjectKeyFingerprint: subjectKeyFingerprint(SUBJECT_KEY),
    clock: () => BEGINNING,
    random: seededRandom(1),
    ...over,
  });
}

/** A fresh store seen through two connections. */
export async function openTwice(): Promise<StoreUnderTest<SqliteStore>> {
  const folder = newFolder();
  const clock = { now: BEGINNING };
  const view = await openIn(folder, { clock: () => clock.now });
  const other = await openIn(folder, { clock: () => clock.now, random: seededRandom(2) });
  return {
    view,
    other,
    clock,
    async close() {
      await view.close();
      await other.close();
      rmSync(folder, { recursive: true });
    },
  };
}
