/**
 * The service as a process: starts with nothing configured, says what is wrong when it cannot, and ends on SIGTERM.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(PROJECT, 'src', 'main.ts');

let folder: string;
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-serve-'));
});
afterEach(() => {
  for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  children = [];
  rmSync(folder, { recursive: true });
});

type Run = { readonly child: ChildProcess; readonly words: () => string; readonly exit: Promise<number | null> };

/** Starts a command with an environment of its own. */
function start(command: string, args: readonly string[], environment: Record<string, string>, cwd = folder): Run {
  const { PATH = '' } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME: folder, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let words = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return { child, words: () => words, exit };
}

/** The address a run says it serves at, once it says so. */
async function serving({ child, words, exit }: Run): Promise<string> {
  for (;;) {
    const url = /serves (http:\/\/\S+?)(,|\s|$)/m.exec(words())?.[1];
    if (url !== undefined) return url;
    const more = new Promise((resolve) =>
      [child.stdout, child.stderr].forEach((stream) => stream?.once('data', resolve)),
    );
    const ended = await Promise.race([more.then(() => false), exit.then(() => true)]);
    if (ended) throw new Error(`It ended before it served: ${words()}`);
  }
}

it('npm start serves with nothing configured, and SIGTERM to npm ends the server too', async () => {
  const run = start('npm', ['start'], { LEDGER_SQLITE_PATH: join(folder, 'ledger.sqlite') }, PROJECT);
  const url = await serving(run);
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  expect((await fetch(`${url}/chat`)).status).toBe(200);
  run.child.kill('SIGTERM');
  await run.exit;
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});

it('makes its own secrets, says so, and keeps them for the next start', async () => {
  const first = start(process.execPath, [MAIN], {});
  await serving(first);
  expect(first.words()).toContain('Made new secrets');
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  const second = start(process.execPath, [MAIN], {});
  await serving(second);
  expect(second.words()).not.toContain('Made new secrets');
});

describe('a start that is refused', () => {
  async function refused(environment: Record<string, string>): Promise<{ code: number | null; words: string }> {
    const run = start(process.execPath, [MAIN], environment);
    return { code: await run.exit, words: run.words() };
  }

  it('production without secrets lists all that is missing', async () => {
    const { code, words } = await refused({ NODE_ENV: 'production' });
    expect(code).toBe(2);
    for (const variable of ['SUBJECT_KEY', 'CARD_KEYS', 'TENANT_ID', 'LINE_CHANNEL_SECRET'])
      expect(words).toContain(variable);
  });

  it('a port in use is said in words', async () => {
    const first = start(process.execPath, [MAIN], {});
    const { port } = new URL(await serving(first));
    const { code, words } = await refused({ PORT: port, LEDGER_SQLITE_PATH: join(folder, 'other.sqlite') });
    expect(code).toBe(1);
    expect(words).toContain('The port is in use');
  });

  it('a folder that cannot be used is named, not the port', async () => {
    writeFileSync(join(folder, 'text'), 'not a folder');
    const { code, words } = await refused({ LEDGER_SQLITE_PATH: join(folder, 'text', 'x', 'ledger.sqlite') });
    expect(code).toBe(1);
    expect(words).toMatch(/cannot be used \(ENOTDIR\)/);
    expect(words).not.toMatch(/port|at .*\.ts:\d+/);
  });

  it('damaged secrets are named, and not replaced', async () => {
    const first = start(process.execPath, [MAIN], {});
    await serving(first);
    first.child.kill('SIGTERM');
    await first.exit;
    const secrets = join(folder, '.local', 'secrets.json');
    writeFileSync(secrets, '{"SUBJECT_KEY":');
    const { code, words } = await refused({});
    expect(code).toBe(1);
    expect(words).toMatch(/cannot be read as secrets/);
    expect(readFileSync(secrets, 'utf8')).toBe('{"SUBJECT_KEY":');
  });

  const path = (): string => join(folder, 'theirs.sqlite');
  const digest = (): string => createHash('sha256').update(readFileSync(path())).digest('hex');
  const files: readonly (readonly [string, () => void, RegExp])[] = [
    ['a file that is no database', () => writeFileSync(path(), 'a letter to somebody '.repeat(500)), /not_a_database/],
    [
      "another program's database",
      () => {
        const db = new DatabaseSync(path());
        db.exec('CREATE TABLE notes (text TEXT)');
        db.close();
      },
      /not_ours/,
    ],
  ];
  it.each(files)('%s is named and left as it was', async (_title, make, cause) => {
    make();
    const before = digest();
    const { code, words } = await refused({ LEDGER_SQLITE_PATH: path() });
    expect(code).toBe(1);
    expect(words).toMatch(cause);
    expect(words).not.toMatch(/at .*\.ts:\d+/);
    expect(digest()).toBe(before);
  });

  it("another deployment's SUBJECT_KEY is refused: it would turn everybody into strangers", async () => {
    const first = start(process.execPath, [MAIN], {});
    await serving(first);
    first.child.kill('SIGTERM');
    await first.exit;
    chmodSync(join(folder, '.local', 'secrets.json'), 0o600);
    rmSync(join(folder, '.local', 'secrets.json'));
    const { code, words } = await refused({});
    expect(code).toBe(1);
    expect(words).toMatch(/other_subject_key/);
  });
});

describe('the ledger command line as a process', () => {
  it('exits 3 where nothing was ever recorded, and makes no file', async () => {
    const run = start(process.execPath, [MAIN, 'ledger', 'verify', '--all'], {});
    expect(await run.exit).toBe(3);
  });

  it('needs the subject key and the tenant, not the keys that sign cards nor anything of LINE', async () => {
    const key = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 5 + 1) % 256)).toString('base64');
    const store = { SUBJECT_KEY: key, LEDGER_SQLITE_PATH: join(folder, 'ledger.sqlite') };
    const service = start(process.execPath, [MAIN], store);
    await serving(service);
    service.child.kill('SIGTERM');
    await service.exit;
    const run = start(process.execPath, [MAIN, 'ledger', 'verify', '--all'], {
      ...store,
      NODE_ENV: 'production',
      TENANT_ID: 'town',
    });
    expect({ code: await run.exit, words: run.words() }).toMatchObject({ code: 3 });
  });

  it('exits 2 for wrong use and shows how', async () => {
    const run = start(process.execPath, [MAIN, 'ledger', 'verify'], {});
    expect(await run.exit).toBe(2);
    expect(run.words()).toContain('Exit: 0 good');
  });
});
