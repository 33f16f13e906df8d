/**
 * What is told about remembering is true whatever stands in the ledger, over the whole product and a real SQLite file.
 * @module
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newFolder, openIn } from '../adapters/sqlite/store-files.ts';
import { buttonIn, type Product, START, startProduct, textOf } from '../support/product.ts';

const WISH = '以後優先找蔬食，幫我記住';
const NOTHING_IN_FORCE = '目前沒有記住任何飲食條件';
const IN_FORCE = '目前記住的條件：蔬食';

describe('an answer about remembering is true', () => {
  const folder = newFolder();
  const clock = { now: START };
  let store: Awaited<ReturnType<typeof openIn>>;
  let product: Product;
  let people = 0;
  let someone: string;
  beforeAll(async () => {
    store = await openIn(folder);
    product = await startProduct(store, { clock });
  });
  afterAll(async () => {
    await product.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    people += 1;
    someone = `U${String(people).padStart(32, '0')}`;
  });

  const say = async (text: string): Promise<string> => textOf(await product.say(someone, text));
  async function agree(): Promise<void> {
    await product.press(someone, buttonIn(await product.say(someone, WISH), '同意記住'));
  }

  it('when another diet that no list has is to be remembered while one is', async () => {
    await agree();
    const told = await say('幫我記住蛋素');
    expect(told).toContain(IN_FORCE);
    expect(told).toContain('新的條件還沒有儲存');
    expect(told).not.toContain('現在還沒有儲存');
  });

  it('when only an expired card is there to be forgotten', async () => {
    await product.say(someone, WISH);
    clock.now += 600_000;
    const told = await say('忘記我的飲食偏好');
    expect(told).toContain(NOTHING_IN_FORCE);
    expect(told).toContain('卡片已經關閉');
    expect(told).not.toContain('已忘記');
    expect((await product.history(someone)).types).toStrictEqual(['preference.proposed', 'preference.forgotten']);
  });

  it('when the same is said again: a card is called cancelled only if one was', async () => {
    await agree();
    expect(await say(WISH)).not.toContain('取消');
    await product.say(someone, '改成全素');
    expect(await say(WISH)).toContain('也一併取消了');
  });

  it.each(['不用幫我記住', '請記得，我不要你存這個'])('after %s', async (refusal) => {
    const before = await say(refusal);
    expect(before).toContain('沒有記住任何新的條件');
    expect(before).toContain(NOTHING_IN_FORCE);
    await agree();
    expect(await say(refusal)).toContain(IN_FORCE);
    expect((await product.history(someone)).value).toBe('vegetarian');
  });

  it.each(['幫我忘記我的飲食偏好', '忘記我', '我要忘記'])(
    '%s leads to a card that forgets when tapped',
    async (wish) => {
      await agree();
      const card = buttonIn(await product.say(someone, wish), '確認忘記');
      expect((await product.history(someone)).value).toBe('vegetarian');
      expect(textOf(await product.press(someone, card))).toContain('已忘記你的飲食偏好');
      expect((await product.history(someone)).value).toBeNull();
    },
  );

  it.each(['撤回同意', '撤回我的同意', '我要撤回同意'])('%s forgets at once', async (withdrawal) => {
    await agree();
    expect(await say(withdrawal)).toContain('已忘記你的飲食偏好');
    expect((await product.history(someone)).value).toBeNull();
  });

  it('a token padded with a space is refused as a card, and nothing is saved', async () => {
    const approve = buttonIn(await product.say(someone, WISH), '同意記住');
    expect(textOf(await product.press(someone, `${approve} `))).toContain('這張卡不能使用');
    expect((await product.history(someone)).value).toBeNull();
    expect(textOf(await product.press(someone, approve))).toContain('已記住');
  });

  it('a location in Tokyo gets no list of places, but the townships', async () => {
    const { seen } = await product.deliver(product.bodies.location(someone, 35.681, 139.767));
    expect(textOf(seen)).toContain('不在彰化縣');
    expect(textOf(seen)).not.toContain('公里（');
    expect(buttonIn(seen, '花壇鄉')).toMatch(/^places:/);
  });
});
