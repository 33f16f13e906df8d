/**
 * How Firestore is called: every call has a deadline, every commit is sent exactly once for each time we say so.
 *
 * The client's own retries are switched off for commits: WriteBatch sends again by itself for ten minutes, long after
 * the person has heard an answer. A transaction that reads nothing is one Commit request without a transaction, and with
 * one attempt it is sent once.
 * @module
 */
import { setTimeout as wait } from 'node:timers/promises';
import firestore from '@google-cloud/firestore';
import { CommitUnknown, StoreUnavailable } from '../../events/ports.ts';
import { DamagedDocument } from './documents.ts';
import { statusName, verdictOf } from './status.ts';

/** How often the same writes are sent while Firestore gives them up for another writer's sake. */
const CONTENDED_SENDS = 4;
/** How often an idempotent write of unknown outcome is sent. */
const SETTLE_SENDS = 3;
/** The longest wait before the second sending, milliseconds; it doubles. */
const PAUSE_MS = 20;
/** The pause before a lost connection is tried again, milliseconds. */
const RECONNECT_MS = 1_000;
const SERVICE = 'google.firestore.v1.Firestore';
const METHODS = ['Commit', 'BatchGetDocuments', 'RunQuery', 'RunAggregationQuery'];

/** The writes of one atomic commit. */
export type Writes = Pick<firestore.Transaction, 'create' | 'set' | 'update' | 'delete'>;
/** Puts writes into a commit. May be run for each sending, so it makes nothing new: no id, no time. */
export type Fill = (writes: Writes) => void;
/** `refused`: a precondition did not hold, so this sending wrote nothing. */
export type Sent = 'applied' | 'refused';

export type Calls = {
  readonly db: firestore.Firestore;
  /** @throws StoreUnavailable */
  read<T>(ask: (db: firestore.Firestore) => Promise<T>): Promise<T>;
  /** One atomic commit. @throws CommitUnknown, StoreUnavailable. */
  send(fill: Fill): Promise<Sent>;
  /**
   * An atomic commit that may be written twice without harm: sent again while its outcome is unknown, all within one
   * deadline. @throws CommitUnknown, StoreUnavailable.
   */
  settle(fill: Fill): Promise<Sent>;
  /** Commits under way. */
  underWay(): number;
  close(): Promise<void>;
};

export type CallOptions = {
  readonly projectId: string;
  /** `host:port` of an emulator; absent for Google's service. */
  readonly emulatorHost?: string | undefined;
  readonly random: () => number;
  /** How long one call may take, milliseconds. */
  readonly deadlineMs: number;
};

/** Our own deadline passed. */
class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** Makes the client; connects at the first call. */
export function firestoreCalls({ projectId, emulatorHost, random, deadlineMs }: CallOptions): Calls {
  const db = new firestore.Firestore({
    projectId,
    ...(emulatorHost === undefined ? {} : { host: emulatorHost, ssl: false }),
    clientConfig: withoutRetries(deadlineMs),
    // Otherwise a read that failed, for whatever reason, is tried again for seven seconds before anybody hears of it.
    gaxServerStreamingRetries: true,
    // Otherwise the pause between two connections grows to two minutes, and an outage lasts that much longer here.
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS,
  });
  const reads = new Set<Promise<unknown>>();
  let commits = 0;
  let closing: Promise<void> | null = null;

  function assertOpen(): void {
    if (closing !== null) throw new StoreUnavailable('The store is closed');
  }
  /** The client throws at nobody when it is ended under a read that it still tries again, so reads end first. */
  async function close(): Promise<void> {
    const end = Promise.allSettled(reads).then(() => db.terminate());
    await within(deadlineMs, end).catch(() => undefined);
  }
  async function sendOnce(fill: Fill): Promise<Sent | 'contended'> {
    assertOpen();
    commits += 1;
    try {
      await within(deadlineMs, commitOnce(db, fill));
      return 'applied';
    } catch (error) {
      if (error instanceof NotSent) throw error.cause;
      const verdict = verdictOf(error);
      if (verdict === 'unknown') throw new CommitUnknown(`The commit ended with ${statusName(error)}`);
      if (verdict === 'not_done') throw new StoreUnavailable(`Firestore refused to write: ${statusName(error)}`);
      return verdict;
    } finally {
      commits -= 1;
    }
  }
  async function send(fill: Fill): Promise<Sent> {
    for (let sent = 1; sent <= CONTENDED_SENDS; sent += 1) {
      if (sent > 1) await wait(random() * PAUSE_MS * 2 ** sent);
      const answer = await sendOnce(fill);
      if (answer !== 'contended') return answer;
    }
    throw new StoreUnavailable('Firestore gave the commit up for other writers');
  }
  async function settle(fill: Fill): Promise<Sent> {
    for (let sent = 1; ; sent += 1) {
      try {
        return await send(fill);
      } catch (error) {
        if (!(error instanceof CommitUnknown) || sent === SETTLE_SENDS) throw error;
      }
      await wait(random() * PAUSE_MS * 2 ** sent);
    }
  }

  return {
    db,
    async read(ask) {
      assertOpen();
      const reading = ask(db);
      reads.add(reading);
      const ended = (): boolean => reads.delete(reading);
      reading.then(ended, ended);
      try {
        return await within(deadlineMs, reading);
      } catch (error) {
        throw asReadError(error);
      }
    },
    send,
    async settle(fill) {
      try {
        return await within(deadlineMs, settle(fill));
      } catch (error) {
        throw error instanceof DeadlinePassed ? new CommitUnknown('The write did not end in time') : error;
      }
    },
    underWay: () => commits,
    close: () => (closing ??= close()),
  };
}

/** Client settings under which a commit is one request with a deadline, and a read ends in time too. */
function withoutRetries(deadlineMs: number): object {
  const once = { timeout_millis: deadlineMs, retry_codes_name: 'never' };
  const methods = Object.fromEntries(METHODS.map((method) => [method, once]));
  return { interfaces: { [SERVICE]: { retry_codes: { never: [] }, retry_params: {}, methods } } };
}

/** The writes could not even be put together: a fault of this program, and nothing was sent. */
class NotSent extends Error {
  override readonly name = 'NotSent';
}

async function commitOnce(db: firestore.Firestore, fill: Fill): Promise<void> {
  await db.runTransaction(
    async (transaction) => {
      try {
        fill(transaction);
      } catch (cause) {
        throw new NotSent('', { cause });
      }
    },
    { maxAttempts: 1 },
  );
}

function asReadError(error: unknown): unknown {
  if (error instanceof DamagedDocument) return error;
  const name = statusName(error);
  const hint = name === 'FAILED_PRECONDITION' ? ' (is an index of firestore.indexes.json missing?)' : '';
  return new StoreUnavailable(`Firestore did not answer a read: ${name}${hint}`);
}

/** Settles like `work`, or rejects when `milliseconds` have passed. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlinePassed()), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
