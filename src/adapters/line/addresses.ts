/**
 * Where a push goes: the channel's user id, sealed, kept only while an answer may be owed.
 * @module
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { ADDRESS_BYTES, type Addresses } from '../../events/delivery-ports.ts';
import type { SubjectKey } from '../../events/identity.ts';

const VERSION = 1;
/** The length of the nonce that {@link sealAddress} takes, bytes. */
export const ADDRESS_NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PLAIN_BYTES = ADDRESS_BYTES - 1 - ADDRESS_NONCE_BYTES - TAG_BYTES;

/** The key that seals addresses, derived from SUBJECT_KEY: another SUBJECT_KEY opens none. */
export function addressKeyOf(subjectKeySecret: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', subjectKeySecret, '', 'local-address/v1', 32)));
}

function boundTo(subjectKey: SubjectKey): Buffer {
  return Buffer.from(`local-address/v1|${subjectKey}`);
}

/**
 * Seals a user id for one person with AES-256-GCM.
 * @param nonce fresh random bytes, exactly {@link ADDRESS_NONCE_BYTES}.
 * @returns exactly ADDRESS_BYTES: version, nonce, ciphertext of length byte and padded id, tag.
 * @throws RangeError for a user id that does not fit.
 */
export function sealAddress(key: KeyObject, subjectKey: SubjectKey, userId: string, nonce: Uint8Array): Uint8Array {
  const id = Buffer.from(userId);
  if (id.length === 0 || id.length > PLAIN_BYTES - 1) throw new RangeError('The user id does not fit its fixed length');
  const plain = Buffer.alloc(PLAIN_BYTES);
  plain.writeUInt8(id.length, 0);
  plain.set(id, 1);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(subjectKey));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, sealed, cipher.getAuthTag()]);
}

/** Opens what {@link sealAddress} sealed for this person; null for anything else, without saying why. */
export function openAddress(key: KeyObject, subjectKey: SubjectKey, sealed: Uint8Array): string | null {
  const bytes = Buffer.from(sealed);
  if (bytes.length !== ADDRESS_BYTES || bytes.readUInt8(0) !== VERSION) return null;
  const nonce = bytes.subarray(1, 1 + ADDRESS_NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(subjectKey))
    .setAuthTag(bytes.subarray(ADDRESS_BYTES - TAG_BYTES));
  try {
    const sealedId = bytes.subarray(1 + ADDRESS_NONCE_BYTES, ADDRESS_BYTES - TAG_BYTES);
    const plain = Buffer.concat([decipher.update(sealedId), decipher.final()]);
    return plain.toString('utf8', 1, 1 + plain.readUInt8(0));
  } catch {
    return null;
  }
}

/** Addresses as the channel uses them: opened, and not released under a turn that still runs in this process. */
export type AddressBook = {
  /** A turn of this person begins; pairs with {@link AddressBook.letGo}. */
  hold(subjectKey: SubjectKey): void;
  put(subjectKey: SubjectKey, userId: string): Promise<void>;
  /** The user id, or null when none is kept (or none that this key opens). */
  userOf(subjectKey: SubjectKey): Promise<string | null>;
  /** A turn ended. `release`: the address goes, if it was the last turn here and the store owes the person nothing. */
  letGo(subjectKey: SubjectKey, address: 'release' | 'keep'): Promise<void>;
  remove(subjectKey: SubjectKey): Promise<void>;
};

/** Makes the book over a store. `randomBytes` gives that many fresh random bytes. */
export function createAddressBook(parts: {
  readonly addresses: Addresses;
  readonly key: KeyObject;
  readonly randomBytes: (count: number) => Uint8Array;
}): AddressBook {
  const { addresses, key, randomBytes } = parts;
  const turnsRunning = new Map<SubjectKey, number>();
  return {
    hold(subjectKey) {
      turnsRunning.set(subjectKey, (turnsRunning.get(subjectKey) ?? 0) + 1);
    },
    put(subjectKey, userId) {
      return addresses.put(subjectKey, sealAddress(key, subjectKey, userId, randomBytes(ADDRESS_NONCE_BYTES)));
    },
    async userOf(subjectKey) {
      const sealed = await addresses.get(subjectKey);
      return sealed === null ? null : openAddress(key, subjectKey, sealed);
    },
    async letGo(subjectKey, address) {
      const left = (turnsRunning.get(subjectKey) ?? 1) - 1;
      if (left > 0) {
        turnsRunning.set(subjectKey, left);
        return;
      }
      turnsRunning.delete(subjectKey);
      if (address === 'release') await addresses.release(subjectKey);
    },
    remove(subjectKey) {
      return addresses.remove(subjectKey);
    },
  };
}
