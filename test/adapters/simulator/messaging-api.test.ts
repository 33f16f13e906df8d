/**
 * Goal: the simulator's Messaging API takes and refuses what LINE takes and refuses.
 * Method: the real SDK client over a real socket; for each limit one message at the bound and one a step over it.
 */
import { HTTPFetchError, messagingApi } from '@line/bot-sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Host, startHost } from './host.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const KEY = '123e4567-e89b-42d3-a456-426614174000';
const NOW = { mode: 'active', source: 'user', hold: false };
const text = (value: string) => ({ type: 'text', text: value }) as const;

let host: Host;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.close());

/** What a call came to: 200, or the status with LINE's parsed body. */
async function outcome(call: Promise<unknown>): Promise<{ status: number; body: unknown; headers: Headers | null }> {
  try {
    return { status: 200, body: await call, headers: null };
  } catch (error) {
    if (!(error instanceof HTTPFetchError)) throw error;
    return { status: error.status, body: JSON.parse(error.body), headers: error.headers };
  }
}

const push = (messages: unknown[], retryKey?: string) =>
  outcome(host.client.pushMessage({ to: host.userId('A'), messages: messages as messagingApi.Message[] }, retryKey));

/** Has Person A say something; gives the reply token of its event. */
async function replyTokenOf(letter: string): Promise<string> {
  await host.ask('send', { what: 'text', person: letter, text: '你好', manner: NOW });
  const event = host.received.at(-1)?.events[0];
  if (event?.type !== 'message' || event.replyToken === undefined) throw new Error('No reply token');
  return event.replyToken;
}

const bubble = (contents: unknown[], more: object = {}) => ({
  type: 'bubble',
  body: { type: 'box', layout: 'vertical', contents },
  ...more,
});
const flex = (contents: unknown, altText = '卡片') => ({ type: 'flex', altText, contents });
const button = (action: object) => flex(bubble([{ type: 'button', action }]));
const postback = (more: object) => button({ type: 'postback', label: '同意', data: 'd', ...more });
const quick = (count: number, label = '是') => ({
  ...text('?'),
  quickReply: {
    items: Array.from({ length: count }, () => ({ type: 'action', action: { type: 'message', label, text: '是' } })),
  },
});
const bytes = (total: number) => {
  const empty = bubble([{ type: 'text', text: '' }]);
  return bubble([{ type: 'text', text: 'x'.repeat(total - JSON.stringify(empty).length) }]);
};
const carousel = (bubbles: unknown[]) => flex({ type: 'carousel', contents: bubbles });
const small = bubble([text('x')]);

