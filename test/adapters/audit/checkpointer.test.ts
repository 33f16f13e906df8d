import { describe, expect, test } from 'vitest';
import { readNote } from '../../../src/adapters/audit/checkpoint-note.ts';
import { BEGINNING, personOn } from '../../support/ledger-world.ts';
import { liveThrough, publicKeyText, type WitnessedWorld, witnessedWorld } from '../../support/witnessed-ledgers.ts';

const leavesOf = ({ log }: WitnessedWorld) =>
  log.kept.leaves.map((bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>);

async function worldWith(...names: readonly string[]): Promise<WitnessedWorld> {
  const world = witnessedWorld();
  for (const name of names) await personOn(world.ledger, name, world.now).remember('cause', 'vegan');
  return world;
}

describe('when a checkpoint is signed', () => {
  test('the first covers the key, the notices, every head, and their sum', async () => {
    const world = await worldWith('A', 'B', 'C');
    expect(await world.checkpoint()).toMatchObject({ outcome: 'signed', heads: 3 });
    expect(leavesOf(world).map(({ type }) => type)).toStrictEqual([
      ...['key/1', 'notice/1', 'head/1', 'head/1', 'head/1', 'heads/1'],
    ]);
    expect(leavesOf(world).at(-1)).toMatchObject({ ledgers: 3, key: publicKeyText('first') });
  });

  test('only what moved since is added', async () => {
    const world = await worldWith('A', 'B');
    await world.checkpoint();
    const size = world.log.kept.leaves.length;
    await personOn(world.ledger, 'B', world.now).forget();
    expect(await world.checkpoint()).toMatchObject({ outcome: 'signed', heads: 1 });
    expect(leavesOf(world).slice(size)).toMatchObject([{ type: 'head/1', position: 3 }, { type: 'heads/1' }]);
  });

  test('nothing changed: nothing is signed', async () => {
    const world = await worldWith('A');
    await world.checkpoint();
    expect(await world.checkpoint()).toStrictEqual({ outcome: 'unchanged' });
    expect(world.log.kept.checkpoints).toHaveLength(1);
  });

  test('thirty changes within a minute: one checkpoint', async () => {
    const world = await worldWith('A');
    await world.checkpoint();
    for (let each = 0; each < 30; each += 1) {
      await personOn(world.ledger, `P${each}`, world.now).remember('cause', 'lacto');
      world.pass(1_900 - 60_000);
      expect(await world.checkpoint()).toStrictEqual({ outcome: 'too_early' });
    }
    expect(await world.checkpoint()).toMatchObject({ outcome: 'signed', heads: 30 });
    expect(world.log.kept.checkpoints).toHaveLength(2);
  });

  test('somebody else holds the lease: nothing is written', async () => {
    const world = await worldWith('A');
    await world.log.lease('another', BEGINNING, 10 * 60_000);
    expect(await world.checkpoint()).toStrictEqual({ outcome: 'busy' });
    expect(world.log.kept.leaves).toHaveLength(0);
  });

  test('leaves that a writer left behind before it could sign are covered by the next', async () => {
    const world = await worldWith('A');
    await world.checkpoint();
    await personOn(world.ledger, 'B', world.now).remember('cause', 'lacto');
    const { publish } = world.log;
    world.log.publish = async () => {
      throw new Error('The machine stopped');
    };
    await expect(world.checkpoint()).rejects.toThrow('The machine stopped');
    world.log.publish = publish;
    expect(await world.checkpoint()).toMatchObject({ outcome: 'signed', heads: 0 });
    expect(leavesOf(world).at(-1)).toMatchObject({ type: 'heads/1', ledgers: 2 });
  });

  test('a leaf holds digests and positions only', async () => {
    const world = witnessedWorld();
    const ref = await liveThrough(world, 'A', 40, async () => {});
    await world.checkpoint();
    const all = JSON.stringify(leavesOf(world));
    expect(all).not.toContain(ref.subjectKey);
    for (const leaf of leavesOf(world).filter(({ type }) => type === 'head/1'))
      expect(Object.keys(leaf).toSorted()).toStrictEqual(['hash', 'ledgerId', 'position', 'type']);
  });
});

describe('before signing, what was written is read back', () => {
  test('one bit flipped between writing and signing: nothing is signed, then or later', async () => {
    const world = await worldWith('A');
    await world.checkpoint();
    await personOn(world.ledger, 'B', world.now).remember('cause', 'lacto');
    world.log.spoil = (bytes) => bytes.map((byte, index) => (index === 20 ? byte ^ 1 : byte));
    await expect(world.checkpoint()).rejects.toThrow(/was not kept as it was written/);
    world.log.spoil = null;
    await expect(world.checkpoint()).rejects.toThrow();
    expect(world.log.kept.checkpoints).toHaveLength(1);
  });

  test.each(['changed', 'cut off'])('an old leaf that was %s after signing freezes the log', async (how) => {
    const world = await worldWith('A', 'B');
    await world.checkpoint();
    await personOn(world.ledger, 'C', world.now).remember('cause', 'lacto');
    const { leaves } = world.log.kept;
    if (how === 'cut off') leaves.pop();
    else leaves[2] = leaves[3] ?? Buffer.alloc(0);
    // Another process with another memory.
    const restarted = { ...world, checkpoint: () => world.checkpoint('first', 'second') };
    await expect(restarted.checkpoint()).rejects.toThrow(/are not those that were signed/);
    expect(world.log.kept.checkpoints).toHaveLength(1);
  });
});

describe('the key is changed by a record in the log', () => {
  test('the old key vouches for the new one, and both sign the checkpoint that covers it', async () => {
    const world = await worldWith('A');
    await world.checkpoint('first');
    expect(await world.checkpoint('second', 'first')).toMatchObject({ outcome: 'signed' });
    const [, second] = world.log.kept.checkpoints;
    expect(readNote(second?.note ?? '')?.signatures).toHaveLength(2);
    await personOn(world.ledger, 'B', world.now).remember('cause', 'lacto');
    await world.checkpoint('second');
    const third = world.log.kept.checkpoints.at(-1);
    expect(readNote(third?.note ?? '')?.signatures).toHaveLength(1);
    expect(leavesOf(world).at(-1)).toMatchObject({ key: publicKeyText('second') });
  });

  test.each([null, 'third'])('another key with %s to vouch for it signs nothing', async (retiring) => {
    const world = await worldWith('A');
    await world.checkpoint('first');
    await personOn(world.ledger, 'B', world.now).remember('cause', 'lacto');
    await expect(world.checkpoint('second', retiring)).rejects.toThrow(/not the one this log goes by/);
    expect(world.log.kept.checkpoints).toHaveLength(1);
  });
});
