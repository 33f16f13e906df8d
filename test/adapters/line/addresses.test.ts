import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ADDRESS_NONCE_BYTES,
  addressKeyOf,
  createAddressBook,
  openAddress,
  sealAddress,
} from '../../../src/adapters/line/addresses.ts';
import { ADDRESS_BYTES } from '../../../src/events/delivery-ports.ts';
import { lineStores } from '../../support/line-stores.ts';
import { PERSON_A, PERSON_B, personOf } from '../../support/line-world.ts';

const key = addressKeyOf(createSecretKey(Buffer.alloc(32, 1)));
const a = personOf(PERSON_A).subjectKey;
const b = personOf(PERSON_B).subjectKey;

test('a sealed address opens for its person again, always has the same length, and shows nothing of the id', () => {
  for (const userId of [PERSON_A, 'U1', 'x'.repeat(130)]) {
    const sealed = sealAddress(key, a, userId, randomBytes(ADDRESS_NONCE_BYTES));
    expect(sealed.length).toBe(ADDRESS_BYTES);
    expect(openAddress(key, a, sealed)).toBe(userId);
    expect(Buffer.from(sealed).includes(userId)).toBe(false);
  }
});

test.each(['', 'x'.repeat(131)])('an id that does not fit is refused (%#)', (userId) => {
  expect(() => sealAddress(key, a, userId, randomBytes(ADDRESS_NONCE_BYTES))).toThrow(RangeError);
});

test('a sealed address opens neither for another person nor under another SUBJECT_KEY', () => {
  const sealed = sealAddress(key, a, PERSON_A, randomBytes(ADDRESS_NONCE_BYTES));
  expect(openAddress(key, b, sealed)).toBeNull();
  expect(openAddress(addressKeyOf(createSecretKey(Buffer.alloc(32, 2))), a, sealed)).toBeNull();
});

test('no changed byte and no other length opens (seed 7)', () => {
  const sealed = sealAddress(key, a, PERSON_A, Buffer.alloc(ADDRESS_NONCE_BYTES, 3));
  fc.assert(
    fc.property(fc.nat(ADDRESS_BYTES - 1), fc.integer({ min: 1, max: 255 }), (index, bits) => {
      const changed = Uint8Array.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ bits;
      expect(openAddress(key, a, changed)).toBeNull();
      expect(openAddress(key, a, sealed.subarray(0, index))).toBeNull();
    }),
    { seed: 7, numRuns: 200 },
  );
});

test('an address is not released under another turn of the person that still runs', async () => {
  const stores = lineStores(() => 0);
  const book = createAddressBook({ addresses: stores.addresses, key, randomBytes });
  book.hold(a);
  await book.put(a, PERSON_A);
  book.hold(a);
  await book.letGo(a, 'release');
  expect(await book.userOf(a)).toBe(PERSON_A);
  await book.letGo(a, 'release');
  expect(await book.userOf(a)).toBeNull();
});