describe('a limit is kept at the bound and refused one over it', () => {
  const table: [string, unknown[], unknown[], string, string][] = [
    ['messages', Array(5).fill(text('x')), Array(6).fill(text('x')), 'messages', 'Size must be between 1 and 5'],
    [
      'text in UTF-16 units',
      [text('😀'.repeat(2500))],
      [text(`${'😀'.repeat(2500)}x`)],
      'messages[0].text',
      'Length must be between 0 and 5000',
    ],
    ['text not empty', [text(' ')], [text('')], 'messages[0].text', 'May not be empty'],
    [
      'altText in UTF-16 units',
      [flex(small, 'x'.repeat(1500))],
      [flex(small, 'x'.repeat(1501))],
      'messages[0].altText',
      'Length must be between 0 and 1500',
    ],
    ['quick replies', [quick(13)], [quick(14)], 'messages[0].quickReply.items', 'Size must be between 1 and 13'],
    [
      'quick reply label in graphemes',
      [quick(1, FAMILY.repeat(20))],
      [quick(1, FAMILY.repeat(21))],
      'messages[0].quickReply.items[0].action.label',
      'Length must be between 0 and 20',
    ],
    [
      'quick reply label given',
      [quick(1, 'x')],
      [quick(1, '')],
      'messages[0].quickReply.items[0].action',
      '`label` must be specified',
    ],
    [
      'message type',
      [text('x')],
      [{ type: 'telegram' }],
      'messages[0].type',
      'Must be one of the following values: [text, textV2, image, video, audio, location, sticker, template, imagemap, flex, coupon]',
    ],
  ];
  test.each(table)('%s', async (_name, atBound, over, property, message) => {
    expect((await push(atBound)).status).toBe(200);
    const refused = await push(over);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ message: 'The request body has 1 error(s)', details: [{ message, property }] });
  });

  const inFlex: [string, unknown, unknown, string, string][] = [
    [
      'postback data in UTF-16 units',
      postback({ data: 'x'.repeat(300) }),
      postback({ data: 'x'.repeat(301) }),
      '/body/contents/0/action/data',
      'size must be between 0 and 300',
    ],
    [
      'displayText in graphemes',
      postback({ displayText: FAMILY.repeat(300) }),
      postback({ displayText: FAMILY.repeat(301) }),
      '/body/contents/0/action/displayText',
      'size must be between 0 and 300',
    ],
    [
      'Flex button label in graphemes',
      postback({ label: FAMILY.repeat(40) }),
      postback({ label: FAMILY.repeat(41) }),
      '/body/contents/0/action/label',
      'size must be between 0 and 40',
    ],
    [
      'message action text',
      button({ type: 'message', label: 'x', text: '是'.repeat(300) }),
      button({ type: 'message', label: 'x', text: '是'.repeat(301) }),
      '/body/contents/0/action/text',
      'size must be between 0 and 300',
    ],
    [
      'uri',
      button({ type: 'uri', label: 'x', uri: 'x'.repeat(1000) }),
      button({ type: 'uri', label: 'x', uri: 'x'.repeat(1001) }),
      '/body/contents/0/action/uri',
      'size must be between 0 and 1000',
    ],
    ['bubble bytes', flex(bytes(30 * 1024)), flex(bytes(30 * 1024 + 1)), '/', 'JSON must be at most 30720 bytes'],
    [
      'bubbles in a carousel',
      carousel(Array(12).fill(small)),
      carousel(Array(13).fill(small)),
      '/contents',
      'size must be between 1 and 12',
    ],
    [
      'one size in a carousel',
      carousel([small, { ...small, size: 'mega' }]),
      carousel([small, { ...small, size: 'kilo' }]),
      '/contents/1/size',
      'all bubbles must have the same size',
    ],
    ['a block', flex(small), flex({ type: 'bubble' }), '/', 'At least one block must be specified'],
    ['text of a component', flex(small), flex(bubble([text('')])), '/body/contents/0/text', 'must be non-empty text'],
    [
      'known properties',
      flex(small),
      flex(bubble([{ ...text('x'), colour: '#000000' }])),
      '/body/contents/0/colour',
      'invalid property',
    ],
    [
      'a colour',
      flex(bubble([{ ...text('x'), color: '#0f6B52' }])),
      flex(bubble([{ ...text('x'), color: 'green' }])),
      '/body/contents/0/color',
      'invalid property',
    ],
    [
      'no button in a baseline box',
      flex(bubble([{ type: 'box', layout: 'baseline', contents: [text('x')] }])),
      flex(
        bubble([
          {
            type: 'box',
            layout: 'baseline',
            contents: [{ type: 'button', action: { type: 'message', label: 'x', text: 'x' } }],
          },
        ]),
      ),
      '/body/contents/0/contents/0/type',
      'invalid property',
    ],
    [
      'displayText or text',
      postback({ displayText: 'x' }),
      postback({ displayText: 'x', text: 'x' }),
      '/body/contents/0/action',
      '`displayText` and `text` cannot both be specified',
    ],
  ];
  test.each(inFlex)('Flex: %s', async (_name, atBound, over, property, message) => {
    expect((await push([text('first'), atBound])).status).toBe(200);
    const refused = await push([text('first'), over]);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      message: 'A message (messages[1]) in the request body is invalid',
      details: [{ message, property }],
    });
  });

  const template = (of: object) => ({ type: 'template', altText: 'x', template: of });
  const agree = { type: 'message', label: 'x', text: 'x' };
  const inTemplate: [string, unknown, unknown, string][] = [
    [
      'buttons text',
      { type: 'buttons', text: '是'.repeat(160), actions: [agree] },
      { type: 'buttons', text: '是'.repeat(161), actions: [agree] },
      'template/text',
    ],
    [
      'buttons text beside a title',
      { type: 'buttons', title: 'x', text: '是'.repeat(60), actions: [agree] },
      { type: 'buttons', title: 'x', text: '是'.repeat(61), actions: [agree] },
      'template/text',
    ],
    [
      'buttons actions',
      { type: 'buttons', text: 'x', actions: Array(4).fill(agree) },
      { type: 'buttons', text: 'x', actions: Array(5).fill(agree) },
      'template/actions',
    ],
    [
      'confirm actions',
      { type: 'confirm', text: 'x', actions: Array(2).fill(agree) },
      { type: 'confirm', text: 'x', actions: Array(3).fill(agree) },
      'template/actions',
    ],
    [
      'label of 20',
      { type: 'confirm', text: 'x', actions: [{ ...agree, label: 'x'.repeat(20) }] },
      { type: 'confirm', text: 'x', actions: [{ ...agree, label: 'x'.repeat(21) }] },
      'template/actions/0/label',
    ],
  ];
  test.each(inTemplate)('template: %s', async (_name, atBound, over, property) => {
    expect((await push([template(atBound as object)])).status).toBe(200);
    const refused = await push([template(over as object)]);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ property }] } });
  });

  test('validate answers as sending would, and sends nothing', async () => {
    const good = { messages: [text('x') as messagingApi.Message] };
    const bad = { messages: [text('') as messagingApi.Message] };
    expect((await outcome(host.client.validateReply(good))).status).toBe(200);
    expect((await outcome(host.client.validatePush(good))).status).toBe(200);
    expect((await outcome(host.client.validateReply(bad))).status).toBe(400);
    expect((await outcome(host.client.validatePush(bad))).status).toBe(400);
    expect(await host.items('A')).toEqual([]);
  });
});

