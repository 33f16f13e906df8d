import { createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CARD_TOKEN_LENGTH_MAX,
  type Card,
  type CardKeys,
  type CardScope,
  mintCard,
  openCard,
} from '../../src/commands/card.ts';
import type { SubjectKey, TenantId } from '../../src/events/identity.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { BEGINNING, LEDGER, offer } from '../support/scenario.ts';

const key = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const keys: CardKeys = [{ keyId: 'k1', key: key(1) }];
const scope: CardScope = { tenantId: LEDGER.tenantId, subjectKey: LEDGER.subjectKey, purpose: DIET_FOR_PLACE_SEARCH };
const values = DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~=+/ ';

const A = offer('A');
const card: Card = {
  proposalId: A.proposalId,
  operation: 'save',
  value: 'vegetarian',
  baseRevision: 3,
  eventHashPrefix: '0123456789abcdef',
  expiresAt: BEGINNING + 300_000,
  blindingKey: A.blindingKey,
};
const token = mintCard(keys, scope, card);

const everyCard: readonly Card[] = [
  ...(['save', 'correct'] as const).flatMap((operation) => values.map((value) => ({ ...card, operation, value }))),
  { ...card, operation: 'forget', value: null, blindingKey: new Uint8Array(32) },
];

const INVALID = { ok: false, refusal: 'invalid_memory_card' };
const UNREADABLE = { ok: false, refusal: 'unreadable_memory_card' };

describe('a card', () => {
  test.each(everyCard.map((each) => ({ each })))(
    'of $each.operation $each.value opens to what was signed',
    ({ each }) => {
      const made = mintCard(keys, scope, each);
      expect(openCard(keys, scope, made)).toStrictEqual({ ok: true, card: each });
    },
  );

  test.each([0, 1, 2 ** 32 - 1])('carries base revision %i', (baseRevision) => {
    expect(openCard(keys, scope, mintCard(keys, scope, { ...card, baseRevision }))).toMatchObject({
      card: { baseRevision },
    });
  });

  test('is at most 160 characters of ASCII, also with the longest key id and the largest numbers', () => {
    const longest: Card = { ...card, baseRevision: 2 ** 32 - 1, expiresAt: 2 ** 48 - 1 };
    const made = mintCard([{ keyId: 'abcdefg8', key: key(1) }], scope, longest);
    expect(made).toMatch(/^[\x21-\x7e]+$/);
    expect(made.length).toBeLessThanOrEqual(CARD_TOKEN_LENGTH_MAX);
    expect(CARD_TOKEN_LENGTH_MAX).toBe(160);
  });

  test('has one shape, whatever its value and operation', () => {
    const shapes = everyCard.map((each) =>
      mintCard(keys, scope, each)
        .split('.')
        .map((part) => part.length),
    );
    for (const shape of shapes) expect(shape).toStrictEqual(shapes[0]);
  });

  test.each<[string, Partial<Card>]>([
    ['a value the purpose does not know', { value: 'any' }],
    ['a revision out of range', { baseRevision: 2 ** 32 }],
    ['a negative revision', { baseRevision: -1 }],
    ['an expiry out of range', { expiresAt: 2 ** 48 }],
    ['a short blinding key', { blindingKey: new Uint8Array(31) }],
    ['a long blinding key', { blindingKey: new Uint8Array(33) }],
    ['a whole event hash', { eventHashPrefix: 'a'.repeat(64) }],
    ['a short event hash', { eventHashPrefix: 'ab' }],
  ])('is not made for %s', (_, change) => {
    expect(() => mintCard(keys, scope, { ...card, ...change })).toThrow(RangeError);
  });

  test('is not made without a key', () => {
    expect(() => mintCard([], scope, card)).toThrow(RangeError);
  });
});

