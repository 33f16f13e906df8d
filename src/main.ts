/**
 * The command line: reads the environment once and runs one command.
 *
 *   serve (default)        the service; without a LINE token with the chat simulator
 *   ledger <command> …     history, replay, verify, inspect, turn
 *   demo [--out <folder>]  the main job in six processes on one database
 *   live-check …           development turns against the real model, only with a key and an explicit yes
 * @module
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import type { AuditConfig, Config, ConfigProblem } from './adapters/system/config.ts';
import type { OpenedStore } from './stores.ts';

const FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_MAJOR_MIN = 24;

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  console.error(
    `LOCAL needs Node ${NODE_MAJOR_MIN} or later; this is ${process.versions.node}. Start it with "npm start".`,
  );
  process.exit(2);
}

const [command = 'serve', ...rest] = process.argv.slice(2);
switch (command) {
  case 'serve':
    await serve();
    break;
  case 'ledger':
    process.exitCode = await ledger(rest);
    break;
  case 'demo':
    process.exitCode = await (await import('./demo.ts')).runDemo(rest, FOLDER, process.env);
    break;
  case 'demo-step':
    process.exitCode = await (await import('./demo-step.ts')).runDemoStep(rest, FOLDER, process.env);
    break;
  case 'live-check':
    process.exitCode = await (await import('./live-check.ts')).runLiveCheck(rest, FOLDER, process.env, console.log);
    break;
  default:
    console.error(`There is no command ${JSON.stringify(command)}. Known: serve, ledger, demo, live-check`);
    process.exitCode = 2;
}

/** The secrets of a local start, made where `make` says so and one of them is needed; null in production. */
async function ownSecrets(make: boolean) {
  const { localSecrets } = await import('./adapters/system/local-secrets.ts');
  const { NODE_ENV, SUBJECT_KEY = '', CARD_KEYS = '' } = process.env;
  if (NODE_ENV === 'production' || (SUBJECT_KEY !== '' && CARD_KEYS !== '')) return null;
  if (!make && !existsSync('.local/secrets.json')) return null;
  const local = localSecrets('.local', randomBytes);
  if (local.made) console.error(`Made new secrets for this machine in ${local.path} (readable by you only).`);
  return local.secrets;
}

function complain(problems: readonly ConfigProblem[]): null {
  console.error('The configuration is not complete:');
  for (const { variable, message } of problems) console.error(`  ${variable} ${message}`);
  return null;
}

/** Words for an error of opening, listening or the file system; what is a fault of the program is thrown on. */
function explained(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'listen') {
    if (code === 'EADDRINUSE') return 'The port is in use. Set PORT to another one.';
    if (code === 'EACCES') return 'The port may not be used. Set PORT to another one.';
    return `It cannot listen there (${code}). Look at HOST and PORT.`;
  }
  if (error.name === 'StoreUnavailable') return `The store does not answer: ${error.message}`;
  if (error.name === 'CommitUnknown') return 'It is not known whether the last write was made. Run it again.';
  if (error.name === 'StoreRefused') return `The store was not opened (${String(error.cause)}): ${error.message}`;
  if (error.name === 'SecretsUnreadable') return error.message;
  if (error.name === 'LogDamaged') return `The log of checkpoints is not what was signed: ${error.message}`;
  if (syscall !== undefined) return `${path ?? 'A file'} cannot be used (${code}).`;
  throw error;
}

async function serve(): Promise<void> {
  try {
    const { readConfig } = await import('./adapters/system/config.ts');
    const read = readConfig(process.env, await ownSecrets(true));
    if (read.ok) return await serveWith(read.config);
    complain(read.problems);
    process.exitCode = 2;
  } catch (error) {
    console.error(explained(error));
    process.exitCode = 1;
  }
}

async function serveWith(config: Config): Promise<void> {
  const { startWorld } = await import('./world.ts');
  const stopping = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.resolve());
  const world = await startWorld(config, FOLDER, (record) =>
    console.log(JSON.stringify({ severity: 'INFO', ...record })),
  );
  for (const warning of world.warnings) console.error(`Warning: ${warning}`);
  console.error(
    `LOCAL ${world.buildId} serves ${world.url}${config.line === null ? `, chat at ${world.url}/chat` : ''}`,
  );
  if (!config.production) {
    console.error(`The audit console, once and within ten minutes: ${world.url}${world.app.auditPath()}`);
  }
  console.error(
    config.model === null
      ? 'Free text is understood by fixed rules; no model is used.'
      : `Free text is understood by ${config.model.model} (${config.model.backend}); buttons and fixed entries use no model.`,
  );
  await stopping.promise;
  await world.stop();
  // A client whose store does not answer tries by itself for some seconds more, and nobody waits for that.
  process.exit();
}

/** What an auditor's command line needs, or null after telling what is wrong with it. */
async function auditConfig(): Promise<AuditConfig | null> {
  const { readAuditConfig } = await import('./adapters/system/config.ts');
  const read = readAuditConfig(process.env, await ownSecrets(false));
  return read.ok ? read.config : complain(read.problems);
}

/** Runs something over the store as it stands; its exit code, or why there is nothing to read. */
async function overStore(
  access: 'read' | 'write' | 'make',
  run: (store: OpenedStore, config: AuditConfig) => Promise<number>,
): Promise<number> {
  const { storePathOf } = await import('./adapters/system/config.ts');
  const path = storePathOf(process.env);
  if (access !== 'make' && process.env['LEDGER_STORE'] !== 'firestore' && !existsSync(path)) {
    console.error(`There is no store at ${path}: nothing was ever recorded here.`);
    return 3;
  }
  const { openStore } = await import('./stores.ts');
  let store: OpenedStore | null = null;
  try {
    const config = await auditConfig();
    if (config === null) return 2;
    store = await openStore(config, access === 'read', 'operator');
    return await run(store, config);
  } catch (error) {
    console.error(explained(error));
    return nothingToJudge(error) ? 3 : 1;
  } finally {
    await store?.close();
  }
}

/** A store that is empty or does not answer says nothing about any ledger. */
function nothingToJudge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'StoreUnavailable' || (error.name === 'StoreRefused' && error.cause === 'empty');
}

async function ledger(argv: readonly string[]): Promise<number> {
  const { runLedgerCli } = await import('./ledger-cli.ts');
  return runLedgerCli(argv, {
    configured: auditConfig,
    overStore,
    print: (line) => console.log(line),
    out: (json) => console.log(JSON.stringify(json, null, process.stdout.isTTY ? 2 : 0)),
    say: (words) => console.error(words),
  });
}
