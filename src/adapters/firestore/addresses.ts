/**
 * The address port on Firestore: where a push goes, sealed by the caller, in one fixed length.
 * @module
 */
import { ADDRESS_BYTES, type Addresses } from '../../events/delivery-ports.ts';
import type { SubjectKey } from '../../events/identity.ts';
import type { Calls } from './calls.ts';
import { addressRef, fieldsOf, frame, unframe } from './documents.ts';

/** @param random evenly in [0, 1). */
export function firestoreAddresses(calls: Calls, random: () => number): Addresses {
  const { db } = calls;

  /** Whether a job waits or an answer is owed. */
  async function isNeeded(subjectKey: SubjectKey): Promise<boolean> {
    const found = await Promise.all(
      [
        db.collection('inbox').where('subjectKey', '==', subjectKey).where('open', '==', true),
        db.collection('once').where('subjectKey', '==', subjectKey).where('answered', '==', false),
      ].map((query) => calls.read(() => query.limit(1).select().get())),
    );
    return found.some(({ empty }) => !empty);
  }

  return {
    async put(subjectKey, sealed) {
      const framed = frame(sealed, ADDRESS_BYTES);
      // Firestore leaves the update time alone when nothing changes, and `release` must see that it was put again.
      const written = Math.floor(random() * Number.MAX_SAFE_INTEGER);
      await calls.settle((writes) => writes.set(addressRef(db, subjectKey), { sealed: framed, written }));
    },
    async get(subjectKey) {
      const [address] = await calls.read(() => db.getAll(addressRef(db, subjectKey)));
      return address?.exists ? unframe(fieldsOf(address).bytes('sealed')) : null;
    },
    /**
     * Read first, then asked, then compared: an address put again in between stays. So whoever accepts a job puts the
     * address after it.
     */
    async release(subjectKey) {
      const ref = addressRef(db, subjectKey);
      const [address] = await calls.read(() => db.getAll(ref, { fieldMask: ['written'] }));
      if (address?.updateTime === undefined || (await isNeeded(subjectKey))) return;
      const { updateTime } = address;
      await calls.settle((writes) => writes.delete(ref, { lastUpdateTime: updateTime }));
    },
    async remove(subjectKey) {
      await calls.settle((writes) => writes.delete(addressRef(db, subjectKey)));
    },
  };
}
