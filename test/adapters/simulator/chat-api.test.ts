/**
 * Goal: only the simulator's own page can make it act, within bounds, and the page runs nothing but its own files.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSimulator } from '../../../src/adapters/simulator/simulator.ts';
import { type Host, startHost } from './host.ts';

const NOW = { mode: 'active', source: 'user', hold: false };
const GOOD = { what: 'text', person: 'A', text: '你好', manner: NOW };

let host: Host;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.close());

describe('a request to act', () => {
  const own = () => new URL(host.chatUrl).origin;
  const table: [string, () => Record<string, string>, number][] = [
    ['from the page itself', () => ({ origin: own(), 'content-type': 'application/json' }), 200],
    ['from another site', () => ({ origin: 'https://example.com', 'content-type': 'application/json' }), 403],
    [
      'from another port of this host',
      () => ({ origin: 'http://127.0.0.1:1', 'content-type': 'application/json' }),
      403,
    ],
    ['from a sandboxed frame', () => ({ origin: 'null', 'content-type': 'application/json' }), 403],
    ['without an origin', () => ({ 'content-type': 'application/json' }), 403],
    ['as a form would send it', () => ({ origin: own(), 'content-type': 'text/plain' }), 403],
  ];
  test.each(table)('%s', async (_name, headers, status) => {
    const response = await fetch(`${host.chatUrl}/api/send`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify(GOOD),
    });
    expect(response.status).toBe(status);
    expect(host.received).toHaveLength(status === 200 ? 1 : 0);
  });

  const bounds: [string, string, object, number][] = [
    ['a text of 10,000', 'send', { ...GOOD, text: 'x'.repeat(10_000) }, 200],
    ['a text of 10,001', 'send', { ...GOOD, text: 'x'.repeat(10_001) }, 400],
    ['an empty text', 'send', { ...GOOD, text: '' }, 400],
    ['an unknown member', 'send', { ...GOOD, more: 1 }, 400],
    ['an unknown mode', 'send', { ...GOOD, manner: { ...NOW, mode: 'loud' } }, 400],
    ['a person who is not there', 'send', { ...GOOD, person: 'Z' }, 409],
    [
      'a latitude beyond the pole',
      'send',
      {
        what: 'location',
        person: 'A',
        manner: NOW,
        location: { title: 'x', address: '', latitude: 90.1, longitude: 0 },
      },
      400,
    ],
    ['a body over 64 KB', 'send', { ...GOOD, text: 'x'.repeat(70_000) }, 413],
    ['a clock that cannot be moved', 'clock', {}, 409],
  ];
  test.each(bounds)('%s', async (_name, path, body, status) => {
    expect((await host.ask(path, body)).status).toBe(status);
  });

  test('adds people up to eight', async () => {
    for (let count = 3; count < 8; count += 1) expect((await host.ask('people', {})).status).toBe(200);
    expect((await host.ask('people', {})).status).toBe(409);
  });

  test('shows an event without its reply token', async () => {
    await host.ask('send', GOOD);
    const itemId = (await host.items('A'))[0]?.id;
    const { body } = await host.ask('event', { person: 'A', itemId });
    expect(body).toMatchObject({ event: { type: 'message', replyToken: '(hidden)' } });
  });
});

describe('the page', () => {
  test('allows nothing inline and nothing from outside', async () => {
    const response = await fetch(host.chatUrl);
    const page = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style|\son[a-z]+=|\sstyle=/);
    expect(page.match(/(?:src|href)="(?!\/chat\/|#)[^"]*"/g)).toBeNull();
  });

  test.each(['app.js', 'dom.js', 'flex.js', 'items.js', 'panels.js', 'style.css', 'icon.svg'])(
    'serves %s',
    async (file) => {
      const response = await fetch(`${host.chatUrl}/${file}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect((await response.text()).length).toBeGreaterThan(100);
    },
  );

  test('a stream for nobody is not found; the 33rd stream is told to come later', async () => {
    expect((await fetch(`${host.chatUrl}/stream?person=Z`)).status).toBe(404);
    const open = await Promise.all(Array.from({ length: 32 }, () => fetch(`${host.chatUrl}/stream?person=A`)));
    expect(open.map(({ status }) => status)).toEqual(Array(32).fill(200));
    expect((await fetch(`${host.chatUrl}/stream?person=A`)).status).toBe(503);
    for (const response of open) await response.body?.cancel();
  });

  test('close ends every stream', async () => {
    const response = await fetch(`${host.chatUrl}/stream?person=A`);
    host.simulator.close();
    expect(await response.text()).toContain('event: ledger');
  });
});

test.each([
  ['channelSecret', { channelSecret: '' }],
  ['channelAccessToken', { channelAccessToken: '' }],
])('an empty %s stops the start', (_name, empty) => {
  const deps = {
    webhookUrl: () => '',
    channelSecret: 's',
    channelAccessToken: 't',
    botUserId: '',
    clock: () => 0,
    randomBytes: (size: number) => new Uint8Array(size),
    ledgerEvents: () => Promise.reject(new Error('not asked')),
    ...empty,
  };
  expect(() => createSimulator(deps)).toThrow(RangeError);
});
