/**
 * Goal: an auditor can look, move through time, prove and take away, by mouse, keyboard and screen reader, with and without
 * script, and the page talks to nobody else.
 * Method: Chromium against the console on loopback over people who have decided; axe-core judges accessibility.
 */
import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/adapters/http/server.ts';
import { type Audited, startAudited, TOKENS } from '../adapters/audit/audited.ts';
import { witnessedWorld } from '../support/witnessed-ledgers.ts';
import { hasChromium, launchChromium } from './browser.ts';

const TESTS = 19;

describe.skipIf(!hasChromium(TESTS))('the audit console', () => {
  let browser: Browser;
  let audited: Audited;
  let server: Listening;
  beforeAll(async () => {
    browser = await launchChromium();
    const { checkpoint, ledger, log } = witnessedWorld();
    audited = await startAudited({ ledger, checkpoints: log });
    await checkpoint();
    server = await listen(audited.routes, '127.0.0.1', 0);
  });
  afterAll(async () => {
    await browser.close();
    await server.close(0);
  });

  const ledgerUrl = (who: keyof Audited['people']): string =>
    `${server.url}/audit/ledgers/${audited.people[who].ref.ledgerId}`;

  /** Runs with a page of somebody signed in; errors on its console and requests to another host fail the test. */
  async function signedIn(
    role: keyof typeof TOKENS,
    run: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'zh-TW', ...options });
    const faults: string[] = [];
    try {
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('request', (request) => {
        if (!request.url().startsWith(`${server.url}/audit`)) faults.push(request.url());
      });
      await page.goto(`${server.url}/audit`);
      await page.locator('#token').fill(TOKENS[role]);
      await page.locator('form button').click();
      await page.locator('.figures').waitFor();
      await run(page);
    } finally {
      await context.close();
    }
    expect(faults).toStrictEqual([]);
  }

  test('from the overview through the list to a ledger', () =>
    signedIn('content', async (page) => {
      expect(await page.locator('.figures dd').allTextContents()).toStrictEqual([
        '3',
        '1',
        expect.any(String),
        expect.any(String),
      ]);
      expect(await page.getByRole('img', { name: /每天發生的事: 提出卡片 5, 本人同意 3/ }).count()).toBe(1);
      await page.getByRole('link', { name: '帳本', exact: true }).click();
      await page.getByLabel('種類').selectOption('preference');
      await page.getByRole('button', { name: '顯示' }).click();
      expect(await page.locator('tbody tr').count()).toBe(3);
      await page.locator('tbody tr', { hasText: '生效中' }).locator('a').click();
      expect(await page.locator('.value b').textContent()).toBe('蛋奶素');
    }));

  test('the timeline says every event in words, and a click returns to that moment', () =>
    signedIn('content', async (page) => {
      await page.goto(ledgerUrl('keeping'));
      expect(await page.locator('.timeline li b').allTextContents()).toStrictEqual([
        '提出卡片',
        '本人同意',
        '提出卡片',
        '擋下卡片',
        '提出卡片',
        '本人更正',
        '擋下卡片',
      ]);
      await page.locator('.timeline li a').nth(1).click();
      await page.locator('.s-erased').waitFor();
      expect(page.url()).toBe(`${ledgerUrl('keeping')}?position=2`);
      expect(await page.locator('.state').textContent()).toContain('本人更正為另一項');
      expect(await page.locator(':focus').getAttribute('aria-current')).toBe('true');
      await page.goBack();
      await page.locator('.s-in_force').waitFor();
    }));

  test('the slider goes through the revisions by keyboard, and the state beside it follows', () =>
    signedIn('content', async (page) => {
      await page.goto(ledgerUrl('forgot'));
      const slider = page.getByRole('slider');
      await slider.focus();
      await page.keyboard.press('ArrowLeft');
      await page.locator('.s-erased').waitFor();
      expect(await page.locator('.state').textContent()).toContain('本人要求忘記');
      expect(await page.locator('blockquote').textContent()).toContain('同意後，LOCAL');
      await page.keyboard.press('Home');
      await page.locator('.where', { hasText: '一開始' }).waitFor();
      expect(await page.locator('.state .big').textContent()).toBe('沒有內容生效');
      expect(await page.locator(':focus').getAttribute('id')).toBe('revision');
    }));

  test('a refusal shows its reason and the head it met', () =>
    signedIn('integrity', async (page) => {
      await page.goto(`${ledgerUrl('forgot')}?position=4`);
      const met = page.getByRole('region', { name: '它遇到的帳本頭' });
      const text = ((await met.textContent()) ?? '').replaceAll(/\s+/g, ' ');
      expect(text).toContain('擋下的原因之後已經忘記');
      expect(text).toContain('卡片依據的版本0');
      expect(text).toContain('當時的版本2');
      expect(text).toContain('當時沒有內容生效');
      await met.getByRole('link', { name: '3' }).click();
      await page.locator('#detail + .lead', { hasText: '忘記' }).waitFor();
    }));

  test('the role integrity is shown that something is in force, and not what', () =>
    signedIn('integrity', async (page) => {
      await page.goto(ledgerUrl('keeping'));
      expect(await page.locator('.withheld').isVisible()).toBe(true);
      expect(await page.content()).not.toContain('蛋奶素');
    }));

  test('verify says that all is as it should be, for one ledger and for all', () =>
    signedIn('integrity', async (page) => {
      await page.goto(ledgerUrl('keeping'));
      await page.getByRole('link', { name: '驗證這本帳本' }).click();
      expect(await page.getByRole('status').textContent()).toBe('全部符合');
      await page.getByRole('link', { name: '全部驗證' }).click();
      expect(await page.getByRole('status').textContent()).toBe('全部符合');
      await page.getByRole('link', { name: '總覽' }).click();
      expect(await page.getByRole('region', { name: '驗證狀態' }).textContent()).toContain('全部符合');
    }));

  test('the history can be taken away', () =>
    signedIn('content', async (page) => {
      await page.goto(ledgerUrl('cancelled'));
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: '下載歷史' }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^ledger-.{12}\.ndjson$/);
      const lines = readFileSync(await download.path(), 'utf8')
        .trimEnd()
        .split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toStrictEqual([
        'preference.proposed',
        'preference.cancelled',
      ]);
    }));

  test('who looked is shown, this look included', () =>
    signedIn('content', async (page) => {
      await page.goto(ledgerUrl('cancelled'));
      await page.getByRole('link', { name: '誰看過這本帳本' }).click();
      const newest = page.locator('tbody tr').first();
      expect(await newest.textContent()).toContain('content-reader');
      expect(await page.locator('tbody tr').count()).toBeGreaterThan(1);
    }));

  test('without script the same links and forms do the same', () =>
    signedIn(
      'content',
      async (page) => {
        await page.goto(ledgerUrl('forgot'));
        await page.getByRole('slider').fill('1');
        await page.locator('.scrub button').click();
        expect(page.url()).toBe(`${ledgerUrl('forgot')}?revision=1`);
        expect(await page.locator('.state').textContent()).toContain('內容已經抹除');
        await page.locator('.timeline li a').nth(3).click();
        expect(await page.locator('.met').isVisible()).toBe(true);
        await page.getByRole('button', { name: '登出' }).click();
        expect(await page.locator('#token').isVisible()).toBe(true);
      },
      { javaScriptEnabled: false },
    ));

  test('the language can be changed where one stands, and stays', () =>
    signedIn('content', async (page) => {
      await page.goto(`${ledgerUrl('keeping')}?position=4`);
      await page.getByRole('link', { name: 'English' }).click();
      expect(await page.locator('#detail').textContent()).toBe('This event');
      expect(page.url()).toContain('position=4');
      await page.goto(`${server.url}/audit`);
      expect(await page.locator('h1').textContent()).toBe('Overview');
    }));

  test('the first thing a keyboard meets is the way to the content', () =>
    signedIn('content', async (page) => {
      await page.goto(`${server.url}/audit/ledgers`);
      await page.keyboard.press('Tab');
      expect(await page.locator(':focus').textContent()).toBe('跳到主要內容');
      await page.keyboard.press('Enter');
      expect(await page.locator(':focus').getAttribute('id')).toBe('main');
    }));

  const looks = (['zh-TW', 'en'] as const).flatMap((locale) =>
    (['light', 'dark'] as const).flatMap((colorScheme) =>
      [1280, 375].map((width) => ({ locale, colorScheme, width }) as const),
    ),
  );
  test.each(looks)('axe-core finds no serious fault: $locale, $colorScheme, $width px wide', ({ width, ...look }) =>
    signedIn(
      'content',
      async (page) => {
        const found: string[] = [];
        const at = ledgerUrl('keeping');
        const pages = [
          '/audit',
          '/audit/ledgers',
          '/audit/verify',
          `${at}?position=7`,
          `${ledgerUrl('forgot')}?revision=1`,
        ];
        for (const path of pages) {
          await page.goto(path.startsWith('http') ? path : `${server.url}${path}`);
          await page.evaluate(axe.source);
          const violations = await page.evaluate(async () => {
            const { axe: injected } = globalThis as unknown as {
              axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
            };
            return (await injected.run()).violations;
          });
          for (const { id, impact, nodes } of violations)
            if (impact === 'serious' || impact === 'critical') found.push(`${path} ${id}: ${nodes[0]?.html}`);
          const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          if (overflow > 0) found.push(`${path} is ${overflow} px too wide`);
        }
        expect(found).toStrictEqual([]);
      },
      { ...look, viewport: { width, height: 800 }, bypassCSP: true },
    ),
  );
});
