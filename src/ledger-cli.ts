/**
 * `npm run ledger -- …` over the store of a configuration: joins the auditor's commands with what they read.
 * @module
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { LEDGER_USAGE, readLedgerArguments, readTurnArguments } from './adapters/audit/arguments.ts';
import { EXPORT_USAGE, readExportArguments, runExport } from './adapters/audit/bundle-command.ts';
import { assertMatches, emptyLog, readOn } from './adapters/audit/checkpoint-log.ts';
import { isSignedBy, readNote } from './adapters/audit/checkpoint-note.ts';
import { witnessingOf } from './adapters/audit/checkpoint-verify.ts';
import { type LedgerCommandDependencies, namedLedgers, runLedgerCommand } from './adapters/audit/ledger-command.ts';
import { runTurnCommand } from './adapters/audit/turn-command.ts';
import { runWitness, WITNESS_USAGE } from './adapters/audit/witness-command.ts';
import { IMPORT_USAGE, readImportArguments, runImport } from './adapters/migration/import-command.ts';
import { copyLog, LOG_FILE, readLogFile, writeLog } from './adapters/migration/move-log.ts';
import type { AuditConfig } from './adapters/system/config.ts';
import { checkpointerOf, checkpointKeys, verifierOfNewest } from './checkpoints.ts';
import type { CheckpointLog } from './events/checkpoint-ports.ts';
import { preferenceLedger } from './events/identity.ts';
import type { OpenedStore } from './stores.ts';
import { dietLedgerOf } from './world.ts';

export type LedgerCli = {
  /** The configuration, or null after telling what is wrong with it. */
  readonly configured: () => Promise<AuditConfig | null>;
  /** Runs something over the store as it stands; its exit code, or why there is nothing to read. */
  readonly overStore: (
    access: 'read' | 'write' | 'make',
    run: (store: OpenedStore, config: AuditConfig) => Promise<number>,
  ) => Promise<number>;
  /** One line on stdout. */
  readonly print: (line: string) => void;
  /** One JSON document on stdout. */
  readonly out: (json: unknown) => void;
  /** Words on stderr. */
  readonly say: (words: string) => void;
};

const USAGE = `${LEDGER_USAGE}

${EXPORT_USAGE}

${IMPORT_USAGE}

${WITNESS_USAGE}

npm run ledger -- checkpoint-key --public     prints the key that bundles are verified with`;

const silent = (): void => {};

/** Runs the command line. @returns 0 good, 1 not as it should be, 2 wrong use, 3 nothing to judge. */
export async function runLedgerCli(argv: readonly string[], cli: LedgerCli): Promise<number> {
  switch (argv[0]) {
    case 'turn':
      return turn(argv.slice(1), cli);
    case 'export':
      return exportLedgers(argv.slice(1), cli);
    case 'import':
      return importLedgers(argv.slice(1), cli);
    case 'checkpoint-key':
      return publicKey(argv.slice(1), cli);
    case 'witness':
      return runWitness(argv.slice(1), { fetch, out: cli.out, say: cli.say });
    default:
      return judge(argv, cli);
  }
}

function wrong(message: string, { say }: LedgerCli): number {
  say(`${message}\n\n${USAGE}`);
  return 2;
}

function turn(argv: readonly string[], cli: LedgerCli): Promise<number> | number {
  const asked = readTurnArguments(argv);
  if (!asked.ok) return wrong(asked.message, cli);
  const say = asked.json ? silent : cli.say;
  return cli.overStore('read', (store) =>
    runTurnCommand(asked.turnId, { reader: store.ledger, turns: store.turnRecords, out: cli.out, say }),
  );
}

async function publicKey(argv: readonly string[], cli: LedgerCli): Promise<number> {
  if (argv.length !== 1 || argv[0] !== '--public') return wrong('Only the public key is ever printed: --public', cli);
  const config = await cli.configured();
  if (config === null) return 2;
  cli.print(checkpointKeys(config).verifier.text);
  return 0;
}

