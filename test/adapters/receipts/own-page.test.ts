import { hash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { ownPage, type OwnPageCount } from '../../../src/adapters/receipts/own-page.ts';
import { mintOwnLink } from '../../../src/commands/own-link.ts';
import type { LedgerRef, TenantId } from '../../../src/events/identity.ts';
import { StoreUnavailable } from '../../../src/events/ports.ts';
import { openReceipt } from '../../../src/projections/receipt.ts';
import type { Controller } from '../../../src/projections/record.ts';
import { BEGINNING, CARD_KEYS, type Person, personOn } from '../../support/ledger-world.ts';
import { type MemoryLedger, memoryLedger } from '../../support/memory-ledger.ts';
import { missingFields } from '../../support/own-histories.ts';

const NOBODY: Controller = { name: null, contact: null, jurisdiction: null };
let ledger: MemoryLedger;
let clock: { now: number };
let counted: OwnPageCount[];
let personA: Person;
let personB: Person;
beforeEach(() => {
  ledger = memoryLedger();
  clock = { now: BEGINNING };
  counted = [];
  personA = personOn(ledger, 'Person A', () => clock.now);
  personB = personOn(ledger, 'Person B', () => clock.now);
});

const routes = (controller = NOBODY, tenantId: TenantId = personA.ref.tenantId) =>
  ownPage({
    reader: ledger,
    tenantId,
    cardKeys: CARD_KEYS,
    controller,
    clock: () => clock.now,
    count: (name) => counted.push(name),
  });

async function linkOf(ref: LedgerRef): Promise<string> {
  const { state } = await ledger.head(ref.ledgerId);
  const { present } = JSON.parse(state ?? '{"present":{"revision":0}}') as { present: { revision: number } };
  const { token } = mintOwnLink(CARD_KEYS, ref.tenantId, { ledgerId: ref.ledgerId, ...present }, clock.now);
  return `/v1/me/${token}`;
}

async function get(path: string, app = routes()) {
  const response = await app.request(path);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe("A person's own page", () => {
  test('shows what is in force, the history, and both downloads', async () => {
    await personA.remember('m1', 'vegan');
    const { status, body } = await get(await linkOf(personA.ref));
    expect(status).toBe(200);
    for (const words of ['全素', '第 1 版', '你按了同意', '使用中', 'record.json', 'receipt.json', '請回到 LINE']) {
      expect(body).toContain(words);
    }
    expect(counted).toStrictEqual(['own_page_shown']);
  });

  test("never shows another's", async () => {
    await personA.remember('m1', 'vegan');
    await personB.remember('m2', 'lacto');
    const { body } = await get(await linkOf(personB.ref));
    expect(body).toContain('奶素');
    expect(body).not.toContain('全素');
    const record = await get(`${await linkOf(personB.ref)}/record.json`);
    expect(record.body).toContain(personB.ref.ledgerId);
    expect(record.body).not.toContain(personA.ref.ledgerId);
  });

  test('gives a record with every mandatory field, and a receipt that opens', async () => {
    await personA.remember('m1', 'vegan');
    const link = await linkOf(personA.ref);
    const record = await get(`${link}/record.json`);
    expect(record.headers.get('content-type')).toContain('application/ld+json');
    expect(record.headers.get('content-disposition')).toBe('attachment; filename="local-record.json"');
    expect(missingFields(JSON.parse(record.body))).toStrictEqual([]);
    const receipt = await get(`${link}/receipt.json`);
    await personA.forget();
    const kept = await ledger.events(personA.ref.ledgerId, 1, 10);
    expect(openReceipt(JSON.parse(receipt.body), kept)).toMatchObject({ ok: true, opened: { value: 'vegan' } });
  });

  test('gives the receipt of any one decision by its position, and of nothing else', async () => {
    await personA.remember('m1', 'vegan');
    await personA.remember('m2', 'lacto');
    const link = await linkOf(personA.ref);
    expect((await get(`${link}/receipt.json?position=2`)).body).toContain('"local:opening": null');
    expect((await get(`${link}/receipt.json?position=4`)).body).toContain('"value": "lacto"');
    for (const position of ['1', '5', '02', '-1', '', '4 ', '<script>']) {
      expect((await get(`${link}/receipt.json?position=${encodeURIComponent(position)}`)).status).toBe(404);
    }
  });

  test('after a forget an older link shows no content and lets nothing be downloaded (C57a)', async () => {
    await personA.remember('m1', 'vegan');
    const link = await linkOf(personA.ref);
    expect((await get(`${link}/receipt.json`)).status).toBe(200);
    await personA.forget();
    const page = await get(link);
    expect(page.body).not.toContain('全素');
    expect(page.body).not.toContain('receipt.json');
    expect(page.body).toMatch(/有變動.*內容已刪除（忘記/s);
    for (const name of ['record.json', 'receipt.json', 'receipt.json?position=2']) {
      const download = await get(`${link}/${name}`);
      expect([download.status, download.body.includes('vegan')]).toStrictEqual([410, false]);
    }
  });

  test('an older link shows nothing of what was agreed to after it', async () => {
    await personA.remember('m1', 'vegan');
    const link = await linkOf(personA.ref);
    await personA.forget();
    await personA.remember('m2', 'lacto');
    expect((await get(link)).body).not.toMatch(/奶素|全素/);
    expect((await get(`${link}/receipt.json`)).status).toBe(410);
  });

  test('after a forget a new link gives a receipt without any value', async () => {
    await personA.remember('m1', 'vegan');
    await personA.forget();
    const { body } = await get(`${await linkOf(personA.ref)}/receipt.json`);
    expect(body).toContain('"local:decision": "forget"');
    expect(body).not.toContain('"vegan"');
    expect((await get(await linkOf(personA.ref))).body).toContain('目前沒有記住任何飲食條件');
  });

  test('works to the last millisecond of 600 s and is then expired, downloads too', async () => {
    await personA.remember('m1', 'vegan');
    const link = await linkOf(personA.ref);
    clock.now += 599_999;
    expect((await get(link)).status).toBe(200);
    clock.now += 1;
    for (const path of [link, `${link}/record.json`, `${link}/receipt.json`]) {
      const { status, body } = await get(path);
      expect([status, body.includes('連結過期了')]).toStrictEqual([410, true]);
    }
    expect(counted.slice(1)).toStrictEqual(Array(3).fill('expired_own_link'));
  });

  test('a changed, foreign or unfinished link shows nothing of anybody', async () => {
    await personA.remember('m1', 'vegan');
    const link = await linkOf(personA.ref);
    const other = mintOwnLink(
      CARD_KEYS,
      personA.ref.tenantId,
      { ledgerId: personB.ref.ledgerId, revision: 0 },
      clock.now,
    );
    for (const path of [`${link}A`, link.slice(0, -1), '/v1/me/x', `${link}/other.json`, `/v1/me/${other.token}`]) {
      const { status, body } = await get(path);
      expect([status, body.includes('這個連結不能用')], path).toStrictEqual([404, true]);
    }
    expect((await get(link, routes(NOBODY, 'tenant-b' as TenantId))).status).toBe(404);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'decides nothing: %s is refused and appends nothing',
    async (method) => {
      await personA.remember('m1', 'vegan');
      const link = await linkOf(personA.ref);
      for (const path of [link, `${link}/record.json`, `${link}/receipt.json`]) {
        const response = await routes().request(path, { method });
        expect([response.status, response.headers.get('allow')]).toStrictEqual([405, 'GET, HEAD']);
      }
      expect((await ledger.head(personA.ref.ledgerId)).position).toBe(2);
    },
  );

  test('looking appends nothing and changes nothing', async () => {
    await personA.remember('m1', 'vegan');
    const before = await ledger.headWithContent(personA.ref.ledgerId);
    const commits = ledger.kept().commits.length;
    const link = await linkOf(personA.ref);
    for (const path of [link, `${link}/record.json`, `${link}/receipt.json`]) await get(path);
    expect(await ledger.headWithContent(personA.ref.ledgerId)).toStrictEqual(before);
    expect(ledger.kept().commits).toHaveLength(commits);
  });

  test('has no form, no script, nothing from elsewhere, and headers that keep it so', async () => {
    await personA.remember('m1', 'vegan');
    const link = await linkOf(personA.ref);
    for (const path of [link, `${link}A`, `${link}/record.json`]) {
      const { headers, body } = await get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'/);
      for (const part of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]) {
        expect(policy).toContain(part);
      }
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      if (path.endsWith('.json')) continue;
      expect(body).not.toMatch(/<form|<script|<button|<input|<img|<iframe|https?:\/\//);
    }
  });

  test('its one style is the one the policy allows', async () => {
    await personA.remember('m1', 'vegan');
    const { headers, body } = await get(await linkOf(personA.ref));
    const style = /<style>(.*?)<\/style>/s.exec(body)?.[1] ?? '';
    expect(headers.get('content-security-policy')).toContain(hash('sha256', style, 'base64'));
  });

  test('foreign strings are words, not marks', async () => {
    await personA.remember('m1', 'vegan');
    const hostile = { name: '<script>alert(1)</script>', contact: '"><img src=x>', jurisdiction: '&' };
    const app = routes(hostile);
    const { body } = await get(await linkOf(personA.ref), app);
    expect(body).not.toMatch(/<script|<img/);
    expect(body).toContain('&lt;script&gt;');
    const record = await get(`${await linkOf(personA.ref)}/record.json`, app);
    expect(JSON.parse(record.body)).toMatchObject({ 'dpv:hasEntity': { 'dpv:hasName': hostile.name } });
  });

  test('holds neither the key of the person nor a blinding key', async () => {
    await personA.remember('m1', 'vegan');
    const { body } = await get(await linkOf(personA.ref));
    const { content } = await ledger.headWithContent(personA.ref.ledgerId);
    const { blindingKey } = JSON.parse(Buffer.from(content?.bytes ?? []).toString()) as { blindingKey: string };
    expect(body).not.toContain(personA.ref.subjectKey);
    expect(body).not.toContain(blindingKey);
  });

  test('is readable for a person who has decided nothing, and offers no receipt then', async () => {
    await personA.propose('m1', 'vegan');
    const link = await linkOf(personA.ref);
    const { body } = await get(link);
    expect(body).toContain('還沒有儲存');
    expect(body).not.toContain('receipt.json');
    expect((await get(`${link}/receipt.json`)).status).toBe(404);
  });

  test('shows nothing when an event cannot be read', async () => {
    await personA.remember('m1', 'vegan');
    const link = await linkOf(personA.ref);
    const sound = ledger;
    ledger = {
      ...sound,
      events: async (...asked) => (await sound.events(...asked)).map((each) => ({ ...each, bytes: Buffer.from('{}') })),
    };
    const { status, body } = await get(link);
    expect([status, body.includes('讀不出來'), body.includes('全素')]).toStrictEqual([500, true, false]);
  });

  test('says so when the store does not answer, and shows nothing', async () => {
    await personA.remember('m1', 'vegan');
    const link = await linkOf(personA.ref);
    const failing = async () => Promise.reject(new StoreUnavailable('vegan'));
    ledger = { ...ledger, headWithContent: failing };
    for (const path of [link, `${link}/receipt.json`]) {
      const { status, headers, body } = await get(path);
      expect([status, body.includes('現在查不到'), body.includes('vegan')]).toStrictEqual([503, true, false]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});
