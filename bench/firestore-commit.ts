/**
 * Two ways to append to a ledger on Firestore, measured beside each other on the emulator:
 *
 * - `transaction`: a transaction that reads the head and writes (the client's runTransaction, five attempts).
 * - `precondition`: the head is read once and one atomic commit holds only if it is still the same (the adapter itself).
 * - `precondition, in turn`: the same, with the writers of one process standing in line (turns.ts).
 *
 * Run with `node bench/firestore-commit.ts`. The emulator's locks are not production's: read the figures as an order.
 * Medians on 2 shared cores, milliseconds:
 *
 * | | requests | 1 append | 2 at once | 8 at once | 20 at once | 64 ledgers at once |
 * |---|---|---|---|---|---|---|
 * | transaction | 2 | 12 | 2,971 | 3,440 | 11,932 | 78 |
 * | precondition | 2 | 9 | 36 | 160 | 813 | 175 |
 * | precondition, in turn | 2 | 9 | 25 | 58 | 157 | 142 |
 *
 * So the precondition is kept: nobody waits for another's lock, and one sending is one request whose outcome is ours to judge.
 * @module
 */
import firestore from '@google-cloud/firestore';
import { type FirestoreStore, openFirestoreStore } from '../src/adapters/firestore/store.ts';
import { subjectKeyFingerprint } from '../src/events/identity.ts';
import { collectionsWritten, openClientThrough } from '../test/adapters/firestore/calls-between.ts';
import { openClient } from '../test/adapters/firestore/emulated-store.ts';
import { openWire, type Wire } from '../test/adapters/firestore/wire.ts';
import {
  findFirestoreEmulator,
  NO_FIRESTORE_EMULATOR,
  startFirestoreEmulator,
} from '../test/support/firestore-emulator.ts';
import {
  nextCommit,
  type Offered,
  personLedger,
  personOn,
  putContent,
  SUBJECT_KEY,
} from '../test/support/ledger-world.ts';

const WARM_UP = 300;
const DEADLINE_MS = 60_000;

/** How thoroughly is measured. */
export type Thoroughness = { readonly rounds: number; readonly singleAppends: number };
const USUAL: Thoroughness = { rounds: 5, singleAppends: 100 };

type Append = (ledgerId: string, writer: string) => Promise<void>;
type Way = { readonly name: string; readonly append: Append };

function next(db: firestore.Firestore, ledgerId: string, position: number, writer: string) {
  const head = db.doc(`ledgers/${ledgerId}`);
  const event = head.collection('events').doc(String(position).padStart(10, '0'));
  const content = head.collection('content').doc('current');
  const bytes = Buffer.alloc(700, 1);
  return { head, event, content, end: { position, state: 's'.repeat(1_500) }, body: { position, writer, bytes } };
}

function transaction(db: firestore.Firestore): Append {
  return async (ledgerId, writer) => {
    for (;;) {
      try {
        await db.runTransaction(async (tx) => {
          const before = await tx.get(db.doc(`ledgers/${ledgerId}`));
          const to = next(db, ledgerId, Number(before.get('position') ?? 0) + 1, writer);
          tx.set(to.head, to.end);
          tx.create(to.event, to.body);
          tx.set(to.content, { bytes: Buffer.alloc(320) });
        });
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 10)) throw error;
      }
    }
  };
}

/** The adapter itself: head, commit, and again after a conflict. */
function precondition(store: FirestoreStore): Append {
  return async (person, writer) => {
    const ref = personLedger(person);
    for (let attempt = 0; ; attempt += 1) {
      const head = await store.ledger.head(ref.ledgerId);
      const content = putContent(ref, head.position + 1, writer);
      const commit = nextCommit(ref, head, `${person} ${writer} ${head.position}`, { content });
      if ((await store.ledger.commit(commit)).status === 'committed') return;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** Math.min(attempt, 3)));
    }
  };
}

/** The same, with the writers of one process standing in line for a ledger. */
function inTurn(store: FirestoreStore, append: Append): Append {
  return (person, writer) => store.inTurn(personLedger(person).ledgerId, () => append(person, writer));
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error(`not done in ${DEADLINE_MS} ms`)), DEADLINE_MS).unref();
  });
  await Promise.race([work(), late]);
  return performance.now() - began;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, two) => one - two)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function writersAtOnce({ name, append }: Way, writers: number, ledgers: number, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ledger = (writer: number): string => `${name}-${writers}-${ledgers}-${round}-${writer % ledgers}`;
    const all = Array.from({ length: writers }, (_, writer) => writer);
    times.push(
      await milliseconds(() => Promise.all(all.map((writer) => append(ledger(writer), `writer ${writer}`)))).catch(
        () => Number.POSITIVE_INFINITY,
      ),
    );
  }
  return median(times);
}

