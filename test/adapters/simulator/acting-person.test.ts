/** Goal: a person acted by a program says and taps as on the page, and gives the answer. */
import { afterEach, expect, test } from 'vitest';
import { consentCard, stubProduct } from '../../e2e/stub-product.ts';
import { type Host, startHost } from './host.ts';

let host: Host | undefined;
afterEach(() => host?.close());

test('says a text, sees the card, taps its button by the data', async () => {
  host = await startHost(stubProduct());
  const person = host.simulator.as('A');
  const offered = (await person?.say('以後優先找蔬食，幫我記住')) ?? [];
  expect(offered[0]?.text).toBe(consentCard('x').altText);
  expect(offered[0]?.buttons.map(({ label }) => label)).toEqual(['同意記住', '先不要']);
  const answered = await person?.press(offered[0]?.buttons[0]?.data ?? '');
  expect(answered).toEqual([{ text: '記住了：蔬食。', buttons: [] }]);
});

test('sees all messages of one answer', async () => {
  host = await startHost({
    onEvent: async (event, client) => {
      if (event.type !== 'message') return;
      const messages = ['一', '二', '三'].map((text) => ({ type: 'text' as const, text }));
      await client.replyMessage({ replyToken: event.replyToken ?? '', messages });
    },
  });
  expect((await host.simulator.as('B')?.say('你好'))?.map(({ text }) => text)).toEqual(['一', '二', '三']);
});

test('taps a button that this process never showed', async () => {
  host = await startHost(stubProduct());
  expect(await host.simulator.as('A')?.press('approve:unknown')).toMatchObject([
    { text: '這張卡不是你的，或被改過。' },
  ]);
});

test('throws when the webhook refuses, and knows no letter that nobody has', async () => {
  host = await startHost({ onEvent: () => Promise.reject(new Error('the test wants a 500')) });
  await expect(host.simulator.as('A')?.say('你好')).rejects.toThrow('500');
  expect(host.simulator.as('Z')).toBeUndefined();
});
