/**
 * `npm run deep -- <name> [--count N] [--seed N]`: a test figure at full size. Writes docs/measured/<name>.json with seed,
 * count, seconds and commit, and exits 0 only if the figure is as promised.
 * @module
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runRaces } from './adapters/firestore/race-rounds.ts';
import { scanForgets } from './adapters/sqlite/forget-scan.ts';
import { attackForgotten } from './simulation/forget-attacker.ts';
import { runHostileModel } from './simulation/hostile-model.ts';
import { runKills } from './simulation/kills.ts';
import { runStoreFaults } from './simulation/store-faults.ts';
import { findFirestoreEmulator, NO_FIRESTORE_EMULATOR, startFirestoreEmulator } from './support/firestore-emulator.ts';
import { judgeMutations } from './verify/judge-mutations.ts';
import { judgeTampered } from './verify/judge-tampered.ts';

type Measured = { readonly result: object; readonly ok: boolean };
type Figure = {
  readonly what: string;
  readonly count: number;
  readonly run: (count: number, seed: number) => Promise<Measured> | Measured;
};

const FIGURES: Readonly<Record<string, Figure>> = {
  kills: {
    what: 'the service killed with -9 during a stream of taps',
    count: 200,
    async run(count, seed) {
      const report = await runKills(count, seed);
      const { wishesMissing, tapsMissing, doubled, untoldTaps, problems, integrity } = report;
      const ok = wishesMissing + tapsMissing + doubled + untoldTaps + problems === 0 && integrity === 'ok';
      return { result: report, ok };
    },
  },
  simulation: {
    what: 'decisions on a store that loses, delays and doubles commits',
    count: 1_000_000,
    async run(count, seed) {
      const report = await runStoreFaults(count, seed);
      const { doubled, saidButNotSo, deniedButSo, contentAstray } = report;
      return { result: report, ok: doubled + saidButNotSo + deniedButSo + contentAstray === 0 };
    },
  },
  'firestore-races': {
    what: '32 clients at once on one card, and on 32 cards of one ledger, on the Firestore emulator',
    count: 200,
    async run(count) {
      const source = await findFirestoreEmulator();
      if (source === null) return { result: { blocked: NO_FIRESTORE_EMULATOR }, ok: false };
      const emulator = await startFirestoreEmulator(source);
      try {
        const report = await runRaces(emulator.host, count);
        return { result: report, ok: report.wrongOnOneCard + report.wrongOnAllCards === 0 };
      } finally {
        await emulator.stop();
      }
    },
  },
  'forget-scan': {
    what: 'people who forgot, and every byte of the database and its log searched for what they had said',
    count: 10_000,
    async run(count, seed) {
      const { kindsBefore, whilePending, saidPending, afterErasure, afterClose } = await scanForgets(count, seed);
      const result = {
        kindsFoundBefore: kindsBefore,
        hitsWhilePending: whilePending.length,
        saidPending,
        hitsAfterErasure: afterErasure.length,
        hitsAfterClose: afterClose.length,
      };
      return { result, ok: kindsBefore === 4 && afterErasure.length === 0 && afterClose.length === 0 };
    },
  },
  'hostile-model': {
    what: 'turns with a model that answers anything',
    count: 1_000_000,
    async run(count, seed) {
      const result = await runHostileModel({ count, seed });
      return { result, ok: result.violationCount === 0 };
    },
  },
  'forget-attacker': {
    what: 'ledgers whose people forgot, attacked with all remaining bytes and every server key; half of them are guessed',
    count: 10_000,
    async run(count, seed) {
      const result = await attackForgotten(count, seed);
      const plain = await attackForgotten(500, seed, 'plain_hash');
      return {
        result: { ...result, plantedPlainHashAccuracy: plain.accuracy },
        ok: result.withinChance && plain.accuracy === 1,
      };
    },
  },
  tamper: {
    what: 'every kind of tampering at every event of a 200-event ledger, judged by both stand-alone verifiers',
    count: 200,
    async run() {
      const result = await judgeTampered(1, 1);
      return { result, ok: result.missed.length === 0 && result.disagreements.length === 0 };
    },
  },
  verifiers: {
    what: 'changed bundles on which the two stand-alone verifiers must say the same',
    count: 10_000,
    async run(count, seed) {
      const result = await judgeMutations(count, seed);
      return { result, ok: result.missed.length === 0 && result.disagreements.length === 0 };
    },
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string' }, seed: { type: 'string' } },
});
const [name = ''] = positionals;
const figure = FIGURES[name];
if (figure === undefined) {
  console.error(`Name one of: ${Object.keys(FIGURES).join(', ')}`);
  process.exitCode = 2;
} else {
  const count = Number(values.count ?? figure.count);
  const seed = Number(values.seed ?? 7);
  const started = performance.now();
  const { result, ok } = await figure.run(count, seed);
  const measured = {
    name,
    what: figure.what,
    ok,
    count,
    seed,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    node: process.version,
    cores: availableParallelism(),
    result,
  };
  const text = `${JSON.stringify(measured, null, 2)}\n`;
  // Only the full size is a figure to quote.
  if (count >= figure.count) {
    mkdirSync('docs/measured', { recursive: true });
    writeFileSync(`docs/measured/${name}.json`, text);
  }
  console.log(text);
  process.exitCode = ok ? 0 : 1;
}
