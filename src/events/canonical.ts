/**
 * The one way this project turns a value into bytes that are hashed or signed: RFC 8785 (JCS).
 * @module
 */
import canonicalize from 'canonicalize';

/** What may be hashed: integers, strings, null, and lists and records of these. No floats, no undefined, no dates. */
export type CanonicalValue =
  | string
  | number
  | null
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue };

const encoder = new TextEncoder();

function assertCanonical(value: unknown, path: string): void {
  if (value === null || typeof value === 'string') return;
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return;
    throw new TypeError(`Only safe integers can be hashed: ${path}`);
  }
  if (Array.isArray(value)) {
    // entries() visits holes too, as undefined; forEach would let them through.
    for (const [index, item] of value.entries()) assertCanonical(item, `${path}[${index}]`);
    return;
  }
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    for (const [key, item] of Object.entries(value)) assertCanonical(item, `${path}.${key}`);
    return;
  }
  throw new TypeError(`Only integers, strings and null can be hashed: ${path}`);
}

/**
 * The RFC 8785 text of a value.
 * @throws TypeError for anything but integers, strings, null, lists and plain records (so a member that is undefined
 *   is refused before hashing, not dropped), and for lone surrogates.
 */
export function canonicalText(value: CanonicalValue): string {
  assertCanonical(value, '$');
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Nothing to hash');
  return text;
}

/** The UTF-8 bytes of {@link canonicalText}. */
export function canonicalBytes(value: CanonicalValue): Uint8Array {
  return encoder.encode(canonicalText(value));
}
