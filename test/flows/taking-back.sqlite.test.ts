/**
 * What is taken back, over a real SQLite file.
 * @module
 */
import { rmSync } from 'node:fs';
import { newFolder, openIn } from '../adapters/sqlite/store-files.ts';
import { takingBackSuite } from './taking-back.flow.ts';

takingBackSuite('SQLite', 20, async () => {
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
