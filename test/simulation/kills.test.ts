/**
 * Killed with -9 in the middle of a stream of taps.
 * @module
 */
import { expect, it } from 'vitest';
import { runKills } from './kills.ts';

const KILLS = 20;
const SEED = 7;

it(`loses nothing it acknowledged and does nothing twice, ${KILLS} times killed (seed ${SEED})`, {
  timeout: 180_000,
}, async () => {
  const report = await runKills(KILLS, SEED);
  expect(report.acknowledgedTaps).toBeGreaterThan(20);
  expect(report.lostAnswers).toBeGreaterThan(0);
  expect(report).toMatchObject({
    wishesMissing: 0,
    tapsMissing: 0,
    doubled: 0,
    untoldTaps: 0,
    problems: 0,
    integrity: 'ok',
  });
});
