/**
 * Trying again while another connection holds the file: outside SQLite, so that the event loop stays free.
 *
 * SQLite's own busy handler waits inside the call and is unfair under load: with several processes some never get a turn.
 * @module
 */
import { setTimeout as wait } from 'node:timers/promises';
import { isLocked } from './store-refused.ts';

/** The longest single wait, milliseconds; each is drawn evenly below it. */
const WAIT_MAX_MS = 8;

/** How waiting is spread and bounded. */
export type Patience = {
  /** Evenly in [0, 1). */
  readonly random: () => number;
  /** The sum of waits after which the lock is taken as held for good, milliseconds. */
  readonly budgetMs: number;
};

/**
 * Runs an action, again after a short random wait each time it throws "busy" or "locked".
 * @throws what the action threw: at once for any other error, for a lock once the budget is used up.
 */
export async function retryWhileLocked<T>(action: () => T, { random, budgetMs }: Patience): Promise<T> {
  for (let waitedMs = 0; ; ) {
    try {
      return action();
    } catch (error) {
      if (!isLocked(error) || waitedMs >= budgetMs) throw error;
    }
    const pauseMs = 1 + random() * (WAIT_MAX_MS - 1);
    await wait(pauseMs);
    waitedMs += pauseMs;
  }
}
