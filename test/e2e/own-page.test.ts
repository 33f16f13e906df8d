/**
 * 我的紀錄 as a person sees it: from the chat to their own page, in a real browser.
 * @module
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceProcess, simulatorEnvironment, startService } from '../support/service-process.ts';
import { hasChromium, launchChromium } from './browser.ts';
import { type ChatPage, openChatPage } from './chat-page.ts';

const TESTS = 3;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describe.runIf(hasChromium(TESTS))("a person's own page in the browser", () => {
  let folder: string;
  let service: ServiceProcess;
  let browser: Browser;
  let chat: ChatPage;
  let link: string;
  const faults: string[] = [];

  /** Opens an address and notes every error and every request that leaves the service. */
  async function visit(address: string, scheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await browser.newPage({ colorScheme: scheme });
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('request', (request) => request.url().startsWith(service.url) || faults.push(request.url()));
    await page.goto(address);
    return page;
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'local-e2e-'));
    service = await startService(simulatorEnvironment(folder));
    browser = await launchChromium();
    chat = await openChatPage(browser, `${service.url}/chat`);
  });
  afterAll(async () => {
    await browser.close();
    service.child.kill('SIGTERM');
    await service.ended;
    rmSync(folder, { recursive: true });
  });

  it('a tap in the chat opens it in a tab of its own, with what was agreed to and how it came', async () => {
    for (const act of [
      () => chat.send('以後優先找全素，幫我記住'),
      () => chat.tap('同意記住', 0),
      () => chat.send('我的紀錄'),
    ]) {
      const before = await chat.answers();
      await act();
      await chat.lastAnswer(before);
    }
    const opened = chat.page.context().waitForEvent('page');
    await chat.tap('打開我的紀錄頁', 0);
    const tab = await opened;
    await tab.waitForURL(/\/v1\/me\//);
    link = tab.url();
    const page = await visit(link);
    const text = await page.locator('main').innerText();
    expect(text).toMatch(/目前記住的條件：全素（第 1 版）.*你按了同意.*使用中/s);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: '最近一次決定的收據（JSON）' }).click(),
    ]);
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({
      'local:opening': { value: 'vegan' },
    });
    await page.close();
  });

  it('axe finds no serious fault, light or dark', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const page = await visit(link, scheme);
      // Evaluated through the debugger, so the page's own policy stays in force.
      await page.evaluate(readFileSync(AXE, 'utf8'));
      const serious = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; impact: string }[] }> };
        };
        const { violations } = await axe.run();
        return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id);
      });
      expect(serious).toStrictEqual([]);
      await page.close();
    }
  });

  it('nothing was asked of another host and nothing went wrong on the page', () => {
    expect(faults).toStrictEqual([]);
  });
});
