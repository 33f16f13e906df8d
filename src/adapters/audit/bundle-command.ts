/**
 * `export … --out <new folder>`: which ledgers, where to, and what became of it in words and an exit code.
 * @module
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { CheckpointLogReader } from '../../events/checkpoint-ports.ts';
import type { LedgerRef } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { PURPOSES } from '../../events/purposes.ts';
import { type Exported, exportBundle } from './bundle-export.ts';
import { LogDamaged } from './checkpoint-log.ts';

/** What `export` says beside whose ledgers are meant. */
export type ExportArguments = {
  readonly out: string;
  readonly content: boolean;
  /** A file with an older checkpoint. */
  readonly seenFile: string | null;
  /** The arguments that name the ledgers, to be read like those of `verify`. */
  readonly rest: readonly string[];
};

export const EXPORT_USAGE = `npm run ledger -- export --out <new folder> [--content] [--seen <older checkpoint file>]
  --user U… | --subject <subjectKey> | --ledger <ledgerId> | --all   [--purpose <purpose>] [--json]
Writes events.ndjson, manifest.json, checkpoint.txt, proofs.json; with --content also the values in force.`;

/** Takes the options of `export` out of the arguments after that word. */
export function readExportArguments(
  argv: readonly string[],
): { ok: true; arguments: ExportArguments } | { ok: false; message: string } {
  const options = { out: { type: 'string' }, content: { type: 'boolean' }, seen: { type: 'string' } } as const;
  const parsed = parseArgs({ args: [...argv], strict: false, tokens: true, allowPositionals: true, options });
  const ours = new Set<number>();
  const given = new Map<string, string | null>();
  for (const token of parsed.tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(options, token.name)) continue;
    if (given.has(token.name)) return { ok: false, message: `--${token.name} is given twice` };
    given.set(token.name, token.value ?? null);
    ours.add(token.index);
    if (token.value !== undefined && !token.inlineValue) ours.add(token.index + 1);
  }
  const out = given.get('out') ?? null;
  const seenFile = given.get('seen') ?? null;
  if (out === null || out === '') return { ok: false, message: 'Name the new folder with --out' };
  if (given.has('seen') && seenFile === null) return { ok: false, message: '--seen needs a file' };
  const rest = argv.filter((_, index) => !ours.has(index));
  return { ok: true, arguments: { out, content: given.has('content'), seenFile, rest } };
}

export type ExportDependencies = {
  readonly reader: LedgerReader;
  readonly log: CheckpointLogReader;
  /** The ledgers that were named. */
  readonly ledgers: AsyncIterable<LedgerRef>;
  /** Whether that is every ledger there is: `--all` without `--purpose`. */
  readonly isAll: boolean;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly out: (json: unknown) => void;
  readonly say: (words: string) => void;
};

/** Runs `export`. @returns 0 written, 1 the store is not as it should be, 2 wrong use, 3 nothing to export. */
export async function runExport(asked: ExportArguments, dependencies: ExportDependencies): Promise<0 | 1 | 2 | 3> {
  const { out, say } = dependencies;
  let seen: string | null = null;
  try {
    if (asked.seenFile !== null) seen = await readFile(asked.seenFile, 'utf8');
  } catch {
    say(`${asked.seenFile} cannot be read.`);
    return 2;
  }
  let exported: Exported;
  try {
    exported = await exportBundle({
      reader: dependencies.reader,
      log: dependencies.log,
      ledgers: dependencies.ledgers,
      scope: dependencies.isAll ? 'all' : 'selected',
      out: asked.out,
      now: dependencies.clock(),
      content: asked.content,
      seen,
      notices: [...PURPOSES.values()].flatMap(({ notices }) => notices),
    });
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    out({ outcome: 'checkpoint_log_damaged' });
    say(`The log of heads is not what was signed, so nothing is exported: ${error.message}. Run verify.`);
    return 1;
  }
  out(exported.outcome === 'written' ? { ...exported, bundle: asked.out } : exported);
  const { code, words } = told(exported, asked.out);
  say(words);
  return code;
}

function told(exported: Exported, folder: string): { code: 0 | 1 | 2 | 3; words: string } {
  switch (exported.outcome) {
    case 'written': {
      const { ledgers, events, notYetWitnessed, checkpointSize } = exported;
      const tail = notYetWitnessed === 0 ? 'all witnessed' : `the newest ${notYetWitnessed} not yet witnessed`;
      return { code: 0, words: `${folder}: ${ledgers} ledgers, ${events} events, ${tail} (log of ${checkpointSize}).` };
    }
    case 'folder_exists':
      return { code: 2, words: `${folder} is there already: name a new folder.` };
    case 'no_ledgers':
      return { code: 3, words: 'There is no such ledger: nothing to export.' };
    case 'no_checkpoint':
      return { code: 3, words: 'There is no signed checkpoint yet: let the service run for a minute.' };
    case 'seen_not_of_this_log':
      return { code: 1, words: 'The log never stood at that checkpoint: a roll-back, a fork, or another log.' };
    case 'folder_not_made':
      return { code: 2, words: `${folder} cannot be made (${exported.code}): its parent must exist and be yours.` };
    case 'unreadable_event': {
      const { ledgerId, position, cause } = exported;
      const next = cause === 'newer_schema' ? 'A later program wrote it: export with that.' : 'Run verify.';
      return { code: 1, words: `${ledgerId}: position ${position} is no event of this ledger: ${cause}. ${next}` };
    }
    case 'unknown_kind': {
      const { ledgerId, kind } = exported;
      return { code: 1, words: `${ledgerId}: this program knows no ledger of kind ${kind}. Run verify.` };
    }
  }
}
