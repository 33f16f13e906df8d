/**
 * From one message to all that came of it, over the whole product and a real SQLite file.
 * @module
 */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTurnArguments } from '../../../src/adapters/audit/arguments.ts';
import { runTurnCommand } from '../../../src/adapters/audit/turn-command.ts';
import type { SqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { buttonIn, newId, type Product, startProduct } from '../../support/product.ts';
import { newFolder, openIn } from '../sqlite/store-files.ts';

const SOMEONE = `U${'5'.repeat(32)}`;
let folder: string;
let store: SqliteStore;
let product: Product;
beforeEach(async () => {
  folder = newFolder();
  store = await openIn(folder);
  product = await startProduct(store);
});
afterEach(async () => {
  await product.stop();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function show(turnId: string) {
  let out: unknown = null;
  const said: string[] = [];
  const code = await runTurnCommand(turnId, {
    reader: store.ledger,
    turns: store.turnRecords,
    out: (json) => {
      out = json;
    },
    say: (line) => said.push(line),
  });
  return { code, out, said };
}

/** Says something under a message id of its own. */
async function say(text: string) {
  const messageId = newId();
  const { seen } = await product.deliver(product.bodies.text(SOMEONE, text, { messageId }));
  return { messageId, seen };
}

/** A wish, the tap that agrees to it, and a search that uses it. */
async function live() {
  const wish = await say('以後優先找蔬食，幫我記住');
  const tapId = newId();
  const data = buttonIn(wish.seen, '同意記住');
  await product.deliver(product.bodies.postback(SOMEONE, data, { webhookEventId: tapId }));
  const search = await say('花壇有推薦吃的嗎？');
  return { wishId: wish.messageId, tapId, searchId: search.messageId, data };
}

describe('npm run ledger -- turn', () => {
  it('joins call, proposal, card, tap, revision and later answers', async () => {
    const { wishId, tapId, searchId } = await live();
    const { code, out } = await show(wishId);
    expect(code).toBe(0);
    expect(out).toMatchObject({
      turn: {
        turnId: wishId,
        row: 'kept',
        call: { router: 'rules', withheld: 'memory_wish', ran: [{ tool: 'propose_dietary_memory' }] },
      },
      ledgerId: product.ledgerOf(SOMEONE).ledgerId,
      events: [{ position: 1, type: 'preference.proposed', turnId: wishId }],
      chains: [
        {
          call: { turnId: wishId },
          proposal: { position: 1, type: 'preference.proposed', turnId: wishId },
          card: { operation: 'save', baseRevision: 0 },
          tap: { position: 2, type: 'preference.approved', turnId: tapId, causationId: tapId },
          refusals: [],
          revision: 1,
          laterAnswers: [{ turnId: searchId }],
        },
      ],
    });
  });

  it('begins at the tap as well, which has a ledger event and no row', async () => {
    const { wishId, tapId } = await live();
    expect((await show(tapId)).out).toMatchObject({
      turn: { turnId: tapId, row: 'none', call: null },
      chains: [{ call: { turnId: wishId, row: 'kept' }, tap: { turnId: tapId }, revision: 1 }],
    });
  });

  it('and at a later answer: which consent it used, and who asked for it', async () => {
    const { wishId, tapId, searchId } = await live();
    const { out } = await show(searchId);
    // The consent is named by its revision; the value it stood for is in no row.
    expect(JSON.stringify(out)).not.toContain('vegetarian');
    expect(out).toMatchObject({
      turn: { row: 'kept', call: { ran: [{ origin: 'consented_memory' }] } },
      usedRevision: 1,
      events: [],
      chains: [{ call: { turnId: wishId }, tap: { turnId: tapId }, revision: 1 }],
    });
  });

  it('after a forget the rows are empty and the ids still join', async () => {
    const { wishId, tapId, searchId } = await live();
    await say('忘記我的飲食偏好');
    const { code, out } = await show(wishId);
    expect(code).toBe(0);
    expect(out).toMatchObject({
      turn: { turnId: wishId, row: 'erased', call: null },
      chains: [
        { proposal: { turnId: wishId }, tap: { turnId: tapId }, revision: 1, laterAnswers: [{ turnId: searchId }] },
      ],
    });
    expect((await show(searchId)).out).toMatchObject({ turn: { row: 'erased' }, usedRevision: 1 });
    expect(JSON.stringify(out)).not.toMatch(/蔬食|vegetarian|花壇/);
  });

  it('after thirty days the row is gone and its events are found all the same', async () => {
    const { wishId, tapId } = await live();
    await store.turnRecords.purge(Number.MAX_SAFE_INTEGER);
    expect(await show(wishId)).toMatchObject({
      code: 0,
      out: { turn: { row: 'none' }, chains: [{ tap: { turnId: tapId }, laterAnswers: [] }] },
    });
  });

  it('shows the refusal of a card that was overtaken', async () => {
    const { wishId, data } = await live();
    await say('忘記我的飲食偏好');
    await product.press(SOMEONE, data);
    expect((await show(wishId)).out).toMatchObject({ chains: [{ refusals: [{ type: 'card.refused' }] }] });
  });

  it('shows what a forget card led to', async () => {
    await live();
    const wish = await say('請幫我把偏好刪掉');
    await product.press(SOMEONE, buttonIn(wish.seen, '確認忘記'));
    expect((await show(wish.messageId)).out).toMatchObject({
      chains: [{ card: { operation: 'forget' }, tap: { type: 'preference.forgotten' }, revision: 2 }],
    });
  });

  it('holds nobody’s user id, no token and no key of a person', async () => {
    const { wishId, data } = await live();
    const text = JSON.stringify((await show(wishId)).out);
    for (const secret of [SOMEONE, data.slice(-40), product.ledgerOf(SOMEONE).subjectKey])
      expect(text).not.toContain(secret);
  });

  it('says that it knows nothing of an unknown turn', async () => {
    expect(await show('unknown')).toMatchObject({ code: 3, out: null });
  });

  const read: readonly (readonly [readonly string[], object])[] = [
    [['m1'], { ok: true, turnId: 'm1', json: false }],
    [['m1', '--json'], { ok: true, turnId: 'm1', json: true }],
    [[], { ok: false }],
    [['m1', 'm2'], { ok: false }],
    [['--user'], { ok: false }],
    [['a b'], { ok: false }],
    [['a'.repeat(101)], { ok: false }],
  ];
  it.each(read)('reads %j', (argv, expected) => {
    expect(readTurnArguments(argv)).toMatchObject(expected);
  });
});
