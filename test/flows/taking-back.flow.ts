/**
 * What a person takes back while their words are being understood, end to end, as a suite any store must pass.
 * @module
 */
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRuleRouter } from '../../src/adapters/assistant/rule-router.ts';
import { loadCatalog } from '../../src/adapters/catalog/catalog.ts';
import type { Store } from '../../src/app.ts';
import type { Router } from '../../src/commands/tools.ts';
import { buttonIn, newId, type Product, startProduct, textOf } from '../support/product.ts';

const WISH = '以後優先找全素，幫我記住';
const FORGET = '忘記我的飲食偏好';
const QUESTION = '花壇有推薦吃的嗎？';
const { dietOf } = loadCatalog(fileURLToPath(new URL('../../data', import.meta.url)));
const SAY_AGAIN = /請再說一次/;
const CHANGED = /偏好剛剛有變動/;

/** The rules, which wait where a test holds them; so a worker stands between its leased words and what comes of them. */
function heldRouter() {
  const rules = createRuleRouter({ dietOf });
  let gate: { begun: PromiseWithResolvers<void>; go: PromiseWithResolvers<void> } | null = null;
  const router: Router = {
    name: 'rules',
    async route(...asked) {
      const held = gate;
      gate = null;
      held?.begun.resolve();
      await held?.go.promise;
      return rules.route(...asked);
    },
  };
  return {
    router,
    /** Holds the next words: `begun` once they are being understood, `go` lets them go on. */
    holdNext() {
      gate = { begun: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
      return gate;
    },
  };
}

/** Runs the suite over a store; each test has people of its own, and what could be a race is run `rounds` times. */
export function takingBackSuite(
  name: string,
  rounds: number,
  open: () => Promise<{ store: Store; close: () => Promise<void> }>,
): void {
  describe(`${name}: what is taken back`, () => {
    const { router, holdNext } = heldRouter();
    let opened: { store: Store; close: () => Promise<void> };
    let product: Product;
    /** Runs once, after a worker leased something and before it looks at it. */
    let afterLease: (() => Promise<void>) | null = null;
    /** Runs once, after the trail of a turn was written: between the turn and its reply. */
    let afterTurn: (() => Promise<void>) | null = null;
    let people = 0;
    let someone: string;
    beforeAll(async () => {
      opened = await open();
      const { turnRecords, inbox } = opened.store;
      const lease: typeof inbox.lease = async (...asked) => {
        const leased = await inbox.lease(...asked);
        if (leased.length === 0) return leased;
        const between = afterLease;
        afterLease = null;
        await between?.();
        return leased;
      };
      const record: typeof turnRecords.record = async (row) => {
        const kept = await turnRecords.record(row);
        const between = afterTurn;
        afterTurn = null;
        await between?.();
        return kept;
      };
      const store = { ...opened.store, inbox: { ...inbox, lease }, turnRecords: { ...turnRecords, record } };
      product = await startProduct(store, { router });
    });
    afterAll(async () => {
      await product.stop();
      await opened.close();
    });
    beforeEach(newPerson);
    afterEach(() => {
      afterLease = null;
      afterTurn = null;
    });

    function newPerson(): void {
      people += 1;
      someone = `U${String(people).padStart(32, '0')}`;
    }
    async function consent(): Promise<void> {
      await product.press(someone, buttonIn(await product.say(someone, '以後優先找蔬食，幫我記住'), '同意記住'));
    }
    function inOne(...bodies: readonly string[]): string {
      const read = bodies.map((body) => JSON.parse(body) as { destination: string; events: object[] });
      return JSON.stringify({ destination: read[0]?.destination, events: read.flatMap(({ events }) => events) });
    }
    const text = (words: string): string => product.bodies.text(someone, words);
    const seenSince = (before: number): string =>
      JSON.stringify(product.line.seen.slice(before).flatMap(({ messages }) => messages));

    /** Has a worker begin with some words, lets `meanwhile` happen, and then lets it end. @returns what was seen. */
    async function whileUnderstood(body: string, meanwhile: () => Promise<unknown>): Promise<string> {
      const before = product.line.seen.length;
      const { begun, go } = holdNext();
      await product.post(body);
      const drained = product.app.worker.drain();
      await begun.promise;
      await meanwhile();
      await product.app.idle();
      go.resolve();
      await drained;
      return seenSince(before);
    }
    async function proposals(): Promise<number> {
      const { types } = await product.history(someone);
      return types.filter((type) => type === 'preference.proposed').length;
    }

    describe.each([
      ['something in force', consent, 1],
      ['nothing in force', async () => {}, 0],
    ] as const)('a wish and a forget, with %s', (_, prepare, before) => {
      async function inRounds(round: () => Promise<void>): Promise<void> {
        for (let each = 0; each < rounds; each += 1) {
          newPerson();
          await prepare();
          await round();
        }
      }

      it('words a worker holds when the forget comes lead to no card, and are asked for again', async () => {
        await inRounds(async () => {
          afterLease = async () => void (await product.post(text(FORGET)));
          const { seen } = await product.deliver(text(WISH));
          expect(textOf(seen)).toMatch(SAY_AGAIN);
          expect(seen.flatMap(({ buttons }) => buttons.map(({ label }) => label))).not.toContain('同意記住');
          expect(await proposals()).toBe(before);
          expect(await product.history(someone)).toMatchObject({ value: null });
          expect(await product.verified(someone)).toBeNull();
        });
      });

      it('words being understood when the forget comes lead to no card either', async () => {
        await inRounds(async () => {
          const seen = await whileUnderstood(text(WISH), () => product.post(text(FORGET)));
          expect(seen).toMatch(before === 0 ? SAY_AGAIN : CHANGED);
          expect(seen).not.toContain('同意記住"');
          expect(await proposals()).toBe(before);
        });
      });

      it('words in the same request before the forget lead to no card, and are asked for again', async () => {
        await inRounds(async () => {
          const { seen } = await product.deliver(inOne(text(WISH), text(FORGET)));
          expect(textOf(seen)).toMatch(SAY_AGAIN);
          expect(await proposals()).toBe(before);
        });
      });

      it('words in the same request after the forget lead to their card', async () => {
        await inRounds(async () => {
          const { seen } = await product.deliver(inOne(text(FORGET), text(WISH)));
          await product.press(someone, buttonIn(seen, '同意記住'));
          expect(await product.history(someone)).toMatchObject({ value: 'vegan' });
        });
      });

      it('a wish said right after the forget, while older words are still being understood, leads to its card', async () => {
        await prepare();
        const seen = await whileUnderstood(text(WISH), async () => {
          await product.post(text(FORGET));
          await product.post(text('以後優先找奶素，幫我記住'));
        });
        expect(await proposals()).toBe(before + 1);
        expect(seen).toContain('同意記住"');
      });
    });

    it('a search being understood when the forget comes shows no result', async () => {
      await consent();
      const seen = await whileUnderstood(text(QUESTION), () => product.post(text(FORGET)));
      expect(seen).toMatch(CHANGED);
      expect(seen).not.toMatch(/和米素食|依你同意記住/);
    });

    it('a search whose turn ended before the forget, and whose reply had not left, shows no result', async () => {
      await consent();
      let forgotten: number | null = null;
      afterTurn = async () => {
        forgotten = (await product.post(text(FORGET))).status;
        await product.app.idle();
      };
      const seen = textOf(await product.say(someone, QUESTION));
      expect(forgotten).toBe(200);
      expect(seen).toMatch(CHANGED);
      expect(seen).not.toMatch(/和米素食|依你同意記住/);
    });

    it('words unsent while they are being understood lead to no card, at no moment', async () => {
      const messageId = newId();
      const body = product.bodies.text(someone, WISH, { messageId });
      await whileUnderstood(body, () => product.post(product.bodies.unsend(someone, messageId)));
      expect((await product.history(someone)).types).toEqual([]);
    });

    it('words whose unsending was delivered first lead to nothing, and other words of that person do (C23)', async () => {
      const messageId = newId();
      await product.deliver(product.bodies.unsend(someone, messageId));
      const { status, seen } = await product.deliver(product.bodies.text(someone, WISH, { messageId }));
      expect([status, seen]).toEqual([200, []]);
      expect((await product.history(someone)).types).toEqual([]);
      expect(textOf(await product.say(someone, WISH))).toMatch(/全素/);
    });
  });
}
