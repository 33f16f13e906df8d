/**
 * Goal: what a person does reaches the product as LINE would send it.
 * Method: a real webhook on loopback that verifies with the SDK's own validateSignature and keeps the bytes.
 */
import type { webhook } from '@line/bot-sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LineEvent } from '../../../src/adapters/simulator/webhook-events.ts';
import { BOT, type Host, startHost } from './host.ts';

const NOW = { mode: 'active', source: 'user', hold: false } as const;
const CARD = {
  type: 'flex',
  altText: '卡片',
  contents: {
    type: 'bubble',
    footer: {
      type: 'box',
      layout: 'vertical',
      contents: [
        {
          type: 'button',
          action: { type: 'postback', label: '同意', data: `approve:${'k'.repeat(60)}`, displayText: '同意' },
        },
        { type: 'button', action: { type: 'postback', label: '先不要', data: 'cancel' } },
        { type: 'button', action: { type: 'message', label: '再說', text: '再說一次' } },
        { type: 'button', action: { type: 'uri', label: '網站', uri: 'https://example.com/' } },
      ],
    },
  },
} as const;
const AT = (index: number) => `/contents/footer/contents/${index}/action`;

let host: Host;
beforeEach(async () => {
  host = await startHost({ movableClock: true });
});
afterEach(() => host.close());

const last = () => {
  const event = host.received.at(-1)?.events[0];
  if (event === undefined) throw new Error('Nothing was delivered');
  return event;
};
const say = (text: string, manner: object = NOW, person = 'A') =>
  host.ask('send', { what: 'text', person, text, manner });

/** Sends Person A a card; gives its item id. */
async function cardForA(): Promise<string> {
  const sent = await host.client.pushMessage({ to: host.userId('A'), messages: [CARD as never] });
  return sent.sentMessages[0]?.id ?? '';
}
const tap = (itemId: string, index: number, more: object = {}) =>
  host.ask('tap', { person: 'A', owner: 'A', itemId, pointer: AT(index), tampered: false, manner: NOW, ...more });

