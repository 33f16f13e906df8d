/**
 * The agreement figure: characters changed at random anywhere in a bundle, judged by both verifiers.
 * @module
 */
import { deepStrictEqual } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { type CanonicalValue, canonicalText } from '../../src/events/canonical.ts';
import { sha256Hex } from '../../src/events/chain.ts';
import { type BundleFiles, liveThrough, witnessedWorld } from '../support/witnessed-ledgers.ts';
import { mjsVerifier, pythonVerifier } from './both-verifiers.ts';

const FILES = ['events.ndjson', 'proofs.json', 'checkpoint.txt', 'content.ndjson', 'manifest.json'] as const;
type FileName = (typeof FILES)[number];

/** One change of one character. */
type Mutation = {
  readonly file: FileName;
  readonly at: number;
  readonly how: 'replace' | 'insert' | 'remove';
  readonly character: string;
  /** Whether lengths and digests are made right again. */
  readonly repaired: boolean;
};

const mutations: fc.Arbitrary<Mutation> = fc.record({
  file: fc.constantFrom(...FILES),
  at: fc.nat(),
  how: fc.constantFrom('replace', 'insert', 'remove'),
  character: fc.oneof(
    fc.constantFrom('"', '{', '}', '0', '-', '.', 'e', '\\', '\n', '不', '\u{10ffff}'),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  repaired: fc.boolean(),
});

function mutate(files: BundleFiles, { file, at, how, character, repaired }: Mutation): BundleFiles {
  const characters = [...(files.get(file)?.toString('utf8') ?? '')];
  characters.splice(at % characters.length, how === 'insert' ? 0 : 1, ...(how === 'remove' ? [] : [character]));
  const bytes = Buffer.from(characters.join(''));
  const next = new Map(files).set(file, bytes);
  if (!repaired || file === 'manifest.json') return next;
  const manifest = JSON.parse(String(files.get('manifest.json'))) as { files: Record<string, CanonicalValue> };
  manifest.files[file] = { bytes: bytes.length, sha256: sha256Hex(bytes) };
  return next.set('manifest.json', Buffer.from(`${canonicalText(manifest)}\n`));
}

/** What came of a run. */
export type AgreementFigure = {
  readonly bundles: number;
  /** Mutations on which the two said different things. */
  readonly disagreements: readonly string[];
  /** Changed bundles that were called good. Of the manifest only what nothing rests on can change so. */
  readonly missed: readonly string[];
};

/** @param count how many bundles. @param seed makes the same ones again. */
export async function judgeMutations(count: number, seed: number): Promise<AgreementFigure> {
  const world = witnessedWorld();
  await liveThrough(world, 'A', 12, async () => {});
  await liveThrough(world, 'B', 5, async () => {});
  await world.checkpoint();
  const clean = await world.bundle({ content: true });
  const mjs = await mjsVerifier();
  const python = pythonVerifier(clean);
  const disagreements: string[] = [];
  const missed: string[] = [];
  const pending: Promise<void>[] = [];
  try {
    for (const mutation of fc.sample(mutations, { seed, numRuns: count })) {
      const files = mutate(clean, mutation);
      const one = await mjs.judge(files);
      const isChanged = FILES.some((name) => files.get(name)?.equals(clean.get(name) ?? Buffer.alloc(0)) !== true);
      if (one.exit === 0 && isChanged && mutation.file !== 'manifest.json') missed.push(JSON.stringify(mutation));
      pending.push(
        python.judge(files).then((other) => {
          try {
            deepStrictEqual(other, one);
          } catch {
            disagreements.push(JSON.stringify([mutation, one.report.problems, other.report.problems]));
          }
        }),
      );
      await setImmediate();
    }
    await Promise.all(pending);
  } finally {
    await python.end();
  }
  return { bundles: count, disagreements, missed };
}
