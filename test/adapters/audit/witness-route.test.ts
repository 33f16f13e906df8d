/**
 * Goal: whoever asks for proofs of growth, and however, costs the service one reading of the log for each checkpoint.
 * Method: the real route over a log that counts its readings.
 */
import { expect, test } from 'vitest';
import { judgeOffer, type Kept } from '../../../src/adapters/audit/witness.ts';
import { witnessRoute } from '../../../src/adapters/audit/witness-route.ts';
import { personOn } from '../../support/ledger-world.ts';
import { publicKeyText, witnessedWorld } from '../../support/witnessed-ledgers.ts';

const nothing: Kept = { key: publicKeyText('first'), checkpoint: null };

/** A route with a world behind it whose readings are counted by the index they begin at. */
function served() {
  const world = witnessedWorld();
  const readings = { started: 0, hold: Promise.resolve() };
  const route = witnessRoute({
    latest: world.log.latest,
    async leaves(from) {
      if (from === 0) readings.started += 1;
      await readings.hold;
      return world.log.leaves(from);
    },
  });
  let people = 0;
  return {
    world,
    readings,
    ask: async (from: number | string) => route.request(`/audit/witness?from=${from}`),
    async another(): Promise<void> {
      people += 1;
      await personOn(world.ledger, `P${people}`, world.now).remember('cause', 'vegan');
      await world.checkpoint();
    },
  };
}

test('one reading of the log for each checkpoint, from whatever sizes one asks; a new checkpoint replaces the old', async () => {
  const { readings, ask, another } = served();
  expect((await ask(0)).status).toBe(404);
  await another();
  const first = await Promise.all(Array.from({ length: 30 }, (_, from) => ask(from)));
  expect(first.map(({ status }) => status)).toStrictEqual(first.map(() => 200));
  for (let from = 30; from < 130; from += 1) expect((await ask(from)).status).toBe(200);
  expect(readings.started).toBe(1);
  const old = judgeOffer(nothing, await first[0]?.json());
  if (old.outcome !== 'first') throw new Error('Not accepted');
  await another();
  const next = judgeOffer(old.kept, await (await ask(old.size)).json());
  expect(next).toMatchObject({ outcome: 'advanced', size: 6 });
  for (let from = 0; from < 40; from += 1) await ask(from);
  expect(readings.started).toBe(2);
});

test('a size beyond the log gets no proof, by which a witness knows that it was rolled back', async () => {
  const { ask, another } = served();
  await another();
  const offer = (await (await ask(9_999_999_999)).json()) as { checkpoint: string; consistency: unknown };
  expect(offer.consistency).toStrictEqual([]);
  const longer = served();
  await longer.another();
  await longer.another();
  const kept = judgeOffer(nothing, await (await longer.ask(0)).json());
  if (kept.outcome !== 'first') throw new Error('Not accepted');
  expect(judgeOffer(kept.kept, offer)).toStrictEqual({ outcome: 'refused', cause: 'rolled_back' });
});

test.each(['-1', '1e3', '', '12345678901', 'x'])('from=%s is not answered', async (from) => {
  const { ask, another } = served();
  await another();
  expect((await ask(from)).status).toBe(400);
});

test('while a log is read only some may wait; the others are asked to come again', async () => {
  const { readings, ask, another } = served();
  await another();
  let release = (): void => {};
  readings.hold = new Promise((resolve) => {
    release = resolve;
  });
  const asked = Array.from({ length: 40 }, (_, from) => ask(from));
  const refused = await Promise.all(asked.slice(32));
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toStrictEqual(
    refused.map(() => [503, '5']),
  );
  release();
  expect((await Promise.all(asked.slice(0, 32))).map(({ status }) => status)).toStrictEqual(
    Array.from({ length: 32 }, () => 200),
  );
  expect([readings.started, (await ask(0)).status]).toStrictEqual([1, 200]);
});

test('a damaged log is told, and not read again for each who asks; a store that failed once is asked again', async () => {
  const { world, readings, ask, another } = served();
  await another();
  readings.hold = Promise.reject(new Error('disk'));
  readings.hold.catch(() => undefined);
  expect((await ask(0)).status).toBe(503);
  readings.hold = Promise.resolve();
  const [kept] = world.log.kept.leaves;
  world.log.kept.leaves[0] = Uint8Array.from(Buffer.from('{}'));
  expect([(await ask(0)).status, (await ask(1)).status]).toStrictEqual([500, 500]);
  expect(readings.started).toBe(2);
  if (kept !== undefined) world.log.kept.leaves[0] = kept;
  await another();
  expect((await ask(0)).status).toBe(200);
});
