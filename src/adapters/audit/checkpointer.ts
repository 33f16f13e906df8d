/**
 * The one leased writer of the log of heads: drains what changed, reads back what it wrote, and signs a checkpoint.
 * @module
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { type CheckpointLog, LEAVES_PER_APPEND_MAX, type StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import type { Purpose } from '../../events/purposes.ts';
import { encodeLeaf, headLeaf, keyLeaf, type Leaf, noticeLeaf, successor } from './checkpoint-leaves.ts';
import { assertMatches, emptyLog, headsTree, LogDamaged, type ReadLog, readOn } from './checkpoint-log.ts';
import { isSignedBy, readNote, readVerifierKey, signCheckpoint, verifierKey } from './checkpoint-note.ts';

/** Checkpoints are at least this far apart, milliseconds: two witnesses must be able to meet the same one. */
export const CHECKPOINT_INTERVAL_MS = 60_000;
/** A writer that fell silent is replaced after this long, milliseconds. */
const LEASE_MS = 120_000;

export type CheckpointerOptions = {
  readonly log: CheckpointLog;
  /** The log's name; the same for ever. */
  readonly origin: string;
  /** Ed25519 private key. */
  readonly signer: KeyObject;
  /** The key before, while it is being replaced: it vouches for `signer` once, in the log; else null. */
  readonly retiring: KeyObject | null;
  /** Every notice of the registry; each is recorded before the first head that may rest on it. */
  readonly notices: readonly Purpose['notices'][number][];
  /** Names this writer for the lease. */
  readonly holder: string;
};

/**
 * What a run came to:
 * - `signed`: a new checkpoint stands;
 * - `unchanged`: nothing moved since the newest one;
 * - `too_early`: the newest one is younger than a minute;
 * - `busy`: somebody else writes.
 */
export type CheckpointRun =
  | { readonly outcome: 'signed'; readonly checkpoint: StoredCheckpoint; readonly heads: number }
  | { readonly outcome: 'unchanged' | 'too_early' | 'busy' };

export type Checkpointer = {
  /**
   * Runs once.
   * @param now Unix milliseconds.
   * @throws LogDamaged when the log is not what was signed, the key is not the log's, or a notice's words changed. From
   *   then on every run throws: what was signed is never rewritten.
   */
  readonly run: (now: number) => Promise<CheckpointRun>;
};

