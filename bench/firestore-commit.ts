/**
 * Two ways to append to a ledger on Firestore, measured beside each other on the emulator:
 *
 * - `transaction`: a transaction that reads the head and writes (the client's runTransaction, five attempts).
 * - `precondition`: the head is read once and one atomic commit holds only if it is still the same (the adapter itself).
 * - `precondition, in turn`: the same, with the writers of one process standing in line (turns.ts).
 *
 * Run with `node bench/firestore-commit.ts`. The emulator's locks are not production's: read the figures as an order.
 * @module
 */
import firestore from '@google-cloud/firestore';
import { type FirestoreStore, openFirestoreStore } from '../src/adapters/firestore/store.ts';
import { subjectKeyFingerprint } from '../src/events/identity.ts';
import { openWire, type Wire } from '../test/adapters/firestore/wire.ts';
import { findFirestoreEmulator, startFirestoreEmulator } from '../test/support/firestore-emulator.ts';
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

async function measure(way: Way, wire: Wire): Promise<Record<string, number | string>> {
  await way.append(`${way.name}-warm`, 'first');
  wire.requests.length = 0;
  const one = await milliseconds(async () => {
    for (let count = 0; count < SINGLE_APPENDS; count += 1) await way.append(`${way.name}-warm`, 'one');
  });
  const requests = wire.requests.length / SINGLE_APPENDS;
  const kinds = [...new Set(wire.requests)].join(' ');
  return {
    way: way.name,
    requests,
    kinds,
    'one append, ms': one / SINGLE_APPENDS,
    '2 writers, one ledger, ms': await writersAtOnce(way, 2, 1),
    '8 writers, one ledger, ms': await writersAtOnce(way, 8, 1),
    '20 writers, one ledger, ms': await writersAtOnce(way, 20, 1),
    '64 writers, 64 ledgers, ms': await writersAtOnce(way, 64, 64),
  };
}

const source = await findFirestoreEmulator();
if (source === null) throw new Error('No Firestore emulator was found');
const emulator = await startFirestoreEmulator(source);
try {
  const wire = await openWire(emulator.host);
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
  const ways: readonly Way[] = [
    { name: 'precondition', append: precondition(store) },
    { name: 'precondition, in turn', append: inTurn(store, precondition(store)) },
    { name: 'transaction', append: transaction(db) },
  ];
  // Java compiles while it works: the first thousand requests are slow for whoever comes first.
  for (let count = 0; count < WARM_UP; count += 1) for (const { append } of ways) await append('warm-up', `${count}`);
  for (const way of ways) console.log(JSON.stringify(await measure(way, wire), null, 1));
  await store.close();
  await db.terminate();
  await wire.close();
} finally {
  await emulator.stop();
}
