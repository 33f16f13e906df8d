import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodePostback,
  encodePostback,
  fitsPostback,
  POSTBACK_LENGTH_MAX,
} from '../../../src/adapters/line/postback.ts';
import { CARD_TOKEN_LENGTH_MAX } from '../../../src/commands/card.ts';
import type { Entry } from '../../../src/commands/entries.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../src/events/purposes.ts';

const SEED = 20260914;

const words: readonly Entry[] = [
  { entry: 'menu' },
  { entry: 'welcome' },
  { entry: 'inspect' },
  { entry: 'explain' },
  { entry: 'update' },
  { entry: 'my_records' },
  { entry: 'my_receipt' },
  { entry: 'bare_yes' },
  { entry: 'events' },
  { entry: 'retry_guide' },
  { entry: 'service_request' },
  { entry: 'unsupported_message' },
  { entry: 'forget', scope: 'purpose' },
  { entry: 'forget', scope: 'all' },
];

const argument = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .filter((text) => text.length <= 80 && !/\p{Cc}/u.test(text) && text.isWellFormed());
const coordinate = (bound: number) =>
  fc.double({ min: -bound, max: bound, noNaN: true }).filter((degrees) => !Object.is(degrees, -0));

const plainObject = { noNullPrototype: true };
const anyEntry: fc.Arbitrary<Entry> = fc.oneof(
  fc.constantFrom(...words),
  fc.record(
    {
      entry: fc.constantFrom('approve' as const, 'cancel' as const),
      token: fc.stringMatching(/^[A-Za-z0-9._-]{1,160}$/),
    },
    plainObject,
  ),
  fc.constantFrom(...DIET_FOR_PLACE_SEARCH.values).map(({ value }): Entry => ({ entry: 'choose_value', value })),
  fc.record({ entry: fc.constant('choose_area' as const), page: fc.nat(999) }, plainObject),
  fc.record(
    {
      entry: fc.constant('places' as const),
      area: argument,
      dietary_type: fc.constantFrom('', 'any', ...DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value)),
      keyword: argument,
      near: fc.option(fc.record({ latitude: coordinate(90), longitude: coordinate(180) }, plainObject)),
      page: fc.nat(999),
    },
    plainObject,
  ),
);

describe('Postback data', () => {
  test(`of every entry that fits gives the entry back and is at most 300 units (seed ${SEED})`, () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        fc.pre(fitsPostback(entry));
        const data = encodePostback(entry);
        expect(data.length).toBeLessThanOrEqual(POSTBACK_LENGTH_MAX);
        expect(decodePostback(data)).toStrictEqual(entry);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  test.each(words)('of $entry has a word of its own', (entry) => {
    expect(decodePostback(encodePostback(entry))).toStrictEqual(entry);
    expect(words.filter((other) => encodePostback(other) === encodePostback(entry))).toHaveLength(1);
  });

  test('carries the longest token uncut', () => {
    const token = 'A'.repeat(CARD_TOKEN_LENGTH_MAX);
    for (const entry of ['approve', 'cancel'] as const) {
      expect(encodePostback({ entry, token })).toMatch(new RegExp(`:${token}$`));
    }
  });

  test.each([300, 301, 320])('is refused, not cut, for a token of %i characters', (length) => {
    const entry: Entry = { entry: 'approve', token: 'A'.repeat(length) };
    expect(fitsPostback(entry)).toBe(false);
    expect(() => encodePostback(entry)).toThrow(RangeError);
  });

  test.each(['not!a$card', '1.k1.body.mac ', ' 1.k1.body.mac', 'a b', '卡', 'line\nbreak'])(
    'of a tampered token is still read, so that the card is refused and counted as one: %j',
    (token) => {
      expect(decodePostback(`memory:approve:${token}`)).toStrictEqual({ entry: 'approve', token });
      expect(decodePostback(`memory:cancel:${token}`)).toStrictEqual({ entry: 'cancel', token });
    },
  );

  test.each([
    ['nothing', ''],
    ['an unknown word', 'memory:remember'],
    ['a word of another version', 'm14:inspect'],
    ['a word with something behind it', 'menu '],
    ['a card without a token', 'memory:approve:'],
    ['a value that cannot be remembered', 'memory:choose:any'],
    ['a page that is no number', 'areas:x'],
    ['another spelling of a page', 'areas:01'],
    ['a negative page', 'areas:-1'],
    ['places that are no JSON', 'places:{'],
    ['places with a member too many', 'places:{"a":"","d":"","k":"","n":null,"p":0,"approved":true}'],
    ['places with a member twice', 'places:{"a":"x","a":"","d":"","k":"","n":null,"p":0}'],
    ['places with a member missing', 'places:{"a":"","d":"","k":"","p":0}'],
    ['places with an unknown diet', 'places:{"a":"","d":"蔬食","k":"","n":null,"p":0}'],
    ['places off the earth', 'places:{"a":"","d":"","k":"","n":[91,0],"p":0}'],
    ['places in another order', 'places:{"d":"","a":"","k":"","n":null,"p":0}'],
    ['a control character', `places:${JSON.stringify({ a: '\u0000', d: '', k: '', n: null, p: 0 })}`],
    ['more than 300 units', `memory:approve:${'A'.repeat(300)}`],
  ])('with %s is no entry', (_, data) => {
    expect(decodePostback(data)).toBeNull();
  });

  test(`of any text at all never throws (seed ${SEED})`, () => {
    const prefix = fc.constantFrom('', 'memory:approve:', 'memory:choose:', 'areas:', 'places:', 'places:{"a":');
    fc.assert(
      fc.property(prefix, fc.string({ unit: 'binary', maxLength: 400 }), (start, rest) => {
        const entry = decodePostback(start + rest);
        if (entry !== null) expect(encodePostback(entry)).toBe(start + rest);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });
});
