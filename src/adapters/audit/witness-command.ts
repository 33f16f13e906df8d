/**
 * `witness --keep <file> --from <url or bundle folder> [--key <file>]`: one look by another machine, remembered on its disk.
 * @module
 */
import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { readNote, readVerifierKey } from './checkpoint-note.ts';
import { judgeOffer, Kept } from './witness.ts';

/** The longest answer that is read, bytes. */
const OFFER_BYTES_MAX = 4_000_000;
/** How long a service may take, milliseconds. */
const FETCH_TIMEOUT_MS = 10_000;

export const WITNESS_USAGE = `npm run ledger -- witness --keep <file> --from <url of the service | bundle folder> [--key <public key file>]
The key is needed the first time. Exit: 0 accepted and kept, 1 refused (the offer is kept beside as evidence), 2 wrong use, 3 nothing offered.`;

export type WitnessDependencies = {
  readonly fetch: typeof fetch;
  readonly out: (json: unknown) => void;
  readonly say: (words: string) => void;
};

/** Runs `witness` once. @param argv what follows the word. @returns the exit code. */
export async function runWitness(
  argv: readonly string[],
  { fetch, out, say }: WitnessDependencies,
): Promise<0 | 1 | 2 | 3> {
  const asked = await readWitnessArguments(argv);
  if (!asked.ok) {
    say(`${asked.message}\n\n${WITNESS_USAGE}`);
    return 2;
  }
  const { kept, keepFile, from } = asked;
  const seen = kept.checkpoint === null ? 0 : (readNote(kept.checkpoint)?.checkpoint.size ?? 0);
  const offered = await offerFrom(from, seen, fetch);
  if (offered === null) {
    say('Nothing was offered: no checkpoint there, or no answer.');
    out({ outcome: 'nothing_offered' });
    return 3;
  }
  const verdict = judgeOffer(kept, offered);
  if (verdict.outcome === 'refused') {
    const evidence = `${keepFile}.refused`;
    await writeDurably(evidence, offered);
    say(`Refused (${verdict.cause}). What was offered is kept in ${evidence}; what was accepted before stays.`);
    out({ ...verdict, size: seen });
    return 1;
  }
  await writeDurably(keepFile, verdict.kept);
  say(`${verdict.outcome}: ${verdict.size} leaves.`);
  out({ outcome: verdict.outcome, size: verdict.size });
  return 0;
}

type Asked =
  | { readonly ok: true; readonly kept: Kept; readonly keepFile: string; readonly from: string }
  | { readonly ok: false; readonly message: string };

async function readWitnessArguments(argv: readonly string[]): Promise<Asked> {
  const wrong = (message: string): Asked => ({ ok: false, message });
  try {
    const options = { keep: { type: 'string' }, from: { type: 'string' }, key: { type: 'string' } } as const;
    const { values } = parseArgs({ args: [...argv], strict: true, options });
    if (values.keep === undefined || values.from === undefined) return wrong('Give --keep and --from');
    const before = await readIfThere(values.keep);
    if (before !== null) {
      const kept = v.safeParse(Kept, JSON.parse(before));
      // A damaged memory must not become an empty one: that would accept a roll-back.
      if (!kept.success || readVerifierKey(kept.output.key) === null) return wrong(`${values.keep} cannot be read`);
      return { ok: true, kept: kept.output, keepFile: values.keep, from: values.from };
    }
    if (values.key === undefined) return wrong('There is nothing kept yet: give --key');
    const key = (await readFile(values.key, 'utf8')).trim();
    if (readVerifierKey(key) === null) return wrong(`${values.key} does not hold a public key of a checkpoint log`);
    return { ok: true, kept: { key, checkpoint: null }, keepFile: values.keep, from: values.from };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : 'unreadable arguments');
  }
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The offer of a service or of a bundle folder; null when there is none. What cannot be parsed is judged as it is. */
async function offerFrom(from: string, seen: number, fetching: typeof fetch): Promise<unknown> {
  if (!/^https?:\/\//.test(from)) return offerOfBundle(from);
  const url = new URL(`${from.replace(/\/$/, '')}/audit/witness`);
  url.searchParams.set('from', String(seen));
  try {
    const response = await fetching(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS), redirect: 'error' });
    if (!response.ok || response.body === null) return null;
    return parsed(await readBounded(response.body));
  } catch {
    return null;
  }
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > OFFER_BYTES_MAX) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

async function offerOfBundle(folder: string): Promise<unknown> {
  const checkpoint = await readIfThere(join(folder, 'checkpoint.txt'));
  const proofs = await readIfThere(join(folder, 'proofs.json'));
  if (checkpoint === null || proofs === null) return null;
  const held = parsed(proofs);
  return { ...(typeof held === 'object' ? held : {}), checkpoint };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return 'not JSON';
  }
}

/** Replaces a file so that after a crash either the old or the new one stands. */
async function writeDurably(path: string, value: unknown): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
