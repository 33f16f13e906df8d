/**
 * What `/ready` and the log say when something is wrong, end to end over a real SQLite file: who it takes to make the service
 * unready, and that what operators must hear about is said once, by name and without content.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SqliteStore } from '../../src/adapters/sqlite/store.ts';
import { StoreUnavailable } from '../../src/events/ports.ts';
import { newFolder, openIn } from '../adapters/sqlite/store-files.ts';
import { buttonIn, type Product, START, startProduct, textOf } from '../support/product.ts';

const WISH = '以後優先找蔬食，幫我記住';
const someone = `U${'1'.repeat(32)}`;
const other = `U${'2'.repeat(32)}`;

type Ready = {
  readonly ready: boolean;
  readonly store: string;
  readonly inbox: { readonly waiting: number; readonly oldestSeconds: number | null; overdueSeconds: number | null };
  readonly faults: readonly { readonly fault: string; readonly secondsAgo: number }[];
};

let folder: string;
let store: SqliteStore;
let product: Product;
let clock: { now: number };
beforeEach(async () => {
  folder = newFolder();
  clock = { now: START };
  store = await openIn(folder, { clock: () => clock.now, lockBudgetMs: 50 });
  product = await startProduct(store, { clock });
});
afterEach(async () => {
  await product.stop();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function ready(): Promise<Ready & { readonly status: number }> {
  const response = await fetch(`${product.url}/ready`);
  return { status: response.status, ...((await response.json()) as Ready) };
}
const faultsLogged = () => product.logged.filter((record) => 'fault' in record);

it('a service that works is ready, and names no fault', async () => {
  await product.say(someone, WISH);
  expect(await ready()).toMatchObject({
    status: 200,
    ready: true,
    store: 'ok',
    inbox: { waiting: 0, oldestSeconds: null, overdueSeconds: null },
    faults: [],
  });
  expect(faultsLogged()).toEqual([]);
});

it('a message and its sender’s leaving in one request leave nothing waiting', async () => {
  const [text, unfollow] = [
    product.bodies.text(someone, WISH),
    product.bodies.other(someone, { type: 'unfollow' }),
  ].map((body) => JSON.parse(body) as { destination: string; events: object[] });
  await product.post(JSON.stringify({ ...text, events: [...(text?.events ?? []), ...(unfollow?.events ?? [])] }));
  expect((await ready()).inbox.waiting).toBe(0);
  await product.app.worker.drain();
  clock.now += 600_000;
  expect(await ready()).toMatchObject({ status: 200, inbox: { waiting: 0 } });
  expect(product.line.calls).toEqual([]);
});

it('messages that cannot be answered for minutes do not make a working service unready; one nobody works at does', async () => {
  product.line.meet(...Array.from({ length: 20 }, () => 500 as const));
  for (const words of ['花壇', '彰化市', '鹿港']) await product.post(product.bodies.text(someone, words));
  for (let second = 0; second < 150; second += 5) {
    clock.now += 5_000;
    await product.app.worker.drain();
    expect(await ready()).toMatchObject({ status: 200, ready: true });
  }
  expect((await ready()).inbox).toMatchObject({ waiting: 2, oldestSeconds: 150 });
  clock.now += 300_000;
  expect(await ready()).toMatchObject({ status: 503, ready: false });
  await product.app.worker.drain();
  expect((await ready()).status).toBe(200);
});

it('a store that cannot be written makes it unready for a minute or until a write of that kind succeeds, and is logged', async () => {
  const blocker = new DatabaseSync(join(folder, 'ledger.sqlite'));
  blocker.exec('BEGIN IMMEDIATE');
  expect((await product.post(product.bodies.text(someone, WISH))).status).toBe(503);
  await product.app.idle();
  expect(await ready()).toMatchObject({
    status: 503,
    store: 'unavailable',
    faults: [{ fault: 'store_write_failed', secondsAgo: 0 }],
  });
  expect(faultsLogged()).toEqual([{ severity: 'ERROR', fault: 'store_write_failed' }]);
  expect(JSON.stringify(product.logged)).not.toMatch(/蔬食|U1111/);
  clock.now += 60_000;
  expect(await ready()).toMatchObject({ status: 503, faults: [{ secondsAgo: 60 }] });
  clock.now += 1;
  expect(await ready()).toMatchObject({ status: 200, faults: [] });
  expect((await product.post(product.bodies.text(someone, WISH))).status).toBe(503);
  await product.app.idle();
  blocker.exec('ROLLBACK');
  blocker.close();
  expect((await ready()).status).toBe(503);
  await product.say(someone, WISH);
  expect(await ready()).toMatchObject({ status: 200, store: 'ok', faults: [{ fault: 'store_write_failed' }] });
});

it('a decision that cannot be written makes it unready too', async () => {
  const approve = buttonIn(await product.say(someone, WISH), '同意記住');
  await product.stop();
  const failing = async () => Promise.reject(new StoreUnavailable('full'));
  product = await startProduct({ ...store, ledger: { ...store.ledger, commit: failing } }, { clock });
  expect((await product.post(product.bodies.postback(someone, approve))).status).toBe(503);
  expect(await ready()).toMatchObject({ status: 503, faults: [{ fault: 'store_write_failed' }] });
  expect(faultsLogged()).toEqual([{ severity: 'ERROR', fault: 'store_write_failed' }]);
});

it('a clock behind the ledger answers "busy", is logged and shown, and does not make it unready', async () => {
  await product.say(someone, WISH);
  clock.now -= 60_000;
  await product.say(someone, '忘記我的飲食偏好');
  expect(await ready()).toMatchObject({ status: 200, faults: [{ fault: 'clock_behind_ledger', secondsAgo: 0 }] });
  expect(faultsLogged()).toEqual([{ severity: 'ERROR', fault: 'clock_behind_ledger' }]);
  clock.now += 60_001;
  expect((await ready()).faults).toEqual([]);
});

it('a genuine card of another history is answered as such and is logged', async () => {
  const approve = buttonIn(await product.say(someone, WISH), '同意記住');
  await product.stop();
  await store.close();
  rmSync(folder, { recursive: true });
  folder = newFolder();
  store = await openIn(folder, { clock: () => clock.now });
  product = await startProduct(store, { clock });
  await product.say(other, WISH);
  expect(textOf(await product.press(someone, approve))).not.toMatch(/已記住/);
  expect(faultsLogged()).toEqual([{ severity: 'ERROR', fault: 'history_differs' }]);
  expect((await ready()).faults).toEqual([{ fault: 'history_differs', secondsAgo: 0 }]);
});
