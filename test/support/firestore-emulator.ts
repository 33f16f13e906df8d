/**
 * The Firestore emulator for tests: found where people have it, started on a free port, and stopped again.
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** How long an emulator may take to answer, milliseconds: Java starts in 1 to 2 s, on a busy machine in more. */
const START_BUDGET_MS = 45_000;
/** How long a stopped emulator may take to end before it is killed, milliseconds. */
const STOP_BUDGET_MS = 5_000;
const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';

/** What to say where none is found. */
export const NO_FIRESTORE_EMULATOR =
  'No Firestore emulator was found. It comes with the Google Cloud SDK ' +
  '(gcloud components install cloud-firestore-emulator) and needs Java.';

export type FirestoreEmulator = {
  /** `host:port`. */
  readonly host: string;
  /** The process this call started, or null when one was running already. */
  readonly pid: number | null;
  stop(): Promise<void>;
};

/** Where an emulator could be had from: one that runs, or the jar to start. */
export type EmulatorSource =
  | { readonly kind: 'running'; readonly host: string }
  | { readonly kind: 'jar'; readonly path: string };

/**
 * Looks for an emulator: `FIRESTORE_EMULATOR_HOST` if it answers, then the Google Cloud SDK, then the Firebase cache.
 * @returns null when there is none, or no Java to run it.
 */
export async function findFirestoreEmulator(): Promise<EmulatorSource | null> {
  const named = process.env['FIRESTORE_EMULATOR_HOST'];
  if (named !== undefined && named !== '' && (await answers(named))) return { kind: 'running', host: named };
  if (outputOf('java', ['-version']) === null) return null;
  const path = jarPaths().find((candidate) => existsSync(candidate));
  return path === undefined ? null : { kind: 'jar', path };
}

/**
 * Makes an emulator ready.
 * @throws when it does not answer in time; nothing is left running then.
 */
export async function startFirestoreEmulator(source: EmulatorSource): Promise<FirestoreEmulator> {
  if (source.kind === 'running') return { host: source.host, pid: null, stop: () => Promise.resolve() };
  const host = `127.0.0.1:${await freePort()}`;
  // Java itself and not the start script: a signal to the script would leave Java running.
  const child = spawn('java', ['-cp', source.path, MAIN_CLASS, 'start', ...addressOf(host)], {
    stdio: 'ignore',
    detached: true,
  });
  const spawned = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  await spawned;
  const killOnExit = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', killOnExit);
  const stop = async (): Promise<void> => {
    await stopGroup(child);
    process.removeListener('exit', killOnExit);
  };
  try {
    await untilItAnswers(host, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { host, pid: child.pid ?? null, stop };
}

function addressOf(host: string): readonly string[] {
  const [address, port] = host.split(':');
  return [`--host=${address}`, `--port=${port}`];
}

function jarPaths(): readonly string[] {
  const sdkRoots = [
    outputOf('gcloud', ['info', '--format=value(installation.sdk_root)']) ?? '',
    '/usr/lib/google-cloud-sdk',
    '/usr/share/google-cloud-sdk',
    '/opt/google-cloud-sdk',
    join(homedir(), 'google-cloud-sdk'),
  ].filter((root) => root !== '');
  const cache = join(homedir(), '.cache/firebase/emulators');
  const cached = existsSync(cache)
    ? readdirSync(cache)
        .filter((name) => /^cloud-firestore-emulator-.*\.jar$/.test(name))
        .sort()
        .reverse()
        .map((name) => join(cache, name))
    : [];
  return [
    ...sdkRoots.map((root) => join(root, 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar')),
    ...cached,
  ];
}

/** What a program prints, trimmed; null when it is not there or fails. */
function outputOf(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
    }).trim();
  } catch {
    return null;
  }
}

async function answers(host: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${host}/`, { signal: AbortSignal.timeout(1_000) });
    return (await response.text()).trim() === 'Ok';
  } catch {
    return false;
  }
}

async function untilItAnswers(host: string, child: ChildProcess): Promise<void> {
  const endsAt = performance.now() + START_BUDGET_MS;
  while (!(await answers(host))) {
    if (child.exitCode !== null) throw new Error(`The Firestore emulator ended with ${child.exitCode}`);
    if (performance.now() > endsAt) throw new Error('The Firestore emulator did not answer in time');
    await wait(50);
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_BUDGET_MS);
  await ended;
  clearTimeout(timer);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('No free port'));
        else resolve(address.port);
      });
    });
  });
}
