/**
 * What every ledger store promises (src/events/ports.ts), as a suite over a store factory.
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeContent } from '../../src/events/commitment.ts';
import { openEvent } from '../../src/events/envelope.ts';
import type { LedgerId } from '../../src/events/identity.ts';
import type { CommitResult, Ledger } from '../../src/events/ports.ts';
import { nextCommit, personLedger, personOn, putContent, sealedOn } from '../support/ledger-world.ts';
import type { StoreFactory, StoreUnderTest } from './stores.ts';

const NOTHING_HAPPENED = { position: 0, hash: null, time: null, state: null };
const ref = personLedger('Person A');
const otherRef = personLedger('Person B');

/** Everything a ledger reader can see of one ledger, to be compared byte for byte. */
async function everythingOf(ledger: Ledger, ledgerId: LedgerId): Promise<unknown> {
  const { head, content } = await ledger.headWithContent(ledgerId);
  const events = await ledger.events(ledgerId, 1, 1_000);
  return {
    head,
    content:
      content === null ? null : { revision: content.revision, bytes: Buffer.from(content.bytes).toString('hex') },
    events: events.map(({ position, hash, bytes }) => ({ position, hash, bytes: Buffer.from(bytes).toString('hex') })),
  };
}

/** Appends `count` plain events one after the other. */
async function appendMany(ledger: Ledger, count: number): Promise<void> {
  for (let appended = 0; appended < count; appended += 1) {
    const head = await ledger.head(ref.ledgerId);
    expect(await ledger.commit(nextCommit(ref, head, `event ${head.position + 1}`))).toEqual({ status: 'committed' });
  }
}

function statuses(results: readonly CommitResult[]): string[] {
  return results.map(({ status }) => status).sort();
}

