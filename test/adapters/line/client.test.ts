import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as v from 'valibot';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLineClient, RetryKey } from '../../../src/adapters/line/client.ts';
import { type LineDouble, type Misfortune, startLineDouble } from '../../support/line-double.ts';

const retryKey = v.parse(RetryKey, '5f0c1a2e-0d1b-5c3d-8e4f-a0b1c2d3e4f5');
const messages = [{ type: 'text' as const, text: '好' }];
const reply = { replyToken: 'f'.repeat(31) + '1', messages };
const push = { to: `U${'a'.repeat(32)}`, messages, retryKey };

let line: LineDouble;
beforeEach(async () => {
  line = await startLineDouble();
});
afterEach(() => line.close());

const client = (timeoutMs = 5_000, baseUrl = line.url) =>
  createLineClient({ channelAccessToken: 'token', baseUrl, timeoutMs, fetch });

test('a reply and a push arrive through the SDK; only the push carries a retry key', async () => {
  expect(await client().reply(reply)).toEqual({ result: 'accepted' });
  expect(await client().push(push)).toEqual({ result: 'accepted' });
  expect(line.seen).toEqual([
    { kind: 'reply', to: null, replyToken: reply.replyToken, retryKey: null, messages },
    { kind: 'push', to: push.to, replyToken: null, retryKey, messages },
  ]);
});

test('a reply with a retry key, or a push without one, does not type-check', () => {
  const calls = client();
  // @ts-expect-error LINE answers 400 to a reply with a retry key
  const withKey = () => calls.reply({ ...reply, retryKey });
  // @ts-expect-error a push could count twice
  const withoutKey = () => calls.push({ to: push.to, messages });
  // @ts-expect-error any string is not a retry key
  const withText = () => calls.push({ ...push, retryKey: 'again' });
  expect([withKey, withoutKey, withText]).toHaveLength(3);
});

test.each<[Misfortune, 'reply' | 'push', unknown]>([
  [400, 'reply', { result: 'rejected', status: 400 }],
  [400, 'push', { result: 'rejected', status: 400 }],
  [401, 'push', { result: 'rejected', status: 401 }],
  [429, 'reply', { result: 'unavailable' }],
  [429, 'push', { result: 'unavailable' }],
  [500, 'push', { result: 'unavailable' }],
  ['accept_then_cut', 'push', { result: 'unavailable' }],
])('%s to a %s', async (misfortune, kind, expected) => {
  line.meet(misfortune);
  expect(await (kind === 'reply' ? client().reply(reply) : client().push(push))).toEqual(expected);
});

test('a push whose answer was lost is already accepted when it is sent again with its key, and is seen once', async () => {
  line.meet('accept_then_cut');
  await client().push(push);
  expect(await client().push(push)).toEqual({ result: 'already_accepted' });
  expect(line.seen).toHaveLength(1);
});

test('a token used before is an invalid token', async () => {
  await client().reply(reply);
  expect(await client().reply(reply)).toEqual({ result: 'invalid_token' });
});

test('nobody listening is unavailable', async () => {
  expect(await client(5_000, 'http://127.0.0.1:1').push(push)).toEqual({ result: 'unavailable' });
});

test('a server that never answers is a timeout, and its socket is released', async () => {
  line.meet('hang');
  expect(await client(60).reply(reply)).toEqual({ result: 'timeout' });
  await expect.poll(line.abandoned).toBe(1);
});

test('a server that stops in the middle of its body is a timeout too', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"sentMess');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await client(60, url).push(push)).toEqual({ result: 'timeout' });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('the deadline is of calls of this client only, and survives another replacement of the global fetch', async () => {
  const before = globalThis.fetch;
  globalThis.fetch = (input, init) => before(input, init);
  line.meet('hang');
  expect(await client(60).reply(reply)).toEqual({ result: 'timeout' });
  line.meet('hold');
  const own = fetch(`${line.url}/v2/bot/message/reply`, { method: 'POST', body: JSON.stringify(reply) });
  await line.called(2);
  line.release();
  expect((await own).status).toBe(200);
  globalThis.fetch = before;
});

test('an empty access token is refused when the client is made', () => {
  expect(() => createLineClient({ channelAccessToken: ' ', baseUrl: null, timeoutMs: 1, fetch })).toThrow(RangeError);
});
