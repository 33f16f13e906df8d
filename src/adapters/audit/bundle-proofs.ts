/**
 * What `proofs.json` says (docs/bundle-format.md): that heads, keys and notices stand in the log a checkpoint was signed over.
 * @module
 */
import type { CanonicalValue } from '../../events/canonical.ts';
import type { CheckpointLogReader, StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import type { LedgerId } from '../../events/identity.ts';
import { decodeLeaf, type HeadLeaf, type HeadsLeaf, type KeyLeaf, type Leaf } from './checkpoint-leaves.ts';
import {
  assertMatches,
  emptyLog,
  type HeadsTree,
  headsTree,
  LogDamaged,
  type Placed,
  type ReadLog,
  readOn,
} from './checkpoint-log.ts';
import { type Checkpoint, readNote } from './checkpoint-note.ts';

/** The most witnessed positions of one ledger that are proven one by one; more are thinned out evenly. */
const WITNESSED_PER_LEDGER_MAX = 256;

/** A leaf, its index and the audit path, hashes in hex. */
export type Proof<T extends Leaf> = { readonly index: number; readonly leaf: T; readonly path: readonly string[] };

/** The log under one checkpoint, ready to prove. */
export type ProvableLog = {
  readonly checkpoint: StoredCheckpoint;
  readonly log: ReadLog;
  readonly heads: HeadsTree;
  readonly newestHeads: Placed<HeadsLeaf>;
  /** All head leaves of the ledgers that were asked for, oldest first. */
  readonly witnessed: ReadonlyMap<LedgerId, readonly Placed<HeadLeaf>[]>;
};

/**
 * Reads the log under its newest checkpoint.
 * @param wanted ledgers whose every witnessed position is kept.
 * @returns null before the first checkpoint.
 * @throws LogDamaged when the leaves are not those that were signed.
 */
export async function readProvableLog(
  reader: CheckpointLogReader,
  wanted: ReadonlySet<LedgerId>,
): Promise<ProvableLog | null> {
  const checkpoint = await reader.latest();
  if (checkpoint === null) return null;
  const log = emptyLog();
  const witnessed = new Map<LedgerId, Placed<HeadLeaf>[]>();
  await readOn(log, reader, checkpoint.size, (index, bytes) => {
    const leaf = decodeLeaf(bytes);
    if (leaf?.type !== 'head/1' || !wanted.has(leaf.ledgerId)) return;
    const places = witnessed.get(leaf.ledgerId) ?? [];
    places.push({ index, leaf });
    witnessed.set(leaf.ledgerId, places);
  });
  assertMatches(log, checkpoint);
  const heads = await headsTree(log.heads);
  const { newestHeads } = log;
  const root = heads.tree.root(heads.leaves.length).toString('hex');
  if (newestHeads?.index !== checkpoint.size - 1 || newestHeads.leaf.root !== root)
    throw new LogDamaged('The newest checkpoint does not sum up its heads');
  return { checkpoint, log, heads, newestHeads, witnessed };
}

/** The checkpoint of a note, if the log went through it; null when it did not (a fork, a roll-back, another log). */
export function olderCheckpoint({ log, checkpoint }: ProvableLog, note: string): Checkpoint | null {
  const older = readNote(note)?.checkpoint ?? null;
  const ours = readNote(checkpoint.note)?.checkpoint.origin;
  if (older === null || older.origin !== ours || older.size > checkpoint.size) return null;
  return Buffer.compare(log.tree.root(older.size), older.root) === 0 ? older : null;
}

const hex = (path: readonly Uint8Array[]): readonly string[] => path.map((node) => Buffer.from(node).toString('hex'));

function inLog<T extends Leaf>({ log, checkpoint }: ProvableLog, { index, leaf }: Placed<T>): Proof<T> {
  return { index, leaf, path: hex(log.tree.inclusion(index, checkpoint.size)) };
}

function inHeads({ heads }: ProvableLog, index: number): Proof<HeadLeaf> | null {
  const leaf = heads.leaves[index];
  return leaf === undefined ? null : { index, leaf, path: hex(heads.tree.inclusion(index, heads.leaves.length)) };
}

/** What shows that the log grew from an older size and which keys it goes by: all a witness needs. */
export function proveGrowth(
  provable: ProvableLog,
  olderSizes: readonly number[],
): {
  readonly size: number;
  readonly heads: Proof<HeadsLeaf>;
  readonly keys: readonly Proof<KeyLeaf>[];
  readonly consistency: readonly { readonly size: number; readonly path: readonly string[] }[];
} {
  const { log, checkpoint } = provable;
  return {
    size: checkpoint.size,
    heads: inLog(provable, provable.newestHeads),
    keys: log.keys.map((key) => inLog(provable, key)),
    consistency: olderSizes.map((size) => ({ size, path: hex(log.tree.consistency(size, checkpoint.size)) })),
  };
}

/** The whole of `proofs.json`. @param ledgerIds in order. */
export function proveBundle(
  provable: ProvableLog,
  ledgerIds: readonly LedgerId[],
  olderSizes: readonly number[],
): CanonicalValue {
  return {
    formatVersion: 1,
    ...proveGrowth(provable, olderSizes),
    ledgers: ledgerIds.map((ledgerId) => proveLedger(provable, ledgerId)),
    notices: provable.log.notices.map((notice) => inLog(provable, notice)),
  };
}

function proveLedger(provable: ProvableLog, ledgerId: LedgerId): CanonicalValue {
  const at = firstNotBefore(provable.heads.leaves, ledgerId);
  if (provable.heads.leaves[at]?.ledgerId !== ledgerId)
    return { ledgerId, absent: { before: inHeads(provable, at - 1), after: inHeads(provable, at) } };
  const places = provable.witnessed.get(ledgerId) ?? [];
  const step = Math.ceil(places.length / WITNESSED_PER_LEDGER_MAX);
  // Counted from the newest, which must be among them.
  const kept = places.filter((_, index) => (places.length - 1 - index) % step === 0);
  return { ledgerId, newest: inHeads(provable, at), witnessed: kept.map((place) => inLog(provable, place)) };
}

function firstNotBefore(leaves: readonly HeadLeaf[], ledgerId: LedgerId): number {
  let [from, to] = [0, leaves.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((leaves[middle]?.ledgerId ?? ledgerId) < ledgerId) from = middle + 1;
    else to = middle;
  }
  return from;
}
