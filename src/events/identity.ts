/**
 * Who a ledger is about and which ledger it is, without the channel's user id appearing anywhere.
 * @module
 */
import { createHmac, type KeyObject } from 'node:crypto';
import * as v from 'valibot';
import { canonicalText } from './canonical.ts';

const digest = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/));

/** A keyed digest, 43 characters of base64url, standing for a person within one tenant and channel. */
export const SubjectKey = v.pipe(digest, v.brand('SubjectKey'));
export type SubjectKey = v.InferOutput<typeof SubjectKey>;

/** A keyed digest, 43 characters of base64url, naming one ledger; the only name that goes into URLs and logs. */
export const LedgerId = v.pipe(digest, v.brand('LedgerId'));
export type LedgerId = v.InferOutput<typeof LedgerId>;

/** A tenant's name: lower case letters, digits and hyphens, at most 40. */
export const TenantId = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,39}$/), v.brand('TenantId'));
export type TenantId = v.InferOutput<typeof TenantId>;

/** What a ledger is a ledger of; each kind has its own events, fold and decider over the same port. */
export const LedgerKind = v.picklist(['preference', 'request', 'access', 'gate']);
export type LedgerKind = v.InferOutput<typeof LedgerKind>;

/** One ledger, named for the store: enough to open it and to list it. */
export type LedgerRef = {
  readonly ledgerId: LedgerId;
  readonly kind: LedgerKind;
  readonly tenantId: TenantId;
  readonly subjectKey: SubjectKey;
  readonly purpose: string;
};

function keyedDigest(key: KeyObject, parts: readonly string[]): string {
  return createHmac('sha256', key).update(canonicalText(parts)).digest('base64url');
}

/**
 * The key that stands for a person.
 * @param subjectKeySecret SUBJECT_KEY, at least 32 bytes; it cannot be rotated, for another one makes other people.
 * @param channelUserId the channel's own id of the person, for LINE `U` and 32 hex digits; never stored in clear.
 */
export function subjectKeyOf(
  subjectKeySecret: KeyObject,
  tenantId: TenantId,
  channel: 'line',
  channelUserId: string,
): SubjectKey {
  return v.parse(SubjectKey, keyedDigest(subjectKeySecret, ['local-subject/v1', tenantId, channel, channelUserId]));
}

/** The ledger that holds what one person decided for one purpose. No session is part of it. */
export function preferenceLedger(
  subjectKeySecret: KeyObject,
  tenantId: TenantId,
  subjectKey: SubjectKey,
  purpose: string,
): LedgerRef {
  const ledgerId = v.parse(
    LedgerId,
    keyedDigest(subjectKeySecret, ['local-ledger/v1', tenantId, 'preference', subjectKey, purpose]),
  );
  return { ledgerId, kind: 'preference', tenantId, subjectKey, purpose };
}

/** What the purpose of an access ledger is called. */
export const ACCESS_PURPOSE = 'access_by_auditors';

/**
 * The access ledger in which reads of one ledger are recorded; its subject is that ledger's, for it tells who looked at
 * what is theirs. An access ledger is its own: a read of it is recorded in itself.
 */
export function accessLedger(subjectKeySecret: KeyObject, audited: LedgerRef): LedgerRef {
  if (audited.kind === 'access') return audited;
  return accessLedgerOf(subjectKeySecret, audited.tenantId, audited.subjectKey, ['ledger', audited.ledgerId]);
}

/**
 * The access ledger in which one reader's looks at more than one ledger (overview, lists) are recorded: one for each
 * reader and day, so that no two readers and no two days meet in one.
 * @param reader the name of the token.
 * @param day UTC, YYYY-MM-DD.
 */
export function readerDayLedger(
  subjectKeySecret: KeyObject,
  tenantId: TenantId,
  reader: string,
  day: string,
): LedgerRef {
  const readerKey = v.parse(SubjectKey, keyedDigest(subjectKeySecret, ['local-reader/v1', tenantId, reader]));
  return accessLedgerOf(subjectKeySecret, tenantId, readerKey, ['reader', reader, day]);
}

function accessLedgerOf(
  subjectKeySecret: KeyObject,
  tenantId: TenantId,
  subjectKey: SubjectKey,
  key: readonly string[],
): LedgerRef {
  const ledgerId = v.parse(LedgerId, keyedDigest(subjectKeySecret, ['local-ledger/v1', tenantId, 'access', ...key]));
  return { ledgerId, kind: 'access', tenantId, subjectKey, purpose: ACCESS_PURPOSE };
}

/** What identifies SUBJECT_KEY in the store, so that a start with another key is refused instead of making strangers. */
export function subjectKeyFingerprint(subjectKeySecret: KeyObject): string {
  return keyedDigest(subjectKeySecret, ['local-subject-key-fingerprint/v1']);
}
