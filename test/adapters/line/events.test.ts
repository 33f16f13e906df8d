import { expect, test } from 'vitest';
import { readCallback, readEvent } from '../../../src/adapters/line/events.ts';
import type { Entry } from '../../../src/commands/entries.ts';
import { BOT, event, PERSON_A, tapEvent, textEvent } from '../../support/line-world.ts';

const fixedEntry = (text: string): Entry | null => (text === '功能' ? { entry: 'menu' } : null);
const read = (raw: unknown) => readEvent(raw as Parameters<typeof readEvent>[0], fixedEntry);
const callback = (body: unknown) => readCallback(Buffer.from(JSON.stringify(body)), BOT);

test.each<[string, unknown, unknown]>([
  ['not JSON', '{', 'body_malformed'],
  ['no object', [], 'body_malformed'],
  ['no destination', { events: [] }, 'body_malformed'],
  ['another destination, whatever its events are', { destination: PERSON_A, events: 1 }, 'destination_refused'],
  ['events that are no list', { destination: BOT, events: {} }, 'body_malformed'],
  ['an event that is no object', { destination: BOT, events: [null] }, 'body_malformed'],
  ['an event without a type', { destination: BOT, events: [{}] }, 'body_malformed'],
  ['101 events', { destination: BOT, events: Array(101).fill({ type: 'x' }) }, 'body_malformed'],
  ['no events', { destination: BOT, events: [] }, 0],
  ['100 events', { destination: BOT, events: Array(100).fill({ type: 'x' }) }, 100],
])('a callback: %s', (_title, body, expected) => {
  const result = typeof body === 'string' ? readCallback(Buffer.from(body), BOT) : callback(body);
  expect(result.ok ? result.events.length : result.refusal).toBe(expected);
});

test('bytes that are not UTF-8 are malformed, not replaced', () => {
  const bytes = Buffer.concat([
    Buffer.from(`{"destination":"${BOT}","events":[],"x":"`),
    Buffer.of(0xff),
    Buffer.from('"}'),
  ]);
  expect(readCallback(bytes, BOT)).toEqual({ ok: false, refusal: 'body_malformed' });
});

test.each<[string, unknown, string]>([
  ['standby text', textEvent('功能', { mode: 'standby', replyToken: undefined }), 'event_standby'],
  ['standby approve', tapEvent('memory:approve:x', { mode: 'standby' }), 'event_standby'],
  ['an id of 41 characters', textEvent('x', { webhookEventId: 'x'.repeat(41) }), 'event_malformed'],
  ['no id', textEvent('x', { webhookEventId: undefined }), 'event_malformed'],
  ['a message without a message', event({ type: 'message' }), 'event_malformed'],
  ['a text without a text', event({ type: 'message', message: { type: 'text', id: '1' } }), 'event_malformed'],
  ['a postback without data', event({ type: 'postback', postback: {} }), 'event_malformed'],
  ['an unsend without a message id', event({ type: 'unsend', unsend: {} }), 'event_malformed'],
  ['no user id', textEvent('x', { source: { type: 'user' } }), 'event_without_user'],
  ['an odd user id', textEvent('x', { source: { type: 'user', userId: 'U1' } }), 'event_without_user'],
  ['no source', textEvent('x', { source: undefined }), 'event_in_group'],
  ['the dummy token', textEvent('Hello, world', { replyToken: '0'.repeat(32) }), 'event_verification'],
  ['the other dummy token', textEvent('Hello, world', { replyToken: 'f'.repeat(32) }), 'event_verification'],
  [
    'the dummy person',
    textEvent('Hello, world', { source: { type: 'user', userId: 'Udeadbeefdeadbeefdeadbeefdeadbeef' } }),
    'event_verification',
  ],
  ['a beacon', event({ type: 'beacon' }), 'event_of_other_type'],
  ['a type of tomorrow', event({ type: 'hologram' }), 'event_of_other_type'],
  ['chatter in a group', textEvent('早安', { source: { type: 'group', groupId: 'C1' } }), 'event_in_group'],
  ['a join', event({ type: 'join', source: { type: 'group', groupId: 'C1' } }), 'event_of_other_type'],
  ['an unsend in a group', event({ type: 'unsend', source: { type: 'group', groupId: 'C1' } }), 'event_in_group'],
])('ignored and counted: %s', (_title, raw, count) => {
  expect(read(raw)).toEqual({ kind: 'ignored', count });
});

const unsupported = { kind: 'entry', entry: { entry: 'unsupported_message' } };
const message = (content: Record<string, unknown>) => event({ type: 'message', message: { id: '77', ...content } });
test.each<[string, unknown, object]>([
  ['free text', textEvent('花壇有什麼店'), { kind: 'text', text: '花壇有什麼店' }],
  ['half of a character pair', textEvent('a\ud83e'), { kind: 'text', text: 'a\ufffd' }],
  ['a fixed text', textEvent('功能'), { kind: 'entry', entry: { entry: 'menu' } }],
  ['1,200 characters outside the BMP', textEvent('🤨'.repeat(1_200)), { kind: 'text' }],
  ['1,201 characters', textEvent('a'.repeat(1_201)), unsupported],
  ['1,201 characters outside the BMP', textEvent('🤨'.repeat(1_201)), unsupported],
  ['a blank text', textEvent(' \n'), unsupported],
  ['a sticker', message({ type: 'sticker' }), unsupported],
  ['an image', message({ type: 'image' }), unsupported],
  [
    'a location',
    message({ type: 'location', latitude: 24.03, longitude: 120.54, address: 'here' }),
    {
      kind: 'entry',
      messageId: '77',
      entry: {
        entry: 'places',
        area: '',
        dietary_type: '',
        keyword: '',
        near: { latitude: 24.03, longitude: 120.54 },
        page: 0,
      },
    },
  ],
  ['a location off the globe', message({ type: 'location', latitude: 91, longitude: 0 }), unsupported],
  ['a button', tapEvent('memory:inspect'), { kind: 'entry', entry: { entry: 'inspect' }, messageId: null }],
  ['a card', tapEvent('memory:approve:abc'), { kind: 'entry', entry: { entry: 'approve', token: 'abc' } }],
  ['a button nobody knows', tapEvent('m14:approve:abc'), unsupported],
  ['a button of 301 characters', tapEvent('x'.repeat(301)), unsupported],
  [
    'a follow',
    event({ type: 'follow', follow: { isUnblocked: false } }),
    { kind: 'entry', entry: { entry: 'welcome' } },
  ],
  ['an unfollow', event({ type: 'unfollow', replyToken: undefined }), { kind: 'unfollow', replyToken: null }],
  [
    'an unsend',
    event({ type: 'unsend', unsend: { messageId: '42' }, replyToken: undefined }),
    { kind: 'withdraw', method: 'unsend', messageId: '42' },
  ],
  [
    'an edit',
    event({ type: 'messageEdited', message: { type: 'text', id: '42', text: 'new' } }),
    { kind: 'withdraw', method: 'message', messageId: '42' },
  ],
  [
    'a button in a group',
    tapEvent('memory:approve:abc', { source: { type: 'group', groupId: 'C1', userId: PERSON_A } }),
    { kind: 'in_group', groupId: 'C1', pressed: true },
  ],
  [
    'a fixed text in a room, without a user id',
    textEvent('功能', { source: { type: 'room', roomId: 'R1' } }),
    { kind: 'in_group', groupId: 'R1', pressed: false },
  ],
])('taken: %s', (_title, raw, expected) => {
  expect(read(raw)).toMatchObject(expected);
});
