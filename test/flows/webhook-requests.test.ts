/**
 * Requests as bytes on a real socket: what is verified, refused and read, and in which order.
 */
import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BOT, type LineWorld, openLineWorld, post, signatureOf, tapEvent, textEvent } from '../support/line-world.ts';

let world: LineWorld;
beforeEach(async () => {
  world = await openLineWorld();
});
afterEach(() => world.close());

const EMPTY = JSON.stringify({ destination: BOT, events: [] });

/** Sends bytes with exactly these headers; gives the status. A connection cut before an answer gives 0. */
function send(headers: readonly string[], chunks: readonly (Buffer | string)[], method = 'POST'): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(world.url, { method, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    for (let index = 0; index < headers.length; index += 2) {
      const [name, value] = [headers[index] ?? '', headers[index + 1] ?? ''];
      const already = outgoing.getHeader(name);
      outgoing.setHeader(name, already === undefined ? value : [already, value].flat().map(String));
    }
    outgoing.on('error', () => resolve(0));
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });
}

test('C06: the empty list of the console’s Verify button is 200, and nothing is done', async () => {
  expect((await post(world.url, EMPTY)).status).toBe(200);
  expect([world.calls, world.line.calls, world.stores.sealed.size]).toEqual([[], [], 0]);
});

test('C06: its dummy events of former years are 200, and nothing is done', async () => {
  const dummy = textEvent('Hello, world', {
    replyToken: '0'.repeat(32),
    source: { type: 'user', userId: 'Udeadbeefdeadbeefdeadbeefdeadbeef' },
  });
  expect(await world.deliver([dummy])).toBe(200);
  expect([world.calls, world.line.calls, world.stores.rows.size, world.stores.sealed.size]).toEqual([[], [], 0, 0]);
});

test('C01: a body whose text is escaped verifies as the bytes that came, and is read as what it says', async () => {
  const body = JSON.stringify({ destination: BOT, events: [textEvent('TEXT')] }).replace(
    'TEXT',
    '\\ud83e\\udd28 \\u82b1\\u58c7\\u6709\\u4ec0\\u9ebc\\u5e97',
  );
  expect((await post(world.url, body)).status).toBe(200);
  await world.worker().drain();
  expect(world.calls).toEqual(['text 🤨 花壇有什麼店']);
});

test.each<[string, readonly string[]]>([
  ['no header', []],
  ['an empty header', ['x-line-signature', '']],
  ['two headers', ['x-line-signature', 'GOOD', 'x-line-signature', 'GOOD']],
  ['a header of 10,000 characters', ['x-line-signature', 'A'.repeat(10_000)]],
  ['the signature of other bytes', ['x-line-signature', signatureOf('other')]],
])('C02: an approve with %s is 401, and nothing is read', async (_title, headers) => {
  const body = JSON.stringify({ destination: BOT, events: [tapEvent('memory:approve:x')] });
  const filled = headers.map((value) => (value === 'GOOD' ? signatureOf(body) : value));
  expect(await send(filled, [body])).toBe(401);
  expect(world.calls).toEqual([]);
  expect(world.counts).toEqual(['signature_refused']);
  expect(world.logs).toEqual([]);
});

test('D19: the bot of another destination is refused after the signature, and nobody is derived', async () => {
  const body = JSON.stringify({ destination: `U${'c'.repeat(32)}`, events: [tapEvent('memory:approve:x')] });
  expect((await post(world.url, body)).status).toBe(403);
  expect((await post(world.url, body, { 'x-line-signature': signatureOf(body, 'other') })).status).toBe(401);
  expect([world.calls, world.stores.sealed.size]).toEqual([[], 0]);
});

test.each<[string, Buffer]>([
  ['0 bytes', Buffer.alloc(0)],
  ['not JSON', Buffer.from('{"destination"')],
  ['gzip under a true signature', gzipSync(EMPTY)],
  ['101 events', Buffer.from(JSON.stringify({ destination: BOT, events: Array(101).fill({ type: 'x' }) }))],
  ['an event that is a number', Buffer.from(JSON.stringify({ destination: BOT, events: [7] }))],
  ['30,000 nested lists', Buffer.from(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)],
])('%s: 400 that repeats nothing of the body', async (_title, body) => {
  const response = await post(world.url, body, { 'content-encoding': 'gzip' });
  expect(response.status).toBe(400);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await response.json()).toEqual({ type: 'about:blank', title: 'Not a webhook request', status: 400 });
});

test('a gzip header over plain bytes does not matter: what was signed is what came', async () => {
  expect((await post(world.url, EMPTY, { 'content-encoding': 'gzip' })).status).toBe(200);
});

