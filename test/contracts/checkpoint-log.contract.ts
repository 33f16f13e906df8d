/**
 * What every store promises of its log of heads.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCheckpointer } from '../../src/adapters/audit/checkpointer.ts';
import { readProvableLog } from '../../src/adapters/audit/bundle-proofs.ts';
import { witnessOffer } from '../../src/adapters/audit/witness.ts';
import type { CheckpointLog } from '../../src/events/checkpoint-ports.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { BEGINNING, personOn } from '../support/ledger-world.ts';
import { ORIGIN, signingKey } from '../support/witnessed-ledgers.ts';
import type { StoreUnderTest, StoreView } from './stores.ts';

type View = StoreView & { readonly checkpointLog: CheckpointLog };

const leaf = (text: string) => Buffer.from(text);
const textsOf = (leaves: readonly Uint8Array[]) => leaves.map((bytes) => Buffer.from(bytes).toString());

function checkpointerOn(log: CheckpointLog, holder: string) {
  return createCheckpointer({
    log,
    origin: ORIGIN,
    signer: signingKey('first'),
    retiring: null,
    notices: DIET_FOR_PLACE_SEARCH.notices,
    holder,
  });
}

/** Heads of all shards that are due, at most `limit` of each. */
async function dueIn(log: CheckpointLog, limit: number) {
  const found = [];
  for (let shard = 0; shard < log.shards; shard += 1) found.push({ shard, ...(await log.due(shard, limit)) });
  return found;
}

/** Appends a leaf for each due head and takes its mark as done. @returns the position each ledger was found at. */
async function witness(log: CheckpointLog, limit: number): Promise<Map<string, number>> {
  const reached = new Map<string, number>();
  for (const { shard, heads, mark } of await dueIn(log, limit)) {
    for (const { ledgerId, position } of heads) reached.set(ledgerId, position);
    if (heads.length === 0) continue;
    const leaves = heads.map(({ position }) => leaf(`at ${position}`));
    expect(await log.append(await sizeOf(log), leaves, { shard, mark })).toBe('appended');
  }
  return reached;
}

async function sizeOf(log: CheckpointLog): Promise<number> {
  let size = 0;
  for (;;) {
    const page = await log.leaves(size);
    if (page.length === 0) return size;
    size += page.length;
  }
}

