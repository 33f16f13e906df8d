import { expect, test } from 'vitest';
import { TAMPER_KINDS } from '../support/tamper.ts';
import { mjsVerifier, pythonVerifier } from './both-verifiers.ts';
import { EVENTS, judgeTampered, TAIL, tamperGround } from './judge-tampered.ts';

test('a clean bundle of a long ledger is good for both verifiers, and its tail is not yet witnessed', async () => {
  const { clean } = await tamperGround();
  const python = pythonVerifier(clean);
  try {
    for (const verifier of [await mjsVerifier(), python]) {
      const { exit, report } = await verifier.judge(clean);
      expect(report.problems).toStrictEqual([]);
      expect(exit).toBe(0);
      expect(report).toMatchObject({ ok: true, ledgers: 1, events: EVENTS });
      expect(report.notYetWitnessed).toMatchObject({ ledgers: 1, events: TAIL });
      expect(report.notYetWitnessed.tails).toMatchObject([{ fromPosition: EVENTS - TAIL + 1, events: TAIL }]);
    }
  } finally {
    await python.end();
  }
});

test('every tampering at or before the newest checkpoint is found at its first bad position by both verifiers', async () => {
  const figure = await judgeTampered(1, 10);
  expect(figure.missed).toStrictEqual([]);
  expect(figure.disagreements).toStrictEqual([]);
  expect(Object.keys(figure.kinds)).toStrictEqual([...TAMPER_KINDS]);
  expect(figure.bundles.mjs).toBeGreaterThan(TAMPER_KINDS.length * (EVENTS - 2 * TAIL));
}, 240_000);
