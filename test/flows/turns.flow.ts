/**
 * What turns leave behind, carry over and may spend, end to end, as a suite any store must pass.
 * @module
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/app.ts';
import type { ModelAttempt } from '../../src/commands/model-attempt.ts';
import type { Routed, Router, ToolCall } from '../../src/commands/tools.ts';
import { decodeTurnBody } from '../../src/commands/turn-body.ts';
import { buttonIn, newId, type Product, startProduct, textOf } from '../support/product.ts';

const WISH = '以後優先找蔬食，幫我記住';
const QUESTION = '花壇有推薦吃的嗎？';

/** A model that answers every message the same way, and says so in one attempt. */
function modelOf(routed: Routed): Router & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'gemini',
    asked,
    async route(text, facts, record) {
      asked.push(JSON.stringify([text, facts]));
      record?.(attempt);
      return routed;
    },
  };
}
const attempt: ModelAttempt = {
  retry: 0,
  requestedAt: 1,
  respondedAt: 2,
  backend: 'developer',
  model: 'model-of-the-test',
  modelVersion: null,
  request: { systemText: '', message: '' },
  outcome: 'call',
  httpStatus: null,
  why: 'called',
  proposed: [{ functionCallId: 'call-1', name: 'search_local_places', arguments: '{"area":"花壇"}' }],
  promptTokens: 10,
  outputTokens: 1,
  thoughtTokens: 1,
  totalTokens: 12,
};
const search: ToolCall = { tool: 'search_local_places', area: '花壇', dietary_type: '', keyword: '' };
const remember: ToolCall = { tool: 'propose_dietary_memory', dietary_type: '蔬食' };
const call = (...calls: ToolCall[]): Routed => ({ outcome: 'call', calls, unanswered: [] });