/** Makes the writer. It holds the log in memory and reads on from where it was. */
export function createCheckpointer(options: CheckpointerOptions): Checkpointer {
  const { log, origin, signer, holder } = options;
  let known = emptyLog();
  let damage: LogDamaged | null = null;

  /** @returns false when another writer was faster. What is added is what the store gives back, never what was sent. */
  async function append(
    leaves: readonly Leaf[],
    done: { readonly shard: number; readonly mark: string } | null,
  ): Promise<boolean> {
    const sent = leaves.map(encodeLeaf);
    const from = known.tree.size();
    if ((await log.append(from, sent, done)) === 'conflict') return false;
    await readOn(known, log, from + sent.length, (index, bytes) => {
      if (Buffer.compare(bytes, sent[index - from] ?? Buffer.alloc(0)) !== 0)
        throw new LogDamaged(`Leaf ${index} was not kept as it was written`);
    });
    return true;
  }

  async function drain(): Promise<number | null> {
    let heads = 0;
    for (let shard = 0; shard < log.shards; shard += 1) {
      for (;;) {
        const due = await log.due(shard, LEAVES_PER_APPEND_MAX);
        if (due.heads.length === 0) break;
        const done = { shard, mark: due.mark };
        if (!(await append(due.heads.map(headLeaf), done))) return null;
        heads += due.heads.length;
      }
    }
    return heads;
  }

  async function sign(now: number, latest: StoredCheckpoint | null, signers: readonly KeyObject[], heads: number) {
    const all = await headsTree(known.heads);
    const root = all.tree.root(all.leaves.length).toString('hex');
    const key = verifierKey(origin, signer);
    const last: Leaf = { type: 'heads/1', root, ledgers: all.leaves.length, key: key.text };
    if (!(await append([last], null))) return { outcome: 'busy' } as const;
    const size = known.tree.size();
    const note = signCheckpoint({ origin, size, root: known.tree.root(size) }, signers);
    const readBack = readNote(note);
    if (readBack === null || !isSignedBy(readBack, key)) throw new LogDamaged('The checkpoint does not verify');
    const checkpoint = { size, note, signedAt: now };
    const published = await log.publish(latest?.size ?? 0, checkpoint);
    return published === 'conflict'
      ? ({ outcome: 'busy' } as const)
      : ({ outcome: 'signed', checkpoint, heads } as const);
  }

  async function runOnce(now: number): Promise<CheckpointRun> {
    if (!(await log.lease(holder, now, LEASE_MS))) return { outcome: 'busy' };
    const latest = await log.latest();
    if (latest !== null && now - latest.signedAt < CHECKPOINT_INTERVAL_MS) return { outcome: 'too_early' };
    await readOn(known, log, null);
    if (latest !== null) assertMatches(known, latest);
    const { leaves, signers } = standing(known, options);
    if (leaves.length > 0 && !(await append(leaves, null))) return { outcome: 'busy' };
    const heads = await drain();
    if (heads === null) return { outcome: 'busy' };
    if (known.tree.size() === (latest?.size ?? 0)) return { outcome: 'unchanged' };
    return sign(now, latest, signers, heads);
  }

  return {
    async run(now) {
      if (damage !== null) throw damage;
      try {
        return await runOnce(now);
      } catch (error) {
        // Whatever went wrong on the way, memory may be ahead of or behind the store: read all of it again.
        known = emptyLog();
        if (error instanceof LogDamaged) damage = error;
        throw error;
      }
    },
  };
}

/** The leaves that must stand before any head: the key in use and the words of every notice; and who signs this time. */
function standing(
  known: ReadLog,
  { origin, signer, retiring, notices }: CheckpointerOptions,
): { leaves: readonly Leaf[]; signers: readonly KeyObject[] } {
  const leaves: Leaf[] = [];
  const ours = verifierKey(origin, signer);
  const inUse = keyInUse(known, origin);
  const signers = [signer];
  if (inUse === null) leaves.push(keyLeaf(origin, signer, signer));
  else if (inUse !== ours.text) {
    if (retiring === null || verifierKey(origin, createPublicKey(retiring)).text !== inUse)
      throw new LogDamaged('The signing key is not the one this log goes by, and the one before is not there to vouch');
    leaves.push(keyLeaf(origin, retiring, signer));
  }
  // The change is witnessed by both keys: whoever knows only one of them can follow it.
  if (retiring !== null && isOverlap(known, ours.text, inUse)) signers.push(retiring);
  for (const leaf of notices.map(noticeLeaf)) {
    const recorded = known.notices.find(
      ({ leaf: { version, language } }) => version === leaf.version && language === leaf.language,
    );
    if (recorded === undefined) leaves.push(leaf);
    else if (recorded.leaf.hash !== leaf.hash)
      throw new LogDamaged(`Notice ${leaf.version} no longer has the words it was recorded with`);
  }
  return { leaves, signers };
}

/** Whether no checkpoint yet covers the change to `ours`. */
function isOverlap(known: ReadLog, ours: string, inUse: string | null): boolean {
  if (inUse === null) return false;
  return inUse !== ours || (known.newestHeads !== null && known.newestHeads.leaf.key !== ours);
}

function keyInUse(known: ReadLog, origin: string): string | null {
  const [first, ...changes] = known.keys;
  if (first === undefined) return null;
  const start = readVerifierKey(first.leaf.oldKey);
  if (start === null || start.name !== origin) throw new LogDamaged('The log belongs to another name');
  let trusted = successor(first.leaf, start);
  for (const { leaf } of changes) trusted = trusted === null ? null : successor(leaf, trusted);
  if (trusted === null) throw new LogDamaged('A change of key in the log is not signed by the key before');
  return trusted.text;
}
