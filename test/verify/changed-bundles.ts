/**
 * Bundles changed by somebody who knows the format, and what both verifiers say of them.
 * @module
 */
import { expect } from 'vitest';
import { type CanonicalValue, canonicalText } from '../../src/events/canonical.ts';
import { sha256Hex } from '../../src/events/chain.ts';
import type { BundleFiles } from '../support/witnessed-ledgers.ts';
import { mjsVerifier, pythonVerifier, type Verdict } from './both-verifiers.ts';

/** What both say; they must say the same. @param seen an older checkpoint. @param key the name of the trusted key. */
export async function judged(
  files: BundleFiles,
  seen: string | null = null,
  key = 'first',
  all = false,
): Promise<Verdict> {
  const python = pythonVerifier(files, key);
  try {
    const one = await (await mjsVerifier(key)).judge(files, seen, all);
    expect(await python.judge(files, seen, all)).toStrictEqual(one);
    return one;
  } finally {
    await python.end();
  }
}

/** A file's one value. */
export type Json = Record<string, CanonicalValue>;
/** A file as text; nothing for one that is not there. */
export const textOf = (files: BundleFiles, name: string): string => files.get(name)?.toString('utf8') ?? '';
/** A file as JSON. */
export const jsonOf = (files: BundleFiles, name: string): Json => JSON.parse(textOf(files, name)) as Json;

/** The bundle with some files changed, and lengths, digests and counts made right again. */
export function changedTo(files: BundleFiles, changes: Readonly<Record<string, string>>): BundleFiles {
  const next = new Map(files);
  for (const [name, text] of Object.entries(changes)) next.set(name, Buffer.from(text));
  const manifest = jsonOf(next, 'manifest.json');
  manifest['files'] = Object.fromEntries(
    [...next]
      .filter(([name]) => name !== 'manifest.json')
      .map(([name, bytes]) => [name, { bytes: bytes.length, sha256: sha256Hex(bytes) }]),
  );
  const lines = textOf(next, 'events.ndjson').split('\n').length - 1;
  manifest['counts'] = { ledgers: (manifest['ledgers'] as []).length, events: lines };
  return next.set('manifest.json', Buffer.from(`${canonicalText(manifest)}\n`));
}

/** With other proofs, the rest made right again. */
export function withProofs(files: BundleFiles, change: (proofs: any) => void): BundleFiles {
  const proofs = jsonOf(files, 'proofs.json');
  change(proofs);
  return changedTo(files, { 'proofs.json': `${canonicalText(proofs)}\n` });
}

/** With another manifest, its own figures made right again. */
export function withManifest(files: BundleFiles, change: (manifest: any) => void): BundleFiles {
  const manifest = jsonOf(files, 'manifest.json');
  change(manifest);
  return changedTo(files, { 'manifest.json': `${canonicalText(manifest)}\n` });
}

/** The causes of all problems, in order. */
export const causes = ({ report }: Verdict): readonly string[] => report.problems.map(({ cause }) => cause);
