import { expect, test } from 'vitest';
import { decodeJobBody, encodeJobBody, type JobBody, queuedForm } from '../../../src/adapters/line/job.ts';
import type { Entry } from '../../../src/commands/entries.ts';
import { INBOX_BODY_BYTES } from '../../../src/events/delivery-ports.ts';

test.each<[Entry, Entry]>([
  [{ entry: 'approve', token: 'secret' }, { entry: 'inspect' }],
  [{ entry: 'cancel', token: 'secret' }, { entry: 'inspect' }],
  [{ entry: 'forget', scope: 'all' }, { entry: 'inspect' }],
  [{ entry: 'choose_value', value: 'vegan' }, { entry: 'update' }],
  [
    { entry: 'places', area: '', dietary_type: '', keyword: '', near: { latitude: 24, longitude: 120.5 }, page: 0 },
    { entry: 'places', area: '', dietary_type: '', keyword: '', near: null, page: 0 },
  ],
  [{ entry: 'menu' }, { entry: 'menu' }],
  [{ entry: 'my_records' }, { entry: 'my_records' }],
  [{ entry: 'my_receipt' }, { entry: 'my_receipt' }],
])('of %j only %j may wait', (entry, queued) => {
  expect(queuedForm(entry)).toEqual(queued);
  const body: JobBody = { kind: 'entry', entry: queuedForm(entry), replyToken: null };
  expect(decodeJobBody(encodeJobBody(body))).toEqual(body);
});

test('the longest text fits the fixed length of an inbox body, whatever its characters', () => {
  for (const character of ['\u0001', '"', '花', '🤨']) {
    const body: JobBody = { kind: 'text', text: character.repeat(1_200), replyToken: 'x'.repeat(100) };
    expect(encodeJobBody(body).length).toBeLessThanOrEqual(INBOX_BODY_BYTES);
    expect(decodeJobBody(Buffer.concat([encodeJobBody(body), Buffer.alloc(9)]))).toEqual(body);
  }
});

test.each(['', 'null', '{', '{"kind":"entry","entry":{"entry":"approve","token":"x"},"replyToken":null}'])(
  'bytes that are no body (%j) are none',
  (text) => {
    expect(decodeJobBody(Buffer.from(text))).toBeNull();
  },
);
