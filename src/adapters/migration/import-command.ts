/**
 * `import <folder>`: what it takes, and what became of it in words and an exit code.
 * @module
 */
import type { LedgerRef, TenantId } from '../../events/identity.ts';
import type { Ledger } from '../../events/ports.ts';
import { BundleRefused, openBundle } from './bundle-reading.ts';
import { importLedgers } from './import-ledgers.ts';

export const IMPORT_USAGE = `npm run ledger -- import <folder> [--json]
Puts the ledgers of an export (--all --content) into the store of LEDGER_STORE. Run twice it changes nothing; a ledger
that differs is refused by name and stays as it is.`;

/** Reads the arguments after `import`. */
export function readImportArguments(
  argv: readonly string[],
): { ok: true; folder: string; json: boolean } | { ok: false; message: string } {
  const [folder, ...rest] = argv.filter((word) => word !== '--json');
  if (folder === undefined || folder === '' || folder.startsWith('-') || rest.length > 0)
    return { ok: false, message: 'Name one folder that was written by export' };
  return { ok: true, folder, json: argv.includes('--json') };
}

export type ImportDependencies = {
  readonly ledger: Ledger;
  readonly tenantId: TenantId;
  readonly isOurs: (ref: LedgerRef) => boolean;
  readonly out: (json: unknown) => void;
  readonly say: (words: string) => void;
};

/** Runs `import`. @returns 0 all is there, 1 something is not as it should be, 2 wrong use, 3 nothing to import. */
export async function runImport(folder: string, dependencies: ImportDependencies): Promise<0 | 1 | 2 | 3> {
  const { ledger, tenantId, isOurs, out, say } = dependencies;
  try {
    const bundle = await openBundle(folder, tenantId);
    if (bundle.ledgers === 0) {
      say(`${folder} holds no ledgers.`);
      return 3;
    }
    const result = await importLedgers({ bundle, ledger, isOurs });
    out(result);
    if (result.outcome === 'problems') {
      for (const { ledgerId, position, cause } of result.problems) say(`${ledgerId}: position ${position}: ${cause}`);
      say(`Nothing was written.${hintOn(result.problems.map(({ cause }) => cause))}`);
      return 1;
    }
    const { imported, events, unchanged, refused } = result;
    for (const each of refused) say(`${each.ledgerId} was refused and is as it was: ${each.cause}`);
    say(`${imported} ledgers imported (${events} events), ${unchanged} were there already, ${refused.length} refused.`);
    return refused.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error;
    out({ outcome: 'refused', cause: error.cause });
    say(`${error.message}. Nothing was written.`);
    return error.cause === 'not_a_bundle' ? 2 : 1;
  }
}

function hintOn(causes: readonly string[]): string {
  return causes.includes('content_missing')
    ? ' Export again with --content: without it what people decided is lost.'
    : '';
}
