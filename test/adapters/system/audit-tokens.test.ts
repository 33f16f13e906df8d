/**
 * Goal: a list of audit tokens is read exactly or refused as a whole, and never told.
 * Method: rows of what AUDIT_TOKENS may say.
 */
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/adapters/system/config.ts';

const LOCAL = {
  SUBJECT_KEY: Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64'),
  CARD_KEYS: `k1:${Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index)).toString('base64')}`,
};
const HEX = 'ab'.repeat(32);

test('names, roles and digests, in order', () => {
  const read = readConfig({ AUDIT_TOKENS: `city:integrity:${HEX},office-2:content:${'00'.repeat(32)}` }, LOCAL);
  expect(read.ok && read.config.auditTokens).toStrictEqual([
    { name: 'city', role: 'integrity', sha256: Buffer.from(HEX, 'hex') },
    { name: 'office-2', role: 'content', sha256: Buffer.alloc(32) },
  ]);
});

test('none is none', () => {
  for (const AUDIT_TOKENS of [undefined, ''])
    expect(readConfig({ AUDIT_TOKENS }, LOCAL)).toMatchObject({ ok: true, config: { auditTokens: [] } });
});

test.each([
  `city:reader:${HEX}`,
  `City:content:${HEX}`,
  `:content:${HEX}`,
  `${'x'.repeat(41)}:content:${HEX}`,
  `city:content:${HEX.toUpperCase()}`,
  `city:content:${HEX}0`,
  `city:content:${HEX}:more`,
  `city:content:`,
  `city:content:my-plain-token`,
  `city:content:${HEX},`,
  `city:content:${HEX}, other:content:${HEX}`,
  `city:content:${HEX},city:integrity:${HEX}`,
])('%s stops the start, and the message repeats none of it', (AUDIT_TOKENS) => {
  const read = readConfig({ AUDIT_TOKENS }, LOCAL);
  if (read.ok) throw new Error('It was taken');
  expect(read.problems.map(({ variable }) => variable)).toStrictEqual(['AUDIT_TOKENS']);
  expect(JSON.stringify(read.problems)).not.toMatch(/abab|plain-token/);
});
