/** How often what is sent, and that nothing hangs: real gRPC against a server that answers as scripted. No emulator needed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Calls, firestoreCalls } from '../../../src/adapters/firestore/calls.ts';
import { openFirestoreStore } from '../../../src/adapters/firestore/store.ts';
import { CommitUnknown, StoreUnavailable } from '../../../src/events/ports.ts';
import { nextCommit, personLedger } from '../../support/ledger-world.ts';
import { openWire, type Wire } from './wire.ts';

const DEADLINE_MS = 400;
const NOTHING_HAPPENED = { position: 0, hash: null, time: null, state: null };
const ref = personLedger('Person A');

/** What a call came to: what it gave, or the name of what it threw. */
async function endOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: Error) => error.name);
}

describe('a commit that is answered with a status', () => {
  let wire: Wire;
  let calls: Calls;
  beforeEach(async () => {
    wire = await openWire(null);
    calls = firestoreCalls({ projectId: 'demo-calls', emulatorHost: wire.host, random: () => 0, deadlineMs: 2_000 });
  });
  afterEach(async () => {
    await calls.close();
    await wire.close();
  });

  it.each([
    { status: 1, name: 'CANCELLED', sends: 1, end: 'CommitUnknown' },
    { status: 2, name: 'UNKNOWN', sends: 1, end: 'CommitUnknown' },
    { status: 3, name: 'INVALID_ARGUMENT', sends: 1, end: 'StoreUnavailable' },
    { status: 4, name: 'DEADLINE_EXCEEDED', sends: 1, end: 'CommitUnknown' },
    { status: 5, name: 'NOT_FOUND', sends: 1, end: 'refused' },
    { status: 6, name: 'ALREADY_EXISTS', sends: 1, end: 'refused' },
    { status: 7, name: 'PERMISSION_DENIED', sends: 1, end: 'StoreUnavailable' },
    { status: 8, name: 'RESOURCE_EXHAUSTED', sends: 1, end: 'StoreUnavailable' },
    { status: 9, name: 'FAILED_PRECONDITION', sends: 1, end: 'refused' },
    { status: 10, name: 'ABORTED', sends: 4, end: 'StoreUnavailable' },
    { status: 11, name: 'OUT_OF_RANGE', sends: 1, end: 'StoreUnavailable' },
    { status: 12, name: 'UNIMPLEMENTED', sends: 1, end: 'StoreUnavailable' },
    { status: 13, name: 'INTERNAL', sends: 1, end: 'CommitUnknown' },
    { status: 14, name: 'UNAVAILABLE', sends: 1, end: 'CommitUnknown' },
    { status: 15, name: 'DATA_LOSS', sends: 1, end: 'CommitUnknown' },
    { status: 16, name: 'UNAUTHENTICATED', sends: 1, end: 'StoreUnavailable' },
  ])('$name is sent $sends times and ends as $end', async ({ status, sends, end }) => {
    wire.treat = () => ({ kind: 'refuse', status });
    const sent = calls.send((writes) => writes.create(calls.db.doc('ledgers/x'), { position: 1 }));
    expect(await endOf(sent)).toBe(end);
    expect(wire.requests).toEqual(Array.from({ length: sends }, () => 'Commit'));
  });

  it.each([
    { status: 14, name: 'UNAVAILABLE', sends: 3, end: 'CommitUnknown' },
    { status: 4, name: 'DEADLINE_EXCEEDED', sends: 3, end: 'CommitUnknown' },
    { status: 6, name: 'ALREADY_EXISTS', sends: 1, end: 'refused' },
    { status: 3, name: 'INVALID_ARGUMENT', sends: 1, end: 'StoreUnavailable' },
  ])('$name for an idempotent write is sent $sends times and ends as $end', async ({ status, sends, end }) => {
    wire.treat = () => ({ kind: 'refuse', status });
    expect(await endOf(calls.settle((writes) => writes.set(calls.db.doc('inbox/x'), {})))).toBe(end);
    expect(wire.requests).toHaveLength(sends);
  });

  it('fills a commit that is sent again with the same writes', async () => {
    wire.treat = () => ({ kind: 'refuse', status: 10 });
    let filled = 0;
    await endOf(
      calls.send((writes) => {
        filled += 1;
        writes.create(calls.db.doc('ledgers/x'), { position: 1 });
      }),
    );
    expect(filled).toBe(4);
  });

  it('throws a fault of putting the writes together as it is, and sends nothing', async () => {
    const fault = new RangeError('of this program');
    const sent = calls.send(() => {
      throw fault;
    });
    await expect(sent).rejects.toBe(fault);
    expect(wire.requests).toEqual([]);
  });

  it('says the status of a failed read and no document, whose name would be a person’s', async () => {
    wire.treat = () => ({ kind: 'refuse', status: 7 });
    const read = calls.read((db) => db.getAll(db.doc('addresses/somebody')));
    const error: unknown = await read.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(String(error)).toContain('PERMISSION_DENIED');
    expect(String(error)).not.toContain('somebody');
  });
});

