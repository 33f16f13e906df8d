/**
 * A deployment moves from SQLite to Firestore and back by the command line, as an operator would do it.
 * @module
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newProject } from '../adapters/firestore/emulated-store.ts';
import { type LineDouble, startLineDouble } from '../support/line-double.ts';
import { onEmulator } from '../support/on-emulator.ts';
import { postWebhook, serviceEnvironment, startService, webhookBody } from '../support/service-process.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const PERSON = `U${'d'.repeat(32)}`;

type Environment = Readonly<Record<string, string>>;

let folder: string;
let line: LineDouble;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'local-moving-'));
  line = await startLineDouble();
});
afterEach(async () => {
  await line.close();
  rmSync(folder, { recursive: true });
});

async function ledger(env: Environment, ...words: string[]) {
  const child = spawn(process.execPath, [MAIN, 'ledger', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { json: '', words: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.json += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.words += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, words: said.words, told: said.json === '' ? null : JSON.parse(said.json) };
}

/** One person agrees to be remembered. */
async function remember(environment: Environment): Promise<void> {
  const service = await startService(environment);
  const text = { type: 'text', id: '500000000000000001', text: '以後優先找蔬食，幫我記住' };
  const wish = webhookBody(PERSON, '01J00000000000000000000WISH', { type: 'message', message: text });
  expect(await postWebhook(service.url, wish)).toBe(200);
  await line.called(1);
  const data = /memory:approve:[A-Za-z0-9._-]+/.exec(JSON.stringify(line.seen))?.[0] ?? '';
  const tap = webhookBody(PERSON, '01J000000000000000000000TAP', { type: 'postback', postback: { data } });
  expect(await postWebhook(service.url, tap)).toBe(200);
  service.child.kill('SIGTERM');
  await service.ended;
}

onEmulator('Moving a deployment', (host) => {
  it('ledgers, values and the log of heads go there and back; both stores verify', { timeout: 120_000 }, async () => {
    const sqlite = (name: string): Environment =>
      serviceEnvironment(folder, line.url, { LEDGER_SQLITE_PATH: join(folder, `${name}.sqlite`) });
    const firestore: Environment = serviceEnvironment(folder, line.url, {
      LEDGER_STORE: 'firestore',
      FIRESTORE_EMULATOR_HOST: host(),
      GOOGLE_CLOUD_PROJECT: newProject(),
      METADATA_SERVER_DETECTION: 'none',
    });
    const [there, back] = [join(folder, 'there'), join(folder, 'back')];
    await remember(sqlite('old'));
    expect(await ledger(firestore, 'verify', '--all')).toMatchObject({ code: 3 });

    expect(await ledger(sqlite('old'), 'export', '--all', '--content', '--out', there)).toMatchObject({ code: 0 });
    const moved = await ledger(firestore, 'import', there);
    expect(moved).toMatchObject({ code: 0, told: { imported: 1, events: 2, refused: [] } });
    expect(moved.words).toContain('The log of heads came along');
    const again = await ledger(firestore, 'import', there);
    expect(again).toMatchObject({ code: 0, told: { imported: 0, unchanged: 1 } });
    expect(again.words).toContain('The log of heads was there already');
    expect(await ledger(firestore, 'verify', '--all')).toMatchObject({ code: 0, told: { ok: true, ledgers: 1 } });
    expect(await ledger(firestore, 'inspect', '--user', PERSON)).toMatchObject({
      code: 0,
      told: { state: 'in_force', value: 'vegetarian', revision: 1 },
    });

    expect(await ledger(firestore, 'export', '--all', '--content', '--out', back)).toMatchObject({ code: 0 });
    expect(await ledger(sqlite('new'), 'import', back)).toMatchObject({ code: 0, told: { imported: 1 } });
    expect(await ledger(sqlite('new'), 'verify', '--all')).toMatchObject({ code: 0, told: { ok: true } });
    for (const name of ['events.ndjson', 'content.ndjson', 'log.ndjson', 'checkpoint.txt'])
      expect(readFileSync(join(back, name), 'utf8')).toBe(readFileSync(join(there, name), 'utf8'));
  });
});
