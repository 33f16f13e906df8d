/**
 * The whole product while the model fails in each way: everything that needs no model works, and free text says that it cannot
 * be answered now, with the menu, within the budget.
 * @module
 */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUDGET_MS } from '../../../src/adapters/gemini/router.ts';
import { calling, type GeminiDouble, type Reply, startGeminiDouble } from '../../support/gemini-double.ts';
import { buttonIn, type Product, startProduct, textOf } from '../../support/product.ts';
import { newFolder, openIn } from '../sqlite/store-files.ts';
import { developerRoute, routerTo } from './routes.ts';

const FAILURES: readonly (readonly [string, Reply])[] = [
  ['silence', { kind: 'silence' }],
  ['429', { kind: 'status', status: 429 }],
  ['500', { kind: 'status', status: 500 }],
  ['503', { kind: 'status', status: 503 }],
  ['a reset', { kind: 'reset' }],
  ['garbage', { kind: 'garbage' }],
  ['half an answer', { kind: 'half' }],
];
const personA = `U${'0a'.repeat(16)}`;

let double: GeminiDouble;
let product: Product;
let close: () => Promise<void>;
/** What the router asked its timer for: the budget, and pauses. */
let timed: number[];

beforeEach(async () => {
  double = await startGeminiDouble();
  const folder = newFolder();
  const store = await openIn(folder);
  timed = [];
  const router = routerTo(developerRoute(double.url), {
    timer(milliseconds, run) {
      timed.push(milliseconds);
      let waiting = true;
      // The budget ends once the request it bounds has come; pauses end at once.
      const ends = milliseconds < BUDGET_MS ? Promise.resolve() : double.called(1).then(() => silent());
      void ends.then(() => waiting && run());
      return () => {
        waiting = false;
      };
    },
  });
  product = await startProduct(store, { router });
  close = async () => {
    await product.stop();
    await store.close();
    rmSync(folder, { recursive: true });
    await double.close();
  };
});
afterEach(() => close());

let failing: Reply = { kind: 'silence' };
/** Only silence lasts until the budget ends; what answers is waited for. */
function silent(): Promise<void> {
  return failing.kind === 'silence' ? Promise.resolve() : new Promise(() => {});
}

describe.each(FAILURES)('while the model gives %s', (_name, reply) => {
  beforeEach(() => {
    failing = reply;
  });

  it('free text is told to be unavailable, with the menu, and nothing is written', async () => {
    double.meet(reply, reply);
    const seen = await product.say(personA, '以後優先找蔬食，幫我記住');
    expect(textOf(seen)).toContain('暫時');
    expect(seen.flatMap(({ buttons }) => buttons).length).toBeGreaterThan(0);
    expect((await product.history(personA)).types).toEqual([]);
    expect(timed[0]).toBe(BUDGET_MS);
    expect(double.requests.length).toBeLessThanOrEqual(2);
  });

  it('look, choose, agree, cancel, forget, menu and place buttons work, and no request is made', async () => {
    expect(textOf(await product.say(personA, '我的偏好'))).not.toBe('');
    const choices = await product.say(personA, '設定偏好');
    const first = choices.flatMap(({ buttons }) => buttons).find(({ label }) => label.includes('全素'));
    const card = await product.press(personA, first?.data ?? '');
    await product.press(personA, buttonIn(card, '同意記住'));
    expect((await product.history(personA)).value).toBe('vegan');
    const other = choices.flatMap(({ buttons }) => buttons).find(({ label }) => label.includes('蛋奶素'));
    const second = await product.press(personA, other?.data ?? '');
    await product.press(personA, buttonIn(second, '先不要'));
    expect((await product.history(personA)).value).toBe('vegan');
    const areas = await product.say(personA, '查蔬食');
    const town = areas.flatMap(({ buttons }) => buttons).find(({ label }) => label.includes('花壇'));
    expect(textOf(await product.press(personA, town?.data ?? ''))).toContain('花壇');
    expect(textOf(await product.say(personA, '我要預約'))).not.toBe('');
    await product.say(personA, '忘記我的飲食偏好');
    expect((await product.history(personA)).value).toBeNull();
    expect(double.requests).toEqual([]);
  });
});

it('and once the model answers again, its offer is a card and no more', async () => {
  failing = { kind: 'reset' };
  double.meet({ kind: 'response', body: calling('propose_dietary_memory', { dietary_type: '蔬食' }) });
  const seen = await product.say(personA, '以後優先找蔬食，幫我記住');
  expect(buttonIn(seen, '同意記住')).not.toBe('');
  expect((await product.history(personA)).types).toEqual(['preference.proposed']);
});
