import { rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteStore } from '../../src/adapters/sqlite/store.ts';
import { openReceipt } from '../../src/projections/receipt.ts';
import { newFolder, openIn } from '../adapters/sqlite/store-files.ts';
import { buttonIn, type Product, type Seen, startProduct, textOf } from '../support/product.ts';

const WISH = '以後優先找全素，幫我記住';

describe('我的紀錄 and 給我收據, from the chat to the page', () => {
  let folder: string;
  let store: SqliteStore;
  let product: Product;
  let people = 0;
  let someone: string;
  beforeAll(async () => {
    folder = newFolder();
    store = await openIn(folder);
    product = await startProduct(store);
  });
  afterAll(async () => {
    await product.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    people += 1;
    someone = `U${String(people).padStart(32, 'a')}`;
  });

  async function consent(): Promise<void> {
    await product.press(someone, buttonIn(await product.say(someone, WISH), '同意記住'));
  }
  function linkIn(seen: readonly Seen[]): string {
    const [link, ...more] = seen.flatMap(({ links }) => links);
    expect(more).toStrictEqual([]);
    if (link === undefined) throw new Error('No link');
    return link;
  }
  const page = async (link: string) => {
    const response = await fetch(link);
    return { status: response.status, body: await response.text() };
  };

  it('tells what happened with times in Taipei and refusals with reasons, and the link opens the page', async () => {
    const offered = await product.say(someone, WISH);
    await product.press(someone, buttonIn(offered, '先不要'));
    await product.press(someone, buttonIn(offered, '同意記住'));
    await consent();
    const seen = await product.say(someone, '我的紀錄');
    const text = textOf(seen);
    expect(text).toMatch(/2026-11-30 09:\d\d:\d\d.*你按了同意，第 1 版開始使用/s);
    expect(text).toMatch(/按了一張不能用的卡，沒有改變任何東西：那張卡先前取消了/);
    expect(text).toMatch(/「先不要」/);
    const link = linkIn(seen);
    expect(link).not.toContain(someone);
    expect(text).not.toContain(link);
    const { status, body } = await page(link);
    expect(status).toBe(200);
    expect(body).toMatch(/全素.*使用中/s);
    expect(body).not.toContain(someone);
  });

  it('a receipt downloaded in time proves the value after the forget; the old link gives nothing any more', async () => {
    await consent();
    const seen = await product.press(someone, 'memory:receipt');
    expect(textOf(seen)).toMatch(/收據：同意記住.*自己保管/s);
    const link = linkIn(seen);
    const kept = JSON.parse((await page(`${link}/receipt.json`)).body) as unknown;
    await product.say(someone, '忘記我的飲食偏好');
    expect((await page(`${link}/receipt.json`)).status).toBe(410);
    expect((await page(link)).body).not.toContain('全素');
    const events = await store.ledger.events(product.ledgerOf(someone).ledgerId, 1, 10);
    expect(openReceipt(kept, events)).toMatchObject({ ok: true, opened: { value: 'vegan', revision: 1 } });
  });

  it('the receipt of a forget names what the promise does not reach and holds no condition', async () => {
    await consent();
    await product.say(someone, '忘記我的飲食偏好');
    const seen = await product.say(someone, '給我收據');
    expect(textOf(seen)).toMatch(/收據：忘記.*LINE.*備份.*模型提供者.*服務詢問/s);
    expect((await page(`${linkIn(seen)}/receipt.json`)).body).not.toMatch(/"vegan"/);
  });

  it('the button in the records leads to the receipt', async () => {
    await consent();
    const receipt = buttonIn(await product.say(someone, '我的紀錄'), '給我收據');
    expect(textOf(await product.press(someone, receipt))).toContain('收據：同意記住');
  });

  it('for somebody of whom nothing is recorded there is nothing to open', async () => {
    for (const typed of ['我的紀錄', '給我收據']) {
      const seen = await product.say(someone, typed);
      expect(textOf(seen)).toContain('還沒有');
      expect(seen.flatMap(({ links }) => links)).toStrictEqual([]);
    }
    expect((await product.history(someone)).types).toStrictEqual([]);
  });

  it('asking and looking record nothing', async () => {
    await consent();
    const before = await product.history(someone);
    const link = linkIn(await product.say(someone, '我的記錄'));
    await page(link);
    const posted = await fetch(link, { method: 'POST', body: 'approve' });
    expect(posted.status).toBe(405);
    expect(await product.history(someone)).toStrictEqual(before);
  });

  it('a link dies after exactly 600 s', async () => {
    await consent();
    const link = linkIn(await product.say(someone, '我的紀錄'));
    product.clock.now += 599_999;
    expect((await page(link)).status).toBe(200);
    product.clock.now += 1;
    expect((await page(link)).status).toBe(410);
  });

  it('the link stands on the public address that is set up', async () => {
    const other = await startProduct(store, { tenant: 'town', publicBaseUrl: 'https://town.example' });
    await other.press(someone, buttonIn(await other.say(someone, WISH), '同意記住'));
    expect(linkIn(await other.say(someone, '我的紀錄'))).toMatch(/^https:\/\/town\.example\/v1\/me\/1\./);
    await other.stop();
  });

  it('no link, token or value is logged', async () => {
    await consent();
    const link = linkIn(await product.say(someone, '我的紀錄'));
    await page(link);
    const text = JSON.stringify(product.logged);
    expect(text).not.toContain(link.slice(-40));
    expect(text).not.toContain('/v1/me');
    expect(text).not.toContain(someone);
  });
});
