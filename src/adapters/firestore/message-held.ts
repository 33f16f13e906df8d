/**
 * Whether the words a turn answers are still there: read with what would be kept of them, and compared in its commit.
 * @module
 */
import type firestore from '@google-cloud/firestore';
import type { Fill } from './calls.ts';
import { fieldsOf } from './documents.ts';

/**
 * From the job of a message as it was read: null when its body was emptied; else what keeps a commit from going through if the
 * job changes before it. A message that never stood in the inbox has nothing to compare with.
 */
export function whileHeld(job: firestore.DocumentSnapshot | undefined): Fill | null {
  if (job?.updateTime === undefined) return () => {};
  if (!fieldsOf(job).flag('held')) return null;
  const { ref, updateTime } = job;
  // Writes what is there already: it only compares.
  return (writes) => void writes.update(ref, { held: true }, { lastUpdateTime: updateTime });
}
