import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { CardKeys } from '../../src/commands/card.ts';
import { mintCard, openCard } from '../../src/commands/card.ts';
import { mintOwnLink, OWN_LINK_TOKEN_LENGTH_MAX, openOwnLink } from '../../src/commands/own-link.ts';
import type { TenantId } from '../../src/events/identity.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { bytesOf, CARD_KEYS, personLedger } from '../support/ledger-world.ts';

const ref = personLedger('Person A');
const other = personLedger('Person B');
const NOW = Date.UTC(2026, 10, 30);
const invalid = { ok: false, refusal: 'invalid_own_link' };
const expired = { ok: false, refusal: 'expired_own_link' };
const mint = (over: { keys?: CardKeys; now?: number } = {}) =>
  mintOwnLink(over.keys ?? CARD_KEYS, ref.tenantId, { ledgerId: ref.ledgerId, revision: 7 }, over.now ?? NOW).token;
const open = (token: string, now = NOW, tenantId = ref.tenantId) => openOwnLink(CARD_KEYS, tenantId, token, now);

describe("A link to the person's own page", () => {
  test('opens its ledger at its revision, as often as it is used', () => {
    const token = mint();
    const opened = { ok: true, claim: { ledgerId: ref.ledgerId, revision: 7, expiresAt: NOW + 600_000 } };
    expect(open(token)).toStrictEqual(opened);
    expect(open(token)).toStrictEqual(opened);
  });

  test.each([
    ['at once', 0, true],
    ['at 599.999 s', 599_999, true],
    ['at exactly 600 s', 600_000, false],
    ['a day later', 86_400_000, false],
    ['before it was made, so that it would live longer than any', -1, false],
  ] as const)('%s', (_title, after, works) => {
    const opened = open(mint(), NOW + after);
    if (works) expect(opened.ok).toBe(true);
    else expect(opened).toStrictEqual(expired);
  });

  test('with any one character changed opens nothing', () => {
    const token = mint();
    for (let index = 0; index < token.length; index += 1) {
      for (const letter of ['A', 'B', '.', '=', '-']) {
        if (token[index] === letter) continue;
        expect(open(token.slice(0, index) + letter + token.slice(index + 1)).ok, `${index} ${letter}`).toBe(false);
      }
    }
  });

  test("with another person's ledger in its body opens nothing", () => {
    const [format, keyId, bodyText, macText] = mint().split('.');
    const body = Buffer.from(bodyText ?? '', 'base64url');
    body.write(other.ledgerId, 0, 32, 'base64url');
    expect(open([format, keyId, body.toString('base64url'), macText].join('.'))).toStrictEqual(invalid);
  });

  test('of another tenant, another key or a key that is gone opens nothing', () => {
    expect(open(mint(), NOW, 'tenant-b' as TenantId)).toStrictEqual(invalid);
    const foreign = [{ keyId: 'k1', key: createSecretKey(Buffer.alloc(32, 1)) }];
    expect(open(mint({ keys: foreign }))).toStrictEqual(invalid);
    const gone = [{ keyId: 'k9', key: createSecretKey(Buffer.alloc(32, 9)) }];
    expect(open(mint({ keys: gone }))).toStrictEqual(invalid);
  });

  test('is no card, and a card is no link', () => {
    const scope = { tenantId: ref.tenantId, subjectKey: ref.subjectKey, purpose: DIET_FOR_PLACE_SEARCH };
    const card = mintCard(CARD_KEYS, scope, {
      proposalId: '3f0d1b8e-5a44-5c8e-8a53-50c5c3bb1a07',
      operation: 'save',
      value: 'vegan',
      baseRevision: 0,
      eventHashPrefix: '0'.repeat(16),
      expiresAt: NOW + 300_000,
      blindingKey: bytesOf('card'),
    });
    expect(open(card)).toStrictEqual(invalid);
    expect(openCard(CARD_KEYS, scope, mint()).ok).toBe(false);
  });

  test('is short, fit for a path, and says nothing of who the person is', () => {
    const token = mint();
    expect(token.length).toBeLessThanOrEqual(OWN_LINK_TOKEN_LENGTH_MAX);
    expect(token).toMatch(/^[A-Za-z0-9._-]+$/);
    expect(token).not.toContain(ref.subjectKey);
  });

  test.each(['', '1', '1.k1.', '1.k1..', '2.k1.AAAA.AAAA', '1.k1.AAAA.AAAA', `1.k1.${'A'.repeat(400)}.A`])(
    '%j opens nothing',
    (token) => {
      expect(open(token)).toStrictEqual(invalid);
    },
  );
});