export function checkpointLogContract(name: string, open: () => Promise<StoreUnderTest<View>>): void {
  describe(`${name}: the log of heads`, () => {
    let store: StoreUnderTest<View>;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it('heads that moved are due once, as they stand now, and again only when they move again', async () => {
      const { ledger, checkpointLog: log } = store.view;
      const one = personOn(ledger, 'A');
      const two = personOn(ledger, 'B');
      await one.remember('cause', 'vegan');
      await two.remember('cause', 'lacto');
      await one.forget();
      const due = await dueIn(log, 10);
      const heads = due.flatMap((each) => each.heads);
      const positions = Object.fromEntries(heads.map(({ ledgerId, position }) => [ledgerId, position]));
      expect(positions).toStrictEqual({ [one.ref.ledgerId]: 3, [two.ref.ledgerId]: 2 });
      for (const { ledgerId, position, hash } of heads)
        expect(await ledger.head(ledgerId)).toMatchObject({ position, hash });
      await two.forget();
      let size = 0;
      for (const { shard, heads: found, mark } of due) {
        const leaves = found.map(() => leaf('x'));
        expect(await log.append(size, leaves, { shard, mark })).toBe('appended');
        size += leaves.length;
      }
      const again = (await dueIn(store.other.checkpointLog, 10)).flatMap((each) => each.heads);
      expect(again).toMatchObject([{ ledgerId: two.ref.ledgerId, position: 3 }]);
    });

    it('all due heads are reached through small pages, whatever is written meanwhile, and none goes back', async () => {
      const { ledger, checkpointLog: log } = store.view;
      for (let each = 0; each < 12; each += 1) await personOn(ledger, `P${each}`).remember('cause', 'vegan');
      const reached = new Map<string, number>();
      for (let page = 0; ; page += 1) {
        const found = await witness(log, 3);
        if (found.size === 0) break;
        for (const [ledgerId, position] of found) {
          expect(position).toBeGreaterThan(reached.get(ledgerId) ?? 0);
          reached.set(ledgerId, position);
        }
        if (page < 4) await personOn(ledger, `P${page}`).forget();
      }
      const stored = await ledger.ledgers(null, 100);
      expect(reached.size).toBe(12);
      for (const { ledgerId } of stored) expect(reached.get(ledgerId)).toBe((await ledger.head(ledgerId)).position);
    });

    it('leaves are appended at the end only and read from any index, by whichever client', async () => {
      const { checkpointLog: log } = store.view;
      const { checkpointLog: other } = store.other;
      expect(await log.latest()).toBeNull();
      expect(await log.leaves(0)).toStrictEqual([]);
      expect(await log.append(0, [leaf('a'), leaf('b'), leaf('c')], null)).toBe('appended');
      expect(await other.append(0, [leaf('d')], null)).toBe('conflict');
      expect(await other.append(4, [leaf('d')], null)).toBe('conflict');
      expect(await other.append(3, [leaf('d')], null)).toBe('appended');
      for (let from = 0; from <= 4; from += 1)
        expect(textsOf(await log.leaves(from))).toStrictEqual(['a', 'b', 'c', 'd'].slice(from));
    });

    it('a log longer than one read is read whole, a part at a time', async () => {
      const { checkpointLog: log } = store.view;
      for (let size = 0; size < 2_400; size += 400) {
        const leaves = Array.from({ length: 400 }, (_, index) => leaf(String(size + index)));
        expect(await log.append(size, leaves, null)).toBe('appended');
      }
      const read: string[] = [];
      for (;;) {
        const page = await store.other.checkpointLog.leaves(read.length);
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(1_000);
        read.push(...textsOf(page));
      }
      expect(read).toStrictEqual(Array.from({ length: 2_400 }, (_, index) => String(index)));
    });

    it('a checkpoint is published after the one before it only, and the newest is given back', async () => {
      const { checkpointLog: log } = store.view;
      await log.append(0, [leaf('a'), leaf('b')], null);
      expect(await log.publish(0, { size: 2, note: 'note', signedAt: 5 })).toBe('published');
      expect(await store.other.checkpointLog.publish(0, { size: 2, note: 'other', signedAt: 6 })).toBe('conflict');
      expect(await store.other.checkpointLog.latest()).toStrictEqual({ size: 2, note: 'note', signedAt: 5 });
      expect(await log.publish(2, { size: 3, note: 'next', signedAt: 7 })).toBe('published');
      expect(await store.other.checkpointLog.latest()).toStrictEqual({ size: 3, note: 'next', signedAt: 7 });
    });

    it('the lease is one writer at a time, renewed by its holder and free again when it ran out', async () => {
      const { checkpointLog: log } = store.view;
      const { checkpointLog: other } = store.other;
      expect(await log.lease('a', 1_000, 500)).toBe(true);
      expect(await other.lease('b', 1_400, 500)).toBe(false);
      expect(await log.lease('a', 1_400, 500)).toBe(true);
      expect(await other.lease('b', 1_899, 500)).toBe(false);
      expect(await other.lease('b', 1_900, 500)).toBe(true);
      expect(await log.lease('a', 1_900, 500)).toBe(false);
    });

    it('two writers take turns: the second reads the log again and goes on', async () => {
      const { view, other } = store;
      await personOn(view.ledger, 'A').remember('cause', 'vegan');
      const first = checkpointerOn(view.checkpointLog, 'one');
      expect(await first.run(BEGINNING)).toMatchObject({ outcome: 'signed', heads: 1 });
      await personOn(other.ledger, 'B').remember('cause', 'vegan');
      const second = checkpointerOn(other.checkpointLog, 'two');
      expect(await second.run(BEGINNING + 60_000)).toStrictEqual({ outcome: 'busy' });
      expect(await second.run(BEGINNING + 180_000)).toMatchObject({ outcome: 'signed', heads: 1 });
      const provable = await readProvableLog(view.checkpointLog, new Set());
      expect(provable === null ? null : witnessOffer(provable, 4).consistency).toMatchObject([{ size: 4 }]);
    });
  });
}
