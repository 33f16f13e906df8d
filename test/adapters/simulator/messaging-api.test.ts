/**
 * Goal: the simulator's Messaging API takes and refuses what LINE takes and refuses.
 * Method: the real SDK client over a real socket. The limits of messages are in message-limits.test.ts.
 */
import { messagingApi } from '@line/bot-sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Host, outcome, startHost } from './host.ts';

const KEY = '123e4567-e89b-42d3-a456-426614174000';
const NOW = { mode: 'active', source: 'user', hold: false };
const text = (value: string) => ({ type: 'text', text: value }) as const;

let host: Host;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.close());

const push = (messages: unknown[], retryKey?: string) =>
  outcome(host.client.pushMessage({ to: host.userId('A'), messages: messages as messagingApi.Message[] }, retryKey));

/** Has Person A say something; gives the reply token of its event. */
async function replyTokenOf(letter: string): Promise<string> {
  await host.ask('send', { what: 'text', person: letter, text: '你好', manner: NOW });
  const event = host.received.at(-1)?.events[0];
  if (event?.type !== 'message' || event.replyToken === undefined) throw new Error('No reply token');
  return event.replyToken;
}

describe('validating', () => {
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
