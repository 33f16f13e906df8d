/**
 * The store for more than one machine: ledger, delivery, turns and the log of heads in one Firestore database.
 * @module
 */
import type { CheckpointLog } from '../../events/checkpoint-ports.ts';
import type { Addresses, Inbox, Outbox } from '../../events/delivery-ports.ts';
import type { SubjectKey } from '../../events/identity.ts';
import { CommitUnknown, type InTurn, type Ledger, StoreUnavailable } from '../../events/ports.ts';
import { firestoreAddresses } from './addresses.ts';
import type { Contexts, ModelBudget, TurnRecords } from '../../events/turn-ports.ts';
import { firestoreModelBudget } from './budget.ts';
import { type CallOptions, type Calls, type Fill, firestoreCalls } from './calls.ts';
import { firestoreCheckpointLog } from './checkpoint-log.ts';
import { firestoreContexts } from './context.ts';
import { fieldsOf, STORE_FORMAT } from './documents.ts';
import { firestoreInbox } from './inbox.ts';
import { knownHeads } from './known-heads.ts';
import { firestoreLedger } from './ledger.ts';
import { firestoreOutbox } from './outbox.ts';
import { StoreRefused } from './store-refused.ts';
import { firestoreTurnRecords } from './turn-records.ts';
import { turnsByLedger } from './turns.ts';

export type FirestoreStoreOptions = CallOptions & {
  /** Of identity.ts; written when the store is made, another one is refused. */
  readonly subjectKeyFingerprint: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** For readers such as an audit: a database that is nobody's stays so. */
  readonly readOnly?: boolean;
};

/** What `/ready` asks. */
export type StoreHealth = {
  /** Whether Firestore answers a read now and the database is this store's. */
  readonly reachable: boolean;
  /** Never: what is erased here leaves at once all that this program can reach. */
  readonly erasurePending: false;
  /** Commits under way. */
  readonly writesWaiting: number;
};

export type FirestoreStore = {
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: Addresses;
  readonly turnRecords: TurnRecords;
  readonly contexts: Contexts;
  readonly modelBudget: ModelBudget;
  readonly checkpointLog: CheckpointLog;
  /** For whoever loads, decides and commits: spares this process from racing itself (turns.ts). */
  readonly inTurn: InTurn;
  health(): Promise<StoreHealth>;
  close(): Promise<void>;
};

/**
 * Opens the store. A Firestore that cannot be reached is no reason not to start: every call then throws StoreUnavailable
 * within its deadline, and the store is claimed at the first call that gets through.
 * @throws StoreRefused (store-refused.ts) when the database belongs to another SUBJECT_KEY or a later version, or is empty and to be read only.
 */
export async function openFirestoreStore(options: FirestoreStoreOptions): Promise<FirestoreStore> {
  const calls = firestoreCalls(options);
  try {
    return await firestoreStoreOn(calls, options);
  } catch (error) {
    await calls.close();
    throw error;
  }
}

/** The store over ready calls. @throws StoreRefused as {@link openFirestoreStore}. */
export async function firestoreStoreOn(
  unclaimed: Calls,
  options: Omit<FirestoreStoreOptions, keyof CallOptions> & Pick<CallOptions, 'random'>,
): Promise<FirestoreStore> {
  const { clock, random } = options;
  const claim = claimOnce(unclaimed, options);
  const calls = afterClaim(unclaimed, claim);
  await claim().catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) throw error;
  });
  const { inbox, emptyBodies } = firestoreInbox(calls, clock);
  const { turnRecords, emptyTurns } = firestoreTurnRecords(calls);
  const { contexts, emptyContext } = firestoreContexts(calls);
  async function emptySubject(subjectKey: SubjectKey): Promise<Fill> {
    // In this order: the fence is read with the inbox, and what is looked for after it cannot be missed.
    const fills = [await emptyBodies(subjectKey), await emptyTurns(subjectKey), emptyContext(subjectKey)];
    return (writes) => fills.forEach((fill) => fill(writes));
  }
  return {
    ledger: firestoreLedger(calls, knownHeads(), { emptySubject, clock }),
    inbox,
    outbox: firestoreOutbox(calls),
    addresses: firestoreAddresses(calls, random),
    turnRecords,
    contexts,
    modelBudget: firestoreModelBudget(calls),
    checkpointLog: firestoreCheckpointLog(calls),
    inTurn: turnsByLedger(),
    async health() {
      return { reachable: await answers(calls), erasurePending: false, writesWaiting: calls.underWay() };
    },
    close: () => unclaimed.close(),
  };
}

const META = 'meta/store';

/** Makes sure once that the database is this store's, and makes it so where it is nobody's. */
function claimOnce(
  calls: Calls,
  { subjectKeyFingerprint, readOnly = false }: Pick<FirestoreStoreOptions, 'subjectKeyFingerprint' | 'readOnly'>,
): () => Promise<void> {
  let claimed: Promise<void> | null = null;

  async function claim(): Promise<void> {
    const ref = calls.db.doc(META);
    const [before] = await calls.read((db) => db.getAll(ref));
    if (!before?.exists && readOnly) throw new StoreRefused('empty', 'Nothing was ever recorded there');
    if (!before?.exists) {
      // Refused when another instance was faster: what it wrote is judged below.
      await calls.settle((writes) => writes.create(ref, { format: STORE_FORMAT, subjectKeyFingerprint }));
    }
    const [meta] = before?.exists ? [before] : await calls.read((db) => db.getAll(ref));
    if (meta === undefined || !meta.exists) throw new StoreUnavailable('The store could not be claimed');
    const fields = fieldsOf(meta);
    if (fields.integer('format') > STORE_FORMAT)
      throw new StoreRefused('newer_schema', 'The store was written by a later version');
    if (fields.text('subjectKeyFingerprint') !== subjectKeyFingerprint)
      throw new StoreRefused('other_subject_key', 'The store was made under another SUBJECT_KEY');
  }
  return () =>
    (claimed ??= claim().catch((error: unknown) => {
      claimed = null;
      // Nothing of what was asked has been sent yet, whatever became of the claim.
      throw error instanceof CommitUnknown ? new StoreUnavailable('The store could not be claimed') : error;
    }));
}

/** The same calls, none of which is made before the store is claimed. */
function afterClaim(calls: Calls, claim: () => Promise<void>): Calls {
  return {
    ...calls,
    read: async (ask) => {
      await claim();
      return calls.read(ask);
    },
    send: async (fill) => {
      await claim();
      return calls.send(fill);
    },
    settle: async (fill) => {
      await claim();
      return calls.settle(fill);
    },
  };
}

async function answers(calls: Calls): Promise<boolean> {
  try {
    await calls.read((db) => db.getAll(db.doc(META)));
    return true;
  } catch {
    return false;
  }
}
