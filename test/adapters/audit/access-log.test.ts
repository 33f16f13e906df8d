/**
 * Goal: a look is recorded or nothing is shown; access ledgers are ledgers like any other.
 * Method: the log over a store in memory, whole and with faults, judged by the verifier of all ledgers.
 */
import { describe, expect, test } from 'vitest';
import { v7 } from 'uuid';
import golden from '../../../data/golden-access-events/1-1-access.read.json' with { type: 'json' };
import { type AccessStore, createAccessLog } from '../../../src/adapters/audit/access-log.ts';
import { readAnyLedger, verifyLedger } from '../../../src/adapters/audit/reading.ts';
import { AccessNotRecorded, type Read } from '../../../src/commands/access.ts';
import { ACCESS_SPELLING } from '../../../src/events/access-kinds.ts';
import { genesisHash } from '../../../src/events/chain.ts';
import { openEventAs, sealAs } from '../../../src/events/envelope.ts';
import {
  accessLedger,
  type LedgerKind,
  type LedgerRef,
  readerDayLedger,
  type TenantId,
} from '../../../src/events/identity.ts';
import { encodeAccess, evolveAccess, initialAccess } from '../../../src/projections/access-state.ts';
import { BEGINNING, personLedger, SUBJECT_KEY } from '../../support/ledger-world.ts';
import { type Fault, memoryLedger, type MemoryLedger, withFaults } from '../../support/memory-ledger.ts';

const READER = { name: 'city-auditor', role: 'integrity' } as const;
const TENANT = 'tenant-a' as TenantId;
const AUDITED = personLedger('audited');
const ITS_LOOKS = accessLedger(SUBJECT_KEY, AUDITED);
const ONE: Read = { reader: READER, channel: 'api', route: 'replay', ledger: AUDITED, bound: { kind: 'all' } };
const MANY: Read = { ...ONE, route: 'overview', ledger: null };

function logOn(store: AccessStore, now = BEGINNING) {
  return createAccessLog({
    store,
    ofLedger: (audited) => accessLedger(SUBJECT_KEY, audited),
    ofReader: (reader, day) => readerDayLedger(SUBJECT_KEY, TENANT, reader, day),
    clock: () => now,
    newEventId: () => v7(),
    pause: () => Promise.resolve(),
  });
}

function faulty(inner: MemoryLedger, faults: readonly Fault[]) {
  const left = [...faults];
  return withFaults(inner, {
    next: () => left.shift() ?? 'none',
    interfere: () => logOn(inner).record(ONE),
    lateCalls: () => 1,
  });
}

const looksIn = async (ledger: MemoryLedger, ref: LedgerRef) => (await readAnyLedger(ledger, ref)).events;

describe('where a look is recorded', () => {
  test('a look at one ledger in the access ledger of that ledger, whoever looks', async () => {
    const ledger = memoryLedger();
    await logOn(ledger).record(ONE);
    await logOn(ledger).record({ ...ONE, reader: { name: 'other', role: 'content' } });
    const looks = await looksIn(ledger, ITS_LOOKS);
    expect(looks.map(({ event }) => [event.type, event.actor, event.subject, event.data['ledgerId']])).toStrictEqual([
      ['access.read', 'city-auditor', AUDITED.subjectKey, AUDITED.ledgerId],
      ['access.read', 'other', AUDITED.subjectKey, AUDITED.ledgerId],
    ]);
  });

  test('a look at several in a ledger of its reader and its day, so that none is hot', async () => {
    const ledger = memoryLedger();
    await logOn(ledger).record(MANY);
    await logOn(ledger, BEGINNING + 86_400_000).record(MANY);
    await logOn(ledger).record({ ...MANY, reader: { name: 'other', role: 'content' } });
    const kept = await ledger.ledgers(null, 10);
    expect(kept.map(({ kind }) => kind)).toStrictEqual(['access', 'access', 'access']);
    expect(kept.map(({ ledgerId }) => ledgerId)).toContain(
      readerDayLedger(SUBJECT_KEY, TENANT, 'other', '2026-01-05').ledgerId,
    );
  });

  test('a look at an access ledger in itself', async () => {
    const ledger = memoryLedger();
    await logOn(ledger).record(ONE);
    await logOn(ledger).record({ ...ONE, ledger: ITS_LOOKS });
    expect((await looksIn(ledger, ITS_LOOKS)).length).toBe(2);
    expect((await verifyLedger(ledger, ITS_LOOKS)).problem).toBeNull();
  });

  test('a clock that went back does not make time go back', async () => {
    const ledger = memoryLedger();
    await logOn(ledger).record(ONE);
    await logOn(ledger, BEGINNING - 5_000).record(ONE);
    expect((await verifyLedger(ledger, ITS_LOOKS)).problem).toBeNull();
  });
});

