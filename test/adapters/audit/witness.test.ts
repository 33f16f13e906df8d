import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readProvableLog } from '../../../src/adapters/audit/bundle-proofs.ts';
import { judgeOffer, type Kept, type WitnessOffer, witnessOffer } from '../../../src/adapters/audit/witness.ts';
import { runWitness } from '../../../src/adapters/audit/witness-command.ts';
import { personOn } from '../../support/ledger-world.ts';
import { publicKeyText, type WitnessedWorld, witnessedWorld } from '../../support/witnessed-ledgers.ts';

let people = 0;
async function another(world: WitnessedWorld, signer?: string, retiring?: string): Promise<void> {
  people += 1;
  await personOn(world.ledger, `P${people}`, world.now).remember('cause', 'vegan');
  await world.checkpoint(signer, retiring);
}

async function offerOf(world: WitnessedWorld, from = 0): Promise<WitnessOffer> {
  const provable = await readProvableLog(world.log, new Set());
  if (provable === null) throw new Error('No checkpoint');
  return witnessOffer(provable, from);
}

function accepted(kept: Kept, offer: unknown): Kept {
  const verdict = judgeOffer(kept, offer);
  if (verdict.outcome === 'refused') throw new Error(verdict.cause);
  return verdict.kept;
}

const nothing: Kept = { key: publicKeyText('first'), checkpoint: null };

describe('a witness accepts what grew out of what it has seen', () => {
  test('the first, the same again, and a later one', async () => {
    const world = witnessedWorld();
    await another(world);
    const first = judgeOffer(nothing, await offerOf(world));
    expect(first).toMatchObject({ outcome: 'first', size: 4 });
    const kept = accepted(nothing, await offerOf(world));
    expect(judgeOffer(kept, await offerOf(world, 4))).toMatchObject({ outcome: 'unchanged' });
    await another(world);
    await another(world);
    expect(judgeOffer(kept, await offerOf(world, 4))).toMatchObject({ outcome: 'advanced', size: 8 });
  });

  test('two witnesses that look within one minute keep the same text', async () => {
    const world = witnessedWorld();
    await another(world);
    const one = accepted(nothing, await offerOf(world));
    for (let each = 0; each < 30; each += 1) {
      await personOn(world.ledger, `M${each}`, world.now).remember('cause', 'vegan');
      world.pass(1_000 - 60_000);
      await world.checkpoint();
    }
    expect(accepted(nothing, await offerOf(world))).toStrictEqual(one);
  });

  test('a recorded change of key moves its trust on', async () => {
    const world = witnessedWorld();
    await another(world);
    const kept = accepted(nothing, await offerOf(world));
    await another(world, 'second', 'first');
    const moved = accepted(kept, await offerOf(world, 4));
    expect(moved.key).toBe(publicKeyText('second'));
    await another(world, 'second');
    expect(judgeOffer(moved, await offerOf(world, 7))).toMatchObject({ outcome: 'advanced', size: 9 });
  });
});

describe('a witness refuses', () => {
  /** A witness of a world with two people, and that world moved on by one. */
  async function standing() {
    const world = witnessedWorld();
    await another(world);
    const old = await offerOf(world);
    await another(world);
    const kept = accepted(nothing, await offerOf(world));
    await another(world);
    return { world, old, kept, next: await offerOf(world, 6) };
  }

  test('a roll-back', async () => {
    const { old, kept } = await standing();
    expect(judgeOffer(kept, old)).toStrictEqual({ outcome: 'refused', cause: 'rolled_back' });
  });
  test('a fork of the same size and one that is longer, signed with the right key', async () => {
    const { kept } = await standing();
    const fork = witnessedWorld();
    await another(fork);
    await another(fork);
    expect(judgeOffer(kept, await offerOf(fork))).toStrictEqual({ outcome: 'refused', cause: 'forked' });
    await another(fork);
    expect(judgeOffer(kept, await offerOf(fork, 6))).toStrictEqual({ outcome: 'refused', cause: 'not_consistent' });
  });
  test.each<[string, (offer: WitnessOffer) => unknown, string]>([
    ['no proof of growth', (offer) => ({ ...offer, consistency: [] }), 'consistency_missing'],
    [
      'a proof with a spare node',
      (offer) => ({
        ...offer,
        consistency: offer.consistency.map((each) => ({ ...each, path: [...each.path, '0'.repeat(64)] })),
      }),
      'not_consistent',
    ],
    [
      'a sum of heads that is not in the log',
      (offer) => ({ ...offer, heads: { ...offer.heads, path: [] } }),
      'heads_not_proven',
    ],
    [
      'no signature it knows',
      (offer) => ({ ...offer, checkpoint: offer.checkpoint.replace(/— (\S+) ..../, '— $1 AAAA') }),
      'key_not_trusted',
    ],
    [
      'another log',
      (offer) => ({ ...offer, checkpoint: offer.checkpoint.replaceAll('local-ledger/test', 'elsewhere') }),
      'other_log',
    ],
    ['something else', () => ({ checkpoint: 'no' }), 'unreadable'],
    ['nothing', () => null, 'unreadable'],
  ])('%s', async (_, change, cause) => {
    const { kept, next } = await standing();
    expect(judgeOffer(kept, next)).toMatchObject({ outcome: 'advanced' });
    expect(judgeOffer(kept, change(next))).toStrictEqual({ outcome: 'refused', cause });
  });
  test('a key that nobody vouched for', async () => {
    const world = witnessedWorld();
    await another(world, 'third');
    expect(judgeOffer(nothing, await offerOf(world))).toStrictEqual({ outcome: 'refused', cause: 'key_not_trusted' });
  });
});