describe('an event', () => {
  test('has the shape of the SDK types', () => {
    // The SDK's follow event has a reply token always; in standby LINE sends none.
    const asTheSdkSeesIt: (event: LineEvent & { readonly replyToken: string }) => webhook.Event = (event) => event;
    expect(asTheSdkSeesIt).toBeTypeOf('function');
  });

  test('carries what LINE puts into a text message event, and a signature that holds', async () => {
    await say('花壇有推薦吃的嗎？');
    const received = host.received[0];
    expect(received?.signed).toBe(true);
    expect(JSON.parse(received?.body ?? '')).toEqual({
      destination: BOT,
      events: [
        {
          type: 'message',
          message: {
            type: 'text',
            id: expect.stringMatching(/^[0-9]{18}$/),
            quoteToken: expect.stringMatching(/^[0-9a-f]{32}$/),
            markAsReadToken: expect.stringMatching(/^[0-9a-f]{32}$/),
            text: '花壇有推薦吃的嗎？',
          },
          replyToken: expect.stringMatching(/^[0-9a-f]{32}$/),
          mode: 'active',
          timestamp: Date.UTC(2026, 10, 30, 4, 0, 0),
          source: { type: 'user', userId: expect.stringMatching(/^U[0-9a-f]{32}$/) },
          webhookEventId: expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
          deliveryContext: { isRedelivery: false },
        },
      ],
    });
  });

  test('sends a character outside the BMP as escapes; the signature is over those bytes', async () => {
    await say('🤨 花壇');
    expect(host.received[0]?.body).toContain('"\\ud83e\\udd28 花壇"');
    expect(host.received[0]?.signed).toBe(true);
    expect(last()).toMatchObject({ message: { text: '🤨 花壇' } });
  });

  test('a ULID begins with its time, and ids do not repeat', async () => {
    await say('一');
    host.advance(1_000);
    await say('二');
    const [first, second] = host.received.map(({ events }) => events[0]?.webhookEventId ?? '');
    expect((first ?? '') < (second ?? '')).toBe(true);
    expect(first?.slice(10)).not.toBe(second?.slice(10));
  });

  const kinds: [string, string, object, object, boolean][] = [
    [
      'location',
      'send',
      { what: 'location', location: { title: '花壇', address: '', latitude: 24.02, longitude: 120.53 } },
      { type: 'message', message: { type: 'location', latitude: 24.02, longitude: 120.53 } },
      true,
    ],
    ['sticker', 'send', { what: 'sticker' }, { type: 'message', message: { type: 'sticker', packageId: '446' } }, true],
    ['follow', 'relation', { to: 'follow' }, { type: 'follow', follow: { isUnblocked: false } }, true],
    ['unfollow', 'relation', { to: 'block' }, { type: 'unfollow' }, false],
  ];
  test.each(kinds)('of kind %s', async (_name, path, body, event, answerable) => {
    await host.ask(path, { person: 'A', manner: NOW, ...body });
    expect(last()).toMatchObject(event);
    expect('replyToken' in last()).toBe(answerable);
    expect(host.received[0]?.signed).toBe(true);
  });

  test('after unblocking says isUnblocked', async () => {
    await host.ask('relation', { person: 'A', to: 'block', manner: NOW });
    expect((await say('在嗎')).status).toBe(409);
    await host.ask('relation', { person: 'A', to: 'unblock', manner: NOW });
    expect(last()).toMatchObject({ type: 'follow', follow: { isUnblocked: true } });
    expect((await say('在嗎')).status).toBe(200);
  });

  test('in standby carries no reply token', async () => {
    await say('你好', { ...NOW, mode: 'standby' });
    expect(last().mode).toBe('standby');
    expect(last()).not.toHaveProperty('replyToken');
  });

  test('in the group names group and person, and its reply reaches the person', async () => {
    await say('你好', { ...NOW, source: 'group' });
    expect(last().source).toEqual({
      type: 'group',
      groupId: expect.stringMatching(/^C[0-9a-f]{32}$/),
      userId: host.userId('A'),
    });
    const event = last();
    if (event.type !== 'message' || event.replyToken === undefined) throw new Error('No reply token');
    await host.client.replyMessage({
      replyToken: event.replyToken,
      messages: [{ type: 'text', text: '請到一對一聊天' }],
    });
    expect((await host.items('A')).map(({ from }) => from)).toEqual(['person', 'bot']);
  });
});

describe('a delivery', () => {
  const deliver = async (kind: string) => {
    const itemId = (await host.items('A'))[0]?.id;
    return host.ask('deliver', { person: 'A', itemId, kind });
  };

  test('again keeps id and tokens and says isRedelivery', async () => {
    await say('你好');
    await deliver('redelivery');
    const [first, second] = host.received.map(({ events }) => events[0]);
    expect(second).toEqual({ ...first, deliveryContext: { isRedelivery: true } });
    expect(host.received[1]?.signed).toBe(true);
  });

  test('replayed is the same bytes', async () => {
    await say('你好');
    await deliver('replay');
    expect(host.received[1]).toEqual(host.received[0]);
  });

  test('with a wrong signature is refused by the SDK, and the page shows 401', async () => {
    await say('你好');
    await deliver('wrong_signature');
    expect(host.received.map(({ signed }) => signed)).toEqual([true, false]);
    expect((await host.items('A'))[0]?.deliveries).toMatchObject([
      { kind: 'first', status: 200 },
      { kind: 'wrong_signature', status: 401 },
    ]);
  });

  test('held goes out later, once, with the time it happened', async () => {
    await say('你好', { ...NOW, hold: true });
    expect(host.received).toEqual([]);
    expect((await host.items('A'))[0]).toMatchObject({ held: true, deliveries: [] });
    await host.ask('clock', {});
    await deliver('first');
    expect(last().timestamp).toBe(Date.UTC(2026, 10, 30, 4, 0, 0));
    expect((await deliver('first')).status).toBe(409);
    expect(host.received).toHaveLength(1);
  });

  test('to a webhook that is not there shows no status, and the chat goes on', async () => {
    const gone = await startHost();
    await gone.close();
    const lonely = await startHost({ webhookUrl: `${new URL(gone.chatUrl).origin}/line/webhook` });
    await lonely.ask('send', { what: 'text', person: 'A', text: '有人嗎', manner: NOW });
    expect((await lonely.items('A'))[0]?.deliveries).toMatchObject([{ kind: 'first', status: null }]);
    await lonely.close();
  });
});

