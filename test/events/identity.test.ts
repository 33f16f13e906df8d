import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { genesisHash, sha256Hex } from '../../src/events/chain.ts';
import { preferenceLedger, subjectKeyFingerprint, subjectKeyOf, type TenantId } from '../../src/events/identity.ts';

const secret = createSecretKey(Buffer.alloc(32, 1));
const other = createSecretKey(Buffer.alloc(32, 2));
const tenant = 'tenant-a' as TenantId;
const personA = `U${'a'.repeat(32)}`;
const subject = subjectKeyOf(secret, tenant, 'line', personA);

test('a subject key does not contain the channel’s user id and is 43 characters of base64url', () => {
  expect(subject).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(subject).not.toContain(personA);
});

test('the same user id under another tenant, or another key, is another person (D12)', () => {
  expect(subjectKeyOf(secret, tenant, 'line', personA)).toBe(subject);
  expect(subjectKeyOf(secret, 'tenant-b' as TenantId, 'line', personA)).not.toBe(subject);
  expect(subjectKeyOf(other, tenant, 'line', personA)).not.toBe(subject);
  expect(subjectKeyOf(secret, tenant, 'line', `U${'b'.repeat(32)}`)).not.toBe(subject);
});

test('a ledger is one tenant’s, one person’s and one purpose’s, and names none of them', () => {
  const ledger = preferenceLedger(secret, tenant, subject, 'diet_for_place_search');
  expect(ledger).toMatchObject({ kind: 'preference', tenantId: tenant, subjectKey: subject });
  expect(ledger.ledgerId).not.toContain(subject);
  for (const another of [
    preferenceLedger(secret, 'tenant-b' as TenantId, subject, 'diet_for_place_search'),
    preferenceLedger(secret, tenant, subject, 'another_purpose'),
    preferenceLedger(other, tenant, subject, 'diet_for_place_search'),
  ])
    expect(another.ledgerId).not.toBe(ledger.ledgerId);
});

test('the key’s fingerprint tells keys apart and is no person’s key', () => {
  expect(subjectKeyFingerprint(secret)).toBe(subjectKeyFingerprint(createSecretKey(Buffer.alloc(32, 1))));
  expect(subjectKeyFingerprint(secret)).not.toBe(subjectKeyFingerprint(other));
  expect(subjectKeyFingerprint(secret)).not.toBe(subject);
});

test('the hash before position 1 is SHA-256 of local-ledger/v1 and the ledger’s name', () => {
  const { ledgerId } = preferenceLedger(secret, tenant, subject, 'diet_for_place_search');
  expect(genesisHash(ledgerId)).toBe(sha256Hex(`local-ledger/v1|${ledgerId}`));
  expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
