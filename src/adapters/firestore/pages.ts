/**
 * Going through the results of a query a page at a time.
 * @module
 */
import type firestore from '@google-cloud/firestore';
import type { Calls } from './calls.ts';
import { PAGE } from './documents.ts';

type Found = firestore.QueryDocumentSnapshot;

/**
 * Gives `visit` one page after the other until it answers false, nothing is left, or `max` documents were looked at.
 * @param query ordered, without a limit.
 */
export async function eachPage(
  calls: Calls,
  query: firestore.Query,
  max: number,
  visit: (page: readonly Found[]) => Promise<boolean>,
): Promise<void> {
  let after: Found | undefined;
  for (let looked = 0; looked < max; looked += PAGE) {
    const from = after === undefined ? query : query.startAfter(after);
    const { docs } = await calls.read(() => from.limit(PAGE).get());
    if (docs.length === 0 || !(await visit(docs)) || docs.length < PAGE) return;
    after = docs.at(-1);
  }
}

/** Deletes all that a query finds, a page at a time. @returns how many. */
export async function deletePages(calls: Calls, query: firestore.Query): Promise<number> {
  for (let deleted = 0; ; ) {
    const { docs } = await calls.read(() => query.select().limit(PAGE).get());
    if (docs.length > 0) await calls.settle((writes) => docs.forEach(({ ref }) => void writes.delete(ref)));
    deleted += docs.length;
    if (docs.length < PAGE) return deleted;
  }
}
