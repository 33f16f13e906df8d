import { describe, expect, test } from 'vitest';
import { type CanonicalValue, canonicalBytes, canonicalText } from '../../src/events/canonical.ts';

describe('RFC 8785 vectors', () => {
  test.each<[string, CanonicalValue, string]>([
    [
      'members in order of UTF-16 code units (3.2.3)',
      {
        '\u20ac': 'Euro Sign',
        '\r': 'Carriage Return',
        '\ufb33': 'Hebrew Letter Dalet With Dagesh',
        '1': 'One',
        '\u{1f600}': 'Emoji: Grinning Face',
        '\u0080': 'Control',
        '\u00f6': 'Latin Small Letter O With Diaeresis',
      },
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\u{1f600}":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ],
    [
      'strings with the shortest escapes (3.2.2.2)',
      '\u20ac$\u000f\u000aA\'B"\\\\"/',
      '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
    ],
    ['every control character', '\b\t\n\f\r\u0000\u001f\u007f', '"\\b\\t\\n\\f\\r\\u0000\\u001f\u007f"'],
    ['lists in their own order', [56, { d: 2, '10': null, '1': [] }], '[56,{"1":[],"10":null,"d":2}]'],
    ['minus zero as zero', -0, '0'],
    ['the largest integers', [9007199254740991, -9007199254740991], '[9007199254740991,-9007199254740991]'],
    ['nothing in it', [{}, [], '', null], '[{},[],"",null]'],
  ])('%s', (_, value, text) => {
    expect(canonicalText(value)).toBe(text);
    expect(Buffer.from(canonicalBytes(value)).toString('utf8')).toBe(text);
  });

  test('the order in which members were made does not matter', () => {
    expect(canonicalText({ b: 1, a: { d: 2, c: 3 } })).toBe(canonicalText({ a: { c: 3, d: 2 }, b: 1 }));
  });
});

describe('what is refused before hashing', () => {
  const refused: readonly (readonly [string, unknown])[] = [
    ['undefined', undefined],
    ['a float', 0.5],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['an integer beyond 2^53', 2 ** 53],
    ['a boolean', true],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['bytes', Uint8Array.of(1)],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a map', new Map()],
    ['a record without a prototype', Object.create(null)],
    ['a lone surrogate', '\ud800'],
    ['a lone low surrogate', 'a\udc00b'],
    ['a hole in a list', Array.from({ length: 2 }).fill(1, 1)],
    ['a true hole in a list', Object.assign(Array.from<number>({ length: 0 }), { 1: 1 })],
  ];
  test.each(refused)('%s, alone and nested', (_, value) => {
    for (const place of [value, [value], { member: value }, { deep: [[{ member: value }]] }])
      expect(() => canonicalText(place as CanonicalValue)).toThrow();
  });

  test('a lone surrogate in a member name', () => {
    expect(() => canonicalText({ '\ud800': 1 })).toThrow();
  });

  test('the message names the place', () => {
    expect(() => canonicalText({ a: [0, { b: undefined as never }] })).toThrow('$.a[1].b');
  });
});
