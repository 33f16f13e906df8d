import { expect, test } from 'vitest';
import { judgeMutations } from './judge-mutations.ts';

const SEED = 20_260_105;
const BUNDLES = 600;

test(`both verifiers say the same of ${BUNDLES} bundles with a character changed anywhere (seed ${SEED})`, async () => {
  const figure = await judgeMutations(BUNDLES, SEED);
  expect(figure.disagreements).toStrictEqual([]);
  expect(figure.missed).toStrictEqual([]);
}, 120_000);
