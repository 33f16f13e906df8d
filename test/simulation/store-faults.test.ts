/**
 * A store that loses, delays and doubles: nobody is told what is not so, and nothing is done twice.
 * @module
 */
import { expect, it } from 'vitest';
import { runStoreFaults } from './store-faults.ts';

const RUNS = 10_000;
const SEED = 7;

it(`${RUNS} decisions under faults (seed ${SEED}): none doubled, no "saved" that was not, no "not saved" that was`, {
  timeout: 60_000,
}, async () => {
  const report = await runStoreFaults(RUNS, SEED);
  expect(report).toMatchObject({ doubled: 0, saidButNotSo: 0, deniedButSo: 0, contentAstray: 0, firstWrong: null });
  // Runs in which nothing is ever said to be done, or to be unknown, would show nothing.
  for (const said of ['memory_saved', 'memory_forgotten', 'outcome_unknown', 'unavailable', 'busy', 'duplicate'])
    expect(report.said[said]).toBeGreaterThan(100);
});
