import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import areasFile from '../../../data/areas.json' with { type: 'json' };
import { createRuleRouter } from '../../../src/adapters/assistant/rule-router.ts';
import { dietOf } from '../../../src/adapters/catalog/diets.ts';
import type { Routed } from '../../../src/commands/tools.ts';

const facts = { catalogVersion: 'test-v1', areas: areasFile.areas.map((area) => area.name) };
const router = createRuleRouter({ dietOf });
const SEED = 20_260_928;

/** Whether a card to remember something would come of it. */
function leadsToSaving(routed: Routed): boolean {
  return (
    routed.outcome === 'call' &&
    routed.calls.some(
      (call) =>
        call.tool === 'propose_dietary_memory' ||
        (call.tool === 'request_memory_management' && call.action === 'update' && call.dietary_type !== ''),
    )
  );
}

const diet = fc.constantFrom('蔬食', '素食', '全素', '純素', '蛋奶素', '奶素', '五辛素', '蔬食友善', '吃素');
const before = fc.constantFrom('', '長輩吃素，', '花壇有什麼店？', '你好，', '我不吃肉，', '等等，');
const request = fc.oneof(
  diet.map((word) => `以後優先找${word}，幫我記住`),
  diet.map((word) => `幫我記住${word}`),
  diet.map((word) => `請記住我的條件是${word}`),
  diet.map((word) => `可以幫我記住${word}嗎？`),
  diet.map((word) => `把${word}設成我的偏好`),
  diet.map((word) => `以後都要${word}，記起來`),
  diet.map((word) => `改成${word}`),
  diet.map((word) => `帮我记住${word}`),
);
const sentence = fc.tuple(before, request).map(([first, second]) => first + second);

describe('a sentence that asks to remember', () => {
  it(`leads to saving as it stands (seed ${SEED}), so that the refusals below are what stops it`, async () => {
    await fc.assert(
      fc.asyncProperty(sentence, async (text) => {
        expect(leadsToSaving(await router.route(text, facts))).toBe(true);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it(`saves nothing once 不用記 stands anywhere in it (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(sentence, fc.nat(), fc.constantFrom('', '，', ' '), async (text, place, mark) => {
        const at = place % (text.length + 1);
        const refused = `${text.slice(0, at)}${mark}不用記${mark}${text.slice(at)}`;
        expect(leadsToSaving(await router.route(refused, facts))).toBe(false);
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });

  it(`saves nothing when a refusal is said before or after it (seed ${SEED})`, async () => {
    const refusal = fc.constantFrom(
      '不要記',
      '別記',
      '不必記',
      '不用幫我記住',
      '不需要記住',
      '請不要存',
      '我不要你存這個',
      '先不要記',
      '只要這次',
      '這次就好',
      '只是今天',
      '不用記住',
      '别记',
      '不用了',
      '算了',
      '不要幫我儲存',
      '以後再說',
      '我不想讓你記',
      '不 要 記',
    );
    await fc.assert(
      fc.asyncProperty(sentence, refusal, fc.boolean(), async (text, words, first) => {
        const refused = first ? `${words}，${text}` : `${text}，${words}`;
        expect(leadsToSaving(await router.route(refused, facts))).toBe(false);
      }),
      { seed: SEED, numRuns: 600 },
    );
  });

  it(`saves nothing when it is somebody's words, or only might be so (seed ${SEED})`, async () => {
    const told = fc.constantFrom(
      (text: string) => `我媽說${text}`,
      (text: string) => `他說「${text}」`,
      (text: string) => `朋友要你${text}`,
      (text: string) => `聽說${text}`,
      (text: string) => `如果好吃，${text}`,
      (text: string) => `也許${text}`,
      (text: string) => `網路上寫著：${text}`,
      (text: string) => `${text}的話會怎樣`,
    );
    await fc.assert(
      fc.asyncProperty(request, told, async (text, tell) => {
        expect(leadsToSaving(await router.route(tell(text), facts))).toBe(false);
      }),
      { seed: SEED, numRuns: 400 },
    );
  });
});