describe.each([
  { what: 'nothing listens', treat: null },
  { what: 'nothing is ever answered', treat: { kind: 'hang' } as const },
  { what: 'everything is answered with UNAVAILABLE', treat: { kind: 'refuse', status: 14 } as const },
])('where $what', ({ treat }) => {
  let wire: Wire;
  beforeEach(async () => {
    wire = await openWire(null);
    if (treat === null) await wire.close();
    else wire.treat = () => treat;
  });
  afterEach(async () => {
    if (treat !== null) await wire.close();
  });

  it('the store opens, says that it is not reachable, and every call ends within its deadline', async () => {
    const store = await openFirestoreStore({
      projectId: 'demo-unreachable',
      emulatorHost: wire.host,
      subjectKeyFingerprint: 'f'.repeat(43),
      clock: () => 0,
      random: () => 0,
      deadlineMs: DEADLINE_MS,
    });
    const { ledger, inbox, outbox, addresses } = store;
    const { subjectKey, ledgerId } = ref;
    const job = { key: 'w1', subjectKey, messageId: null, body: Buffer.from('x'), receivedAt: 0 };
    const began = performance.now();
    const ends = await Promise.all(
      [
        ledger.head(ledgerId),
        ledger.headWithContent(ledgerId),
        ledger.events(ledgerId, 1, 9),
        ledger.ledgers(null, 9),
        ledger.once('w1'),
        ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'event 1')),
        inbox.accept(job),
        inbox.lease(0, 1, 1),
        inbox.finish('w1'),
        inbox.postpone('w1', 0),
        inbox.drop(subjectKey, 'm1'),
        inbox.waiting(),
        inbox.purge(1),
        outbox.answered('w1'),
        outbox.leaseOwed(0, 0, 1, 1),
        outbox.purgeAnswered(1),
        addresses.put(subjectKey, Buffer.from('x')),
        addresses.get(subjectKey),
        addresses.release(subjectKey),
        addresses.remove(subjectKey),
      ].map(endOf),
    );
    expect(new Set(ends)).toEqual(new Set(['StoreUnavailable']));
    expect(await store.health()).toMatchObject({ reachable: false });
    expect(performance.now() - began).toBeLessThan(10 * DEADLINE_MS);
    await store.close();
    expect(await endOf(ledger.head(ledgerId))).toBe('StoreUnavailable');
  });
});

it('a commit that is never answered is unknown when its deadline has passed', async () => {
  const wire = await openWire(null);
  wire.treat = () => ({ kind: 'hang' });
  const calls = firestoreCalls({
    projectId: 'demo-hang',
    emulatorHost: wire.host,
    random: () => 0,
    deadlineMs: DEADLINE_MS,
  });
  const sent = calls.send((writes) => writes.create(calls.db.doc('ledgers/x'), { position: 1 }));
  await expect(sent).rejects.toBeInstanceOf(CommitUnknown);
  expect(wire.requests).toEqual(['Commit']);
  await calls.close();
  await wire.close();
});
