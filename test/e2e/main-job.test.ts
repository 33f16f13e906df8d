/**
 * The main job as a person sees it: the whole service with its chat simulator, in a real browser.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceProcess, simulatorEnvironment, startService } from '../support/service-process.ts';
import { hasChromium, launchChromium } from './browser.ts';
import { type ChatPage, openChatPage } from './chat-page.ts';

const TESTS = 4;

describe.runIf(hasChromium(TESTS))('in the browser', () => {
  let folder: string;
  let service: ServiceProcess;
  let browser: Browser;
  let chat: ChatPage;
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

  /** Says something and gives the newest answer. */
  async function say(text: string): Promise<string> {
    const before = await chat.answers();
    await chat.send(text);
    return chat.lastAnswer(before);
  }
  async function tap(label: string, cardsBack = 0): Promise<string> {
    const before = await chat.answers();
    await chat.tap(label, cardsBack);
    return chat.lastAnswer(before);
  }
  /** The panel once it shows that many events. */
  async function ledgerWith(events: number) {
    await chat.page
      .locator('#ledger .event')
      .nth(events - 1)
      .waitFor();
    return chat.ledger();
  }

  it('a wish shows a card and stores nothing; the tap saves it', async () => {
    expect(await say('以後優先找蔬食，幫我記住')).toContain('還沒有儲存');
    expect(await ledgerWith(1)).toMatchObject({ revision: 0, events: [{ type: 'preference.proposed' }] });
    expect(await tap('同意記住')).toContain('已記住');
    const after = await ledgerWith(2);
    expect(after).toMatchObject({ revision: 1 });
    expect(after.value).toContain('蔬食');
  });

  it('the next question uses it and says so', async () => {
    const before = await chat.answers();
    await chat.send('花壇有推薦吃的嗎？');
    await chat.lastAnswer(before);
    await expect.poll(() => chat.page.locator('#log').innerText()).toMatch(/依你同意記住的[\s\S]*和米素食/);
  });

  it('forget takes it away; the old card still in the chat is refused, and the refusal stands in the ledger', async () => {
    expect(await say('忘記我的飲食偏好')).toContain('已忘記');
    await ledgerWith(3);
    expect(await tap('同意記住')).toContain('已失效');
    const after = await ledgerWith(4);
    expect(after.revision).toBe(2);
    expect(after.events.map(({ type }) => type)).toContain('card.refused');
  });

  it('without an error of the page or a refused load', () => {
    expect(chat.errors).toEqual([]);
  });
});