function dependenciesOf(
  store: OpenedStore,
  config: AuditConfig,
  cli: LedgerCli,
  json: boolean,
): LedgerCommandDependencies {
  return {
    reader: store.ledger,
    subjectOf: (userId) => dietLedgerOf(config, userId).subjectKey,
    ledgerOf: (subjectKey, purpose) => preferenceLedger(config.subjectKeySecret, config.tenantId, subjectKey, purpose),
    witnessing: async (named) => {
      const verifier = await verifierOfNewest(store.checkpointLog, checkpointKeys(config));
      return witnessingOf(store.checkpointLog, verifier, store.ledger, named);
    },
    clock: Date.now,
    out: cli.out,
    say: json ? silent : cli.say,
  };
}

function judge(argv: readonly string[], cli: LedgerCli): Promise<number> | number {
  const asked = readLedgerArguments(argv);
  if (!asked.ok) return wrong(asked.message, cli);
  return cli.overStore('read', (store, config) =>
    runLedgerCommand(asked.arguments, dependenciesOf(store, config, cli, asked.arguments.json)),
  );
}

function exportLedgers(argv: readonly string[], cli: LedgerCli): Promise<number> | number {
  const asked = readExportArguments(argv);
  if (!asked.ok) return wrong(asked.message, cli);
  const named = readLedgerArguments(['verify', ...asked.arguments.rest]);
  if (!named.ok) return wrong(named.message, cli);
  const { target, purpose, json } = named.arguments;
  return cli.overStore('write', async (store, config) => {
    // So that what is exported is witnessed, unless the service is signing at this moment.
    await checkpointerOf(config, store.checkpointLog, `export-${randomUUID()}`).run(Date.now());
    const dependencies = dependenciesOf(store, config, cli, json);
    const isAll = target.by === 'all' && purpose === null;
    const code = await runExport(asked.arguments, {
      reader: store.ledger,
      log: store.checkpointLog,
      ledgers: namedLedgers(named.arguments, dependencies),
      isAll,
      clock: Date.now,
      out: cli.out,
      say: dependencies.say,
    });
    // What moves to another store takes its log along.
    if (code === 0 && isAll && asked.arguments.content)
      await writeLog(join(asked.arguments.out, LOG_FILE), store.checkpointLog);
    return code;
  });
}

function importLedgers(argv: readonly string[], cli: LedgerCli): Promise<number> | number {
  const asked = readImportArguments(argv);
  if (!asked.ok) return wrong(asked.message, cli);
  const say = asked.json ? silent : cli.say;
  return cli.overStore('make', async (store, config) => {
    const { subjectKeySecret, tenantId } = config;
    const code = await runImport(asked.folder, {
      ledger: store.ledger,
      tenantId,
      // The name of an access ledger rests on what was read, which no bundle says.
      isOurs: ({ kind, subjectKey, purpose, ledgerId }) =>
        kind !== 'preference' ||
        preferenceLedger(subjectKeySecret, tenantId, subjectKey, purpose).ledgerId === ledgerId,
      out: cli.out,
      say,
    });
    return code === 0 ? importLog(join(asked.folder, LOG_FILE), store.checkpointLog, config, say) : code;
  });
}

const LOG_WORDS = {
  copied: 'The log of heads came along: it goes on under the same name.',
  there_already: 'The log of heads was there already.',
  other_log: 'The store has a log of heads of its own, which goes on. Keep the last checkpoint of the one before.',
  busy: 'Somebody signs checkpoints at this moment: stop the service and import again.',
} as const;

/** Copies the log that came with a bundle, if it is what this deployment's key signed. @returns the exit code. */
async function importLog(
  path: string,
  log: CheckpointLog,
  config: AuditConfig,
  say: (words: string) => void,
): Promise<number> {
  const from = await readLogFile(path);
  const latest = (await from?.latest()) ?? null;
  if (from === null || latest === null) {
    say('No log of heads came along: the store begins one of its own.');
    return 0;
  }
  const note = readNote(latest.note);
  if (note === null || !isSignedBy(note, checkpointKeys(config).verifier)) {
    say('The log of heads is not signed by the key of this deployment: it was not copied.');
    return 1;
  }
  const read = emptyLog();
  await readOn(read, from, latest.size);
  assertMatches(read, latest);
  const copied = await copyLog(from, log, { holder: `import-${randomUUID()}`, now: Date.now() });
  say(LOG_WORDS[copied]);
  return copied === 'busy' ? 1 : 0;
}
