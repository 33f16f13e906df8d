/**
 * The link to a person's own page: signed, short-lived, never stored, and good for reading one ledger only.
 *
 * Token: `1.<key id>.<body>.<mac>`. The MAC is over the received text with a domain of its own and the tenant mixed in, so
 * that no card opens the page and no link decides anything. The ledgerId stands for one person and one purpose.
 * @module
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { LedgerId, type TenantId } from '../events/identity.ts';
import type { CardKeys } from './card.ts';

/** How long a link works, seconds; exactly this old it is expired. */
export const OWN_LINK_SECONDS = 600;
/** The longest token, characters. */
export const OWN_LINK_TOKEN_LENGTH_MAX = 120;
/** Where the page is, below the public address. */
export const OWN_PAGE_PATH = '/v1/me';

const FORMAT = '1';
const LEDGER_BYTES = 32;
const BODY_BYTES = LEDGER_BYTES + 4 + 6;
const MAC_BYTES = 32;

/** What a link says once its signature verified. */
export type OwnLinkClaim = {
  readonly ledgerId: LedgerId;
  /** The revision when the link was made: content is shown while it is still the one in force, and not after. */
  readonly revision: number;
  /** Unix milliseconds from which the link is dead. */
  readonly expiresAt: number;
};

/** Why a token opens nothing. */
export type OwnLinkRefusal = 'invalid_own_link' | 'expired_own_link';

function mac(key: KeyObject, tenantId: TenantId, signedText: string): Buffer {
  return createHmac('sha256', key).update(['local-own-page/v1', tenantId, signedText].join('|')).digest();
}

/**
 * Signs a link with the first key; it dies {@link OWN_LINK_SECONDS} after `now`, Unix milliseconds.
 * @throws RangeError when there is no key.
 */
export function mintOwnLink(
  keys: CardKeys,
  tenantId: TenantId,
  { ledgerId, revision }: { ledgerId: LedgerId; revision: number },
  now: number,
): { token: string; expiresAt: number } {
  const signing = keys[0];
  if (signing === undefined) throw new RangeError('No key to sign a link');
  const expiresAt = now + OWN_LINK_SECONDS * 1_000;
  const body = Buffer.alloc(BODY_BYTES);
  body.write(ledgerId, 0, LEDGER_BYTES, 'base64url');
  body.writeUInt32BE(revision, LEDGER_BYTES);
  body.writeUIntBE(expiresAt, LEDGER_BYTES + 4, 6);
  const signedText = `${FORMAT}.${signing.keyId}.${body.toString('base64url')}`;
  return { token: `${signedText}.${mac(signing.key, tenantId, signedText).toString('base64url')}`, expiresAt };
}

/** Opens a token at `now`, Unix milliseconds: verifies first, decodes after, and only what is its own re-encoding. */
export function openOwnLink(
  keys: CardKeys,
  tenantId: TenantId,
  token: string,
  now: number,
): { ok: true; claim: OwnLinkClaim } | { ok: false; refusal: OwnLinkRefusal } {
  const invalid = { ok: false, refusal: 'invalid_own_link' } as const;
  if (token.length > OWN_LINK_TOKEN_LENGTH_MAX) return invalid;
  const parts = /^1\.([a-z0-9]{1,8})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(token);
  if (parts === null) return invalid;
  const [, keyId = '', bodyText = '', macText = ''] = parts;
  const known = keys.find((candidate) => candidate.keyId === keyId);
  const body = decodeExactly(bodyText, BODY_BYTES);
  const given = decodeExactly(macText, MAC_BYTES);
  if (known === undefined || body === null || given === null) return invalid;
  if (!timingSafeEqual(mac(known.key, tenantId, `${FORMAT}.${keyId}.${bodyText}`), given)) return invalid;
  const expiresAt = body.readUIntBE(LEDGER_BYTES + 4, 6);
  // A longer life than we ever give would come from a clock that jumped; it gets no more than a link may have.
  if (now >= expiresAt || expiresAt - now > OWN_LINK_SECONDS * 1_000) return { ok: false, refusal: 'expired_own_link' };
  const ledgerId = v.parse(LedgerId, body.toString('base64url', 0, LEDGER_BYTES));
  return { ok: true, claim: { ledgerId, revision: body.readUInt32BE(LEDGER_BYTES), expiresAt } };
}

function decodeExactly(text: string, length: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : null;
}
