/**
 * The embedded store: ledger, inbox, outbox, addresses and turns in one SQLite file, durable at every answer.
 * @module
 */
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { CheckpointLog } from '../../events/checkpoint-ports.ts';
import type { Addresses, Inbox, Outbox } from '../../events/delivery-ports.ts';
import type { SubjectKey } from '../../events/identity.ts';
import { type Ledger, StoreUnavailable } from '../../events/ports.ts';
import { sqliteAddresses } from './addresses.ts';
import type { Contexts, ModelBudget, TurnRecords } from '../../events/turn-ports.ts';
import { sqliteModelBudget } from './budget.ts';
import { sqliteContexts } from './context.ts';
import { sqliteCheckpointLog } from './checkpoint-log.ts';
import { type Erasure, walErasure } from './erasure.ts';
import { groupCommit, transactionOn, type Writer } from './group-commit.ts';
import { sqliteInbox } from './inbox.ts';
import { sqliteLedger } from './ledger.ts';
import { openDatabase } from './open-database.ts';
import { sqliteOutbox } from './outbox.ts';
import { asPortError } from './store-refused.ts';
import { sqliteTurnRecords } from './turn-records.ts';
import { retryWhileLocked } from './wait-for-lock.ts';

/** How long a lock of another process is waited for before giving up, milliseconds. */
const LOCK_BUDGET_MS = 5_000;

export type SqliteStoreOptions = {
  /** The file; made when it is missing and `readOnly` is not set. Its folder must exist. */
  readonly path: string;
  /** Of identity.ts; written when the store is made, another one is refused. */
  readonly subjectKeyFingerprint: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Evenly in [0, 1); spreads the tries of several processes. */
  readonly random: () => number;
  /** For readers such as an audit: every write is refused. */
  readonly readOnly?: boolean;
  /** How long a lock of another process is waited for, milliseconds; 5,000 when absent. */
  readonly lockBudgetMs?: number;
};

/** What `/ready` asks. */
export type StoreHealth = {
  /** Whether the file answers a read now. */
  readonly reachable: boolean;
  /** Whether something erased may still stand in the write-ahead log. */
  readonly erasurePending: boolean;
  /** Writes waiting for their group. */
  readonly writesWaiting: number;
};

export type SqliteStore = {
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: Addresses;
  readonly turnRecords: TurnRecords;
  readonly contexts: Contexts;
  readonly modelBudget: ModelBudget;
  readonly checkpointLog: CheckpointLog;
  /** The settings as SQLite gave them back. */
  readonly settings: Readonly<Record<string, string | number>>;
  health(): StoreHealth;
  /** Resolves when everything erased so far has left the write-ahead log too. */
  erased(): Promise<void>;
  /** Copies the store, as of one moment, into a new file readable by its owner only. @throws when the file exists. */
  backup(path: string): Promise<void>;
  /** Ends waiting writes, tries once more to truncate the log, and lets go of the file. */
  close(): Promise<void>;
};

/**
 * Opens the store.
 * @throws StoreRefused (store-refused.ts) with a cause of a closed list; the file is then as it was.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { subjectKeyFingerprint, clock, random, readOnly = false } = options;
  const patience = { random, budgetMs: options.lockBudgetMs ?? LOCK_BUDGET_MS };
  const path = resolve(options.path);
  const { db, settings } = await openDatabase({ path, subjectKeyFingerprint, readOnly }, patience);
  const group = groupCommit(transactionOn(db), patience);
  const erasure = walErasure(db, group, random);
  let closing: Promise<void> | null = null;
  if (!readOnly) erasure.soon();

  const writer: Writer = {
    ...group,
    write(work) {
      if (closing !== null) return Promise.reject(new StoreUnavailable('The store is closed'));
      if (readOnly) return Promise.reject(new StoreUnavailable('The store was opened for reading only'));
      return group.write(work);
    },
  };
  async function read<T>(action: () => T): Promise<T> {
    if (closing !== null) throw new StoreUnavailable('The store is closed');
    try {
      return await retryWhileLocked(action, patience);
    } catch (error) {
      throw asPortError(error);
    }
  }
  async function close(): Promise<void> {
    await group.idle();
    if (!readOnly) await erasure.stop();
    db.close();
  }

  const { inbox, emptyBodies } = sqliteInbox({ db, writer, read, erasure, clock });
  const { turnRecords, emptyTurns } = sqliteTurnRecords({ db, writer, read, erasure });
  const { contexts, emptyContext } = sqliteContexts({ db, writer, read, erasure });
  function emptySubject(subjectKey: SubjectKey): void {
    emptyBodies(subjectKey);
    emptyTurns(subjectKey);
    emptyContext(subjectKey);
  }
  return {
    ledger: sqliteLedger({ db, writer, read, erasure, emptySubject, clock }),
    inbox,
    outbox: sqliteOutbox(db, writer, read),
    addresses: sqliteAddresses(db, writer, read, erasure),
    turnRecords,
    contexts,
    modelBudget: sqliteModelBudget(db, writer),
    checkpointLog: sqliteCheckpointLog({ db, writer, read }),
    settings,
    health: () => ({ ...reach(erasure), writesWaiting: group.waiting() }),
    erased: () => erasure.settled(),
    async backup(copy) {
      // Made here, and only if it is new, so that the copy has the owner's mode and overwrites nothing.
      closeSync(openSync(copy, 'wx', 0o600));
      // Over a connection of its own: SQLite refuses a step of a backup while its source connection writes.
      const source = new DatabaseSync(path, { readOnly: true });
      try {
        await backup(source, copy);
      } finally {
        source.close();
      }
    },
    close: () => (closing ??= close()),
  };
}

/** Whether the store answers, asked through the row that says what is still to be erased. */
function reach(erasure: Erasure): Pick<StoreHealth, 'reachable' | 'erasurePending'> {
  try {
    return { reachable: true, erasurePending: erasure.pending() };
  } catch {
    // Not known is not done.
    return { reachable: false, erasurePending: true };
  }
}
