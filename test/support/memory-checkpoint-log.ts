/**
 * A log of heads in memory over a memory ledger, with its faults: a leaf that is kept differently, a log cut short.
 * @module
 */
import type { CheckpointLog, StoredCheckpoint } from '../../src/events/checkpoint-ports.ts';
import type { LedgerId } from '../../src/events/identity.ts';
import type { MemoryLedger } from './memory-ledger.ts';

export type MemoryCheckpointLog = CheckpointLog & {
  readonly kept: { leaves: Uint8Array[]; checkpoints: StoredCheckpoint[]; witnessed: Map<LedgerId, number> };
  /** What becomes of a leaf on its way into the log. */
  spoil: ((bytes: Uint8Array) => Uint8Array) | null;
};

/** @param shards changes fall into this many, by ledgerId. */
export function memoryCheckpointLog(ledger: MemoryLedger, shards = 2): MemoryCheckpointLog {
  const kept: MemoryCheckpointLog['kept'] = { leaves: [], checkpoints: [], witnessed: new Map() };
  let lease = { holder: '', until: 0 };
  const log: MemoryCheckpointLog = {
    kept,
    spoil: null,
    shards,
    latest: async () => kept.checkpoints.at(-1) ?? null,
    leaves: async (from) => kept.leaves.slice(from, from + 3),
    async lease(holder, now, leaseMs) {
      if (lease.holder !== holder && lease.until > now) return false;
      lease = { holder, until: now + leaseMs };
      return true;
    },
    async due(shard, limit) {
      const heads = [];
      for (const [ledgerId, { events }] of ledger.kept().ledgers) {
        const newest = events.at(-1)?.stored;
        if (newest === undefined || ledgerId.charCodeAt(0) % shards !== shard) continue;
        if (newest.position > (kept.witnessed.get(ledgerId) ?? 0) && heads.length < limit)
          heads.push({ ledgerId, position: newest.position, hash: newest.hash });
      }
      return { heads, mark: JSON.stringify(heads.map(({ ledgerId, position }) => [ledgerId, position])) };
    },
    async append(firstIndex, leaves, done) {
      if (firstIndex !== kept.leaves.length) return 'conflict';
      kept.leaves.push(...leaves.map((bytes) => Uint8Array.from(log.spoil?.(bytes) ?? bytes)));
      if (done !== null) {
        for (const [ledgerId, position] of JSON.parse(done.mark) as [LedgerId, number][])
          kept.witnessed.set(ledgerId, position);
      }
      return 'appended';
    },
    async publish(previousSize, checkpoint) {
      if ((kept.checkpoints.at(-1)?.size ?? 0) !== previousSize) return 'conflict';
      kept.checkpoints.push(checkpoint);
      return 'published';
    },
  };
  return log;
}
