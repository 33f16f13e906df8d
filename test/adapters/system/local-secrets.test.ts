/**
 * The secrets of a local start.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { localSecrets } from '../../../src/adapters/system/local-secrets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-secrets-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('are made once, readable by their owner only, and read the next time', () => {
  const first = localSecrets(join(folder, '.local'), randomBytes);
  const second = localSecrets(join(folder, '.local'), randomBytes);
  expect(first.made).toBe(true);
  expect(second).toEqual({ ...first, made: false });
  expect(statSync(first.path).mode & 0o777).toBe(0o600);
});

it('are not replaced when the file is damaged: others would make everybody a stranger', () => {
  writeFileSync(join(folder, 'secrets.json'), '{"SUBJECT_KEY":');
  expect(() => localSecrets(folder, randomBytes)).toThrow();
});
