import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  CONTENT_BYTES,
  type Content,
  commit,
  decodeContent,
  encodeContent,
  opens,
} from '../../src/events/commitment.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { LEDGER } from '../support/scenario.ts';

const values = DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value);
const key = Buffer.alloc(32, 7);
const content = (value: string, blindingKey = key): Content => ({
  ledgerId: LEDGER.ledgerId,
  purpose: LEDGER.purpose,
  version: 1,
  value,
  blindingKey: blindingKey.toString('base64url'),
});

describe('a commitment', () => {
  test('is the HMAC of the canonical ledger, purpose, version and value under the blinding key', () => {
    const text = `{"ledgerId":"${LEDGER.ledgerId}","purpose":"${LEDGER.purpose}","value":"vegan","version":1}`;
    expect(commit(key, content('vegan'))).toBe(createHmac('sha256', key).update(text).digest('hex'));
  });

  test.each([0, 31, 33, 64])('refuses a blinding key of %i bytes', (length) => {
    expect(() => commit(Buffer.alloc(length), content('vegan'))).toThrow(RangeError);
  });

  test('opens to its own value only', () => {
    for (const committed of values)
      for (const tried of values)
        expect(opens(commit(key, content(committed)), content(tried))).toBe(committed === tried);
  });

  test('opens with its own key, ledger and purpose only', () => {
    const commitment = commit(key, content('vegan'));
    expect(opens(commitment, content('vegan', Buffer.alloc(32, 8)))).toBe(false);
    expect(opens(commitment, { ...content('vegan'), purpose: 'another' })).toBe(false);
    expect(opens(commitment, { ...content('vegan'), ledgerId: 'M'.repeat(43) as never })).toBe(false);
  });

  test.each(['', 'zz', '00'.repeat(31), '00'.repeat(33)])('does not open what is no commitment: %j', (text) => {
    expect(opens(text, content('vegan'))).toBe(false);
  });
});

describe('content', () => {
  test.each(values)('of %s has the one fixed length and reads back whole', (value) => {
    const bytes = encodeContent(content(value));
    expect(bytes.length).toBe(CONTENT_BYTES);
    expect(decodeContent(bytes)).toStrictEqual(content(value));
  });

  test('the longest value of the longest purpose fits', () => {
    const longest = { ...content('v'.repeat(40)), purpose: 'p'.repeat(60) };
    expect(encodeContent(longest).length).toBe(CONTENT_BYTES);
  });

  test.each<[string, string]>([
    ['no JSON', 'x'],
    ['another version', JSON.stringify({ ...content('vegan'), version: 2 })],
    ['an unknown member', JSON.stringify({ ...content('vegan'), more: 1 })],
    ['a short key', JSON.stringify({ ...content('vegan'), blindingKey: 'AAAA' })],
  ])('that is damaged is refused: %s', (_, text) => {
    expect(() => decodeContent(Buffer.from(text))).toThrow();
  });

  test('that would not fit is refused, not cut', () => {
    expect(() => encodeContent(content('v'.repeat(CONTENT_BYTES)))).toThrow(RangeError);
  });
});