describe('what is not exactly a token we signed is refused', () => {
  /** Never accepted; unreadable only where the part that names format or key id was changed. */
  function expectRefused(mutant: string): void {
    const opened = openCard(keys, scope, mutant);
    if (opened.ok) throw new Error(`Accepted: ${mutant}`);
    const named = /^([0-9]{1,3})\.([a-z0-9]{1,8})\./.exec(mutant);
    const knows = named?.[1] === '1' && named[2] === 'k1';
    if (knows || named === null) expect(opened.refusal).toBe('invalid_memory_card');
  }

  test('every character replaced by every other', () => {
    for (let index = 0; index < token.length; index += 1)
      for (const character of alphabet)
        if (character !== token[index]) expectRefused(token.slice(0, index) + character + token.slice(index + 1));
  });

  test('every character left out, doubled, or followed by another', () => {
    for (let index = 0; index <= token.length; index += 1) {
      if (index < token.length) expectRefused(token.slice(0, index) + token.slice(index + 1));
      for (const character of alphabet) expectRefused(token.slice(0, index) + character + token.slice(index));
    }
  }, 60_000);

  test.each<[string, string]>([
    ['padding', `${token}=`],
    ['padding inside', token.replace(/\.(?=[^.]*$)/, '=.')],
    ['a space after', `${token} `],
    ['a space before', ` ${token}`],
    ['a line break after', `${token}\n`],
    ['a tab inside', `${token.slice(0, 60)}\t${token.slice(60)}`],
    ['upper case key id', token.replace('.k1.', '.K1.')],
    [
      'the standard alphabet',
      token
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .replace(/A(?=[^.]*$)/, '+'),
    ],
    ['a fifth part', `${token}.`],
    ['three parts', token.split('.').slice(0, 3).join('.')],
    ['nothing', ''],
    ['301 characters', token.padEnd(301, 'A')],
    ['characters beyond ASCII', `${token.slice(0, -1)}Ａ`],
  ])('%s', (_, mutant) => {
    expect(mutant).not.toBe(token);
    expect(openCard(keys, scope, mutant)).toStrictEqual(INVALID);
  });

  test('every other last character that decodes to the same bytes', () => {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const parts = token.split('.');
    for (const place of [2, 3]) {
      const part = parts[place] ?? '';
      const twins = [...digits].filter(
        (digit) =>
          digit !== part.at(-1) &&
          Buffer.from(part.slice(0, -1) + digit, 'base64url').equals(Buffer.from(part, 'base64url')),
      );
      expect(twins.length).toBeGreaterThan(0);
      for (const twin of twins)
        expect(openCard(keys, scope, parts.with(place, part.slice(0, -1) + twin).join('.'))).toStrictEqual(INVALID);
    }
  });

  test.each<[string, Partial<CardScope>]>([
    ['another person (C29)', { subjectKey: 'T'.repeat(43) as SubjectKey }],
    ['another tenant (D12)', { tenantId: 'tenant-b' as TenantId }],
    ['another purpose (C119)', { purpose: { ...DIET_FOR_PLACE_SEARCH, purpose: 'diet_for_events' } }],
  ])('%s', (_, change) => {
    expect(openCard(keys, { ...scope, ...change }, token)).toStrictEqual(INVALID);
  });

  test('the body of one card under the signature of another', () => {
    const other = mintCard(keys, scope, { ...card, value: 'vegan' }).split('.');
    expect(
      openCard(
        keys,
        scope,
        token
          .split('.')
          .with(2, other[2] ?? '')
          .join('.'),
      ),
    ).toStrictEqual(INVALID);
    expect(
      openCard(
        keys,
        scope,
        token
          .split('.')
          .with(3, other[3] ?? '')
          .join('.'),
      ),
    ).toStrictEqual(INVALID);
  });

  test('the right key id with another key', () => {
    expect(openCard([{ keyId: 'k1', key: key(2) }], scope, token)).toStrictEqual(INVALID);
  });

  test('an early format or a later one, of whatever length, is unreadable, not forged (D13)', () => {
    expect(openCard(keys, scope, token.replace('1.', '2.'))).toStrictEqual(UNREADABLE);
    expect(openCard(keys, scope, '2.k1.AAAA.AAAA')).toStrictEqual(UNREADABLE);
    expect(openCard(keys, scope, token.replace('1.k1.', '1.k0.'))).toStrictEqual(UNREADABLE);
  });

  test('a value or operation signed by a later version is unreadable', () => {
    for (const [offset, byte] of [
      [16, 9],
      [17, 200],
    ] as const) {
      const body = Buffer.from(token.split('.')[2] ?? '', 'base64url');
      body[offset] = byte;
      const signed = `1.k1.${body.toString('base64url')}`;
      const text = ['local-card/v1', scope.tenantId, scope.subjectKey, scope.purpose.purpose, signed].join('|');
      const mac = createHmac('sha256', Buffer.alloc(32, 1)).update(text).digest('base64url');
      expect(openCard(keys, scope, `${signed}.${mac}`)).toStrictEqual(UNREADABLE);
    }
  });

  test('of 20,000 mutants (seed 20260105) none is accepted', () => {
    const place = fc.nat({ max: token.length - 1 });
    const character = fc.constantFrom(...alphabet);
    const edit = fc.oneof(
      fc.tuple(fc.constant('set'), place, character),
      fc.tuple(fc.constant('insert'), place, character),
      fc.tuple(fc.constant('drop'), place, character),
      fc.tuple(fc.constant('swap'), place, character),
    );
    const mutate = (text: string, [how, at, what]: readonly [string, number, string]): string => {
      if (how === 'set') return text.slice(0, at) + what + text.slice(at + 1);
      if (how === 'insert') return text.slice(0, at) + what + text.slice(at);
      if (how === 'drop') return text.slice(0, at) + text.slice(at + 1);
      return (
        text.slice(0, at) +
        text
          .slice(at, at + 2)
          .split('')
          .toReversed()
          .join('') +
        text.slice(at + 2)
      );
    };
    let judged = 0;
    fc.assert(
      fc.property(fc.constantFrom(...everyCard), fc.array(edit, { minLength: 1, maxLength: 4 }), (each, edits) => {
        const genuine = mintCard(keys, scope, each);
        const mutant = edits.reduce(mutate, genuine);
        if (mutant === genuine) return;
        judged += 1;
        expect(openCard(keys, scope, mutant).ok).toBe(false);
      }),
      { numRuns: 20_500, seed: 20260105 },
    );
    expect(judged).toBeGreaterThanOrEqual(20_000);
  }, 60_000);
});

