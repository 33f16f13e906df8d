/**
 * Turns over a real SQLite file.
 * @module
 */
import { rmSync } from 'node:fs';
import { newFolder, openIn } from '../adapters/sqlite/store-files.ts';
import { turnsSuite } from './turns.flow.ts';

turnsSuite('SQLite', async () => {
  const folder = newFolder();
  const store = await openIn(folder);
  return {
    store,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