/** What one way takes: requests for one append to a known ledger, and medians in milliseconds. */
export type WayFigures = {
  readonly way: string;
  readonly requestsPerAppend: number;
  readonly oneAppendMs: number;
  /** Writers at once on one ledger, each until it got through. */
  readonly atOnceMs: Readonly<Record<2 | 8 | 20, number>>;
  readonly manyLedgersMs: number;
};

async function measure(way: Way, wire: Wire, { rounds, singleAppends }: Thoroughness): Promise<WayFigures> {
  await way.append(`${way.name}-known`, 'first');
  wire.requests.length = 0;
  const all = await milliseconds(async () => {
    for (let count = 0; count < singleAppends; count += 1) await way.append(`${way.name}-known`, `writer ${count}`);
  });
  return {
    way: way.name,
    requestsPerAppend: wire.requests.length / singleAppends,
    oneAppendMs: all / singleAppends,
    atOnceMs: {
      2: await writersAtOnce(way, 2, 1, rounds),
      8: await writersAtOnce(way, 8, 1, rounds),
      20: await writersAtOnce(way, 20, 1, rounds),
    },
    manyLedgersMs: await writersAtOnce(way, 64, 64, rounds),
  };
}

async function measureWays(emulatorHost: string, how: Thoroughness): Promise<readonly WayFigures[]> {
  const wire = await openWire(emulatorHost);
  const projectId = `demo-bench-${process.pid}`;
  const db = new firestore.Firestore({ projectId, host: wire.host, ssl: false });
  const store = await openFirestoreStore({
    projectId,
    emulatorHost: wire.host,
    subjectKeyFingerprint: subjectKeyFingerprint(SUBJECT_KEY),
    clock: Date.now,
    random: Math.random,
    deadlineMs: DEADLINE_MS,
  });
  try {
    const ways: readonly Way[] = [
      { name: 'precondition', append: precondition(store) },
      { name: 'precondition, in turn', append: inTurn(store, precondition(store)) },
      { name: 'transaction', append: transaction(db) },
    ];
    // Java compiles while it works: the first thousand requests are slow for whoever comes first.
    for (let count = 0; count < WARM_UP; count += 1)
      for (const { append } of ways) await append('warm-up', `writer ${count}`);
    const figures: WayFigures[] = [];
    for (const way of ways) figures.push(await measure(way, wire, how));
    return figures;
  } finally {
    await store.close();
    await db.terminate();
    await wire.close();
  }
}

/** What one approval costs through the whole decision: requests on the wire, and documents. */
export type ApproveFigures = {
  /** By a client that never saw the ledger, by one that did, and by one that lost the race to another. */
  readonly requests: { readonly cold: number; readonly warm: number; readonly lostRace: number };
  readonly documentsRead: number;
  readonly documentsWritten: number;
};

async function measureApprove(emulatorHost: string): Promise<ApproveFigures> {
  const wire = await openWire(emulatorHost);
  const projectId = `demo-bench-approve-${process.pid}`;
  let written = 0;
  let beforeSending: (() => Promise<unknown>) | null = null;
  const store = await openClientThrough({ host: wire.host, projectId }, (calls) => ({
    ...calls,
    async send(fill) {
      const first = beforeSending;
      beforeSending = null;
      await first?.();
      written = collectionsWritten(fill).length;
      return calls.send(fill);
    },
  }));
  const other = await openClient(emulatorHost, projectId);
  const [ours, theirs] = [store, other].map(({ ledger }) => personOn(ledger, 'Person A'));
  async function requestsOf(tap: string, card: Offered): Promise<number> {
    wire.requests.length = 0;
    await ours?.approve(card, tap);
    return wire.requests.length;
  }
  try {
    if (ours === undefined || theirs === undefined) throw new Error('Two clients');
    const cold = await requestsOf('tap-1', await theirs.propose('message-1', 'vegan'));
    const documentsWritten = written;
    const warm = await requestsOf('tap-2', await ours.propose('message-2', 'lacto'));
    const card = await ours.propose('message-3', 'vegan');
    beforeSending = () => theirs.approve(card, 'tap-3');
    const lostRace = await requestsOf('tap-4', card);
    // The one read of a decision is of the head alone (test/adapters/firestore/cost.ts).
    return { requests: { cold, warm, lostRace }, documentsRead: 1, documentsWritten };
  } finally {
    await Promise.all([store.close(), other.close()]);
    await wire.close();
  }
}

export type FirestoreFigures = { readonly ways: readonly WayFigures[]; readonly approve: ApproveFigures };

/** Measures on an emulator of its own, about a minute; null where there is none. */
export async function measureFirestore(how: Thoroughness = USUAL): Promise<FirestoreFigures | null> {
  const source = await findFirestoreEmulator();
  if (source === null) return null;
  const emulator = await startFirestoreEmulator(source);
  try {
    return { approve: await measureApprove(emulator.host), ways: await measureWays(emulator.host, how) };
  } finally {
    await emulator.stop();
  }
}

if (import.meta.main)
  process.stdout.write(`${JSON.stringify((await measureFirestore()) ?? NO_FIRESTORE_EMULATOR, null, 2)}\n`);
