/**
 * A store that would go with its container is known before anybody trusts it.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/adapters/system/config.ts';
import { isLostWithContainer, type Machine } from '../../../src/adapters/system/container-disk.ts';
import { startWorld } from '../../../src/world.ts';

const PROJECT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

function machine(marks: readonly string[], devices: Readonly<Record<string, number>>): Machine {
  return { exists: (path) => marks.includes(path), deviceOf: (path) => devices[path] ?? null };
}

const oneDisk = { '/': 1, '/app': 1 };
const withVolume = { '/': 1, '/data': 2 };

it.each([
  ['no container', machine([], oneDisk), '/app/ledger.sqlite', false, false],
  ["a container's own disk", machine(['/.dockerenv'], oneDisk), '/app/ledger.sqlite', false, true],
  ["another tool's container", machine(['/run/.containerenv'], oneDisk), '/app/ledger.sqlite', false, true],
  ['a volume of a container', machine(['/.dockerenv'], withVolume), '/data/ledger.sqlite', false, false],
  ['an instance on Cloud Run', machine([], oneDisk), '/app/ledger.sqlite', true, true],
  ['a volume on Cloud Run', machine([], withVolume), '/data/ledger.sqlite', true, false],
])('%s', (_title, on, path, onCloudRun, lost) => {
  expect(isLostWithContainer(path, onCloudRun, on)).toBe(lost);
});

it('a production start warns of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'local-disk-'));
  const key = () => randomBytes(32).toString('base64');
  const read = readConfig(
    {
      NODE_ENV: 'production',
      K_SERVICE: 'local',
      PORT: '0',
      TENANT_ID: 'town',
      SUBJECT_KEY: key(),
      CARD_KEYS: `k1:${key()}`,
      LEDGER_SQLITE_PATH: join(folder, 'ledger.sqlite'),
      LINE_CHANNEL_SECRET: '0123456789abcdef0123456789abcdef',
      LINE_CHANNEL_ACCESS_TOKEN: 'token-of-the-channel',
      LINE_BOT_USER_ID: `U${'0a'.repeat(16)}`,
    },
    null,
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const world = await startWorld(read.config, PROJECT, () => undefined);
  await world.stop();
  // A machine whose temporary folder is a disk of its own keeps it.
  const onRoot = statSync(folder).dev === statSync('/').dev;
  expect(world.warnings.some((words) => words.includes('goes with the container'))).toBe(onRoot);
  rmSync(folder, { recursive: true });
});