describe('a tap', () => {
  test('on a postback button sends its data and shows displayText', async () => {
    await tap(await cardForA(), 0);
    expect(last()).toMatchObject({ type: 'postback', postback: { data: `approve:${'k'.repeat(60)}` } });
    expect((await host.items('A')).at(-1)).toMatchObject({ text: '同意' });
  });

  test('works on an old card, as often as it is tapped', async () => {
    const old = await cardForA();
    for (const words of ['一', '二', '三']) await say(words);
    await cardForA();
    await tap(old, 1);
    await tap(old, 1);
    expect(host.received.slice(-2).map(({ events }) => events[0]?.type)).toEqual(['postback', 'postback']);
  });

  test('on a message button sends the text', async () => {
    await tap(await cardForA(), 2);
    expect(last()).toMatchObject({ type: 'message', message: { type: 'text', text: '再說一次' } });
  });

  test('with a changed byte differs in exactly one character of the data', async () => {
    await tap(await cardForA(), 0, { tampered: true });
    const event = last();
    if (event.type !== 'postback') throw new Error('Not a postback');
    const genuine = `approve:${'k'.repeat(60)}`;
    const differing = [...genuine].filter((character, index) => character !== event.postback.data[index]);
    expect(event.postback.data).toHaveLength(genuine.length);
    expect(differing).toHaveLength(1);
  });

  test("on somebody else's card comes from the one who tapped, and shows in that one's chat", async () => {
    await tap(await cardForA(), 0, { person: 'B' });
    expect(last()).toMatchObject({ source: { userId: host.userId('B') } });
    expect(await host.items('B')).toMatchObject([{ from: 'person', text: '同意' }]);
  });

  test.each([
    ['a link', 3, {}],
    ['nothing', 0, { pointer: '/contents/footer/contents/9/action' }],
    ['the prototype', 0, { pointer: '/constructor/prototype' }],
    ['a chat that lacks the item', 0, { owner: 'C' }],
  ])('on %s sends nothing and says why', async (_name, index, more) => {
    const refused = await tap(await cardForA(), index, more);
    expect(refused).toMatchObject({ status: 409, body: { message: expect.any(String) } });
    expect(host.received).toEqual([]);
  });
});

describe('a message', () => {
  test('unsent sends its id once', async () => {
    await say('幫我記住');
    const said = last();
    const itemId = (await host.items('A'))[0]?.id;
    await host.ask('unsend', { person: 'A', itemId, manner: NOW });
    if (said.type !== 'message') throw new Error('Not a message');
    expect(last()).toMatchObject({ type: 'unsend', unsend: { messageId: said.message.id } });
    expect((await host.items('A'))[0]).toMatchObject({ unsent: true });
    expect((await host.ask('unsend', { person: 'A', itemId, manner: NOW })).status).toBe(409);
  });

  test('edited sends messageEdited with the same message id and the new text', async () => {
    await say('蔬食');
    const said = last();
    const itemId = (await host.items('A'))[0]?.id;
    await host.ask('edit', { person: 'A', itemId, text: '蛋奶素', manner: NOW });
    if (said.type !== 'message') throw new Error('Not a message');
    expect(last()).toMatchObject({ type: 'messageEdited', message: { id: said.message.id, text: '蛋奶素' } });
  });
});

test('a chat keeps its last 200 items', async () => {
  for (let batch = 0; batch < 41; batch += 1)
    await host.client.pushMessage({
      to: host.userId('A'),
      messages: Array.from({ length: 5 }, (_, index) => ({ type: 'text', text: `${batch * 5 + index}` })),
    });
  const items = (await host.items('A')) as { message?: { text: string } }[];
  expect(items).toHaveLength(200);
  expect(items[0]?.message?.text).toBe('5');
});

test('people keep their user ids over a restart, and differ from each other', async () => {
  const again = await startHost();
  expect(again.simulator.people()).toEqual(host.simulator.people());
  expect(new Set(host.simulator.people().map(({ userId }) => userId)).size).toBe(3);
  await again.close();
});