/** Runs the suite over a store; each test has people of its own. */
export function turnsSuite(name: string, open: () => Promise<{ store: Store; close: () => Promise<void> }>): void {
  describe(`${name}: turns`, () => {
    let opened: { store: Store; close: () => Promise<void> };
    let product: Product;
    let people = 0;
    let someone: string;
    beforeAll(async () => {
      opened = await open();
      product = await startProduct(opened.store);
    });
    afterAll(async () => {
      await product.stop();
      await opened.close();
    });
    beforeEach(() => {
      people += 1;
      someone = `U${String(people).padStart(32, '0')}`;
    });

    /** Says something under a message id of its own. */
    async function say(text: string, by: Product = product): Promise<{ messageId: string; text: string }> {
      const messageId = newId();
      const { seen } = await by.deliver(by.bodies.text(someone, text, { messageId }));
      return { messageId, text: textOf(seen) };
    }
    async function trailOf(messageId: string) {
      const row = await opened.store.turnRecords.read(messageId);
      return { row, body: row?.body == null ? null : decodeTurnBody(row.body) };
    }
    async function consent(): Promise<void> {
      await product.press(someone, buttonIn(await product.say(someone, WISH), '同意記住'));
    }
    async function withModel<T>(routed: Routed, use: (by: Product, model: ReturnType<typeof modelOf>) => Promise<T>) {
      const model = modelOf(routed);
      const by = await startProduct(opened.store, {
        router: model,
        clock: product.clock,
        parts: { modelCallsPerDay: 3 },
      });
      try {
        return await use(by, model);
      } finally {
        await by.stop();
      }
    }

    it('a search leaves one row: request, origin, revision, and of a condition out of memory no more than these', async () => {
      await consent();
      const { messageId } = await say(QUESTION);
      const { row, body } = await trailOf(messageId);
      expect(row).toMatchObject({ usedRevision: 1, ledgerId: product.ledgerOf(someone).ledgerId });
      expect(body).toMatchObject({
        router: 'rules',
        revision: 1,
        request: { text: QUESTION },
        ran: [
          {
            tool: 'search_local_places',
            origin: 'consented_memory',
            effective: { area: '花壇鄉', keyword: '' },
            resultIds: [],
          },
        ],
      });
    });

    it('a search with a condition said now leaves that condition and the ids of its results', async () => {
      const { messageId } = await say('花壇有什麼素食店？');
      const [ran] = (await trailOf(messageId)).body?.ran ?? [];
      expect(ran).toMatchObject({ origin: 'this_turn', effective: { dietary_type: 'vegetarian' } });
      expect(ran?.resultIds.length).toBeGreaterThan(0);
    });

    it('after a correction no row holds the value that was in force before', async () => {
      const offered = await say('以後都找全素，幫我記住');
      const { seen } = await product.deliver(product.bodies.text(someone, '以後都找全素，幫我記住'));
      await product.press(someone, buttonIn(seen, '同意記住'));
      const searched = await say(QUESTION);
      const changed = await product.deliver(product.bodies.text(someone, '改成蛋奶素'));
      await product.press(someone, buttonIn(changed.seen, '同意記住'));
      const after = await say(QUESTION);
      for (const { messageId } of [offered, searched, after]) {
        const { row } = await trailOf(messageId);
        expect(row?.body).not.toBeNull();
        expect(Buffer.from(row?.body ?? []).toString()).not.toMatch(/vegan|ovo_lacto|全素|蛋奶素/);
      }
    });

    it('its log line carries turn id, tool, origin, revision and outcome, and nothing else', async () => {
      await consent();
      const { messageId } = await say(QUESTION);
      expect(product.logged.at(-1)).toEqual({
        turnId: messageId,
        tools: ['search_local_places'],
        origin: 'consented_memory',
        statuses: ['places'],
        outcome: 'replied',
        revision: 1,
      });
    });

    it('a wish to remember leaves ids and names, and no readable word before consent', async () => {
      const { messageId } = await say(WISH);
      const { row, body } = await trailOf(messageId);
      expect(body).toMatchObject({
        withheld: 'memory_wish',
        ran: [{ tool: 'propose_dietary_memory', arguments: null }],
      });
      expect(Buffer.from(row?.body ?? []).toString()).not.toMatch(/蔬食|vegetarian|記住/);
    });

    it('a forget empties every row of the person; the ids still join', async () => {
      await consent();
      const { messageId } = await say(QUESTION);
      await product.say(someone, '忘記我的飲食偏好');
      expect(await trailOf(messageId)).toMatchObject({ body: null, row: { turnId: messageId, usedRevision: 1 } });
    });

    it('so does a forget of somebody for whom nothing was ever in force', async () => {
      const { messageId } = await say(QUESTION);
      expect((await trailOf(messageId)).body).not.toBeNull();
      await product.say(someone, '忘記全部');
      expect((await trailOf(messageId)).row).toMatchObject({ turnId: messageId, body: null });
    });

    it('unsending a message empties its row and no other', async () => {
      const first = await say(QUESTION);
      const second = await say(QUESTION);
      await product.deliver(product.bodies.unsend(someone, first.messageId));
      expect((await trailOf(first.messageId)).body).toBeNull();
      expect((await trailOf(second.messageId)).body).not.toBeNull();
    });

    it('a store that keeps no trail and no context breaks no answer, and it is counted', async () => {
      const down = () => Promise.reject(new Error('down'));
      const store = {
        ...opened.store,
        turnRecords: { ...opened.store.turnRecords, record: down },
        contexts: { ...opened.store.contexts, read: down, put: down },
      };
      const by = await startProduct(store, { clock: product.clock });
      expect((await say(QUESTION, by)).text).toContain('和米素食');
      const metrics = await (await fetch(`${by.url}/metrics`)).text();
      expect(metrics).toMatch(/trail_failed"\} 1/);
      expect(metrics).toMatch(/context_failed"\} 1/);
      await by.stop();
    });

    it('「那二林呢」 goes on with events after events, and with places after places', async () => {
      const plain = await say('那二林呢');
      await say('花壇有什麼活動？');
      const events = await say('那二林呢');
      expect(events.text).not.toBe(plain.text);
      expect((await trailOf(events.messageId)).body?.ran).toMatchObject([
        { tool: 'search_local_events', arguments: { area: '二林鎮' } },
      ]);
      await say(QUESTION);
      const places = await say('那彰化市呢？');
      expect((await trailOf(places.messageId)).body?.ran).toMatchObject([
        { tool: 'search_local_places', arguments: { area: '彰化市' } },
      ]);
    });

    it('「那全素的呢？」 keeps the township; an area said now beats it', async () => {
      await say(QUESTION);
      expect((await say('那全素的呢？')).text).toContain('花壇鄉');
      expect((await say('那二林全素的呢？')).text).toContain('二林鎮');
    });

    it('900 s later there is nothing to go on from', async () => {
      await say('花壇有什麼活動？');
      product.clock.now += 900_000;
      const { messageId } = await say('那二林呢');
      expect((await trailOf(messageId)).body).toMatchObject({ request: { context: null } });
    });

    it.each([
      ['agreeing', consent],
      ['forgetting', () => product.say(someone, '忘記我的飲食偏好')],
    ])('%s empties what was carried over', async (_title, change) => {
      await say('花壇有什麼活動？');
      await change();
      const { messageId } = await say('那二林呢');
      expect((await trailOf(messageId)).body).toMatchObject({
        request: { context: null },
        ran: [{ tool: 'search_local_places' }],
      });
    });

    it('a model is told topic and township of the turns before, and nothing that was remembered or typed', async () => {
      await consent();
      await withModel(call(search), async (by, model) => {
        await say('花壇有推薦吃的嗎？', by);
        await say('那邊呢', by);
        expect(model.asked.at(-1)).toContain(
          '"context":{"goal":{"topic":"places","area":"花壇鄉"},"turns":[{"topic":"places","area":"花壇鄉"}]}',
        );
        expect(model.asked.at(-1)).not.toMatch(/推薦|vegetarian|蔬食|revision/);
      });
    });

    it('model calls are counted per person and day, failures too; menu and fixed entries go on', async () => {
      await withModel({ outcome: 'unavailable' }, async (by, model) => {
        for (let asked = 0; asked < 3; asked += 1) await say(QUESTION, by);
        expect((await say(QUESTION, by)).text).toContain('今天的自由提問次數用完了');
        expect(model.asked).toHaveLength(3);
        expect((await say('功能', by)).text).toContain('build-of-the-test');
        expect((await say('我的偏好', by)).text).toMatch(/偏好/);
        expect((await say('忘記我的飲食偏好', by)).text).not.toBe('');
        expect((await say(QUESTION, by)).text).toContain('用完了');
        by.clock.now += 86_400_000;
        await say(QUESTION, by);
        expect(model.asked).toHaveLength(4);
      });
    });

    it('instances share one count, and rules never count', async () => {
      await withModel(call(search), (one) =>
        withModel(call(search), async (other, model) => {
          for (const by of [one, other, one]) expect((await say(QUESTION, by)).text).toContain('和米素食');
          expect((await say(QUESTION, other)).text).toContain('用完了');
          expect(model.asked).toHaveLength(1);
          expect((await say(QUESTION)).text).toContain('和米素食');
        }),
      );
    });

    it('a half a model dropped is named: the wish to remember', async () => {
      await withModel(call(search), async (by) => {
        const { text } = await say(`花壇有推薦吃的嗎？${WISH}`, by);
        expect(text).toContain('和米素食');
        expect(text).toContain('要記住的部分，請再說一次');
        expect((await by.history(someone)).types).toEqual([]);
      });
    });

    it('a half a model dropped is named: the search', async () => {
      await withModel(call(remember), async (by) => {
        const { text } = await say(`花壇有推薦吃的嗎？${WISH}`, by);
        expect(text).toContain('同意記住');
        expect(text).toContain('查詢的部分，請再說一次');
      });
    });

    it('a turn of a model keeps its attempt with call id, usage and times', async () => {
      await withModel(call(search), async (by) => {
        const { messageId } = await say(QUESTION, by);
        expect((await trailOf(messageId)).body).toMatchObject({
          router: 'gemini',
          costMicroUsd: null,
          attempts: [{ from: 1, to: 2, totalTokens: 12, proposed: [{ functionCallId: 'call-1' }] }],
        });
      });
    });
  });
}
