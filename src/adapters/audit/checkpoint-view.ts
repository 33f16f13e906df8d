/**
 * What signed checkpoints say about ledgers, for whoever looks: the log of heads is read on, checked against the newest
 * checkpoint's root and signature, asked for the proof, and compared with what the ledgers hold now.
 * @module
 */
import type { CheckpointLogReader, StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import type { LedgerId } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { readProvableLog } from './bundle-proofs.ts';
import { decodeLeaf, type HeadLeaf } from './checkpoint-leaves.ts';
import { assertMatches, emptyLog, LogDamaged, type ReadLog, readOn } from './checkpoint-log.ts';
import { isSignedBy, readNote, type VerifierKey } from './checkpoint-note.ts';
import { compareWithWitnessed } from './checkpoint-verify.ts';
import type { CheckpointView, Difference, FoundProblem } from './looking.ts';

/** Ledgers that are compared at a time. */
const AT_ONCE = 16;

/**
 * Makes the view. It holds the log in memory, some 64 bytes a leaf, and reads on from where it was.
 * @param keys one of which must have signed the newest checkpoint; none: signatures are not judged.
 */
export function checkpointView(
  log: CheckpointLogReader,
  ledgers: LedgerReader,
  keys: readonly VerifierKey[],
): CheckpointView {
  let known = emptyLog();
  let places = new Map<LedgerId, number>();
  let turn: Promise<unknown> = Promise.resolve();

  async function readThrough(): Promise<StoredCheckpoint | null | 'damaged'> {
    const latest = await log.latest();
    try {
      if (known.tree.size() > (latest?.size ?? 0))
        throw new LogDamaged('An older checkpoint took the place of a newer');
      if (latest === null) return null;
      await readOn(known, log, latest.size, (index, bytes) => {
        const leaf = decodeLeaf(bytes);
        if (leaf?.type === 'head/1') places.set(leaf.ledgerId, index);
      });
      assertMatches(known, latest);
      const note = readNote(latest.note);
      if (keys.length > 0 && (note === null || !keys.some((key) => isSignedBy(note, key))))
        throw new LogDamaged('The newest checkpoint is not signed by a key of this log');
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
  async function difference({ ledgerId, position, hash }: HeadLeaf): Promise<Difference | null> {
    const head = await ledgers.head(ledgerId);
    const [stored] = await ledgers.events(ledgerId, position, position);
    if (head.position < position || stored === undefined) return 'cut_off';
    return stored.hash === hash ? null : 'witnessed_hash_differs';
  }
  async function differing(heads: ReadLog['heads'], asked: readonly LedgerId[]): Promise<readonly FoundProblem[]> {
    const found: (FoundProblem & { readonly ledgerId: LedgerId })[] = [];
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      const some = asked.slice(from, from + AT_ONCE).map(async (ledgerId) => {
        const leaf = heads.get(ledgerId)?.leaf;
        const cause = leaf === undefined ? null : await difference(leaf);
        if (leaf !== undefined && cause !== null) found.push({ ledgerId, position: leaf.position, cause });
      });
      await Promise.all(some);
    }
    if (found.length === 0) return [];
    // Only now is it worth reading every place of these ledgers in the log: where do they begin to differ?
    const provable = await readProvableLog(log, new Set(found.map(({ ledgerId }) => ledgerId)));
    return Promise.all(
      found.map(async (each) => (await compareWithWitnessed(ledgers, provable, each)).problem ?? each),
    );
  }

  return {
    latest: () => inTurn(readThrough),
    async witnessed(ledgerId) {
      const place = await inTurn(async () => {
        const latest = await readThrough();
        const leafIndex = places.get(ledgerId);
        const leaf = known.heads.get(ledgerId)?.leaf;
        if (latest === 'damaged') return 'damaged';
        if (latest === null || leafIndex === undefined || leaf === undefined) return null;
        const path = known.tree.inclusion(leafIndex, latest.size).map((node) => node.toString('hex'));
        return { leaf, leafIndex, treeSize: latest.size, path };
      });
      if (place === null || place === 'damaged') return place;
      const { leaf, ...proof } = place;
      return { position: leaf.position, hash: leaf.hash, ...proof, difference: await difference(leaf) };
    },
    async comparison() {
      if ((await inTurn(readThrough)) === 'damaged') return 'damaged';
      const { heads } = known;
      return {
        differing: (asked) => differing(heads, asked),
        ledgerIds: (after, through) =>
          [...heads.keys()].filter((each) => (after === null || each > after) && (through === null || each <= through)),
      };
    },
  };
}
