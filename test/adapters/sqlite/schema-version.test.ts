/**
 * The number of the schema and the tables belong together: who changes one must change the other.
 * @module
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SCHEMA_SQL, SCHEMA_USER_VERSION } from '../../../src/adapters/sqlite/schema.ts';
import { newFolder, openIn } from './store-files.ts';

/** The tables of each version, as SHA-256 of their text. A new version is a new line; a shipped line never changes. */
const TABLES: Readonly<Record<number, string>> = {
  2: 'e158c471236d3a84fe891d81b698e54db31092bf5825334433da0f9df1253f0e',
};

it('a change of the tables raises the version', () => {
  expect(createHash('sha256').update(SCHEMA_SQL).digest('hex')).toBe(TABLES[SCHEMA_USER_VERSION]);
});

it.each([1, 3])('a file of version %i is refused by name', async (version) => {
  const folder = newFolder();
  await (await openIn(folder)).close();
  const db = new DatabaseSync(join(folder, 'ledger.sqlite'));
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
  await expect(openIn(folder)).rejects.toMatchObject({ cause: version === 1 ? 'older_schema' : 'newer_schema' });
  rmSync(folder, { recursive: true });
});
