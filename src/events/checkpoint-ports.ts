/**
 * What witnessing asks of a store: which heads are newer than the log of heads, that log itself, and its signed checkpoints.
 *
 * The log is append-only and holds digests, positions, notice hashes and public keys: nothing of a person. One leased
 * writer appends; changes are found per shard, so nothing a person waits for is sequential.
 * @module
 */
import type { LedgerId } from './identity.ts';

/** The most leaves one append takes. */
export const LEAVES_PER_APPEND_MAX = 400;
/** The most leaves one read gives. */
export const LEAVES_PER_READ_MAX = 1_000;

/** Where a ledger stands: newest position and the hash of the event there, 64 hex digits. */
export type WitnessedHead = { readonly ledgerId: LedgerId; readonly position: number; readonly hash: string };

/** Heads that moved since they were last taken, each ledger once. */
export type DueHeads = {
  readonly heads: readonly WitnessedHead[];
  /** The store's own mark of how far these reach; handed back with the append that witnesses them. */
  readonly mark: string;
};

/** A signed checkpoint as published. */
export type StoredCheckpoint = {
  /** Number of leaves it covers. */
  readonly size: number;
  /** The signed note, C2SP tlog-checkpoint. */
  readonly note: string;
  /** Unix milliseconds. */
  readonly signedAt: number;
};

export interface CheckpointLogReader {
  /** The newest checkpoint, or null before the first. */
  latest(): Promise<StoredCheckpoint | null>;
  /** Leaves from an index (from 0, inclusive) in order, at most {@link LEAVES_PER_READ_MAX}; empty past the end. */
  leaves(fromIndex: number): Promise<readonly Uint8Array[]>;
}

export interface CheckpointLog extends CheckpointLogReader {
  /** Takes or renews the one writer's lease through `now + leaseMs`; false while somebody else holds it. */
  lease(holder: string, now: number, leaseMs: number): Promise<boolean>;
  /** Into how many shards changes fall; shards are numbered from 0. */
  readonly shards: number;
  /** Ledgers of a shard whose head moved since its last mark, at most `limit`; empty when there are none. */
  due(shard: number, limit: number): Promise<DueHeads>;
  /**
   * Appends leaves at `firstIndex` and, in the same step, takes the mark of a shard as done. `conflict`: the log does
   * not end at `firstIndex`; nothing was written.
   * @param leaves at most {@link LEAVES_PER_APPEND_MAX}.
   */
  append(
    firstIndex: number,
    leaves: readonly Uint8Array[],
    done: { readonly shard: number; readonly mark: string } | null,
  ): Promise<'appended' | 'conflict'>;
  /** Publishes a checkpoint after the one of `previousSize` (0: the first). `conflict`: another one is the newest. */
  publish(previousSize: number, checkpoint: StoredCheckpoint): Promise<'published' | 'conflict'>;
}
