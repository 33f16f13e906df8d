/**
 * The RFC 6962 Merkle tree: hashes, inclusion and consistency proofs, and their checks (RFC 9162 §2.1.3 and §2.1.4).
 * @module
 */
import { hash } from 'node:crypto';

const HASH_BYTES = 32;

/** The hash of a leaf: SHA-256(0x00 ‖ bytes), 32 bytes. */
export function leafHash(bytes: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(0), bytes]), 'buffer');
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(1), left, right]), 'buffer');
}

/** A tree that only grows. Memory: 64 bytes a leaf. */
export type MerkleTree = {
  readonly size: () => number;
  /** Appends the hash of a leaf, 32 bytes. */
  readonly append: (leaf: Uint8Array) => void;
  /** The root over the first `size` leaves. @throws RangeError beyond the tree. */
  readonly root: (size: number) => Buffer;
  /** The audit path of leaf `index` in the tree of the first `size` leaves, nearest first. @throws RangeError. */
  readonly inclusion: (index: number, size: number) => readonly Buffer[];
  /** The proof that the first `size` leaves extend the first `oldSize`; empty from 0 and to itself. @throws RangeError. */
  readonly consistency: (oldSize: number, size: number) => readonly Buffer[];
};

/** An empty tree. */
export function merkleTree(): MerkleTree {
  /** levels[k] holds the hashes of complete subtrees of 2^k leaves, side by side. */
  const levels: { hashes: Buffer; count: number }[] = [];

  function push(level: number, node: Uint8Array): void {
    const row = (levels[level] ??= { hashes: Buffer.alloc(HASH_BYTES * 64), count: 0 });
    if ((row.count + 1) * HASH_BYTES > row.hashes.length) {
      row.hashes = Buffer.concat([row.hashes], row.hashes.length * 2);
    }
    row.hashes.set(node, row.count * HASH_BYTES);
    row.count += 1;
    if (row.count % 2 === 0) push(level + 1, nodeHash(nodeAt(level, row.count - 2), nodeAt(level, row.count - 1)));
  }
  function nodeAt(level: number, index: number): Buffer {
    const row = levels[level];
    if (row === undefined || index >= row.count) throw new RangeError('No such node');
    return row.hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }
  const size = (): number => levels[0]?.count ?? 0;

  /** The hash over leaves from `from` to before `to`; `from` is a multiple of every power of two split off before. */
  function over(from: number, to: number): Buffer {
    const count = to - from;
    const level = Math.log2(count);
    if (Number.isInteger(level)) return nodeAt(level, from / count);
    const split = splitOf(count);
    return nodeHash(over(from, from + split), over(from + split, to));
  }
  function path(index: number, from: number, to: number): Buffer[] {
    if (to - from === 1) return [];
    const middle = from + splitOf(to - from);
    return index < middle
      ? [...path(index, from, middle), over(middle, to)]
      : [...path(index, middle, to), over(from, middle)];
  }
  function proof(oldSize: number, from: number, to: number, whole: boolean): Buffer[] {
    if (oldSize === to) return whole ? [] : [over(from, to)];
    const middle = from + splitOf(to - from);
    return oldSize <= middle
      ? [...proof(oldSize, from, middle, whole), over(middle, to)]
      : [...proof(oldSize, middle, to, false), over(from, middle)];
  }
  function assertSize(asked: number): void {
    if (!Number.isSafeInteger(asked) || asked < 0 || asked > size()) throw new RangeError('The tree is not that large');
  }

  return {
    size,
    append: (leaf) => push(0, leaf),
    root(asked) {
      assertSize(asked);
      return asked === 0 ? hash('sha256', '', 'buffer') : Buffer.from(over(0, asked));
    },
    inclusion(index, asked) {
      assertSize(asked);
      if (!Number.isSafeInteger(index) || index < 0 || index >= asked) throw new RangeError('No such leaf');
      return path(index, 0, asked).map((node) => Buffer.from(node));
    },
    consistency(oldSize, asked) {
      assertSize(asked);
      if (!Number.isSafeInteger(oldSize) || oldSize < 0 || oldSize > asked) throw new RangeError('No such older tree');
      if (oldSize === 0) return [];
      return proof(oldSize, 0, asked, true).map((node) => Buffer.from(node));
    },
  };
}

/** The largest power of two smaller than `count` (1 for 1 and 2). */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** Whether `path` shows that a leaf stands at `index` of the tree of `size` leaves with this root. */
export function includes(
  leaf: Uint8Array,
  { index, size, root, path }: { index: number; size: number; root: Uint8Array; path: readonly Uint8Array[] },
): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  let [node, last] = [index, size - 1];
  let so = leaf;
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      so = nodeHash(sibling, so);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      so = nodeHash(so, sibling);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && Buffer.compare(so, root) === 0;
}

/** Whether `path` shows that the tree of `size` leaves begins with the tree of `oldSize` leaves (at least 1). */
export function extendsTree(
  old: { readonly size: number; readonly root: Uint8Array },
  now: { readonly size: number; readonly root: Uint8Array },
  path: readonly Uint8Array[],
): boolean {
  if (!Number.isSafeInteger(old.size) || old.size < 1 || old.size > now.size) return false;
  if (old.size === now.size) return path.length === 0 && Buffer.compare(old.root, now.root) === 0;
  const isPowerOfTwo = Number.isInteger(Math.log2(old.size));
  const [first, ...rest] = isPowerOfTwo ? [old.root, ...path] : path;
  if (first === undefined) return false;
  let [node, last] = [old.size - 1, now.size - 1];
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  let oldRoot = first;
  let newRoot = first;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      oldRoot = nodeHash(sibling, oldRoot);
      newRoot = nodeHash(sibling, newRoot);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      newRoot = nodeHash(newRoot, sibling);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && Buffer.compare(oldRoot, old.root) === 0 && Buffer.compare(newRoot, now.root) === 0;
}
