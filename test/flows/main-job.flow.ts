/**
 * The main job, end to end, as a suite any store must pass: remembered only with consent.
 * @module
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/app.ts';
import { buttonIn, newId, type Product, startProduct, textOf } from '../support/product.ts';

const WISH = '以後優先找蔬食，幫我記住';
const QUESTION = '花壇有推薦吃的嗎？';

/** Runs the suite over a store; each test has people of its own. */
export function mainJobSuite(name: string, open: () => Promise<{ store: Store; close: () => Promise<void> }>): void {
  describe(`${name}: the main job`, () => {
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

    /** Says the wish and returns the data of 同意記住. */
    async function card(text = WISH): Promise<string> {
      return buttonIn(await product.say(someone, text), '同意記住');
    }
    async function consent(): Promise<string> {
      const approve = await card();
      await product.press(someone, approve);
      return approve;
    }

    it('a wish brings one card and stores no value; the tap saves it at revision 1', async () => {
      const offered = await product.say(someone, WISH);
      expect(offered.filter(({ buttons }) => buttons.some(({ label }) => label === '同意記住'))).toHaveLength(1);
      expect(await product.history(someone)).toMatchObject({
        types: ['preference.proposed'],
        revision: 0,
        value: null,
      });
      const saved = await product.press(someone, buttonIn(offered, '同意記住'));
      expect(textOf(saved)).toContain('蔬食');
      expect(await product.history(someone)).toMatchObject({
        types: ['preference.proposed', 'preference.approved'],
        revision: 1,
        value: 'vegetarian',
      });
      expect(await product.verified(someone)).toBeNull();
    });

    it('the card says whose condition is kept, and not whose it is not', async () => {
      const text = textOf(await product.say(someone, '長輩吃素，以後優先找蔬食，幫我記住'));
      expect(text).toMatch(/帳號/);
      expect(text).toMatch(/不記長輩的姓名、年齡或健康/);
      expect(text).toMatch(/還沒|尚未/);
    });

    it('a new chat that says nothing of diet uses what was agreed to, and says so', async () => {
      await consent();
      const text = textOf(await product.say(someone, QUESTION));
      expect(text).toContain('和米素食');
      expect(text).toMatch(/依你同意記住的.*蔬食/);
    });

    it('a correction keeps the old value until the tap', async () => {
      await consent();
      const offered = await product.say(someone, '改成蛋奶素');
      expect(await product.history(someone)).toMatchObject({ revision: 1, value: 'vegetarian' });
      await product.press(someone, buttonIn(offered, '同意記住'));
      expect(await product.history(someone)).toMatchObject({ revision: 2, value: 'ovo_lacto' });
    });

    it('這次不限 wins for this turn and leaves memory untouched', async () => {
      await consent();
      const before = await product.history(someone);
      const text = textOf(await product.say(someone, '這次不限，花壇有推薦吃的嗎？'));
      expect(text).toMatch(/這次的條件.*不限/);
      expect(await product.history(someone)).toEqual(before);
    });

    it('forget takes effect at once; no condition is used afterwards; older cards name the true cause', async () => {
      const first = await consent();
      const second = buttonIn(await product.say(someone, '改成全素'), '同意記住');
      await product.press(someone, second);
      const open = await card('改成奶素');
      const forgotten = textOf(await product.say(someone, '忘記我的飲食偏好'));
      expect(forgotten).toMatch(/備份/);
      expect(await product.history(someone)).toMatchObject({ revision: 3, value: null });
      expect(textOf(await product.say(someone, QUESTION))).not.toMatch(/依你同意記住/);
      for (const [data, cause] of [
        [first, 'corrected'],
        [second, 'forgotten'],
        [open, 'forgotten'],
      ] as const) {
        await product.press(someone, data);
        const { events, revision, value } = await product.history(someone);
        expect(events.at(-1)?.event).toMatchObject({ type: 'card.refused', data: { reason: cause } });
        expect([revision, value]).toEqual([3, null]);
      }
      expect(await product.verified(someone)).toBeNull();
    });

    it('at 299 s the tap saves, at 300 s the card is expired', async () => {
      const late = await card();
      product.clock.now += 300_000;
      expect(textOf(await product.press(someone, late))).toMatch(/過期|有效時間|逾時/);
      expect(await product.history(someone)).toMatchObject({ revision: 0, value: null });
      const inTime = await card();
      product.clock.now += 299_000;
      await product.press(someone, inTime);
      expect(await product.history(someone)).toMatchObject({ revision: 1, value: 'vegetarian' });
    });

    it("another person's tap, a changed byte and a padded token touch no ledger", async () => {
      const approve = await card();
      const other = `U${'f'.repeat(32)}`;
      const before = await product.history(someone);
      const middle = approve.length - 60;
      const changed = `${approve.slice(0, middle)}${approve[middle] === 'A' ? 'B' : 'A'}${approve.slice(middle + 1)}`;
      await product.press(other, approve);
      await product.press(someone, changed);
      await product.press(someone, `${approve}=`);
      expect(await product.history(someone)).toEqual(before);
      expect((await product.history(other)).types).toEqual([]);
      const metrics = await (await fetch(`${product.url}/metrics`)).text();
      expect(metrics).toMatch(/card_invalid_memory_card"\} [3-9]/);
    });

    it('the same tap twice is one event and an answer that says so; a redelivery is silent', async () => {
      const approve = await card();
      const body = product.bodies.postback(someone, approve);
      await product.deliver(body);
      const again = await product.deliver(body);
      expect(again).toEqual({ status: 200, seen: [] });
      expect(textOf(await product.press(someone, approve))).toMatch(/已經/);
      expect((await product.history(someone)).types).toEqual(['preference.proposed', 'preference.approved']);
    });

    it('two taps at the same moment are one event (C40)', async () => {
      const approve = await card();
      await Promise.all([product.press(someone, approve), product.press(someone, approve)]);
      expect((await product.history(someone)).types).toEqual(['preference.proposed', 'preference.approved']);
    });

    it('a typed 好 or the pasted text of a card approves nothing', async () => {
      const offered = await product.say(someone, WISH);
      const before = await product.history(someone);
      for (const typed of [
        '好',
        '好啊',
        '確認',
        '同意記住',
        textOf(offered).slice(0, 300),
        buttonIn(offered, '同意記住'),
      ]) {
        await product.say(someone, typed);
      }
      const after = await product.history(someone);
      expect(after.types).not.toContain('preference.approved');
      expect(after.value).toBe(before.value);
    });

    it('the newest of two quick wishes wins; the older card was replaced (C21)', async () => {
      const older = await card();
      const newer = await card('等等，改成蛋奶素');
      await product.press(someone, older);
      expect((await product.history(someone)).events.at(-1)?.event).toMatchObject({ data: { reason: 'superseded' } });
      await product.press(someone, newer);
      expect(await product.history(someone)).toMatchObject({ revision: 1, value: 'ovo_lacto' });
    });

    it('先不要 closes the card; 同意 on it is then refused as cancelled (D02)', async () => {
      const offered = await product.say(someone, WISH);
      await product.press(someone, buttonIn(offered, '先不要'));
      await product.press(someone, buttonIn(offered, '同意記住'));
      const { types, value, events } = await product.history(someone);
      expect(types).toEqual(['preference.proposed', 'preference.cancelled', 'card.refused']);
      expect(events.at(-1)?.event).toMatchObject({ data: { reason: 'cancelled' } });
      expect(value).toBeNull();
    });

    it('unsending the wish closes its card; a consent already given is not touched (C23)', async () => {
      const messageId = newId();
      const offered = await product.deliver(product.bodies.text(someone, WISH, { messageId }));
      await product.deliver(product.bodies.unsend(someone, messageId));
      await product.press(someone, buttonIn(offered.seen, '同意記住'));
      expect((await product.history(someone)).types).toEqual([
        'preference.proposed',
        'preference.cancelled',
        'card.refused',
      ]);
      await consent();
      await product.deliver(product.bodies.unsend(someone, messageId));
      expect(await product.history(someone)).toMatchObject({ value: 'vegetarian' });
    });

    it('a redelivered wish while its card is open issues a new card that replaces the first', async () => {
      const body = product.bodies.text(someone, WISH);
      const first = await product.deliver(body);
      const second = await product.deliver(body);
      expect(first.seen).not.toEqual([]);
      expect(second).toEqual({ status: 200, seen: [] });
      expect((await product.history(someone)).types).toEqual(['preference.proposed']);
    });

    it('an empty place list, an unknown town and a missing town are different answers', async () => {
      const unknown = textOf(await product.say(someone, '附近有什麼蔬食店？'));
      expect(unknown).toMatch(/鄉鎮/);
      const missing = textOf(await product.say(someone, '花壇有五辛素的店嗎？'));
      expect(missing).not.toBe(unknown);
    });

    it('a location message ranks places by straight line, says so, and is kept nowhere', async () => {
      const { seen } = await product.deliver(product.bodies.location(someone, 24.0263, 120.5378));
      expect(textOf(seen)).toMatch(/直線/);
      expect((await product.history(someone)).types).toEqual([]);
    });

    it('paging goes on by a button under the same condition', async () => {
      await consent();
      const first = await product.say(someone, '彰化市有推薦吃的嗎？');
      const second = await product.press(someone, buttonIn(first, '看更多'));
      expect(textOf(second)).toMatch(/依你同意記住的/);
      expect(textOf(second)).not.toBe(textOf(first));
    });

    it('功能 shows the build', async () => {
      expect(textOf(await product.say(someone, '功能'))).toContain('build-of-the-test');
      expect(await (await fetch(`${product.url}/`)).text()).toContain('build-of-the-test');
    });

    it('nothing of what was typed, no token and no user id is logged', async () => {
      const approve = await consent();
      const text = JSON.stringify(product.logged);
      expect(product.logged.length).toBeGreaterThan(0);
      expect(text).not.toContain(someone);
      expect(text).not.toContain(approve.slice(-40));
      expect(text).not.toMatch(/蔬食|vegetarian/);
    });
  });
}