describe('the command', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'witness-'));
    writeFileSync(join(folder, 'key'), `${publicKeyText('first')}\n`);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function look(...argv: readonly string[]): Promise<{ code: number; told: unknown }> {
    let told: unknown = null;
    const code = await runWitness(argv, { fetch, out: (json) => (told = json), say: () => {} });
    return { code, told };
  }

  /** A service on loopback that offers what its world has now. */
  async function serve(state: { world: WitnessedWorld }): Promise<{ url: string; stop: () => Promise<void> }> {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://loopback');
      void readProvableLog(state.world.log, new Set()).then((provable) => {
        const offer = provable === null ? null : witnessOffer(provable, Number(url.searchParams.get('from')));
        response.statusCode = url.pathname === '/audit/witness' && offer !== null ? 200 : 404;
        response.end(JSON.stringify(offer));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async stop() {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    };
  }

  test('over the wire: first, unchanged, advanced; then the database is rolled back and it says so after its own restart', async () => {
    const state = { world: witnessedWorld() };
    const { url, stop } = await serve(state);
    const keep = join(folder, 'kept');
    const argv = ['--keep', keep, '--from', url];
    try {
      expect((await look(...argv)).code).toBe(2);
      argv.push('--key', join(folder, 'key'));
      expect(await look(...argv)).toStrictEqual({ code: 3, told: { outcome: 'nothing_offered' } });
      await another(state.world);
      expect(await look(...argv)).toStrictEqual({ code: 0, told: { outcome: 'first', size: 4 } });
      expect(await look(...argv)).toStrictEqual({ code: 0, told: { outcome: 'unchanged', size: 4 } });
      await another(state.world);
      expect(await look(...argv)).toStrictEqual({ code: 0, told: { outcome: 'advanced', size: 6 } });
      const before = readFileSync(keep, 'utf8');
      state.world = witnessedWorld();
      await another(state.world);
      expect(await look(...argv)).toStrictEqual({
        code: 1,
        told: { outcome: 'refused', cause: 'rolled_back', size: 6 },
      });
      expect(readFileSync(keep, 'utf8')).toBe(before);
      expect(existsSync(`${keep}.refused`)).toBe(true);
    } finally {
      await stop();
    }
  });

  test('from a bundle folder', async () => {
    const world = witnessedWorld();
    await another(world);
    const out = join(folder, 'bundle');
    mkdirSync(out);
    for (const [name, bytes] of await world.bundle()) writeFileSync(join(out, name), bytes);
    const argv = ['--keep', join(folder, 'kept'), '--from', out, '--key', join(folder, 'key')];
    expect(await look(...argv)).toStrictEqual({ code: 0, told: { outcome: 'first', size: 4 } });
  });

  test('a memory that cannot be read is not taken for an empty one', async () => {
    writeFileSync(join(folder, 'kept'), '{}');
    const { code } = await look('--keep', join(folder, 'kept'), '--from', folder, '--key', join(folder, 'key'));
    expect(code).toBe(2);
  });
});