describe('a reply token', () => {
  const reply = (replyToken: string) => outcome(host.client.replyMessage({ replyToken, messages: [text('好')] }));
  const INVALID = { status: 400, body: { message: 'Invalid reply token' } };

  test('counts once', async () => {
    const token = await replyTokenOf('A');
    expect((await reply(token)).body).toMatchObject({ sentMessages: [{ id: expect.stringMatching(/^[0-9]{18}$/) }] });
    expect(await reply(token)).toMatchObject(INVALID);
  });

  test('is not used up by a body that is refused', async () => {
    const token = await replyTokenOf('A');
    expect((await outcome(host.client.replyMessage({ replyToken: token, messages: [] }))).status).toBe(400);
    expect((await reply(token)).status).toBe(200);
  });

  test('lives just under one minute by the injected clock', async () => {
    const [first, second] = [await replyTokenOf('A'), await replyTokenOf('B')];
    host.advance(59_999);
    expect((await reply(first)).status).toBe(200);
    host.advance(1);
    expect(await reply(second)).toMatchObject(INVALID);
  });

  const renewals: [string, number, boolean, number][] = [
    ['unused, 19:59 after the event', 20 * 60_000 - 1, false, 200],
    ['unused, 20:00 after the event', 20 * 60_000, false, 400],
    ['used', 120_000, true, 400],
  ];
  test.each(renewals)('gets another minute by a redelivery: %s', async (_name, after, used, status) => {
    const token = await replyTokenOf('A');
    if (used) await reply(token);
    host.advance(after);
    const itemId = (await host.items('A'))[0]?.id;
    await host.ask('deliver', { person: 'A', itemId, kind: 'redelivery' });
    expect((await reply(token)).status).toBe(status);
  });

  test.each(['', 'nobody'])('unknown (%j) is refused', async (token) => {
    expect((await reply(token)).status).toBe(400);
  });
});

describe('a retry key', () => {
  test('on push: the same key again is 409 with the accepted request id, and nothing is sent twice', async () => {
    const first = await host.client.pushMessageWithHttpInfo({ to: host.userId('A'), messages: [text('x')] }, KEY);
    const again = await push([text('x')], KEY);
    expect(again.status).toBe(409);
    expect(again.headers?.get('x-line-accepted-request-id')).toBe(first.httpResponse.headers.get('x-line-request-id'));
    expect(again.body).toMatchObject({ sentMessages: first.body.sentMessages });
    expect(await host.items('A')).toHaveLength(1);
  });

  test('is not remembered for a refused request, and lapses after 24 hours', async () => {
    expect((await push([text('')], KEY)).status).toBe(400);
    expect((await push([text('x')], KEY)).status).toBe(200);
    host.advance(24 * 60 * 60_000 - 1);
    expect((await push([text('x')], KEY)).status).toBe(409);
    host.advance(1);
    expect((await push([text('x')], KEY)).status).toBe(200);
  });

  test('must be a UUID', async () => {
    expect((await push([text('x')], 'once')).status).toBe(400);
  });

  test('on reply is 400 and leaves the token alone', async () => {
    const replyToken = await replyTokenOf('A');
    const keyed = new messagingApi.MessagingApiClient({
      channelAccessToken: 'an-access-token-of-a-test',
      baseURL: host.apiUrl,
      defaultHeaders: { 'X-Line-Retry-Key': KEY },
    });
    expect((await outcome(keyed.replyMessage({ replyToken, messages: [text('x')] }))).status).toBe(400);
    expect((await outcome(host.client.replyMessage({ replyToken, messages: [text('x')] }))).status).toBe(200);
  });
});

