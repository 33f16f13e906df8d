/**
 * Commits whose answer is lost, late or an error: the person is never told what is not so, and nothing is doubled.
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Calls, Fill, Sent } from '../../../src/adapters/firestore/calls.ts';
import type { FirestoreStore } from '../../../src/adapters/firestore/store.ts';
import type { Execution } from '../../../src/commands/execute.ts';
import { CommitUnknown, StoreUnavailable } from '../../../src/events/ports.ts';
import { type Offered, personLedger, personOn } from '../../support/ledger-world.ts';
import { openClientThrough } from './calls-between.ts';
import { newProject, openClient } from './emulated-store.ts';
import { problemOf } from './verified.ts';
import { openWire } from './wire.ts';

/** What happens to one sending of a commit. */
const FAULTS = [
  'none',
  'applied_then_error',
  'error_not_applied',
  /** Told unknown now; carried out beside the next sending. */
  'applied_late',
  /** Told unknown now; carried out when everything else is over. */
  'applied_at_last',
  /** The store says that it did not do it. */
  'refused_to_try',
] as const;
type Fault = (typeof FAULTS)[number];

/** Evenly in [0, 1), from a seed. */
function draws(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    mixed ^= mixed >>> 16;
    return (mixed >>> 0) / 4_294_967_296;
  };
}

/** Calls whose sendings of one ledger fail as planned; sendings of others pass. */
type Faulty = {
  readonly between: (calls: Calls) => Calls;
  /** Plans the next sendings that write under this document path. */
  plan(path: string, faults: readonly Fault[]): void;
  /** Carries out what is still on its way under this path. */
  settle(path: string): Promise<void>;
};

function faulty(): Faulty {
  const plans = new Map<string, Fault[]>();
  const late = new Map<string, (() => Promise<unknown>)[]>();

  function pathOf(fill: Fill): string {
    let path = '';
    const note = (ref: { readonly path: string }): void => {
      if (ref.path.startsWith('ledgers/')) path = ref.path.split('/').slice(0, 2).join('/');
    };
    fill(new Proxy({} as Parameters<Fill>[0], { get: () => note }));
    return path;
  }
  async function settle(path: string): Promise<void> {
    const waiting = late.get(path) ?? [];
    late.delete(path);
    await Promise.allSettled(waiting.map((send) => send()));
  }
  async function send(calls: Calls, fill: Fill): Promise<Sent> {
    const path = pathOf(fill);
    const fault = plans.get(path)?.shift() ?? 'none';
    const beside = late.get(path)?.filter((_, index) => index % 2 === 0) ?? [];
    if (beside.length > 0)
      late.set(
        path,
        (late.get(path) ?? []).filter((each) => !beside.includes(each)),
      );
    const others = Promise.allSettled(beside.map((each) => each()));
    try {
      switch (fault) {
        case 'none':
          return await calls.send(fill);
        case 'applied_then_error':
          await calls.send(fill);
          throw new CommitUnknown('The answer was lost');
        case 'error_not_applied':
          throw new CommitUnknown('The request was lost');
        case 'refused_to_try':
          throw new StoreUnavailable('Not now');
        case 'applied_late':
        case 'applied_at_last':
          late.set(path, [...(late.get(path) ?? []), () => calls.send(fill)]);
          throw new CommitUnknown('On its way');
      }
    } finally {
      await others;
    }
  }
  return {
    between: (calls) => ({ ...calls, send: (fill) => send(calls, fill) }),
    plan: (path, faults) => void plans.set(path, [...faults]),
    settle,
  };
}

type Told = Execution | 'unavailable';

async function press(work: Promise<Execution>): Promise<Told> {
  return work.catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return 'unavailable';
    throw error;
  });
}

function outcomeOf(told: Told): string {
  if (told === 'unavailable') return 'unavailable';
  if (told.kind === 'decided') return told.outcome.outcome;
  return told.kind === 'undecided' ? told.outcome : `again ${JSON.parse(told.once.outcome).outcome}`;
}

