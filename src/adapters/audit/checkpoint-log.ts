/**
 * The log of heads as it was read: its tree, the newest head of every ledger, its keys and notices, and proofs of these.
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import type { CheckpointLogReader, StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import type { LedgerId } from '../../events/identity.ts';
import { decodeLeaf, type HeadLeaf, type HeadsLeaf, type KeyLeaf, type Leaf } from './checkpoint-leaves.ts';
import { readNote } from './checkpoint-note.ts';
import { leafHash, type MerkleTree, merkleTree } from './merkle-tree.ts';

/** The log does not match what was signed, or is not a log. Nothing may be signed over it until people have looked. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

/** A leaf with its place. */
export type Placed<T extends Leaf> = { readonly index: number; readonly leaf: T };

/** The log through some size, held in memory: about 64 bytes a leaf and 300 a ledger. */
export type ReadLog = {
  readonly tree: MerkleTree;
  /** The newest head leaf of each ledger, with its leaf hash. */
  readonly heads: Map<LedgerId, { readonly leaf: HeadLeaf; readonly hash: Uint8Array }>;
  readonly keys: Placed<KeyLeaf>[];
  readonly notices: Placed<Extract<Leaf, { type: 'notice/1' }>>[];
  /** The newest leaf that sums up all heads. */
  newestHeads: Placed<HeadsLeaf> | null;
};

/** A log of nothing. */
export function emptyLog(): ReadLog {
  return { tree: merkleTree(), heads: new Map(), keys: [], notices: [], newestHeads: null };
}

/** Adds one leaf as it was read from the store. @throws LogDamaged when it is not a leaf. */
function addLeaf(log: ReadLog, bytes: Uint8Array): void {
  const leaf = decodeLeaf(bytes);
  const index = log.tree.size();
  if (leaf === null) throw new LogDamaged(`Leaf ${index} cannot be read`);
  const hash = leafHash(bytes);
  log.tree.append(hash);
  if (leaf.type === 'head/1') log.heads.set(leaf.ledgerId, { leaf, hash });
  if (leaf.type === 'heads/1') log.newestHeads = { index, leaf };
  if (leaf.type === 'key/1') log.keys.push({ index, leaf });
  if (leaf.type === 'notice/1') log.notices.push({ index, leaf });
}

/** Reads on from where `log` ends, through `size` (or the end of the store). */
export async function readOn(
  log: ReadLog,
  reader: CheckpointLogReader,
  size: number | null,
  each: (index: number, bytes: Uint8Array) => void = () => {},
): Promise<void> {
  while (size === null || log.tree.size() < size) {
    const page = await reader.leaves(log.tree.size());
    if (page.length === 0) break;
    for (const bytes of size === null ? page : page.slice(0, size - log.tree.size())) {
      each(log.tree.size(), bytes);
      addLeaf(log, bytes);
    }
    // A store in this process answers at once: without this, a long log would keep everybody else waiting.
    await setImmediate();
  }
  if (size !== null && log.tree.size() < size) throw new LogDamaged(`The log ends before ${size} leaves`);
}

/** @throws LogDamaged when the checkpoint does not say what the log's leaves come to. */
export function assertMatches(log: ReadLog, { size, note }: StoredCheckpoint): void {
  const read = readNote(note);
  if (read === null || read.checkpoint.size !== size) throw new LogDamaged('The stored checkpoint cannot be read');
  if (log.tree.size() < size || Buffer.compare(log.tree.root(size), read.checkpoint.root) !== 0)
    throw new LogDamaged(`The log's first ${size} leaves are not those that were signed`);
}

/** The newest heads in order of ledgerId, with the tree over them. */
export type HeadsTree = { readonly tree: MerkleTree; readonly leaves: readonly HeadLeaf[] };

/** How many leaves are put into a tree before others get a turn. */
const LEAVES_PER_TURN = 2_000;

/** Builds the tree that a `heads/1` leaf sums up. */
export async function headsTree(heads: ReadLog['heads']): Promise<HeadsTree> {
  const sorted = [...heads.values()].toSorted((one, other) => (one.leaf.ledgerId < other.leaf.ledgerId ? -1 : 1));
  const tree = merkleTree();
  for (const { hash } of sorted) {
    tree.append(hash);
    if (tree.size() % LEAVES_PER_TURN === 0) await setImmediate();
  }
  return { tree, leaves: sorted.map(({ leaf }) => leaf) };
}
