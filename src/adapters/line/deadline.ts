/**
 * Waiting no longer than there is time, with a timer that tests can move.
 * @module
 */

/** Runs `run` once after a time, milliseconds; what it returns cancels it. */
export type Timer = (milliseconds: number, run: () => void) => () => void;

/** What a bounded wait came to. A late result is dropped; a late failure is swallowed. */
export type Waited<T> =
  | { readonly ended: 'in_time'; readonly value: T }
  | { readonly ended: 'failed'; readonly error: unknown }
  | { readonly ended: 'late' };

/** Waits for `work`, at most `milliseconds` (none left: it is late at once). Never rejects. */
export async function within<T>(work: Promise<T>, milliseconds: number, timer: Timer): Promise<Waited<T>> {
  const settled = work.then(
    (value): Waited<T> => ({ ended: 'in_time', value }),
    (error: unknown): Waited<T> => ({ ended: 'failed', error }),
  );
  if (milliseconds <= 0) return { ended: 'late' };
  let cancel = (): void => {};
  const late = new Promise<Waited<T>>((resolve) => {
    cancel = timer(milliseconds, () => resolve({ ended: 'late' }));
  });
  const waited = await Promise.race([settled, late]);
  cancel();
  return waited;
}