/** The same on the wire: the emulator carries a commit out, and its answer never arrives. */
export function lostAnswers(emulatorHost: () => string): void {
  describe.each([1, 2, 4, 13, 14])('an approval whose answer is lost, seen as status %i', (status) => {
    it.each([
      { lost: 1, onceKey: undefined, told: 'memory_saved' },
      { lost: 1, onceKey: 'tap-1', told: 'again memory_saved' },
      { lost: 9, onceKey: undefined, told: 'outcome_unknown' },
    ])('$lost times is told as $told (operation id: $onceKey), and saved once', async ({ lost, onceKey, told }) => {
      const wire = await openWire(emulatorHost());
      const projectId = newProject();
      const reliable = await openClient(emulatorHost(), projectId);
      const unreliable = await openClient(wire.host, projectId);
      const offered = await personOn(reliable.ledger, 'Person A').propose('message-1', 'vegan');
      let left = lost;
      wire.treat = (method) => {
        if (method !== 'Commit' || left === 0) return { kind: 'pass' };
        left -= 1;
        return { kind: 'lose_answer', status };
      };
      const execution = await press(personOn(unreliable.ledger, 'Person A').approve(offered, onceKey));
      expect(outcomeOf(execution)).toBe(told);
      const ref = personLedger('Person A');
      expect(await problemOf(reliable.ledger, ref)).toBeNull();
      expect((await reliable.ledger.headWithContent(ref.ledgerId)).head.position).toBe(2);
      await Promise.all([reliable.close(), unreliable.close()]);
      await wire.close();
    });
  });
}

/** @param runs seeded runs, `width` of them at a time. */
export function faults(emulatorHost: () => string, runs: number, width = 16): void {
  describe(`a commit of unknown outcome, ${runs} seeded runs`, () => {
    const wrong = faulty();
    let unreliable: FirestoreStore;
    let reliable: FirestoreStore;
    beforeAll(async () => {
      const projectId = newProject();
      reliable = await openClient(emulatorHost(), projectId);
      unreliable = await openClientThrough({ host: emulatorHost(), projectId }, wrong.between);
    });
    afterAll(() => Promise.all([reliable.close(), unreliable.close()]));

    /** What is said is true when it is said. */
    async function assertTrue(name: string, told: Told, seed: number): Promise<void> {
      const ref = personLedger(name);
      const { head, content } = await reliable.ledger.headWithContent(ref.ledgerId);
      const outcome = outcomeOf(told);
      const saved = content !== null;
      if (outcome === 'memory_saved' || outcome === 'already_applied' || outcome === 'again memory_saved')
        expect(saved, `seed ${seed}: told ${outcome}`).toBe(true);
      if (outcome === 'unavailable') expect(head.position, `seed ${seed}: told ${outcome}`).toBe(1);
    }

    async function run(seed: number): Promise<string> {
      const draw = draws(seed);
      const name = `Person ${seed}`;
      const ref = personLedger(name);
      const offered: Offered = await personOn(reliable.ledger, name).propose('message-1', 'vegan');
      const path = `ledgers/${ref.ledgerId}`;
      const pick = (): Fault => FAULTS[Math.floor(draw() * FAULTS.length)] ?? 'none';
      wrong.plan(path, Array.from({ length: 1 + Math.floor(draw() * 4) }, pick));
      const key = `tap-${seed}`;
      const first = await press(personOn(unreliable.ledger, name).approve(offered, key));
      await assertTrue(name, first, seed);
      // The channel delivers again, to another instance, perhaps before what is late has arrived.
      const early = draw() < 0.5 ? await press(personOn(reliable.ledger, name).approve(offered, key)) : null;
      if (early !== null) await assertTrue(name, early, seed);
      await wrong.settle(path);
      const again = await press(personOn(reliable.ledger, name).approve(offered, key));
      expect(outcomeOf(again), `seed ${seed}`).toMatch(/^(again )?(memory_saved|already_applied)$/);
      expect(await problemOf(reliable.ledger, ref), `seed ${seed}`).toBeNull();
      expect((await reliable.ledger.head(ref.ledgerId)).position, `seed ${seed}`).toBe(2);
      return outcomeOf(first);
    }

    it('is never told as saved when it was not, never doubled, and settled by the next delivery', async () => {
      const told = new Map<string, number>();
      let seed = 0;
      await Promise.all(
        Array.from({ length: width }, async () => {
          while (seed < runs) {
            seed += 1;
            const outcome = await run(seed);
            told.set(outcome, (told.get(outcome) ?? 0) + 1);
          }
        }),
      );
      // Every kind of ending must have been met, or the faults did not bite.
      expect([...told.keys()]).toEqual(
        expect.arrayContaining(['memory_saved', 'outcome_unknown', 'again memory_saved', 'unavailable']),
      );
    }, 300_000);
  });
}