export function ledgerContract(storeName: string, openStore: StoreFactory): void {
  describe(`${storeName}: ledger`, () => {
    let store: StoreUnderTest;
    let ledger: Ledger;
    beforeEach(async () => {
      store = await openStore();
      ledger = store.view.ledger;
    });
    afterEach(() => store.close());

    describe('reading', () => {
      it('reads an unknown ledger as position 0, without naming, content or events', async () => {
        expect(await ledger.head(ref.ledgerId)).toEqual(NOTHING_HAPPENED);
        expect(await ledger.ledger(ref.ledgerId)).toBeNull();
        expect(await ledger.headWithContent(ref.ledgerId)).toEqual({ head: NOTHING_HAPPENED, content: null });
        expect(await ledger.events(ref.ledgerId, 1, 1_000)).toEqual([]);
        expect(await ledger.once('never seen')).toBeNull();
      });

      it('gives back the naming of a ledger', async () => {
        await appendMany(ledger, 1);
        expect(await store.other.ledger.ledger(ref.ledgerId)).toEqual(ref);
      });

      it('gives back position, hash, time and state of the newest event', async () => {
        await appendMany(ledger, 2);
        const head = await store.other.ledger.head(ref.ledgerId);
        const [, newest] = await ledger.events(ref.ledgerId, 1, 2);
        const opened = openEvent(newest?.bytes ?? new Uint8Array());
        expect(head).toEqual({
          position: 2,
          hash: newest?.hash,
          time: opened.ok ? opened.event.time : null,
          state: '{"after":"event 2"}',
        });
      });

      it('gives back the exact bytes that were hashed', async () => {
        const sealed = sealedOn(ref, NOTHING_HAPPENED, 'event 1');
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'event 1'));
        const [stored] = await store.other.ledger.events(ref.ledgerId, 1, 1);
        expect(Buffer.from(stored?.bytes ?? [])).toEqual(Buffer.from(sealed.bytes));
        expect(stored?.hash).toBe(sealed.hash);
      });

      it.each([
        { from: 1, through: 5, positions: [1, 2, 3, 4, 5] },
        { from: 2, through: 4, positions: [2, 3, 4] },
        { from: 3, through: 3, positions: [3] },
        { from: 4, through: 99, positions: [4, 5] },
        { from: 0, through: 1, positions: [1] },
        { from: 6, through: 9, positions: [] },
        { from: 4, through: 3, positions: [] },
      ])('reads events from $from through $through, both inclusive', async ({ from, through, positions }) => {
        await appendMany(ledger, 5);
        const events = await ledger.events(ref.ledgerId, from, through);
        expect(events.map(({ position }) => position)).toEqual(positions);
      });

      it('lists ledgers in order of ledgerId, in pages after the last one seen', async () => {
        const refs = ['C', 'D', 'E', 'F', 'G'].map((name) => personLedger(`Person ${name}`));
        for (const each of refs) await ledger.commit(nextCommit(each, NOTHING_HAPPENED, each.ledgerId));
        const ids = refs.map(({ ledgerId }) => ledgerId).sort();
        const first = await ledger.ledgers(null, 2);
        const second = await ledger.ledgers(first.at(-1)?.ledgerId ?? null, 2);
        const third = await ledger.ledgers(second.at(-1)?.ledgerId ?? null, 2);
        expect([first.length, second.length, third.length]).toEqual([2, 2, 1]);
        expect([...first, ...second, ...third].map(({ ledgerId }) => ledgerId)).toEqual(ids);
        expect(await ledger.ledgers(third.at(-1)?.ledgerId ?? null, 2)).toEqual([]);
      });
    });

    describe('appending under compare-and-set', () => {
      it('numbers events from 1 without a gap', async () => {
        await appendMany(ledger, 12);
        const events = await ledger.events(ref.ledgerId, 1, 1_000);
        expect(events.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      });

      it('appends several events in one step', async () => {
        const first = sealedOn(ref, NOTHING_HAPPENED, 'event 1');
        const second = sealedOn(ref, first, 'event 2');
        const commit = nextCommit(ref, NOTHING_HAPPENED, 'event 1', { events: [first, second] });
        expect(await ledger.commit(commit)).toEqual({ status: 'committed' });
        expect((await ledger.head(ref.ledgerId)).hash).toBe(second.hash);
        expect(await ledger.events(ref.ledgerId, 1, 9)).toHaveLength(2);
      });

      it('answers a commit at an older position with conflict and appends nothing', async () => {
        await appendMany(ledger, 1);
        const stale = await ledger.head(ref.ledgerId);
        await appendMany(store.other.ledger, 1);
        const before = await everythingOf(ledger, ref.ledgerId);
        expect(await ledger.commit(nextCommit(ref, stale, 'late'))).toEqual({ status: 'conflict' });
        expect(await everythingOf(ledger, ref.ledgerId)).toEqual(before);
      });

      it('takes the right commit after a refused one: a refusal does not move the position', async () => {
        await appendMany(ledger, 2);
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'late'));
        await appendMany(ledger, 1);
        expect((await ledger.head(ref.ledgerId)).position).toBe(3);
      });

      it('answers an expected position above zero on an unknown ledger with conflict and opens no ledger', async () => {
        const elsewhere = { position: 3, hash: 'a'.repeat(64), time: null, state: null };
        expect(await ledger.commit(nextCommit(ref, elsewhere, 'from another store'))).toEqual({ status: 'conflict' });
        expect(await ledger.ledger(ref.ledgerId)).toBeNull();
        expect(await ledger.ledgers(null, 10)).toEqual([]);
      });

      it('answers the same commit sent again with already_committed and appends nothing', async () => {
        const commit = nextCommit(ref, NOTHING_HAPPENED, 'event 1');
        expect(await ledger.commit(commit)).toEqual({ status: 'committed' });
        expect(await store.other.ledger.commit(commit)).toEqual({ status: 'already_committed' });
        expect((await ledger.head(ref.ledgerId)).position).toBe(1);
      });

      it('still knows its own commit when others have come after it', async () => {
        const commit = nextCommit(ref, NOTHING_HAPPENED, 'event 1');
        await ledger.commit(commit);
        await appendMany(ledger, 3);
        expect(await ledger.commit(commit)).toEqual({ status: 'already_committed' });
      });

      it('lets exactly one of 20 commits at one position through, over two clients, and tells the rest', async () => {
        await appendMany(ledger, 1);
        const head = await ledger.head(ref.ledgerId);
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? ledger : store.other.ledger).commit(nextCommit(ref, head, `racer ${index}`)),
          ),
        );
        expect(statuses(results)).toEqual(['committed', ...Array.from({ length: 19 }, () => 'conflict')]);
        expect(await ledger.events(ref.ledgerId, 1, 99)).toHaveLength(2);
      });

      it('stores as many events as it said committed when 20 writers each append until they succeed', async () => {
        await Promise.all(
          Array.from({ length: 20 }, async (_, index) => {
            const own = index % 2 === 0 ? ledger : store.other.ledger;
            for (;;) {
              const head = await own.head(ref.ledgerId);
              if ((await own.commit(nextCommit(ref, head, `writer ${index}`))).status === 'committed') return;
            }
          }),
        );
        const events = await ledger.events(ref.ledgerId, 1, 99);
        expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
        const ids = new Set(events.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).id));
        expect(ids.size).toBe(20);
      });

      it('makes one event of the same approval pressed twice at once, and one already_applied', async () => {
        const person = personOn(ledger, 'Person A');
        const offered = await person.propose('message-1', 'vegan');
        const outcomes = await Promise.all([person.approve(offered), person.approve(offered)]);
        const told = outcomes.map((each) => (each.kind === 'decided' ? each.outcome.outcome : each.kind)).sort();
        expect(told).toEqual(['already_applied', 'memory_saved']);
        expect((await ledger.head(ref.ledgerId)).position).toBe(2);
      });

      it.each([
        {
          what: 'events that do not follow the expected position',
          broken: () =>
            nextCommit(ref, NOTHING_HAPPENED, 'x', {
              expectedPosition: 0,
              events: [sealedOn(ref, { position: 1, hash: 'a'.repeat(64) }, 'x')],
            }),
        },
        {
          what: 'an event of another ledger',
          broken: () => nextCommit(ref, NOTHING_HAPPENED, 'x', { events: [sealedOn(otherRef, NOTHING_HAPPENED, 'x')] }),
        },
        {
          what: 'a first event that is not bound to its ledger',
          broken: () =>
            nextCommit(ref, NOTHING_HAPPENED, 'x', {
              events: [sealedOn(ref, { position: 0, hash: 'a'.repeat(64) }, 'x')],
            }),
        },
        {
          what: 'events that do not chain to each other',
          broken: () =>
            nextCommit(ref, NOTHING_HAPPENED, 'x', {
              events: [sealedOn(ref, NOTHING_HAPPENED, 'x'), sealedOn(ref, { position: 1, hash: 'a'.repeat(64) }, 'y')],
            }),
        },
        {
          what: 'a hash that is not of the bytes',
          broken: () =>
            nextCommit(ref, NOTHING_HAPPENED, 'x', {
              events: [{ ...sealedOn(ref, NOTHING_HAPPENED, 'x'), hash: 'a'.repeat(64) }],
            }),
        },
        {
          what: 'content without an event',
          broken: () => nextCommit(ref, NOTHING_HAPPENED, 'x', { events: [], content: putContent(ref, 1, 'k') }),
        },
        {
          what: 'content that is not of the fixed length',
          broken: () =>
            nextCommit(ref, NOTHING_HAPPENED, 'x', {
              content: { kind: 'put', revision: 1, bytes: new Uint8Array(319) },
            }),
        },
      ])('throws for $what and writes nothing', async ({ broken }) => {
        await expect(ledger.commit(broken())).rejects.toThrow(RangeError);
        expect(await ledger.head(ref.ledgerId)).toEqual(NOTHING_HAPPENED);
      });

      it('throws for an event that does not chain to the head, in the middle of good neighbours that are kept', async () => {
        await appendMany(ledger, 1);
        const head = await ledger.head(ref.ledgerId);
        const broken = nextCommit(ref, { ...head, hash: 'b'.repeat(64) }, 'broken');
        const [before, thrown, after] = await Promise.allSettled([
          ledger.commit(nextCommit(otherRef, NOTHING_HAPPENED, 'good')),
          ledger.commit(broken),
          ledger.commit(nextCommit(ref, head, 'good too')),
        ]);
        expect(before).toMatchObject({ value: { status: 'committed' } });
        expect(thrown).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
        expect(after).toMatchObject({ value: { status: 'committed' } });
      });

      it('throws when a known ledger is given another naming', async () => {
        await appendMany(ledger, 1);
        const head = await ledger.head(ref.ledgerId);
        const renamed = { ...ref, purpose: 'another_purpose' };
        await expect(ledger.commit(nextCommit(renamed, head, 'x'))).rejects.toThrow(RangeError);
        expect(await ledger.ledger(ref.ledgerId)).toEqual(ref);
      });
    });

    describe('once', () => {
      const once = { key: '01J0000000000000000000ONCE', outcome: '{"outcome":"memory_saved","revision":1}' };

      it('keeps what was decided, not answered yet', async () => {
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'event 1', { once }));
        expect(await store.other.ledger.once(once.key)).toEqual({ ...once, answered: false });
      });

      it('appends nothing for a duplicate and gives the stored outcome back, before any position is compared', async () => {
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'event 1', { once }));
        const before = await everythingOf(ledger, ref.ledgerId);
        for (const head of [await ledger.head(ref.ledgerId), NOTHING_HAPPENED]) {
          const again = nextCommit(ref, head, 'event 2', { once: { key: once.key, outcome: '{"outcome":"other"}' } });
          expect(await store.other.ledger.commit(again)).toEqual({
            status: 'duplicate',
            once: { ...once, answered: false },
          });
        }
        expect(await everythingOf(ledger, ref.ledgerId)).toEqual(before);
      });

      it('says whether the duplicate was answered', async () => {
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'event 1', { once }));
        await store.view.outbox.answered(once.key);
        expect(await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'event 1', { once }))).toEqual({
          status: 'duplicate',
          once: { ...once, answered: true },
        });
      });

      it('does not remember a delivery whose commit was a conflict', async () => {
        await appendMany(ledger, 1);
        const commit = nextCommit(ref, NOTHING_HAPPENED, 'late', { once });
        expect(await ledger.commit(commit)).toEqual({ status: 'conflict' });
        expect(await ledger.once(once.key)).toBeNull();
        const head = await ledger.head(ref.ledgerId);
        expect(await ledger.commit(nextCommit(ref, head, 'late', { once }))).toEqual({ status: 'committed' });
      });

      it('can be recorded without an event, which opens no ledger and moves no position', async () => {
        const commit = nextCommit(ref, NOTHING_HAPPENED, 'none', { events: [], once });
        expect(await ledger.commit(commit)).toEqual({ status: 'committed' });
        expect(await ledger.commit(commit)).toMatchObject({ status: 'duplicate' });
        expect(await ledger.ledger(ref.ledgerId)).toBeNull();
        expect(await ledger.head(ref.ledgerId)).toEqual(NOTHING_HAPPENED);
      });

      it('without an event is still a conflict when the ledger has moved', async () => {
        await appendMany(ledger, 1);
        const commit = nextCommit(ref, NOTHING_HAPPENED, 'none', { events: [], once });
        expect(await ledger.commit(commit)).toEqual({ status: 'conflict' });
        expect(await ledger.once(once.key)).toBeNull();
      });

      it('lets one of 20 deliveries of the same event take effect, over two clients', async () => {
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? ledger : store.other.ledger).commit(
              nextCommit(ref, NOTHING_HAPPENED, `delivery ${index}`, { once }),
            ),
          ),
        );
        expect(statuses(results)).toEqual(['committed', ...Array.from({ length: 19 }, () => 'duplicate')]);
      });
    });

    describe('content', () => {
      it('is given with the head it belongs to', async () => {
        const content = putContent(ref, 1, 'key 1');
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'event 1', { content }));
        const read = await store.other.ledger.headWithContent(ref.ledgerId);
        expect(read.head.position).toBe(1);
        expect(read.content?.revision).toBe(1);
        expect(Buffer.from(read.content?.bytes ?? [])).toEqual(Buffer.from(content.bytes));
      });

      it('is left alone by keep, replaced by put, gone after forget, and can be put again', async () => {
        const seen: (string | null)[] = [];
        for (const content of [
          putContent(ref, 1, 'key 1'),
          { kind: 'keep' } as const,
          putContent(ref, 2, 'key 2'),
          { kind: 'forget' } as const,
          { kind: 'keep' } as const,
          putContent(ref, 4, 'key 4'),
        ]) {
          const head = await ledger.head(ref.ledgerId);
          await ledger.commit(nextCommit(ref, head, `event ${head.position + 1}`, { content }));
          const read = await ledger.headWithContent(ref.ledgerId);
          seen.push(
            read.content === null ? null : `${read.content.revision} ${decodeContent(read.content.bytes).blindingKey}`,
          );
        }
        const [one, two, four] = [
          putContent(ref, 1, 'key 1'),
          putContent(ref, 2, 'key 2'),
          putContent(ref, 4, 'key 4'),
        ].map(({ revision, bytes }) => `${revision} ${decodeContent(bytes).blindingKey}`);
        expect(seen).toEqual([one, one, two, null, null, four]);
      });

      it('is untouched by a commit that was refused', async () => {
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'event 1', { content: putContent(ref, 1, 'key 1') }));
        const before = await everythingOf(ledger, ref.ledgerId);
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'late', { content: { kind: 'forget' } }));
        await ledger.commit(nextCommit(ref, NOTHING_HAPPENED, 'late', { content: putContent(ref, 9, 'key 9') }));
        expect(await everythingOf(ledger, ref.ledgerId)).toEqual(before);
      });

      it('of one person is forgotten while everybody else stays as they were, byte for byte', async () => {
        const neighbours = ['Person B', 'Person C', 'Person D'];
        for (const name of ['Person A', ...neighbours])
          await personOn(ledger, name).remember(`cause-${name.at(-1)}`, 'lacto');
        const before = await Promise.all(neighbours.map((name) => everythingOf(ledger, personLedger(name).ledgerId)));
        await personOn(ledger, 'Person A').forget();
        expect((await ledger.headWithContent(ref.ledgerId)).content).toBeNull();
        const after = await Promise.all(
          neighbours.map((name) => everythingOf(store.other.ledger, personLedger(name).ledgerId)),
        );
        expect(after).toEqual(before);
      });
    });
  });
}
