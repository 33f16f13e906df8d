/**
 * What signed checkpoints say about a ledger, for whoever looks: the log of heads is read on, checked against the newest
 * checkpoint's root, and asked for the proof.
 * @module
 */
import type { CheckpointLogReader, StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import type { LedgerId } from '../../events/identity.ts';
import { decodeLeaf } from './checkpoint-leaves.ts';
import { assertMatches, emptyLog, LogDamaged, readOn } from './checkpoint-log.ts';
import type { CheckpointView } from './looking.ts';

/** Makes the view. It holds the log in memory, some 64 bytes a leaf, and reads on from where it was. */
export function checkpointView(reader: CheckpointLogReader): CheckpointView {
  let known = emptyLog();
  let places = new Map<LedgerId, number>();
  let turn: Promise<unknown> = Promise.resolve();

  async function readThrough(): Promise<StoredCheckpoint | null | 'damaged'> {
    const latest = await reader.latest();
    try {
      if (known.tree.size() > (latest?.size ?? 0))
        throw new LogDamaged('An older checkpoint took the place of a newer');
      if (latest === null) return null;
      await readOn(known, reader, latest.size, (index, bytes) => {
        const leaf = decodeLeaf(bytes);
        if (leaf?.type === 'head/1') places.set(leaf.ledgerId, index);
      });
      assertMatches(known, latest);
      return latest;
    } catch (error) {
      if (!(error instanceof LogDamaged)) {
        known = emptyLog();
        places = new Map();
        throw error;
      }
      return 'damaged';
    }
  }
  /** One at a time: two readings at once would add the same leaves twice. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work);
    turn = next.catch(() => undefined);
    return next;
  }

  return {
    latest: () => inTurn(readThrough),
    witnessed: (ledgerId) =>
      inTurn(async () => {
        const latest = await readThrough();
        const leafIndex = places.get(ledgerId);
        const head = known.heads.get(ledgerId)?.leaf;
        if (latest === 'damaged') return 'damaged';
        if (latest === null || leafIndex === undefined || head === undefined) return null;
        return {
          position: head.position,
          hash: head.hash,
          leafIndex,
          treeSize: latest.size,
          path: known.tree.inclusion(leafIndex, latest.size).map((node) => node.toString('hex')),
        };
      }),
  };
}
