import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSignatureCheck } from '../../../src/adapters/line/signature.ts';

const SECRET = 'a-channel-secret';
const body = Buffer.from('{"events":[]}');
const good = createHmac('sha256', SECRET).update(body).digest('base64');
const check = createSignatureCheck(SECRET);

test.each(['', '  '])('an empty secret (%j) is refused when the check is made', (secret) => {
  expect(() => createSignatureCheck(secret)).toThrow(RangeError);
});

test.each<[string, string | undefined, boolean]>([
  ['the signature of these bytes', good, true],
  ['no header', undefined, false],
  ['an empty header', '', false],
  ['one character', 'A', false],
  ['43 characters', good.slice(0, 43), false],
  ['45 characters', `${good}=`, false],
  ['10,000 characters', 'A'.repeat(10_000), false],
  ['44 characters that are not base64', '!'.repeat(44), false],
  ['two headers joined', `${good}, ${good}`, false],
  ['base64url', good.replace(/[+/]/g, '-').replace('=', '_'), false],
  ['another spelling of the same bytes', respell(good), false],
  ['another secret', createHmac('sha256', 'other').update(body).digest('base64'), false],
  ['the empty secret', createHmac('sha256', '').update(body).digest('base64'), false],
  ['other bytes', createHmac('sha256', SECRET).update('{"events":[] }').digest('base64'), false],
])('%s', (_title, header, expected) => {
  expect(check(body, header)).toBe(expected);
});

test('what is not bytes is refused without an exception, and does not type-check', () => {
  // @ts-expect-error a parsed body is not what was signed
  expect(check({ events: [] }, good)).toBe(false);
  // @ts-expect-error null is not what was signed
  expect(check(null, good)).toBe(false);
  expect(check(Buffer.alloc(0), good)).toBe(false);
});

/** The last character of 44 holds two bits that a decoder ignores. */
function respell(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = alphabet.indexOf(signature.charAt(42));
  return `${signature.slice(0, 42)}${alphabet.charAt(last ^ 1)}=`;
}
