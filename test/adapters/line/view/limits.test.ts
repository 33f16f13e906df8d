import type { messagingApi } from '@line/bot-sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineLimitExceeded, plain, withinLimits } from '../../../../src/adapters/line/view/limits.ts';

const SEED = 20260915;

function text(words: string): messagingApi.TextMessage {
  return { type: 'text', text: words };
}

function card(
  action: messagingApi.Action,
  words = 'x',
  altText = 'x',
  part: Partial<messagingApi.FlexText> = {},
): messagingApi.FlexMessage {
  return {
    type: 'flex',
    altText,
    contents: {
      type: 'bubble',
      body: { type: 'box', layout: 'vertical', contents: [{ type: 'text', text: words, wrap: true, ...part }] },
      footer: { type: 'box', layout: 'vertical', contents: [{ type: 'button', action }] },
    },
  };
}

const tap: messagingApi.PostbackAction = { type: 'postback', label: '功能', data: 'menu' };

const opening = (uri: string): messagingApi.URIAction => ({ type: 'uri', label: 'x', uri });

describe('withinLimits', () => {
  test.each<[string, messagingApi.Message[]]>([
    ['five messages', Array.from({ length: 5 }, () => text('x'))],
    ['a text of 4,500 units', [text('字'.repeat(4_500))]],
    ['an alt text of 400 units', [card(tap, 'x', '字'.repeat(400))]],
    ['a label of 19 Han characters and an emoji', [card({ ...tap, label: `${'字'.repeat(19)}😀` })]],
    ['a displayText of 300 characters', [card({ ...tap, displayText: '😀'.repeat(300) })]],
    ['the own page over https', [card(opening('https://example.test/v1/me/1.k.a-_.b'))]],
    ['the own page on this machine', [card(opening('http://127.0.0.1:8080/v1/me/1.k.a.b'))]],
    ['an emoji made of several', [text('👩‍👩‍👧')]],
    ['lines', [text('a\nb')]],
  ])('lets %s through', (_, messages) => {
    expect(withinLimits(messages)).toStrictEqual(messages);
  });

  test.each<[string, messagingApi.Message[]]>([
    ['six messages', Array.from({ length: 6 }, () => text('x'))],
    ['an empty text', [text('')]],
    ['a text of 4,501 units', [text('字'.repeat(4_501))]],
    ['an alt text of 401 units', [card(tap, 'x', '字'.repeat(401))]],
    ['an alt text that ends inside a surrogate pair', [card(tap, 'x', '😀'.slice(0, 1))]],
    ['a label of 21 characters', [card({ ...tap, label: '字'.repeat(21) })]],
    ['no label', [card({ type: 'postback', data: 'menu' })]],
    ['a displayText of 301 characters', [card({ ...tap, displayText: '字'.repeat(301) })]],
    ['postback data of 301 units', [card({ ...tap, data: `memory:approve:${'A'.repeat(286)}` })]],
    ['postback data that is not ours', [card({ ...tap, data: 'm14:inspect' })]],
    ['an address that is not the own page', [card(opening('https://example.test'))]],
    ['the own page over plain http', [card(opening('http://example.test/v1/me/1.k.a.b'))]],
    ['another path', [card(opening('https://example.test/v1/me/../chat'))]],
    ['a path with more behind the token', [card(opening('https://example.test/v1/me/1.k.a.b/receipt.json'))]],
    ['a query beside the token', [card(opening('https://example.test/v1/me/1.k.a.b?x=1'))]],
    ['a name before the host', [card(opening('https://example.test@other.test/v1/me/1.k.a.b'))]],
    ['a host that only begins like this machine', [card(opening('http://127.0.0.1.example.test/v1/me/1.k.a.b'))]],
    ['another scheme', [card(opening('javascript:alert(1)//v1/me/1'))]],
    ['an address above 1,000 units', [card(opening(`https://example.test/v1/me/${'a'.repeat(1_000)}`))]],
    ['a bubble above 24,000 bytes', [card(tap, '字'.repeat(8_000))]],
    ['a text part that does not wrap', [card(tap, 'x', 'x', { wrap: false })]],
    ['a bidi override', [text('a\u202eb')]],
    ['a zero width space', [card(tap, 'a\u200bb')]],
    ['a control character', [text('a\u0007b')]],
    ['another kind of message', [{ type: 'sticker', packageId: '1', stickerId: '1' }]],
  ])('refuses %s', (_, messages) => {
    expect(() => withinLimits(messages)).toThrow(LineLimitExceeded);
  });

  test('names the place and the rule, not the content', () => {
    expect(() => withinLimits([text('秘密'.repeat(3_000))])).toThrow(/^messages\[0\]\.text: at most 4500 units$/);
  });
});

describe('plain', () => {
  test.each([
    ['folds white space and lines', ' a\n\t b\u3000c ', 20, 'a b c'],
    ['removes bidi controls and zero widths', 'a\u202eb\u2066c\u200bd\ufeff', 20, 'abcd'],
    ['removes tag characters and lone surrogates', 'a\u{e0041}b\ud800c', 20, 'abc'],
    ['keeps an emoji made of several', '👩‍👩‍👧', 20, '👩‍👩‍👧'],
    ['removes a joiner that joins nothing', 'a\u200db\u200d', 20, 'ab'],
    ['cuts on a whole character', 'a😀b', 3, 'a…'],
    ['never opens a joined emoji', 'a👩‍👩‍👧', 6, 'a…'],
    ['leaves what fits exactly', '一二三', 3, '一二三'],
  ])('%s', (_, given, unitsMax, shown) => {
    expect(plain(given, unitsMax)).toBe(shown);
  });

  test(`of any text is short, well formed, one line, and fit to be sent (seed ${SEED})`, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 60 }), (given, unitsMax) => {
        const shown = plain(given, unitsMax);
        expect(shown.length).toBeLessThanOrEqual(unitsMax);
        expect(shown).not.toMatch(/[\n\r]/);
        if (shown !== '') withinLimits([text(shown)]);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });
});
