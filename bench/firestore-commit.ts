/**
 * Two ways to append to a ledger on Firestore, measured beside each other on the emulator:
 *
 * - `transaction`: a transaction that reads the head and writes (the client's runTransaction, five attempts).
 * - `precondition`: the head is read once and one atomic commit holds only if it is still the same (the adapter's way).
 * - `precondition, lane`: the same, with the writers of one process standing in line for a ledger.
 *
 * Run with `node bench/firestore-commit.ts`. The emulator's locks are not production's: read the figures as an order.
 * @module
 */
import firestore from '@google-cloud/firestore';
import { findFirestoreEmulator, startFirestoreEmulator } from '../test/support/firestore-emulator.ts';
import { openWire, type Wire } from '../test/adapters/firestore/wire.ts';

const ROUNDS = 5;
const SINGLE_APPENDS = 40;
const DEADLINE_MS = 60_000;

type Append = (ledgerId: string, writer: string) => Promise<void>;
type Way = { readonly name: string; readonly append: Append };

function client(host: string): firestore.Firestore {
  return new firestore.Firestore({ projectId: `demo-bench-${process.pid}`, host, ssl: false });
}

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

function precondition(db: firestore.Firestore): Append {
  return async (ledgerId, writer) => {
    for (let attempt = 0; ; attempt += 1) {
      const [before] = await db.getAll(db.doc(`ledgers/${ledgerId}`));
      const to = next(db, ledgerId, Number(before?.get('position') ?? 0) + 1, writer);
      try {
        await db.runTransaction(
          async (tx) => {
            if (before?.updateTime === undefined) tx.create(to.head, to.end);
            else tx.update(to.head, to.end, { lastUpdateTime: before.updateTime });
            tx.create(to.event, to.body);
            tx.set(to.content, { bytes: Buffer.alloc(320) });
          },
          { maxAttempts: 1 },
        );
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && (error.code === 6 || error.code === 9))) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** Math.min(attempt, 4)));
    }
  };
}

function inLane(append: Append): Append {
  const lanes = new Map<string, Promise<void>>();
  return (ledgerId, writer) => {
    const turn = (lanes.get(ledgerId) ?? Promise.resolve()).then(() => append(ledgerId, writer));
    lanes.set(
      ledgerId,
      turn.catch(() => undefined),
    );
    return turn;
  };
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
  const db = client(wire.host);
  const ways: readonly Way[] = [
    { name: 'precondition', append: precondition(db) },
    { name: 'precondition, lane', append: inLane(precondition(db)) },
    { name: 'transaction', append: transaction(db) },
  ];
  for (const way of ways) console.log(JSON.stringify(await measure(way, wire)));
  await db.terminate();
  await wire.close();
} finally {
  await emulator.stop();
}