describe('whether a look counts as recorded', () => {
  const rows: readonly (readonly [faults: readonly Fault[], isRecorded: boolean])[] = [
    [['applied_unknown'], true],
    [['lost_unknown'], true],
    [['late_unknown'], true],
    [['lost_unknown', 'lost_unknown'], true],
    [['lost_unknown', 'lost_unknown', 'lost_unknown'], false],
    [['unavailable'], false],
    [['conflict'], true],
    [['conflict', 'conflict', 'applied_unknown'], true],
    [Array.from({ length: 6 }, () => 'conflict'), false],
  ];
  test.each(rows)('%j: %s', async (faults, isRecorded) => {
    const ledger = memoryLedger();
    const mine = { ...ONE, reader: { name: 'mine', role: 'content' } as const };
    const result = await logOn(faulty(ledger, faults))
      .record(mine)
      .then(
        () => true,
        (error: unknown) => !(error instanceof AccessNotRecorded),
      );
    expect(result).toBe(isRecorded);
    const looks = (await looksIn(ledger, ITS_LOOKS)).filter(({ event }) => event.actor === 'mine');
    expect(looks.length).toBe(isRecorded ? 1 : 0);
    expect((await verifyLedger(ledger, ITS_LOOKS)).problem).toBeNull();
  });

  test('many at once are all recorded', async () => {
    const ledger = memoryLedger();
    const log = logOn(ledger);
    await Promise.all(Array.from({ length: 5 }, () => log.record(ONE)));
    expect((await looksIn(ledger, ITS_LOOKS)).length).toBe(5);
  });
});

describe('an access ledger is verified like any other', () => {
  const place = {
    ledgerId: ITS_LOOKS.ledgerId,
    subjectKey: ITS_LOOKS.subjectKey,
    position: 1,
    previousHash: genesisHash(ITS_LOOKS.ledgerId),
    time: '2026-01-05T02:00:00.000Z',
  };
  const look = (ledgerId: LedgerRef['ledgerId']) =>
    ({
      type: 'access.read',
      data: { reader: 'r', role: 'content', channel: 'api', route: 'ledger', ledgerId, bound: { kind: 'all' } },
    }) as const;
  const provenance = {
    eventId: v7(),
    actor: 'r',
    actorRole: 'operator',
    causationId: 'c',
    correlationId: 'c',
  } as const;

  test('a look at another ledger in it is a problem, at its position', async () => {
    const ledger = memoryLedger();
    const first = sealAs(ACCESS_SPELLING, look(AUDITED.ledgerId), place, provenance);
    const second = sealAs(
      ACCESS_SPELLING,
      look(personLedger('somebody else').ledgerId),
      { ...place, position: 2, previousHash: first.hash },
      { ...provenance, eventId: v7() },
    );
    const state = [first, second].reduce((so, { event }) => evolveAccess(so, event), initialAccess);
    await ledger.commit({
      ledger: ITS_LOOKS,
      expectedPosition: 0,
      events: [first, second],
      content: { kind: 'keep' },
      state: encodeAccess(state),
      once: null,
    });
    expect((await verifyLedger(ledger, ITS_LOOKS)).problem).toStrictEqual({
      ledgerId: ITS_LOOKS.ledgerId,
      position: 2,
      cause: 'read_of_another_ledger',
    });
  });

  test('an event of a preference ledger in it is not an event of it, and the other way round', async () => {
    const ledger = memoryLedger();
    await logOn(ledger).record(ONE);
    const [stored] = await ledger.events(ITS_LOOKS.ledgerId, 1, 1);
    expect(openEventAs(ACCESS_SPELLING, stored?.bytes ?? new Uint8Array()).ok).toBe(true);
    expect((await verifyLedger(ledger, { ...ITS_LOOKS, kind: 'preference' })).problem).toMatchObject({
      position: 1,
      cause: 'not_an_event',
    });
  });

  test.each(['gate', 'foo', '__proto__'])('a ledger of a kind nobody knows (%s) is told, not passed', async (kind) => {
    const ledger = memoryLedger();
    await logOn(ledger).record(ONE);
    const changed = { ...ITS_LOOKS, kind: kind as LedgerKind };
    expect((await verifyLedger(ledger, changed)).problem).toMatchObject({
      position: 0,
      cause: 'unknown_kind',
    });
  });
});

test('a look that was ever written is readable for ever, and written again today it has the same bytes', () => {
  const { bytes, hash } = golden;
  const opened = openEventAs(ACCESS_SPELLING, Buffer.from(bytes));
  if (!opened.ok) throw new Error(opened.cause);
  const { event } = opened;
  const { type, data } = event;
  const again = sealAs(
    ACCESS_SPELLING,
    { type, data },
    {
      ledgerId: event.source.slice('/ledgers/'.length) as LedgerRef['ledgerId'],
      subjectKey: event.subject,
      position: event.position,
      previousHash: event.previoushash,
      time: event.time,
    },
    {
      eventId: event.id,
      actor: event.actor,
      actorRole: event.actorrole,
      causationId: event.causationid,
      correlationId: event.correlationid,
    },
  );
  expect([Buffer.from(again.bytes).toString(), again.hash]).toStrictEqual([bytes, hash]);
});
