/**
 * The worker over stores in memory and the real client: tries, leases, order, what is owed, and what is given up.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createInboxWorker } from '../../../src/adapters/line/worker.ts';
import type { Answer } from '../../../src/commands/answers.ts';
import {
  type LineWorld,
  manualClock,
  openLineWorld,
  PERSON_A,
  personOf,
  said,
  tapEvent,
  textEvent,
} from '../../support/line-world.ts';

let world: LineWorld;
beforeEach(async () => {
  world = await openLineWorld();
});
afterEach(() => world.close());

const kinds = () => world.line.seen.map(({ kind }) => kind);
const person = (letter: string) => ({ source: { type: 'user', userId: `U${letter.repeat(32)}` } });

const CARD: Answer = {
  status: 'awaiting_memory_consent',
  inForce: null,
  card: {
    operation: 'save',
    value: 'vegetarian',
    noticeText: 'notice',
    expiresAt: Date.parse('2026-11-30T01:05:00.000Z'),
    token: '1.k1.body.mac',
  },
};

test('a text is answered with its reply token, its row is closed and its address let go', async () => {
  const message = textEvent('花壇有什麼店');
  await world.deliver([message]);
  expect([world.line.calls.length, world.stores.sealed.size]).toEqual([0, 1]);
  await world.worker().drain();
  expect(world.line.seen).toMatchObject([{ kind: 'reply', replyToken: message.replyToken }]);
  expect([world.stores.rows.get(message.webhookEventId)?.body, world.stores.sealed.size]).toEqual([null, 0]);
});

test.each([
  [49_999, 'reply'],
  [50_000, 'push'],
])('%i ms after its event a text is answered by %s', async (age, kind) => {
  await world.deliver([textEvent('花壇')]);
  world.advance(age);
  await world.worker().drain();
  expect(kinds()).toEqual([kind]);
});

test('C10, C09: what was accepted is answered by the next worker when the first one is gone, and only once', async () => {
  await world.deliver([textEvent('花壇有什麼店')]);
  world.turns.text = () => new Promise(() => {});
  void world.worker().drain();
  await expect.poll(() => [...world.stores.rows.values()][0]?.attempts).toBe(1);
  world.turns.text = async () => said({ status: 'menu' });
  const second = world.worker();
  await second.drain();
  expect(world.line.calls).toEqual([]);
  world.advance(5_000);
  world.stores.rows.forEach((row) => {
    row.dueAt = 0;
  });
  await second.drain();
  expect(kinds()).toEqual(['reply']);
});

test('C14: a turn that takes longer than 8.5 s is answered with "not now", and its late result is dropped', async () => {
  const late = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  world.turns.text = async () => {
    begun.resolve();
    await late.promise;
    return said({ status: 'welcome' });
  };
  await world.deliver([textEvent('花壇有什麼店')]);
  const drained = world.worker().drain();
  await begun.promise;
  world.advance(8_500);
  await drained;
  expect(kinds()).toEqual(['reply']);
  late.resolve();
  await world.worker().drain();
  expect([kinds(), world.logs]).toMatchObject([['reply'], [{ statuses: ['query_unavailable'] }]]);
});

test('a reply whose answer was lost is tried with its token again; a used token then means it was seen', async () => {
  await world.deliver([textEvent('花壇')]);
  world.line.meet('accept_then_cut');
  const worker = world.worker();
  await worker.drain();
  world.advance(1_000);
  await worker.drain();
  expect([world.line.calls.map(({ kind }) => kind), kinds(), world.stores.sealed.size]).toEqual([
    ['reply', 'reply'],
    ['reply'],
    0,
  ]);
});

test('a card made again ended the card sent before, so it is pushed, under a key of its own', async () => {
  world.turns.text = async () => said(CARD);
  await world.deliver([textEvent('幫我記住蔬食')]);
  world.line.meet('accept_then_cut', 400, 'accept_then_cut');
  const worker = world.worker();
  await worker.drain();
  world.advance(60_000);
  await worker.drain();
  expect(world.line.calls.map(({ kind }) => kind)).toEqual(['reply', 'push']);
  const other = textEvent('幫我記住蔬食');
  await world.deliver([other]);
  world.advance(60_000);
  await worker.drain();
  world.advance(60_000);
  await worker.drain();
  const keys = world.line.calls.slice(2).map(({ retryKey }) => retryKey);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});

test('429, 500 and hanging are tried again ever later, at most 8 times, then given up and counted', async () => {
  await world.deliver([textEvent('花壇')]);
  world.advance(60_000);
  const worker = world.worker();
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    world.line.meet(attempt % 2 === 0 ? 429 : 500);
    await worker.drain();
    const [row] = world.stores.rows.values();
    if (row?.finishedAt !== null) break;
    waits.push(row.dueAt - world.clock());
    world.advance(row.dueAt - world.clock());
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  expect([world.line.calls.length, kinds(), world.stores.sealed.size]).toEqual([8, [], 0]);
  expect(new Set(world.line.calls.map(({ retryKey }) => retryKey)).size).toBe(1);
  expect([world.counts.at(-1), world.logs.at(-1)?.outcome]).toEqual(['answer_given_up', 'given_up']);
});

test('a job is tried at least once, however old it is, and not again after 15 minutes', async () => {
  await world.deliver([textEvent('花壇')]);
  world.advance(3_600_000);
  const worker = world.worker();
  world.line.meet(500, 500);
  await worker.drain();
  world.advance(1_000);
  await worker.drain();
  expect([world.line.calls.length, world.counts.at(-1)]).toEqual([2, 'answer_given_up']);
});

test('a turn that fails is run again; when it fails to the last, the person is told so', async () => {
  world.turns.text = async () => {
    throw new Error('store');
  };
  await world.deliver([textEvent('花壇')]);
  const worker = world.worker();
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await worker.drain();
    world.advance(60_000);
  }
  expect([kinds(), world.logs.map(({ statuses }) => statuses)]).toEqual([['push'], [['query_unavailable']]]);
});

test('one person’s messages wait for each other; other people are served meanwhile, four at a time', async () => {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  world.turns.text = async (_who, text) => {
    world.calls.push(text);
    const gate = Promise.withResolvers<void>();
    gates.set(text, gate);
    await gate.promise;
    return said({ status: 'menu' });
  };
  const texts = ['a1', 'a2', 'b1', 'c1', 'd1', 'e1'];
  for (const text of texts) await world.deliver([textEvent(text, person(text.charAt(0)))]);
  const drained = world.worker().drain();
  await expect.poll(() => world.calls).toEqual(['a1', 'b1', 'c1', 'd1']);
  gates.get('b1')?.resolve();
  await expect.poll(() => world.calls.length).toBe(5);
  for (let round = 0; round < 6; round += 1) {
    for (const gate of gates.values()) gate.resolve();
    await expect.poll(() => world.line.seen.length >= Math.min(round + 2, 6)).toBe(true);
  }
  await drained;
  expect([...world.calls].sort()).toEqual(texts);
  expect(world.calls.indexOf('a1')).toBeLessThan(world.calls.indexOf('a2'));
});

test('a wake lets a new person in while a slow turn of another goes on', async () => {
  const slow = Promise.withResolvers<void>();
  world.turns.text = async (_who, text) => {
    if (text === 'slow') await slow.promise;
    return said({ status: 'menu' });
  };
  const worker = world.worker();
  worker.start();
  await world.deliver([textEvent('slow')]);
  worker.wake();
  await world.deliver([textEvent('quick', person('c'))]);
  worker.wake();
  await world.line.called(1);
  slow.resolve();
  await worker.stop();
  expect(kinds()).toEqual(['reply', 'reply']);
});

test('started, it looks once a second; stopped, it takes nothing new and leaves no timer', async () => {
  const { clock, timer, advance, timers } = manualClock();
  const { stores } = world;
  let looks = 0;
  const worker = createInboxWorker({
    turns: world.turns,
    inbox: { ...stores.inbox, lease: async () => ((looks += 1), []) },
    outbox: stores.outbox,
    addresses: {
      hold() {},
      put: async () => {},
      userOf: async () => null,
      letGo: async () => {},
      remove: async () => {},
    },
    client: { reply: async () => ({ result: 'accepted' }), push: async () => ({ result: 'accepted' }) },
    personOf,
    buildId: 'test',
    timer,
    clock,
    count: () => {},
    log: () => {},
  });
  worker.wake();
  expect(looks).toBe(0);
  worker.start();
  await expect.poll(() => looks).toBe(1);
  advance(1_000);
  await expect.poll(() => looks).toBe(2);
  await worker.stop();
  advance(10_000);
  expect([looks, timers()]).toEqual([2, 0]);
});

test('the store down, nothing is lost and nothing thrown; up again, all is answered', async () => {
  await world.deliver([textEvent('花壇')]);
  const worker = world.worker();
  world.stores.down = true;
  await worker.drain();
  expect(world.counts).toContain('store_failed');
  world.stores.down = false;
  await worker.drain();
  expect(kinds()).toEqual(['reply']);
});

test('a decision whose person was never answered is told by push, from 5 s after it on', async () => {
  world.stores.decide({ key: 'W1', ...decided(), outcome: 'memory_saved' });
  await world.deliver([textEvent('unrelated', person('c'))]);
  const worker = world.worker();
  await addressOf(PERSON_A);
  await worker.drain();
  expect(world.calls).not.toContain('again memory_saved');
  world.advance(5_001);
  await worker.drain();
  expect(world.line.seen.at(-1)).toMatchObject({ kind: 'push', to: PERSON_A });
  expect([world.stores.decided.get('W1')?.answered, world.stores.sealed.size]).toEqual([true, 0]);
});

test('an owed answer nobody can be sent is closed after its tries', async () => {
  world.stores.decide({ key: 'W1', ...decided(), outcome: 'memory_saved' });
  const worker = world.worker();
  for (let attempt = 0; attempt < 8; attempt += 1) {
    world.advance(31_000);
    await worker.drain();
  }
  expect([world.line.calls, world.stores.decided.get('W1')?.answered]).toEqual([[], true]);
  expect(world.counts.filter((name) => name === 'answer_without_address')).toHaveLength(8);
});

test('a button whose request may still be answering is left to it for 5 s', async () => {
  world.turns.entry = async () => {
    throw new Error('not now');
  };
  expect(await world.deliver([tapEvent('menu')])).toBe(200);
  world.turns.entry = async () => said({ status: 'menu' });
  const worker = world.worker();
  await worker.drain();
  expect(world.line.calls).toEqual([]);
  world.advance(5_000);
  await worker.drain();
  expect(kinds()).toEqual(['reply']);
});

test('of a value chosen by button, a card token or a location nothing waits in the inbox', async () => {
  world.turns.entry = async () => {
    throw new Error('not now');
  };
  const location = { type: 'location', id: '88', latitude: 24.0312, longitude: 120.5401 };
  await world.deliver([tapEvent('memory:choose:ovo_lacto'), { ...textEvent('x'), message: location }]);
  await world.deliver([tapEvent('memory:approve:1.k1.body.mac')]);
  const waiting = [...world.stores.rows.values()].map(({ body }) => Buffer.from(body ?? []).toString());
  expect(waiting).toHaveLength(2);
  for (const secret of ['ovo_lacto', '24.03', '1.k1.body.mac', PERSON_A]) expect(waiting.join()).not.toContain(secret);
});

test('names are kept for 7 days, so that a redelivery is known again, and then cleared away', async () => {
  const message = textEvent('花壇');
  await world.deliver([message]);
  const worker = world.worker();
  await worker.drain();
  world.advance(7 * 86_400_000);
  await worker.drain();
  expect(world.stores.rows.size).toBe(1);
  world.advance(3_600_000);
  await worker.drain();
  expect(world.stores.rows.size).toBe(0);
});

function decided() {
  const { subjectKey, diet } = personOf(PERSON_A);
  return { subjectKey, ledgerId: diet.ledgerId };
}

/** Puts a person's address the way a request does. */
async function addressOf(userId: string): Promise<void> {
  const release = world.stores.addresses.release;
  world.stores.addresses.release = async () => {};
  await world.deliver([tapEvent('menu', { source: { type: 'user', userId } })]);
  await world.settled();
  world.stores.addresses.release = release;
}
