/**
 * Drives the chat page the way a person does: by what is written on it.
 * @module
 */
import type { Browser, Locator, Page } from 'playwright-core';

export type ChatPage = {
  readonly page: Page;
  /** Errors of the page itself: exceptions, refused loads, policy violations. */
  readonly errors: readonly string[];
  /** Goes on as Person `letter`. */
  readonly become: (letter: string) => Promise<void>;
  /** Types a text and sends it; waits until it was delivered. */
  readonly send: (text: string) => Promise<void>;
  /** Taps the newest button with this label, or the one of the nth newest card (0 = newest). */
  readonly tap: (label: string, cardsBack?: number) => Promise<void>;
  /** Opens the menu of the newest item that has this action, and chooses it. */
  readonly choose: (menuAction: string) => Promise<void>;
  /** All that the newest message of the product says; waits for one newer than `after` messages. */
  readonly lastAnswer: (after?: number) => Promise<string>;
  /** How many messages of the product stand in the chat. */
  readonly answers: () => Promise<number>;
  /** The panel: what is remembered, the revision, and the events with type and words. */
  readonly ledger: () => Promise<LedgerPanel>;
  readonly close: () => Promise<void>;
};

export type LedgerPanel = {
  readonly value: string;
  readonly revision: number;
  readonly events: readonly { readonly type: string; readonly words: string }[];
};

export type OpenOptions = {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
};

/** Opens the page as Person A in a context of its own. @param chatUrl where `/chat` is. */
export async function openChatPage(browser: Browser, chatUrl: string, options: OpenOptions = {}): Promise<ChatPage> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1360, height: options.height ?? 860 },
    colorScheme: options.colorScheme ?? 'light',
    locale: 'zh-TW',
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(chatUrl);
  const become = async (letter: string) => {
    await page.locator(`[data-person="${letter}"]`).first().click();
    await page.locator(`body[data-person="${letter}"]`).waitFor();
  };
  await page.locator('body[data-person="A"]').waitFor();
  const bot = page.locator('#log .item.bot');

  return {
    page,
    errors,
    become,
    async send(text) {
      const before = await page.locator('#log .item.person').count();
      await page.getByRole('textbox', { name: '訊息', exact: true }).fill(text);
      await page.getByRole('button', { name: '送出', exact: true }).click();
      await page.locator('#log .item.person').nth(before).locator('.delivery, .held').first().waitFor();
    },
    async tap(label, cardsBack = 0) {
      const cards = bot.filter({ has: page.getByRole('button', { name: label, exact: true }) });
      const card = cards.nth((await cards.count()) - 1 - cardsBack);
      await card.getByRole('button', { name: label, exact: true }).first().click();
    },
    async choose(menuAction) {
      const item = page.locator('#log .item').filter({ has: page.locator('.menu-body', { hasText: menuAction }) });
      const action = page.locator('.menu-body button').filter({ hasText: menuAction });
      const named = page.locator(`.menu-body button[aria-label="${menuAction}"]`);
      const newest = ((await named.count()) > 0 ? page.locator('#log .item').filter({ has: named }) : item).last();
      await newest.locator('.menu > summary').click();
      await pick(newest, named, action).click();
    },
    async lastAnswer(after = 0) {
      await bot.nth(after).waitFor();
      return (await bot.last().locator('.shown').innerText()).trim();
    },
    answers: () => bot.count(),
    async ledger() {
      const panel = page.locator('#ledger');
      const revision = await panel.locator('[data-revision]').getAttribute('data-revision', { timeout: 5_000 });
      const events = await panel.locator('.event').evaluateAll((lines) =>
        lines.map((line) => ({
          type: line.getAttribute('data-type') ?? '',
          words: line.querySelector('.words')?.textContent ?? '',
        })),
      );
      return { value: (await panel.locator('.now-value').textContent()) ?? '', revision: Number(revision), events };
    },
    close: () => context.close(),
  };
}

function pick(item: Locator, named: Locator, written: Locator): Locator {
  return item.locator('.menu-body button').and(named.or(written)).first();
}