describe('rotation in three steps', () => {
  const oldKey = { keyId: 'k1', key: key(1) };
  const newKey = { keyId: 'k2', key: key(2) };
  const steps = [
    { step: 'before', ring: [oldKey], signs: 'k1' },
    { step: 'the new key is added and only verifies', ring: [oldKey, newKey], signs: 'k1' },
    { step: 'the new key is moved first and signs', ring: [newKey, oldKey], signs: 'k2' },
    { step: 'the old key is dropped', ring: [newKey], signs: 'k2' },
  ];

  test.each(steps)('$step: new cards are signed with $signs', ({ ring, signs }) => {
    expect(mintCard(ring, scope, card).split('.')[1]).toBe(signs);
  });

  test('an instance one step behind or ahead opens every card', () => {
    for (const [index, { ring }] of steps.entries())
      for (const neighbour of [steps[index - 1], steps[index], steps[index + 1]])
        if (neighbour !== undefined)
          // Dropping comes a day after moving: by then no card of the old key can be alive.
          expect(openCard(neighbour.ring, scope, mintCard(ring, scope, card)).ok).toBe(true);
  });

  test('a card of the dropped key is unreadable, not invalid', () => {
    expect(openCard([newKey], scope, token)).toStrictEqual(UNREADABLE);
  });
});
