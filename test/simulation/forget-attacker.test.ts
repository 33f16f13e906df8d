/**
 * What remains after forgetting says nothing of the value, also to somebody who holds all of it and every server key.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { attackForgotten } from './forget-attacker.ts';

const LEDGERS = 2_000;
const SEED = 20_261_130;

describe('an attacker with every remaining byte and every server key', () => {
  it(`names the value no better than by chance (${LEDGERS} ledgers, seed ${SEED})`, { timeout: 120_000 }, async () => {
    const report = await attackForgotten(LEDGERS, SEED);
    expect(report).toMatchObject({ withinChance: true, guessed: LEDGERS / 2 });
  });

  it.each(['plain_hash', 'server_keyed_hash'] as const)('reads every value from a planted %s', async (plant) => {
    expect((await attackForgotten(200, SEED, plant)).accuracy).toBe(1);
  });

  it('would see a single byte that depends on the value', async () => {
    const { accuracy, interval } = await attackForgotten(1_200, SEED, 'longer_for_one_value');
    expect(accuracy).toBeGreaterThan(interval[1]);
  });
});
