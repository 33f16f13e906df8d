/**
 * A client whose calls pass through something of a test: a counter, a fault, an interruption.
 * @module
 */
import { type CallOptions, type Calls, type Fill, firestoreCalls } from '../../../src/adapters/firestore/calls.ts';
import { type FirestoreStore, firestoreStoreOn } from '../../../src/adapters/firestore/store.ts';
import { subjectKeyFingerprint } from '../../../src/events/identity.ts';
import { BEGINNING, SUBJECT_KEY } from '../../support/ledger-world.ts';
import { TEST_DEADLINE_MS } from './emulated-store.ts';

/** One client whose calls went through `between`. */
export async function openClientThrough(
  { host, projectId }: { readonly host: string; readonly projectId: string },
  between: (calls: Calls) => Calls,
): Promise<FirestoreStore> {
  const random = Math.random;
  const options: CallOptions = { projectId, emulatorHost: host, random, deadlineMs: TEST_DEADLINE_MS };
  const fingerprint = subjectKeyFingerprint(SUBJECT_KEY);
  return firestoreStoreOn(between(firestoreCalls(options)), {
    subjectKeyFingerprint: fingerprint,
    clock: () => BEGINNING,
    random,
  });
}

/** The collections of the documents one commit writes, in order. */
export function collectionsWritten(fill: Fill): string[] {
  const written: string[] = [];
  const note = (ref: { readonly parent: { readonly id: string } }): void => void written.push(ref.parent.id);
  fill(new Proxy({} as Parameters<Fill>[0], { get: () => note }));
  return written;
}
