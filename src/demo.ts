/**
 * `npm run demo`: the main job in six separate processes on one database. Each next process is given the database, the keys
 * of the deployment and, as a phone would show them, the old cards; never a report of the one before.
 * @module
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The six processes in order. */
export const DEMO_STEPS = [
  'A-consent',
  'B-query',
  'C-correct',
  'D-query',
  'E-forget',
  'F-query-and-old-cards',
] as const;
export type DemoStep = (typeof DEMO_STEPS)[number];

/** What a step's process tells its parent: the buttons that stay in the person's chat. */
export type ChatKept = { readonly cards: readonly string[] };

/** What the six processes are given of the caller's environment, if it is set: where programs are, and another store. */
const HANDED_ON = ['PATH', 'LEDGER_STORE', 'FIRESTORE_EMULATOR_HOST', 'METADATA_SERVER_DETECTION'];

/**
 * Runs the demonstration, on Firestore where `environment` says so.
 * @returns 0 only if every step was as it must be; 2 for wrong use.
 */
export async function runDemo(
  argv: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const said = outOf(argv);
  if (said === null) {
    console.error('npm run demo -- [--out <new folder>]');
    return 2;
  }
  const out = resolve(said.out ?? join('out', `demo-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`));
  try {
    mkdirSync(resolve(out, '..'), { recursive: true });
    // What is said in it is nobody else's to read.
    mkdirSync(out, { mode: 0o700 });
  } catch {
    console.error(`The folder must be new: ${out}`);
    return 2;
  }
  const key = (): string => randomBytes(32).toString('base64');
  const handedOn = HANDED_ON.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  const onFirestore = environment['LEDGER_STORE'] === 'firestore';
  if (onFirestore && (environment['FIRESTORE_EMULATOR_HOST'] ?? '') === '') {
    console.error('The demonstration makes a key of its own, which a real project would refuse: start an emulator.');
    return 2;
  }
  const given = {
    ...Object.fromEntries(handedOn),
    // A project of its own: the emulator keeps one store for each, and this one belongs to the keys below.
    ...(onFirestore ? { GOOGLE_CLOUD_PROJECT: `demo-${randomBytes(8).toString('hex')}` } : {}),
    SUBJECT_KEY: key(),
    CARD_KEYS: `k1:${key()}`,
    LEDGER_SQLITE_PATH: join(out, 'ledger.sqlite'),
    PORT: '0',
    SIMULATOR: 'on',
  };
  const cards: string[] = [];
  const results: { step: DemoStep; pid: number; code: number }[] = [];
  for (const step of DEMO_STEPS) {
    const result = await runStep(step, out, folder, given, cards);
    cards.push(...result.cards);
    results.push({ step, pid: result.pid, code: result.code });
    if (result.code !== 0) break;
  }
  const ok = results.length === DEMO_STEPS.length && results.every(({ code }) => code === 0);
  writeFileSync(join(out, 'summary.json'), `${JSON.stringify({ ok, steps: results }, null, 2)}\n`);
  if (onFirestore) console.log("No backups were written: on Firestore they are the platform's (see the README).");
  console.log(
    `${ok ? 'All six steps were as they must be' : 'Not as it must be'}. Output, rows${onFirestore ? '' : ' and backups'}: ${out}`,
  );
  return ok ? 0 : 1;
}

function outOf(argv: readonly string[]): { readonly out: string | undefined } | null {
  try {
    return { out: parseArgs({ args: [...argv], options: { out: { type: 'string' } } }).values.out };
  } catch {
    return null;
  }
}

async function runStep(
  step: DemoStep,
  out: string,
  folder: string,
  env: Record<string, string>,
  cards: readonly string[],
) {
  const child = fork(join(folder, 'src', 'main.ts'), ['demo-step', step, out], {
    env,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const kept: string[] = [];
  child.on('message', (message) => kept.push(...(message as ChatKept).cards));
  child.send({ cards });
  const report = createWriteStream(join(out, `${step}.txt`));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      report.write(chunk);
      process.stdout.write(chunk);
    });
  }
  const { promise, resolve: exited } = Promise.withResolvers<number>();
  child.once('exit', (code) => exited(code ?? 1));
  child.once('error', () => exited(1));
  const code = await promise;
  report.end();
  await finished(report);
  return { pid: child.pid ?? 0, code, cards: kept };
}
