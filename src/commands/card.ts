/**
 * The card: the signed form of a proposal. It carries the value and its blinding key, because the ledger holds neither.
 *
 * Token: `1.<key id>.<body>.<mac>`, ASCII, at most 160 characters (LINE allows 300 for a postback). The MAC is over the
 * received text, with tenant, subject and purpose mixed in, so nothing is decoded before it verified and a card of
 * somebody else, or for something else, is simply not ours.
 * @module
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { parse as uuidBytes, stringify as uuidText } from 'uuid';
import { BLINDING_KEY_BYTES } from '../events/commitment.ts';
import type { SubjectKey, TenantId } from '../events/identity.ts';
import type { Operation } from '../events/kinds.ts';
import type { Purpose } from '../events/purposes.ts';

/** The longest token, characters. */
export const CARD_TOKEN_LENGTH_MAX = 160;
const FORMAT = '1';
/** The bytes of the proposed event's hash that a card carries. */
const EVENT_HASH_BYTES = 8;
const BODY_BYTES = 16 + 1 + 1 + 4 + EVENT_HASH_BYTES + 6 + BLINDING_KEY_BYTES;
const OPERATIONS: readonly Operation[] = ['save', 'correct', 'forget'];

/** Keys by id; the first signs, all verify. Ids: 1 to 8 of `[a-z0-9]`. */
export type CardKeys = readonly { readonly keyId: string; readonly key: KeyObject }[];

/** Whose and what for: mixed into the MAC, not carried. */
export type CardScope = { readonly tenantId: TenantId; readonly subjectKey: SubjectKey; readonly purpose: Purpose };

/** What a card says once its signature verified. */
export type Card = {
  readonly proposalId: string;
  readonly operation: Operation;
  /** Null for a forget card. */
  readonly value: string | null;
  readonly baseRevision: number;
  /** The first 8 bytes of the hash of its proposed event, 16 hex digits. */
  readonly eventHashPrefix: string;
  /** Unix milliseconds; from this moment on the card is expired. */
  readonly expiresAt: number;
  /** 32 bytes; all zero for a forget card, which commits to nothing. */
  readonly blindingKey: Uint8Array;
};

/** Refused before any state is read; no event, counted apart. */
export type CardRefusal = 'invalid_memory_card' | 'unreadable_memory_card';

function mac(key: KeyObject, scope: CardScope, signedText: string): Buffer {
  return createHmac('sha256', key)
    .update(['local-card/v1', scope.tenantId, scope.subjectKey, scope.purpose.purpose, signedText].join('|'))
    .digest();
}

/**
 * Signs a card with the first key.
 * @returns the token, at most {@link CARD_TOKEN_LENGTH_MAX} ASCII characters.
 * @throws RangeError for a value the purpose does not know or a number out of the card's range.
 */
export function mintCard(keys: CardKeys, scope: CardScope, card: Card): string {
  const signing = keys[0];
  if (signing === undefined) throw new RangeError('No card key');
  if (card.blindingKey.length !== BLINDING_KEY_BYTES) throw new RangeError('A blinding key has exactly 32 bytes');
  if (!/^[0-9a-f]{16}$/.test(card.eventHashPrefix)) throw new RangeError('A card carries 8 bytes of the event hash');
  const body = Buffer.alloc(BODY_BYTES);
  body.set(uuidBytes(card.proposalId), 0);
  body.writeUInt8(OPERATIONS.indexOf(card.operation) + 1, 16);
  body.writeUInt8(valueCode(scope.purpose, card.value), 17);
  body.writeUInt32BE(card.baseRevision, 18);
  body.write(card.eventHashPrefix, 22, EVENT_HASH_BYTES, 'hex');
  body.writeUIntBE(card.expiresAt, 30, 6);
  body.set(card.blindingKey, 36);
  const signedText = `${FORMAT}.${signing.keyId}.${body.toString('base64url')}`;
  const token = `${signedText}.${mac(signing.key, scope, signedText).toString('base64url')}`;
  if (token.length > CARD_TOKEN_LENGTH_MAX) throw new RangeError('The card is longer than its bound');
  return token;
}

function valueCode(purpose: Purpose, value: string | null): number {
  if (value === null) return 0;
  const known = purpose.values.find((candidate) => candidate.value === value);
  if (known === undefined) throw new RangeError(`${purpose.purpose} has no such value`);
  return known.cardCode;
}

/** Decodes base64url only if the text is exactly what encoding the bytes gives (Node's decoder skips stray characters). */
function decodeExactly(text: string, length: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : null;
}

/**
 * Opens a token: verifies first, decodes after.
 * @returns `unreadable_memory_card` for a format or key id we no longer know, `invalid_memory_card` for everything that
 *   is not exactly a token we signed for this person and purpose.
 */
export function openCard(
  keys: CardKeys,
  scope: CardScope,
  token: string,
): { ok: true; card: Card } | { ok: false; refusal: CardRefusal } {
  const invalid = { ok: false, refusal: 'invalid_memory_card' } as const;
  if (token.length > CARD_TOKEN_LENGTH_MAX) return invalid;
  const parts = /^([0-9]{1,3})\.([a-z0-9]{1,8})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(token);
  if (parts === null) return invalid;
  const [, format, keyId, bodyText, macText] = parts as unknown as [string, string, string, string, string];
  const body = decodeExactly(bodyText, BODY_BYTES);
  const given = decodeExactly(macText, 32);
  if (body === null || given === null)
    return format === FORMAT ? invalid : { ok: false, refusal: 'unreadable_memory_card' };
  const known = keys.find((candidate) => candidate.keyId === keyId);
  if (format !== FORMAT || known === undefined) return { ok: false, refusal: 'unreadable_memory_card' };
  if (!timingSafeEqual(mac(known.key, scope, `${format}.${keyId}.${bodyText}`), given)) return invalid;
  const operation = OPERATIONS[body.readUInt8(16) - 1];
  const code = body.readUInt8(17);
  const value = code === 0 ? null : scope.purpose.values.find((candidate) => candidate.cardCode === code)?.value;
  if (operation === undefined || value === undefined) return { ok: false, refusal: 'unreadable_memory_card' };
  return {
    ok: true,
    card: {
      proposalId: uuidText(body.subarray(0, 16)),
      operation,
      value,
      baseRevision: body.readUInt32BE(18),
      eventHashPrefix: body.toString('hex', 22, 22 + EVENT_HASH_BYTES),
      expiresAt: body.readUIntBE(30, 6),
      blindingKey: Uint8Array.from(body.subarray(36)),
    },
  };
}
