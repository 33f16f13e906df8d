/**
 * The auditor's way from a running service to a verified bundle: processes, files, both verifiers, a witness, and a database
 * that was cut or rolled back behind the program's back.
 * @module
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/adapters/system/config.ts';
import { checkpointerOf, checkpointKeys, verifierOfNewest } from '../../src/checkpoints.ts';
import { openStore } from '../../src/stores.ts';
import { startLineDouble } from '../support/line-double.ts';
import { postWebhook, serviceEnvironment, startService, webhookBody } from '../support/service-process.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const USERS = ['a', 'b', 'c'].map((letter) => `U${letter.repeat(32)}`);

let folder: string;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'local-checkpoints-'));
  const line = await startLineDouble();
  environment = serviceEnvironment(folder, line.url);
  const service = await startService(environment);
  for (const [index, userId] of USERS.entries()) {
    const wish = { type: 'message', message: { type: 'text', id: `10${index}`, text: '以後優先找蔬食，幫我記住' } };
    expect(await postWebhook(service.url, webhookBody(userId, `01JWISH0000000000000000${index}`, wish))).toBe(200);
  }
  await line.called(USERS.length);
  service.child.kill('SIGTERM');
  await service.ended;
  await line.close();
  // The service signed when it started and still holds the lease: another writer may sign three minutes later.
  const config = readConfig(environment, null);
  if (!config.ok) throw new Error('The configuration of the test is not complete');
  const store = await openStore(config.config, false);
  const { outcome } = await checkpointerOf(config.config, store.checkpointLog, 'test').run(Date.now() + 181_000);
  expect(outcome).toBe('signed');
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

type Ran = { readonly code: number; readonly out: string; readonly words: string };
function run(command: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, [...args], { env: environment, cwd: folder }, (error, out, words) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, words });
    });
  });
}
const ledger = (...args: string[]): Promise<Ran> =>
  run(process.execPath, [join(PROJECT, 'src/main.ts'), 'ledger', ...args]);

describe('a bundle', () => {
  it('is exported, and both stand-alone verifiers find it good with nothing but the public key', async () => {
    const key = await ledger('checkpoint-key', '--public');
    writeFileSync(join(folder, 'key.txt'), key.out);
    expect(await ledger('export', '--all', '--out', join(folder, 'bundle'), '--json')).toMatchObject({ code: 0 });
    for (const verifier of [
      [process.execPath, join(PROJECT, 'verify/verify-bundle.mjs')],
      ['python3', join(PROJECT, 'verify/verify_bundle.py')],
    ] as const) {
      const { code, out, words } = await run(verifier[0], [
        verifier[1],
        join(folder, 'bundle'),
        '--key',
        join(folder, 'key.txt'),
      ]);
      expect({ code, words }).toMatchObject({ code: 0 });
      expect(JSON.parse(out)).toMatchObject({ ok: true, ledgers: USERS.length, problems: [] });
    }
  });

  it('is remembered by a witness', async () => {
    const keep = join(folder, 'witness.json');
    const first = await ledger(
      'witness',
      '--keep',
      keep,
      '--from',
      join(folder, 'bundle'),
      '--key',
      join(folder, 'key.txt'),
    );
    expect(first).toMatchObject({ code: 0 });
    expect(JSON.parse(first.out)).toMatchObject({ outcome: 'first' });
    const again = await ledger('witness', '--keep', keep, '--from', join(folder, 'bundle'));
    expect(JSON.parse(again.out)).toMatchObject({ outcome: 'unchanged' });
  });
});

describe('a deployment that begins to name its keys', () => {
  it('is judged by the key before until the new one has signed, and by the new one after', async () => {
    copyFileSync(join(folder, 'ledger.sqlite'), join(folder, 'before-keys.sqlite'));
    const named = {
      ...environment,
      CHECKPOINT_KEYS: Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 9 + 4) % 256)).toString('base64'),
    };
    const config = readConfig(named, null);
    if (!config.ok) throw new Error('The configuration of the test is not complete');
    const store = await openStore(config.config, false, 'operator');
    const keys = checkpointKeys(config.config);
    expect(await verifierOfNewest(store.checkpointLog, keys)).not.toEqual(keys.verifier);
    const checkpointer = checkpointerOf(config.config, store.checkpointLog, 'test-of-keys');
    expect((await checkpointer.run(Date.now() + 600_000)).outcome).toBe('signed');
    expect(await verifierOfNewest(store.checkpointLog, keys)).toEqual(keys.verifier);
    await store.close();
    copyFileSync(join(folder, 'before-keys.sqlite'), join(folder, 'ledger.sqlite'));
  });
});

describe('verify against the newest checkpoint', () => {
  it('is good on what was signed, and says how much is not yet witnessed', async () => {
    const { code, out } = await ledger('verify', '--all', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true, ledgers: USERS.length, notYetWitnessed: 0 });
  });

  it('sees a ledger that was taken out together with its head', async () => {
    copyFileSync(join(folder, 'ledger.sqlite'), join(folder, 'before.sqlite'));
    const db = new DatabaseSync(join(folder, 'ledger.sqlite'));
    for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()) {
      db.exec(`DROP TRIGGER ${String(name)}`);
    }
    const { key } = db.prepare('SELECT key FROM ledgers WHERE id = 2').get() as { key: string };
    db.exec(
      'DELETE FROM events WHERE ledger = 2; DELETE FROM contents WHERE ledger = 2; DELETE FROM ledgers WHERE id = 2',
    );
    db.close();
    const { code, out } = await ledger('verify', '--all', '--json');
    copyFileSync(join(folder, 'before.sqlite'), join(folder, 'ledger.sqlite'));
    expect(code).toBe(1);
    expect(JSON.parse(out).problems).toEqual([{ ledgerId: key, position: 1, cause: 'cut_off' }]);
  });
});
