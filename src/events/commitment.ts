/**
 * What an event holds instead of a value, and the erasable content that opens it.
 *
 * The blinding key is 32 random bytes of this one value and stands only beside the value (and in the person's own card),
 * so once both are erased the commitment says nothing, also to someone who holds every server key.
 * @module
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { canonicalBytes, canonicalText } from './canonical.ts';
import { LedgerId } from './identity.ts';

/** The length of a blinding key, bytes. */
export const BLINDING_KEY_BYTES = 32;
/** The version of the committed content's form. */
export const CONTENT_VERSION = 1;
/** Every content row has exactly this many bytes, whatever it holds: length must not tell the value. */
export const CONTENT_BYTES = 320;

const Content = v.strictObject({
  ledgerId: LedgerId,
  purpose: v.string(),
  version: v.literal(CONTENT_VERSION),
  value: v.string(),
  blindingKey: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/)),
});
/** The value in force with the key that opens its commitment; erased by correct and forget. */
export type Content = v.InferOutput<typeof Content>;

/**
 * HMAC-SHA256 of the canonical {ledgerId, purpose, version, value} under the blinding key, 64 hex digits.
 * @throws RangeError when the key is not 32 bytes.
 */
export function commit(
  blindingKey: Uint8Array,
  content: { ledgerId: LedgerId; purpose: string; value: string },
): string {
  if (blindingKey.length !== BLINDING_KEY_BYTES) throw new RangeError('A blinding key has exactly 32 bytes');
  const { ledgerId, purpose, value } = content;
  // As a KeyObject: three times as fast as the same bytes given raw.
  return createHmac('sha256', createSecretKey(blindingKey))
    .update(canonicalBytes({ ledgerId, purpose, version: CONTENT_VERSION, value }))
    .digest('hex');
}

/** Whether the content opens the commitment. Constant time in the commitment. */
export function opens(commitment: string, content: Content): boolean {
  const made = Buffer.from(commit(Buffer.from(content.blindingKey, 'base64url'), content), 'hex');
  const given = Buffer.from(commitment, 'hex');
  return made.length === given.length && timingSafeEqual(made, given);
}

/** Content as the fixed-length bytes that are stored: its canonical text, padded with spaces. */
export function encodeContent(content: Content): Uint8Array {
  const bytes = Buffer.alloc(CONTENT_BYTES, ' ');
  const text = canonicalText(v.parse(Content, content));
  if (Buffer.byteLength(text) > CONTENT_BYTES) throw new RangeError('Content is longer than its fixed length');
  bytes.write(text);
  return bytes;
}

/**
 * Reads content bytes back.
 * @throws when the bytes are not content of this program: a store that returns others is damaged.
 */
export function decodeContent(bytes: Uint8Array): Content {
  return v.parse(Content, JSON.parse(Buffer.from(bytes).toString('utf8')));
}
