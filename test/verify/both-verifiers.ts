/**
 * The two stand-alone verifiers as tests ask them: many bundles in one process each.
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { type BundleFiles, publicKeyText } from '../support/witnessed-ledgers.ts';

export const VERIFY_MJS = join(import.meta.dirname, '../../verify/verify-bundle.mjs');
export const VERIFY_PY = join(import.meta.dirname, '../../verify/verify_bundle.py');

/** What a verifier says of one bundle. */
export type Report = {
  readonly ok: boolean;
  readonly ledgers: number;
  readonly events: number;
  readonly problems: readonly {
    readonly ledgerId: string | null;
    readonly position: number;
    readonly cause: string;
    readonly file?: string;
  }[];
  readonly notYetWitnessed: {
    readonly ledgers: number;
    readonly events: number;
    readonly tails: readonly { readonly ledgerId: string; readonly fromPosition: number; readonly events: number }[];
  };
  readonly coverage: {
    readonly scope: 'all' | 'selected';
    readonly witnessed: number;
    readonly known: number | null;
  } | null;
  readonly checkpoint: { readonly origin: string; readonly size: number; readonly root: string } | null;
};

/** The exit code and the report. */
export type Verdict = { readonly exit: number; readonly report: Report };

export type Verifier = {
  readonly name: 'verify-bundle.mjs' | 'verify_bundle.py';
  readonly judge: (files: BundleFiles, seen?: string | null, all?: boolean) => Promise<Verdict>;
  readonly end: () => Promise<void>;
};

type Module = {
  readonly readKey: (text: string) => unknown;
  readonly readNote: (bytes: Buffer) => unknown;
  readonly verifyBundle: (
    read: (name: string) => Buffer | 'missing',
    key: unknown,
    seen: unknown,
    all: boolean,
  ) => Report & { readonly exit: number };
};

/** The one file without dependencies, in this process. @param key the name of the signing key it trusts. */
export async function mjsVerifier(key = 'first'): Promise<Verifier> {
  const { readKey, readNote, verifyBundle } = (await import(pathToFileURL(VERIFY_MJS).href)) as Module;
  const trusted = readKey(publicKeyText(key));
  return {
    name: 'verify-bundle.mjs',
    async judge(files, seen = null, all = false) {
      const note = seen === null ? null : readNote(Buffer.from(seen));
      const { exit, ...report } = verifyBundle((name) => files.get(name) ?? 'missing', trusted, note, all);
      return { exit, report };
    },
    end: async () => {},
  };
}

/** The Python verifier as one child process. @param base only what differs from it is sent for each bundle. */
export function pythonVerifier(base: BundleFiles, key = 'first'): Verifier {
  const child = spawn('python3', [join(import.meta.dirname, 'many_bundles.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const texts = (files: Iterable<[string, Buffer]>) =>
    Object.fromEntries([...files].map(([name, bytes]) => [name, bytes.toString('utf8')]));
  child.stdin.write(`${JSON.stringify({ key: publicKeyText(key), files: texts(base) })}\n`);
  return {
    name: 'verify_bundle.py',
    async judge(files, seen = null, all = false) {
      const differing = [...files].filter(([name, bytes]) => base.get(name)?.equals(bytes) !== true);
      child.stdin.write(`${JSON.stringify({ changed: texts(differing), seen, all })}\n`);
      const { value, done } = await answers.next();
      if (done === true) throw new Error('The Python verifier ended');
      const [exit, report] = JSON.parse(value) as [number, Report];
      return { exit, report };
    },
    async end() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