test.each(['hologram', 'accountLink', 'memberJoined', 'beacon'])(
  'an event of type %s is 200 and nothing',
  async (type) => {
    expect(await world.deliver([{ ...textEvent('x'), type }])).toBe(200);
    expect([world.calls, world.counts]).toEqual([[], ['event_of_other_type']]);
  },
);

test('a body of 65,536 bytes is read; one more is 413, said in advance or in chunks', async () => {
  const padded = (length: number) => Buffer.from(EMPTY.padEnd(length, ' '));
  const limit = 65_536;
  const signed = (body: Buffer) => ['x-line-signature', signatureOf(body)];
  expect((await post(world.url, padded(limit))).status).toBe(200);
  expect((await post(world.url, padded(limit + 1))).status).toBe(413);
  const chunk = Buffer.alloc(16_384, ' ');
  const chunked = (...chunks: Buffer[]) => send(signed(Buffer.concat(chunks)), chunks);
  const first = padded(16_384);
  expect(await chunked(first, chunk, chunk, chunk)).toBe(200);
  expect(await chunked(first, chunk, chunk, chunk, Buffer.from(' '))).toBe(413);
  expect(world.counts.filter((name) => name === 'body_too_large')).toHaveLength(2);
  expect((await post(world.url, EMPTY)).status).toBe(200);
});

test('a client that goes away in the middle of its body does no harm', async () => {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
  const head = `POST /line/webhook HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\nx-line-signature: ${signatureOf(EMPTY)}\r\n\r\n`;
  await new Promise<void>((resolve) => socket.write(`${head}{"destination"`, () => resolve()));
  socket.destroy();
  expect((await post(world.url, EMPTY)).status).toBe(200);
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('%s says to post here', async (method) => {
  const response = await fetch(world.url, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST');
  if (method !== 'HEAD') expect(await response.text()).toContain('POST here');
});

test('C03: a validator placed before the signature changes no verdict, for the bytes are what is verified', async () => {
  const { createSignatureCheck } = await import('../../src/adapters/line/signature.ts');
  const check = createSignatureCheck('secret');
  const app = new Hono();
  app.use(async (c, next) => {
    await c.req.json().catch(() => null);
    await next();
  });
  app.post('/', async (c) => {
    const bytes = Buffer.from(await c.req.arrayBuffer());
    return c.body(null, check(bytes, c.req.header('x-line-signature')) ? 200 : 401);
  });
  const body = '{"a":"\\u82b1",  "b":1}';
  const headers = { 'x-line-signature': signatureOf(body, 'secret') };
  expect((await app.request('/', { method: 'POST', body, headers })).status).toBe(200);
});

test('500 bodies (seed 20261130): every verdict is right, none is 500 or above, none unsigned is read', async () => {
  const random = mulberry32(20_261_130);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const texts = ['花壇', '\ud83e', '\r\n\u2028', '\u0000', '"}]}', '🤨'.repeat(50), 'a'.repeat(1_300), ''];
  let read = 0;
  for (let run = 0; run < 500; run += 1) {
    const text = pick(texts);
    const events = Array.from({ length: Math.floor(random() * 4) }, () => textEvent(text));
    const whole = JSON.stringify({ destination: BOT, events });
    const escaped = whole.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const body = pick([
      () => Buffer.from(whole),
      () => Buffer.from(escaped),
      () => Buffer.from(`\ufeff${whole}`),
      () => Buffer.from(whole.replaceAll(',', ',\r\n ')),
      () => Buffer.from(whole).subarray(0, Math.floor(random() * whole.length)),
      () => Buffer.alloc(0),
      () => Buffer.from(whole.padEnd(65_537 + Math.floor(random() * 200_000), ' ')),
    ])();
    const isSigned = random() < 0.7;
    const signature = isSigned ? signatureOf(body) : pick(['', 'x', signatureOf(`${whole} `), 'A'.repeat(44)]);
    const cut = Math.floor(random() * body.length);
    const before = world.stores.rows.size;
    const status = await send(
      ['x-line-signature', signature, ...(random() < 0.2 ? ['content-encoding', 'gzip'] : [])],
      random() < 0.5 ? [body] : [body.subarray(0, cut), body.subarray(cut)].filter(({ length }) => length > 0),
    );
    const expected = body.length > 65_536 ? [413] : !isSigned ? [401] : isCallback(body) ? [200] : [400];
    expect([run, status]).toEqual([run, expect.toSatisfy((given: number) => expected.includes(given))]);
    if (status === 200) read += 1;
    else expect(world.stores.rows.size).toBe(before);
  }
  expect(read).toBeGreaterThan(100);
});

function isCallback(body: Buffer): boolean {
  try {
    return typeof JSON.parse(body.toString('utf8').replace(/^\ufeff/, '')) === 'object';
  } catch {
    return false;
  }
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
