/**
 * The process dies at each of its calls to store, turns and LINE, before the call or after it took effect. Whatever was
 * answered with 200 is answered to its person by what is left running.
 */
import { afterEach, expect, test } from 'vitest';
import { type Death, type LineWorld, openLineWorld, tapEvent, textEvent } from '../support/line-world.ts';

let world: LineWorld;
afterEach(() => world.close());

/** More calls than any of these flows makes; a death that never comes is a run without one. */
const CALLS_MAX = 14;
const DEATHS: readonly Death[] = Array.from({ length: CALLS_MAX }, (_, call) => [
  { call, side: 'before' as const },
  { call, side: 'after' as const },
]).flat();
const title = 'dying $side call $call';

/** Lets a worker run until it is idle or dead. */
async function run(worker: { drain(): Promise<void> }, died: () => boolean): Promise<void> {
  let idle = false;
  void worker.drain().then(() => {
    idle = true;
  });
  await expect.poll(() => idle || died(), { interval: 2 }).toBe(true);
  // A reply under way when the process died still arrives.
  await new Promise((resolve) => setImmediate(resolve));
}

async function restAfterDeath(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    world.advance(15_500);
    await world.worker().drain();
  }
}

test.each(DEATHS)(`the worker ${title} of a text: it is seen exactly once`, async (death) => {
  world = await openLineWorld();
  expect(await world.deliver([textEvent('花壇有什麼店')])).toBe(200);
  const { worker, died } = world.mortalWorker(death);
  await run(worker, died);
  await restAfterDeath();
  expect(world.line.seen).toHaveLength(1);
  expect([...world.stores.rows.values()].map(({ finishedAt }) => finishedAt !== null)).toEqual([true]);
  await world.worker().drain();
  expect(world.line.seen).toHaveLength(1);
});

test.each(DEATHS)(`the worker ${title} of an owed answer: it is seen exactly once`, async (death) => {
  world = await openLineWorld();
  world.line.meet(500);
  expect(await world.deliver([tapEvent('memory:approve:card')])).toBe(200);
  await world.settled();
  world.advance(6_000);
  const { worker, died } = world.mortalWorker(death);
  await run(worker, died);
  await restAfterDeath();
  await restAfterDeath();
  expect(world.line.seen).toMatchObject([{ kind: 'push' }]);
  expect([...world.stores.decided.values()].map(({ answered }) => answered)).toEqual([true]);
});

test.each(DEATHS)(
  `the webhook ${title} of a tap, LINE sends it again: decided once, and the person knows`,
  async (death) => {
    await webhookDies(death, tapEvent('memory:approve:card'));
    expect(world.stores.decided.size).toBe(1);
    expect(world.line.seen.length).toBeGreaterThanOrEqual(1);
    // A reply whose process died before it could note it is told a second time at most.
    expect(world.line.seen.length).toBeLessThanOrEqual(2);
  },
);

test.each(DEATHS)(`the webhook ${title} of a text, LINE sends it again: run once, seen once`, async (death) => {
  await webhookDies(death, textEvent('花壇有什麼店'));
  expect([world.calls, world.line.seen.length]).toEqual([['text 花壇有什麼店'], 1]);
});

test.each(DEATHS)(`the webhook ${title} of a menu button, LINE sends it again: seen once`, async (death) => {
  await webhookDies(death, tapEvent('menu'));
  expect(world.line.seen).toHaveLength(1);
});

/** Delivers to an instance that dies, then again to one that lives, and lets the worker do what is left. */
async function webhookDies(death: Death, event: object): Promise<void> {
  world = await openLineWorld({ instances: 2, firstInstanceDies: death });
  let answered = false;
  void world.deliver([event]).then(
    () => {
      answered = true;
    },
    () => {},
  );
  await expect.poll(() => answered || world.firstInstanceDied(), { interval: 2 }).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  if (!answered) expect(await world.deliver([event], world.urls[1])).toBe(200);
  await restAfterDeath();
}
