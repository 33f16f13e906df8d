import { expect, test } from 'vitest';
import { RefusalReason } from '../../src/events/kinds.ts';
import { compareWithModel } from './model-comparison.ts';

test('1,000 sequences of 30 steps (seed 20260107): the decider says and does what the reference model says', () => {
  const met = compareWithModel({ seed: 20260107, sequences: 1_000, steps: 30 });
  const kinds = ['proposed', 'approved', 'corrected', 'cancelled', 'forgotten'].map((name) => `preference.${name}`);
  for (const name of [...kinds, ...RefusalReason.options]) expect([name, met.get(name) ?? 0]).not.toContain(0);
}, 120_000);

test('60 sequences of 200 steps (seed 20260108): also where cards are older than the 16', () => {
  compareWithModel({ seed: 20260108, sequences: 60, steps: 200 });
}, 120_000);
