/**
 * Whether a request is from LINE: its signature over the bytes as they came.
 * @module
 */
import { validateSignature } from '@line/bot-sdk';

/** HMAC-SHA256 in base64: 44 characters. */
const SIGNATURE_SHAPE = /^[A-Za-z0-9+/]{43}=$/;

/** Takes the bytes as received and the `x-line-signature` header (several headers: joined by commas). Never throws. */
export type SignatureCheck = (rawBody: Buffer, signature: string | undefined) => boolean;

/**
 * Makes the check for one channel.
 * @throws RangeError for an empty secret: under an empty key anyone can sign.
 */
export function createSignatureCheck(channelSecret: string): SignatureCheck {
  if (channelSecret.trim() === '') throw new RangeError('The channel secret is empty');
  return function isSignedByLine(rawBody, signature) {
    if (!Buffer.isBuffer(rawBody) || typeof signature !== 'string' || !SIGNATURE_SHAPE.test(signature)) return false;
    // The decoder would let other spellings of the same bytes pass.
    if (Buffer.from(signature, 'base64').toString('base64') !== signature) return false;
    return validateSignature(rawBody, channelSecret, signature);
  };
}
