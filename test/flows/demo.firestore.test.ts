/**
 * The demonstration's six processes on Firestore, as anybody would run them.
 * @module
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { onEmulator } from '../support/on-emulator.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

async function demo(environment: Record<string, string>): Promise<{ code: number | null; words: string; out: string }> {
  const out = join(mkdtempSync(join(tmpdir(), 'local-demo-')), 'out');
  const env = { PATH: process.env['PATH'] ?? '', METADATA_SERVER_DETECTION: 'none', ...environment };
  const child = spawn(process.execPath, [MAIN, 'demo', '--out', out], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, words, out };
}

onEmulator('The demonstration on Firestore', (host) => {
  it('its six processes are as they must be, one life of a preference in one ledger', {
    timeout: 120_000,
  }, async () => {
    const { code, words, out } = await demo({ LEDGER_STORE: 'firestore', FIRESTORE_EMULATOR_HOST: host() });
    try {
      expect(words).toContain('All six steps were as they must be');
      expect(code).toBe(0);
      expect(words).toContain('No backups were written');
      expect(readdirSync(out).filter((name) => name.endsWith('.sqlite'))).toEqual([]);
      const { rows } = JSON.parse(readFileSync(join(out, 'F-query-and-old-cards.rows.json'), 'utf8'));
      expect(rows.events.map(({ type }: { type: string }) => type)).toEqual([
        'preference.proposed',
        'preference.approved',
        'preference.proposed',
        'preference.corrected',
        'preference.forgotten',
        'card.refused',
        'card.refused',
      ]);
      expect(rows.contentRow).toBe(false);
    } finally {
      rmSync(join(out, '..'), { recursive: true });
    }
  });
});

it('refuses a real project, which its throw-away keys would not fit', async () => {
  const { code, words, out } = await demo({ LEDGER_STORE: 'firestore', GOOGLE_CLOUD_PROJECT: 'town-ledger' });
  rmSync(join(out, '..'), { recursive: true });
  expect(code).toBe(2);
  expect(words).toContain('start an emulator');
});
