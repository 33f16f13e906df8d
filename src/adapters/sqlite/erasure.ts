/**
 * Takes erased bytes out of the write-ahead log too: they stay in it as old page images until it is truncated.
 *
 * Two urgencies. `owe` is for what a person asked to be gone (forget, correction, unsend, removed address): it is counted
 * in the same transaction, so a restart goes on with it, and it is pending until the log was truncated. `soon` is for what
 * merely ended (a turn's text, an address no longer needed): it waits a few seconds for company and is not remembered,
 * because every open and every close truncates as well.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { Writer } from './group-commit.ts';

/** How long an owed truncation waits for others to share it, milliseconds. */
const OWED_DELAY_MS = 25;
/** The same for what merely ended. */
const SOON_DELAY_MS = 5_000;
/** Waits between tries while a reader holds the log: doubled each time, jittered, milliseconds. */
const RETRY_FIRST_MS = 10;
const RETRY_LAST_MS = 1_000;

export type Erasure = {
  /** Counts an erasure that must leave the log. Inside a write only. */
  owe(): void;
  /** Asks for a truncation within seconds. */
  soon(): void;
  /** Whether something asked to be gone may still stand in the log; also what other processes asked for. */
  pending(): boolean;
  /** Resolves when the log was truncated after everything asked for so far, by this process or another. */
  settled(): Promise<void>;
  /** One last try; what is still owed is taken up at the next open. */
  stop(): Promise<void>;
};

/** @param random evenly in [0, 1), spreads the tries of several processes. */
export function walErasure(db: DatabaseSync, writer: Writer, random: () => number): Erasure {
  const count = db.prepare('SELECT requested, done FROM erasures WHERE one = 1');
  const request = db.prepare('UPDATE erasures SET requested = requested + 1 WHERE one = 1');
  const markDone = db.prepare('UPDATE erasures SET done = max(done, ?) WHERE one = 1');
  const truncate = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  const stopping = new AbortController();
  let timer: { readonly handle: NodeJS.Timeout; readonly urgent: boolean } | null = null;
  let asked = false;
  let running: Promise<void> | null = null;

  function counts(): { requested: number; done: number } {
    return count.get() as { requested: number; done: number };
  }
  function pending(): boolean {
    const { requested, done } = counts();
    return requested > done;
  }
  /** Empties the log and says that what was counted before is gone; false when a reader or an error was in the way. */
  async function truncateOnce(): Promise<boolean> {
    try {
      const { requested, done } = counts();
      if ((truncate.get() as { busy: number }).busy !== 0) return false;
      if (requested > done) await writer.write(() => markDone.run(requested));
      return true;
    } catch {
      return false;
    }
  }

  async function truncateUntilDone(): Promise<void> {
    for (let pauseMs = RETRY_FIRST_MS; asked && !stopping.signal.aborted; ) {
      asked = false;
      if (await truncateOnce()) {
        pauseMs = RETRY_FIRST_MS;
        continue;
      }
      asked = true;
      await wait(pauseMs * (0.5 + random()), undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, RETRY_LAST_MS);
    }
  }

  function run(): Promise<void> {
    if (timer !== null) clearTimeout(timer.handle);
    timer = null;
    running ??= truncateUntilDone().finally(() => {
      running = null;
    });
    return running;
  }

  function schedule(urgent: boolean): void {
    asked = true;
    if (stopping.signal.aborted || running !== null || timer?.urgent === true || (timer !== null && !urgent)) return;
    if (timer !== null) clearTimeout(timer.handle);
    const handle = setTimeout(() => void run(), urgent ? OWED_DELAY_MS : SOON_DELAY_MS);
    handle.unref();
    timer = { handle, urgent };
  }

  return {
    owe() {
      request.run();
      schedule(true);
    },
    soon() {
      schedule(false);
    },
    pending,
    async settled() {
      while (!stopping.signal.aborted && (asked || pending())) {
        asked = true;
        await run();
      }
    },
    async stop() {
      stopping.abort();
      if (timer !== null) clearTimeout(timer.handle);
      await running;
      await truncateOnce();
    },
  };
}