describe('the rest of the API', () => {
  test('a wrong bearer is 401 with the body LINE gives', async () => {
    const stranger = new messagingApi.MessagingApiClient({ channelAccessToken: 'wrong', baseURL: host.apiUrl });
    expect(await outcome(stranger.getBotInfo())).toMatchObject({
      status: 401,
      body: { message: 'Authentication failed. Confirm that the access token in the authorization header is valid.' },
    });
    expect((await fetch(`${host.apiUrl}/v2/bot/info`)).status).toBe(401);
  });

  test('bot info and profiles; the profile of a person who blocked the account is not found', async () => {
    expect(await host.client.getBotInfo()).toMatchObject({ userId: `U${'b'.repeat(32)}` });
    const userId = host.userId('B');
    expect(await host.client.getProfile(userId)).toMatchObject({ userId, displayName: 'Person B' });
    await host.ask('relation', { person: 'B', to: 'block', manner: NOW });
    expect((await outcome(host.client.getProfile(userId))).status).toBe(404);
  });

  test('a push to a person who blocked the account is 200 and nothing arrives', async () => {
    await host.ask('relation', { person: 'A', to: 'block', manner: NOW });
    expect((await push([text('x')])).status).toBe(200);
    expect((await host.items('A')).filter((item) => item.from === 'bot')).toEqual([]);
  });

  test.each([
    ['malformed', 'someone', "The property, 'to', in the request body is invalid (line: -, column: -)"],
    ['unknown', `U${'0'.repeat(32)}`, 'Failed to send messages'],
  ])('a push to an %s recipient is 400', async (_name, to, message) => {
    const refused = await outcome(host.client.pushMessage({ to, messages: [text('x')] }));
    expect(refused).toMatchObject({ status: 400, body: { message } });
  });

  test.each([
    [5, 202],
    [60, 202],
    [7, 400],
    [65, 400],
    [0, 400],
  ])('a loading animation of %i s is %i', async (loadingSeconds, status) => {
    const response = await fetch(`${host.apiUrl}/v2/bot/chat/loading/start`, {
      method: 'POST',
      headers: { authorization: 'Bearer an-access-token-of-a-test' },
      body: JSON.stringify({ chatId: host.userId('A'), loadingSeconds }),
    });
    expect(response.status).toBe(status);
  });

  test('marking as read marks everything up to that message', async () => {
    for (const words of ['一', '二', '三'])
      await host.ask('send', { what: 'text', person: 'A', text: words, manner: NOW });
    const event = host.received[1]?.events[0];
    if (event?.type !== 'message' || event.message.type !== 'text') throw new Error('No message');
    await host.client.markMessagesAsReadByToken({ markAsReadToken: event.message.markAsReadToken ?? '' });
    expect((await host.items('A')).map((item) => item.read)).toEqual([true, true, false]);
    expect((await outcome(host.client.markMessagesAsReadByToken({ markAsReadToken: 'x' }))).status).toBe(400);
  });

  const wire: [string, string, string, number][] = [
    ['an unknown path', '/v2/bot/message/multicast', '{}', 404],
    ['a body that is not JSON', '/v2/bot/message/push', '{', 400],
    ['a body that is not an object', '/v2/bot/message/push', '[]', 400],
    ['a body over 2 MB', '/v2/bot/message/push', 'x'.repeat(2 * 1024 * 1024 + 1), 413],
  ];
  test.each(wire)('%s', async (_name, path, body, status) => {
    const response = await fetch(`${host.apiUrl}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer an-access-token-of-a-test' },
      body,
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('message');
    expect(response.headers.get('x-line-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
