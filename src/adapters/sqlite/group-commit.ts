/**
 * All writes of a process take turns in groups: one transaction and one fsync for everything that is waiting.
 *
 * Each write stands in a savepoint of its own, so one that fails takes no other with it. No answer, refusals included,
 * leaves before COMMIT returned, for it may rest on what a neighbour in the group wrote. A group runs without an await
 * from BEGIN to COMMIT, so reads on the same connection never see half of one.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import { CommitUnknown, StoreUnavailable } from '../../events/ports.ts';
import { asPortError, isLocked, leavesOutcomeOpen } from './store-refused.ts';
import { type Patience, retryWhileLocked } from './wait-for-lock.ts';

/** The most writes in one transaction: it bounds how long the event loop stands still. */
export const GROUP_SIZE_MAX = 512;

/** The steps of a transaction on one connection. */
export type Transaction = {
  readonly begin: () => void;
  readonly commit: () => void;
  readonly rollback: () => void;
  readonly savepoint: () => void;
  readonly release: () => void;
  readonly rollbackToSavepoint: () => void;
  readonly isOpen: () => boolean;
};

/** What takes writes. */
export type Writer = {
  /**
   * Runs `work` inside a transaction and answers once that is durable. `work` must not await.
   * @throws what `work` threw (nothing of it is kept); StoreUnavailable when it certainly did not happen; CommitUnknown
   *   when it may have.
   */
  write<T>(work: () => T): Promise<T>;
  /** How many writes are waiting. */
  waiting(): number;
  /** Resolves when nothing is waiting. */
  idle(): Promise<void>;
};

type Write = {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};
type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };
/** What became of one transaction: its answers, or why there are none. */
type Fate =
  | { readonly kind: 'durable'; readonly answers: readonly Answer[] }
  | { readonly kind: 'not_done' | 'unknown'; readonly error: unknown };

/** The steps on a real connection. Writers begin IMMEDIATE: a deferred one fails at once when it turns from reader to writer. */
export function transactionOn(db: DatabaseSync): Transaction {
  const step = (sql: string): (() => void) => {
    const statement = db.prepare(sql);
    return () => {
      statement.run();
    };
  };
  return {
    begin: step('BEGIN IMMEDIATE'),
    commit: step('COMMIT'),
    rollback: step('ROLLBACK'),
    savepoint: step('SAVEPOINT one_write'),
    release: step('RELEASE one_write'),
    rollbackToSavepoint: step('ROLLBACK TO one_write'),
    isOpen: () => db.isTransaction,
  };
}

/** Makes the one writer of a connection. */
export function groupCommit(tx: Transaction, patience: Patience): Writer {
  let queue: Write[] = [];
  let running = false;
  let idleListeners: (() => void)[] = [];

  async function runNext(): Promise<void> {
    const group = queue.slice(0, GROUP_SIZE_MAX);
    queue = queue.slice(GROUP_SIZE_MAX);
    await settleGroup(tx, group, patience);
    // The answers just given lead to further writes; by the next turn of the event loop they are all in the queue.
    if (queue.length > 0) {
      setImmediate(() => void runNext());
      return;
    }
    running = false;
    for (const listener of idleListeners.splice(0)) listener();
  }

  return {
    write<T>(work: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        if (running) return;
        running = true;
        setImmediate(() => void runNext());
      });
    },
    waiting: () => queue.length,
    idle: () => (running ? new Promise((resolve) => (idleListeners = [...idleListeners, resolve])) : Promise.resolve()),
  };
}

async function settleGroup(tx: Transaction, group: readonly Write[], patience: Patience): Promise<void> {
  const fate = await runTogether(tx, group, patience);
  if (fate.kind === 'durable') {
    settle(group, fate.answers);
    return;
  }
  const first = group[0];
  if (group.length === 1 && first !== undefined) {
    first.reject(failure(fate.kind, fate.error));
    return;
  }
  for (const write of group) {
    const alone = await runTogether(tx, [write], patience);
    if (alone.kind === 'durable') settle([write], alone.answers);
    // What the group left open a failed second try does not close.
    else write.reject(failure(fate.kind === 'unknown' ? 'unknown' : alone.kind, alone.error));
  }
}

function settle(group: readonly Write[], answers: readonly Answer[]): void {
  group.forEach((write, index) => {
    const answer = answers[index];
    if (answer?.ok === true) write.resolve(answer.value);
    else write.reject(answer?.error);
  });
}

function failure(kind: 'not_done' | 'unknown', error: unknown): unknown {
  if (kind === 'unknown') return new CommitUnknown('The commit may or may not have reached the disk', { cause: error });
  const seen = asPortError(error);
  return seen instanceof StoreUnavailable ? seen : new StoreUnavailable('The store did not write', { cause: error });
}

async function runTogether(tx: Transaction, group: readonly Write[], patience: Patience): Promise<Fate> {
  try {
    return await retryWhileLocked(() => {
      tx.begin();
      return runBegun(tx, group);
    }, patience);
  } catch (error) {
    return { kind: 'not_done', error };
  }
}

/** From BEGIN to the end of the transaction; never throws and leaves none open. */
function runBegun(tx: Transaction, group: readonly Write[]): Fate {
  let answers: readonly Answer[];
  try {
    answers = group.length === 1 ? group.map((write) => attempt(tx, write)) : group.map((write) => runApart(tx, write));
  } catch (error) {
    rollBack(tx);
    return { kind: 'not_done', error };
  }
  const [only] = answers;
  if (group.length === 1 && only?.ok === false) {
    rollBack(tx);
    return { kind: 'durable', answers };
  }
  try {
    tx.commit();
    return { kind: 'durable', answers };
  } catch (error) {
    rollBack(tx);
    return { kind: leavesOutcomeOpen(error) ? 'unknown' : 'not_done', error };
  }
}

/** One write in its savepoint. @throws when SQLite gave up the whole transaction. */
function runApart(tx: Transaction, write: Write): Answer {
  tx.savepoint();
  const answer = attempt(tx, write);
  if (!answer.ok) tx.rollbackToSavepoint();
  tx.release();
  return answer;
}

/** @throws when SQLite gave up the whole transaction (no room, an I/O error): then the neighbours are lost as well. */
function attempt(tx: Transaction, { work }: Write): Answer {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (!tx.isOpen() || isLocked(error)) throw error;
    return { ok: false, error: asPortError(error) };
  }
}

/** A rollback that fails changes nothing about what is told: the next BEGIN will fail and say so. */
function rollBack(tx: Transaction): void {
  try {
    if (tx.isOpen()) tx.rollback();
  } catch {
    return;
  }
}
