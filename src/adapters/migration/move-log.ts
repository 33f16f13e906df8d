/**
 * Takes the log of heads along when ledgers move: the same leaves under the same checkpoint, so that no witness sees a fork.
 * @module
 */
import { open, readFile } from 'node:fs/promises';
import * as v from 'valibot';
import {
  type CheckpointLog,
  type CheckpointLogReader,
  LEAVES_PER_APPEND_MAX,
  LEAVES_PER_READ_MAX,
  type StoredCheckpoint,
} from '../../events/checkpoint-ports.ts';

/** The file beside a bundle's own: the checkpoint in the first line, then one leaf a line. */
export const LOG_FILE = 'log.ndjson';
/** For how long the log is ours alone while it is copied, milliseconds. */
const LEASE_MS = 120_000;

const Checkpoint = v.strictObject({
  size: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  note: v.string(),
  signedAt: v.pipe(v.number(), v.safeInteger()),
});

/** Writes the log through its newest checkpoint into a new file; nothing where there is no checkpoint. */
export async function writeLog(path: string, log: CheckpointLogReader): Promise<void> {
  const latest = await log.latest();
  if (latest === null) return;
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(latest)}\n`);
    for (let index = 0; index < latest.size; ) {
      const page = (await log.leaves(index)).slice(0, latest.size - index);
      if (page.length === 0) throw new Error(`The log ends at ${index}, before its checkpoint`);
      await file.writeFile(page.map((leaf) => `${Buffer.from(leaf).toString()}\n`).join(''));
      index += page.length;
    }
  } finally {
    await file.close();
  }
}

/** Reads such a file; null where there is none. Whether it is what was signed is for the caller to judge. */
export async function readLogFile(path: string): Promise<CheckpointLogReader | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const [first = '', ...rest] = text.split('\n');
  const checkpoint = v.parse(Checkpoint, JSON.parse(first));
  const leaves = rest.slice(0, -1).map((line) => Buffer.from(line));
  return {
    latest: async () => checkpoint,
    leaves: async (from) => leaves.slice(from, from + LEAVES_PER_READ_MAX),
  };
}

/**
 * What copying came to:
 * - `copied`, also after an earlier copy that stopped half-way;
 * - `there_already`: the store's log holds all of it;
 * - `other_log`: the store has begun a log of its own, which stays;
 * - `busy`: a service signs at this moment.
 */
export type LogCopied = 'copied' | 'there_already' | 'other_log' | 'busy';

/** Copies a log into a store. @param now Unix milliseconds. */
export async function copyLog(
  from: CheckpointLogReader,
  to: CheckpointLog,
  { holder, now }: { readonly holder: string; readonly now: number },
): Promise<LogCopied> {
  const checkpoint = await from.latest();
  if (checkpoint === null) return 'there_already';
  const known = await comparedWith(from, to);
  if (known !== 'shorter') return known;
  if (!(await to.lease(holder, now, LEASE_MS))) return 'busy';
  try {
    return (await appendRest(from, to, checkpoint)) ? 'copied' : 'busy';
  } finally {
    // Ends the lease: the service may sign at once.
    await to.lease(holder, now, 0);
  }
}

/** How the store's log stands to the one that came: the beginning of it, all of it, or another one. */
async function comparedWith(
  from: CheckpointLogReader,
  to: CheckpointLogReader,
): Promise<'shorter' | 'there_already' | 'other_log'> {
  for (let index = 0; ; ) {
    const [there, ours] = [await to.leaves(index), await from.leaves(index)];
    const both = Math.min(there.length, ours.length);
    for (let each = 0; each < both; each += 1)
      if (Buffer.compare(there[each] ?? Buffer.alloc(0), ours[each] ?? Buffer.alloc(0)) !== 0) return 'other_log';
    index += both;
    if (both > 0) continue;
    const isSigned = ((await to.latest())?.size ?? 0) >= ((await from.latest())?.size ?? 0);
    return there.length > 0 || isSigned ? 'there_already' : 'shorter';
  }
}

/** @returns false when somebody else wrote to the log. */
async function appendRest(
  from: CheckpointLogReader,
  to: CheckpointLog,
  checkpoint: StoredCheckpoint,
): Promise<boolean> {
  let index = 0;
  for (let page = await to.leaves(0); page.length > 0; page = await to.leaves(index)) index += page.length;
  while (index < checkpoint.size) {
    const leaves = (await from.leaves(index)).slice(0, Math.min(LEAVES_PER_APPEND_MAX, checkpoint.size - index));
    if ((await to.append(index, leaves, null)) === 'conflict') return false;
    index += leaves.length;
  }
  const before = await to.latest();
  return (await to.publish(before?.size ?? 0, checkpoint)) === 'published';
}
