/**
 * Goal: a person can use the chat page, by mouse and by keyboard, and sees what the ledger sees.
 * Method: Chromium against a simulator on loopback with a stub product behind it.
 */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Host, startHost } from '../adapters/simulator/host.ts';
import { hasChromium, launchChromium } from './browser.ts';
import { type ChatPage, openChatPage } from './chat-page.ts';
import { stubProduct } from './stub-product.ts';

const REMEMBER = '以後優先找蔬食，幫我記住';
const TESTS = 17;

describe.skipIf(!hasChromium(TESTS))('the chat page', () => {
  let browser: Browser;
  let host: Host;
  let chat: ChatPage;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    host = await startHost({ ...stubProduct(), movableClock: true });
    chat = await openChatPage(browser, host.chatUrl);
  });
  afterEach(async () => {
    const errors = [...chat.errors];
    await chat.close();
    await host.close();
    expect(errors).toEqual([]);
  });

  const menuOf = (nth: number) => chat.page.locator('#log .item').nth(nth).locator('.menu > summary');

  test('draws the card, and a tap brings the answer and the ledger', async () => {
    await chat.send(REMEMBER);
    expect(await chat.lastAnswer()).toContain('是否同意記住？');
    expect(await chat.ledger()).toMatchObject({ value: '沒有記住任何偏好', revision: 0 });
    await chat.tap('同意記住');
    expect(await chat.lastAnswer(1)).toBe('記住了：蔬食。');
    await chat.page.locator('.event[data-type="preference.approved"]').waitFor();
    expect(await chat.ledger()).toEqual({
      value: '蔬食',
      revision: 1,
      events: [
        { type: 'preference.proposed', words: '提出一張「記住」卡；還沒有改變什麼，300 秒內有效' },
        { type: 'preference.approved', words: '本人同意，成為第 1 版' },
      ],
    });
  });

  test('an old card can still be tapped, and its refusal shows with its reason', async () => {
    await chat.send(REMEMBER);
    await chat.lastAnswer();
    await chat.tap('同意記住');
    await chat.lastAnswer(1);
    await chat.send('再一次');
    await chat.lastAnswer(2);
    await chat.tap('先不要', 1);
    expect(await chat.lastAnswer(3)).toBe('這張卡已經不算數了。');
    await chat.page.locator('.event.refused').waitFor();
    expect((await chat.ledger()).events.at(-1)?.words).toContain('已被新卡取代');
  });

  test('quick replies stand under the newest message and are gone after the next', async () => {
    await chat.send(REMEMBER);
    await chat.lastAnswer();
    await chat.tap('先不要');
    await chat.lastAnswer(1);
    await chat.page.locator('#quick').getByRole('button', { name: '我的偏好' }).click();
    await chat.lastAnswer(2);
    expect(await chat.page.locator('#quick').isVisible()).toBe(false);
    expect(host.received.at(-1)?.events[0]).toMatchObject({ type: 'message', message: { text: '我的偏好' } });
  });

  test('a changed card and a card of another person are refused', async () => {
    await chat.send(REMEMBER);
    await chat.lastAnswer();
    await chat.choose('竄改後按同意記住');
    expect(await chat.lastAnswer(1)).toBe('這張卡不是你的，或被改過。');
    await chat.choose('由 Person B 按同意記住');
    await chat.page.locator('#toast.on').filter({ hasText: 'Person B' }).waitFor();
    await chat.page.locator('[data-person="B"] .dot').waitFor();
    await chat.become('B');
    expect(await chat.lastAnswer()).toBe('這張卡不是你的，或被改過。');
    expect((await chat.ledger()).revision).toBe(0);
  });

  test('an event is delivered again, replayed, and with a wrong signature, each with its status', async () => {
    await chat.send('你好');
    await chat.choose('重新投遞（isRedelivery）');
    await chat.page.locator('[data-kind="redelivery"]').waitFor();
    await chat.choose('原樣重播同一包');
    await chat.page.locator('[data-kind="replay"]').waitFor();
    await chat.choose('用錯誤的簽章投遞');
    await chat.page.locator('[data-kind="wrong_signature"]').waitFor();
    const facts = await chat.page.locator('#log .item.person').first().locator('.delivery').allInnerTexts();
    expect(facts[0]).toBe('已投遞 200');
    expect(facts.at(-1)).toBe('錯誤簽章 401');
  });

  test('a held standby event of the group waits for its button', async () => {
    await chat.page.locator('#manner > summary').click();
    await chat.page.getByLabel('先扣住').check();
    await chat.page.getByLabel('群組').check();
    await chat.page.getByLabel('standby').check();
    await chat.send('等一下再送');
    expect(host.received).toHaveLength(0);
    await chat.page.getByRole('button', { name: '扣住中，現在送出' }).click();
    await chat.page.locator('[data-kind="first"]').waitFor();
    expect(host.received[0]?.events[0]).toMatchObject({ mode: 'standby', source: { type: 'group' } });
  });

  test('a message is edited and unsent', async () => {
    await chat.send('蔬食');
    await chat.choose('編輯訊息');
    await chat.page.locator('#edit-text').fill('蛋奶素');
    await chat.page.getByRole('button', { name: '送出編輯' }).click();
    await chat.page.locator('.bubble-said', { hasText: '蛋奶素' }).waitFor();
    await chat.choose('收回訊息');
    await chat.page.locator('.bubble-said.unsent').waitFor();
    await expect
      .poll(() => host.received.map(({ events }) => events[0]?.type))
      .toEqual(['message', 'messageEdited', 'unsend']);
  });

  test('a location is sent from the dialog', async () => {
    await chat.page.getByRole('button', { name: '傳位置' }).click();
    await chat.page.getByRole('button', { name: '傳送' }).click();
    await chat.lastAnswer();
    expect(host.received[0]?.events[0]).toMatchObject({ message: { type: 'location', latitude: 24.0256 } });
  });

  test('blocking stops the composer, unblocking frees it', async () => {
    await chat.page.getByRole('button', { name: '封鎖', exact: true }).click();
    await chat.page.getByRole('button', { name: '解除封鎖' }).waitFor();
    expect(await chat.page.getByRole('textbox', { name: '訊息' }).isDisabled()).toBe(true);
    await chat.page.getByRole('button', { name: '解除封鎖' }).click();
    await chat.lastAnswer();
    expect(await chat.page.getByRole('textbox', { name: '訊息' }).isDisabled()).toBe(false);
  });

  test('the plain-text twin offers the same buttons, and they work', async () => {
    await chat.send(REMEMBER);
    await chat.lastAnswer();
    await chat.page.getByLabel('文字版').check();
    expect(await chat.lastAnswer()).toContain('是否同意記住「蔬食」？');
    await chat.tap('同意記住');
    expect(await chat.lastAnswer(1)).toBe('記住了：蔬食。');
  });

  test('the card can be had as JSON for the Flex Message Simulator', async () => {
    await chat.send(REMEMBER);
    await chat.lastAnswer();
    await chat.choose('複製 Flex Simulator JSON');
    const json = await chat.page.locator('#text-dialog-text').inputValue();
    expect(JSON.parse(json)).toMatchObject({ type: 'bubble', size: 'kilo' });
  });

  test('works by keyboard alone: write, send, reach a button of the card, press it', async () => {
    await chat.page.locator('.skip').focus();
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.type('記住');
    await chat.page.keyboard.press('Enter');
    await chat.lastAnswer();
    await chat.page.locator('#scroll').focus();
    for (let steps = 0; steps < 6; steps += 1) {
      await chat.page.keyboard.press('Tab');
      if ((await chat.page.locator(':focus').innerText()) === '同意記住') break;
    }
    await chat.page.keyboard.press('Enter');
    expect(await chat.lastAnswer(1)).toBe('記住了：蔬食。');
    expect(await chat.page.locator('#live').textContent()).toBe('LOCAL：記住了：蔬食。');
    await menuOf(0).focus();
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.press('Escape');
    expect(await chat.page.locator('details.menu[open]').count()).toBe(0);
  });

  test('the clock button moves the simulator five minutes on', async () => {
    expect(await chat.page.locator('#clock').textContent()).toMatch(/^12:00:/);
    await chat.page.getByRole('button', { name: '+5 分鐘' }).click();
    await chat.page.locator('#clock', { hasText: '12:05:' }).waitFor();
  });

  test.each([
    ['light', 375],
    ['dark', 375],
    ['light', 1360],
    ['dark', 1360],
  ] as const)('nothing runs over the edge: %s, %i px wide', async (colorScheme, width) => {
    const other = await openChatPage(browser, host.chatUrl, { colorScheme, width, height: 720 });
    await other.send(REMEMBER);
    await other.lastAnswer();
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await other.page.evaluate(overflow)).toBe(0);
    if (width < 760) {
      await other.page.getByRole('tab', { name: '聊天' }).press('ArrowRight');
      expect(await other.page.locator('#ledger').isVisible()).toBe(true);
      expect(await other.page.locator('#chat').isVisible()).toBe(false);
    }
    expect(other.errors).toEqual([]);
    await other.close();
  });
});
