/**
 * `npm run bench -- [--quick] [--json <file>]`: ratios within one run, so that the machine of the day cancels out.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSqliteStore } from '../src/adapters/sqlite/store.ts';
import type { Ledger } from '../src/events/ports.ts';
import { approve, type CardHolder, forget, offer, someone } from './approvals.ts';
import { type FirestoreFigures, measureFirestore } from './firestore-commit.ts';
import { lengthen } from './long-ledger.ts';
import { rawDatabase } from './raw-insert.ts';
import { manyLedgers, verifyFigure } from './verifying.ts';

type Target = { readonly id: string; readonly value: number; readonly target: string; readonly ok: boolean };

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'string' } } });
const quick = values.quick ?? false;
const rounds = quick ? 3 : 9;
const perRound = quick ? 200 : 800;
const longHistory = quick ? 20_000 : 100_000;

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds that `work` takes. */
async function timed(work: () => Promise<void> | void): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function holders(ledger: Ledger, count: number): Promise<CardHolder[]> {
  return Promise.all(Array.from({ length: count }, () => offer(ledger, someone(), 0)));
}

/** Approves with `callers` at once. */
async function approveAll(ledger: Ledger, waiting: readonly CardHolder[], callers: number): Promise<void> {
  const queue = [...waiting];
  const caller = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await approve(ledger, next);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

const folder = mkdtempSync(join(tmpdir(), 'local-bench-'));
const store = await openSqliteStore({
  path: join(folder, 'ledger.sqlite'),
  subjectKeyFingerprint: randomBytes(32).toString('base64url'),
  clock: Date.now,
  random: Math.random,
});
const { ledger } = store;
const raw = rawDatabase(join(folder, 'raw.sqlite'));

async function ratesAgainstRaw(): Promise<Record<'one' | 'many32' | 'many256' | 'forget', number>> {
  const ratios = { one: [] as number[], many32: [] as number[], many256: [] as number[], forget: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const rawMs = await timed(() => {
      for (let i = 0; i < perRound; i += 1) raw.insert();
    });
    const one = await holders(ledger, perRound);
    const oneMs = await timed(() => approveAll(ledger, one, 1));
    const many32 = await holders(ledger, perRound * 2);
    const many32Ms = await timed(() => approveAll(ledger, many32, 32));
    const many256 = await holders(ledger, perRound * 2);
    const many256Ms = await timed(() => approveAll(ledger, many256, 256));
    const leaving = one.slice(0, 100);
    const forgetMs = await timed(async () => {
      for (const holder of leaving) await forget(ledger, holder);
      await store.erased();
    });
    ratios.one.push(rawMs / oneMs);
    ratios.many32.push((2 * rawMs) / many32Ms);
    ratios.many256.push((2 * rawMs) / many256Ms);
    ratios.forget.push(forgetMs / leaving.length / (oneMs / perRound));
  }
  return {
    one: median(ratios.one),
    many32: median(ratios.many32),
    many256: median(ratios.many256),
    forget: median(ratios.forget),
  };
}

/** Median milliseconds of one approve on a ledger that has `events` events before the first round. */
async function costAt(events: readonly number[], approvals: number): Promise<Map<number, number>> {
  const people = events.map((count) => ({ count, holder: someone(), costs: [] as number[] }));
  for (const { count, holder } of people) await lengthen(ledger, holder, count);
  for (let turn = 0; turn < approvals; turn += 1) {
    for (const { holder, costs } of people) {
      const card = await offer(ledger, holder, turn);
      costs.push(await timed(() => approve(ledger, card)));
    }
  }
  return new Map(people.map(({ count, costs }) => [count, median(costs)]));
}

/** What an approval on Firestore costs: requests and documents, and 20 callers on one ledger against transactions. */
function firestoreTargets({
  approve: { requests, documentsRead, documentsWritten },
  ways,
}: FirestoreFigures): Target[] {
  const at20 = (name: string): number => ways.find(({ way }) => way === name)?.atOnceMs[20] ?? Number.NaN;
  const against = at20('precondition, in turn') / at20('transaction');
  const most = (id: string, value: number, target: number): Target => ({
    id,
    value,
    target: `≤ ${target}`,
    ok: value <= target,
  });
  return [
    most('T6 Firestore: requests per approve, cold', requests.cold, 2),
    most('T6 Firestore: requests per approve, warm', requests.warm, 2),
    most('T6 Firestore: requests per approve that lost a race, its second decision included', requests.lostRace, 5),
    most('Firestore: documents read per approve', documentsRead, 1),
    most('Firestore: documents written per approve', documentsWritten, 5),
    most('T6 Firestore: 20 callers on one ledger ÷ the same with runTransaction', against, 0.02),
  ];
}

const rates = await ratesAgainstRaw();
const costs = await costAt([10, longHistory], quick ? 150 : 600);
const growth = (costs.get(longHistory) ?? Number.NaN) / (costs.get(10) ?? Number.NaN);

const refs = await manyLedgers(ledger, longHistory);
const verified = await verifyFigure(ledger, refs, quick ? 3 : 5);

// Before the client of Firestore is first used, so that it finds no metadata server to look for.
process.env['METADATA_SERVER_DETECTION'] ??= 'none';
const onFirestore = await measureFirestore(quick ? { rounds: 3, singleAppends: 50 } : undefined);
if (onFirestore === null) console.error('No Firestore emulator was found: its targets are not measured.');

const targets: Target[] = [
  { id: 'T1 approve, one caller, × raw', value: rates.one, target: '≥ 0.70', ok: rates.one >= 0.7 },
  { id: 'T2 approve, 32 callers, × raw', value: rates.many32, target: '≥ 4', ok: rates.many32 >= 4 },
  { id: 'T2 approve, 256 callers, × raw', value: rates.many256, target: '≥ 4.5', ok: rates.many256 >= 4.5 },
  { id: `T5 approve at ${longHistory} events ÷ at 10`, value: growth, target: '≤ 1.3', ok: growth <= 1.3 },
  {
    id: `T4 verify with every check and fold, ${verified.events} events, of bare SHA-256`,
    value: verified.ratio,
    target: '≥ 0.08, every planted fault reported, heap grows by at most 64 MiB',
    ok: verified.ratio >= 0.08 && verified.unreported.length === 0 && verified.heapGrowthMiB <= 64,
  },
  { id: 'T7 forget, truncation included, × approve', value: rates.forget, target: '≤ 3', ok: rates.forget <= 3 },
  ...(onFirestore === null ? [] : firestoreTargets(onFirestore)),
].map((target) => ({ ...target, value: Number(target.value.toFixed(3)) }));

const report = {
  settings: { node: process.version, rounds, perRound, store: store.settings, raw: raw.settings, verified },
  targets,
};
raw.close();
await store.close();
rmSync(folder, { recursive: true });
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
console.log(JSON.stringify(report, null, 2));
process.exitCode = targets.every(({ ok }) => ok) ? 0 : 1;
