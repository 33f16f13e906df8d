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
import { openWire, type Wire } from '../test/adapters/firestore/wire.ts';
import {
  findFirestoreEmulator,
  NO_FIRESTORE_EMULATOR,
  startFirestoreEmulator,
} from '../test/support/firestore-emulator.ts';
import { nextCommit, personLedger, putContent, SUBJECT_KEY } from '../test/support/ledger-world.ts';

const ROUNDS = 5;
const SINGLE_APPENDS = 100;
const WARM_UP = 300;
const DEADLINE_MS = 60_000;

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

async function writersAtOnce({ name, append }: Way, writers: number, ledgers: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
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

async function measure(way: Way, wire: Wire): Promise<WayFigures> {
  await way.append(`${way.name}-known`, 'first');
  wire.requests.length = 0;
  const all = await milliseconds(async () => {
    for (let count = 0; count < SINGLE_APPENDS; count += 1) await way.append(`${way.name}-known`, `writer ${count}`);
  });
  return {
    way: way.name,
    requestsPerAppend: wire.requests.length / SINGLE_APPENDS,
    oneAppendMs: all / SINGLE_APPENDS,
    atOnceMs: {
      2: await writersAtOnce(way, 2, 1),
      8: await writersAtOnce(way, 8, 1),
      20: await writersAtOnce(way, 20, 1),
    },
    manyLedgersMs: await writersAtOnce(way, 64, 64),
  };
}

async function measureOn(emulatorHost: string): Promise<readonly WayFigures[]> {
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
    for (const way of ways) figures.push(await measure(way, wire));
    return figures;
  } finally {
    await store.close();
    await db.terminate();
    await wire.close();
  }
}

/** Measures all ways on an emulator of its own, about a minute; null where there is none. */
export async function measureFirestore(): Promise<readonly WayFigures[] | null> {
  const source = await findFirestoreEmulator();
  if (source === null) return null;
  const emulator = await startFirestoreEmulator(source);
  try {
    return await measureOn(emulator.host);
  } finally {
    await emulator.stop();
  }
}

if (import.meta.main)
  process.stdout.write(`${JSON.stringify((await measureFirestore()) ?? NO_FIRESTORE_EMULATOR, null, 2)}\n`);
