import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import areasFile from '../../../data/areas.json' with { type: 'json' };
import { createRuleRouter } from '../../../src/adapters/assistant/rule-router.ts';
import { dietOf } from '../../../src/adapters/catalog/diets.ts';
import { type Routed, ToolCall, UNANSWERED } from '../../../src/commands/tools.ts';

const facts = { catalogVersion: 'test-v1', areas: areasFile.areas.map((area) => area.name) };
const router = createRuleRouter({ dietOf, today: () => '2026-09-28' });
const SEED = 990_099;
const LENGTH_MAX = 1_200;

const QUESTIONS: readonly string[] = [
  'which_diet_to_remember',
  'this_time_or_always',
  'one_thing_at_a_time',
  'whose_diet',
  'what_to_do',
  'not_remembered',
];

function checkClosed(routed: Routed): void {
  switch (routed.outcome) {
    case 'call':
      expect(routed.calls.length).toBeGreaterThanOrEqual(1);
      expect(routed.calls.length).toBeLessThanOrEqual(2);
      // Equal after parsing: complete, trimmed, within the bounds, with no argument beyond the schema's.
      for (const call of routed.calls) expect(v.parse(ToolCall, call)).toStrictEqual(call);
      break;
    case 'unsupported':
      expect(routed.unanswered.length).toBeGreaterThanOrEqual(1);
      break;
    case 'clarify':
      expect(QUESTIONS).toContain(routed.question);
      break;
    default:
      expect.unreachable(`rules are never ${routed.outcome}`);
  }
  if ('unanswered' in routed) {
    expect(routed.unanswered).toStrictEqual(UNANSWERED.filter((part) => routed.unanswered.includes(part)));
  }
}

function filled(piece: string): string {
  return piece.repeat(Math.ceil(LENGTH_MAX / piece.length)).slice(0, LENGTH_MAX);
}

const SHAPES: readonly (readonly [string, string])[] = [
  ['hair components before a space', `${'\u{1f9b0}'.repeat(40)} `],
  ['hair components to the full length', filled('\u{1f9b0}')],
  ['one letter', filled('a')],
  ['digits', filled('1')],
  ['dates that never end', filled('2026-1-')],
  ['slashes', filled('1/')],
  ['opening quotation marks', filled('「')],
  ['nested quotation marks', filled('「『“"')],
  ['pairs of quotation marks', filled('「記」')],
  ['spaces between characters', filled('不 ')],
  ['refusals', filled('不要')],
  ['refusals and savings', filled('不要記')],
  ['savings', filled('幫我記住')],
  ['forgettings', filled('忘記')],
  ['diets', filled('不吃全素')],
  ['no limits', filled('不限')],
  ['half a diet word', filled('蛋奶')],
  ['townships', filled('花壇鄉大村和美')],
  ['the county', filled('彰化縣')],
  ['questions', filled('有沒有嗎？')],
  ['speakers', filled('我媽說他')],
  ['line breaks', filled('\r\n')],
  ['control characters', filled('\u0000\u0007\u001b')],
  ['directions and joiners', filled('\u202e\u200d\ufeff')],
  ['lone surrogates', filled('\ud83d')],
  ['a character that normalises to eighteen', filled('\ufdfa')],
  ['combining marks', `a${'\u0301'.repeat(LENGTH_MAX - 1)}`],
  ['full width', filled('Ａ，１／')],
  ['open braces', filled('{')],
];

describe('hostile text', () => {
  it.each(SHAPES)('%s ends in a closed outcome', async (_title, text) => {
    checkClosed(await router.route(text, facts));
  });

  it('is not read beyond its longest length', async () => {
    const asked: string[] = [];
    const counting = createRuleRouter({
      dietOf(word) {
        asked.push(word);
        return dietOf(word);
      },
    });
    const text = filled('全素');
    await expect(counting.route(`${text}。`, facts)).resolves.toStrictEqual({
      outcome: 'clarify',
      question: 'what_to_do',
    });
    expect(asked).toStrictEqual([]);
  });

  it(`looks up at most seven words for each character, each once (seed ${SEED})`, async () => {
    const characters = fc.string({
      unit: fc.integer({ min: 0x4e00, max: 0x9fa5 }).map((point) => String.fromCodePoint(point)),
      minLength: LENGTH_MAX,
      maxLength: LENGTH_MAX,
    });
    await fc.assert(
      fc.asyncProperty(characters, fc.constantFrom('幫我記住', '以後', '改成', '忘記', '花壇'), async (text, words) => {
        const asked: string[] = [];
        const counting = createRuleRouter({
          dietOf(word) {
            asked.push(word);
            return dietOf(word);
          },
        });
        await counting.route((words + text).slice(0, LENGTH_MAX), facts);
        expect(asked.length).toBeGreaterThan(LENGTH_MAX);
        expect(asked.length).toBeLessThanOrEqual(7 * LENGTH_MAX);
        expect(new Set(asked).size).toBe(asked.length);
      }),
      { seed: SEED, numRuns: 10 },
    );
  });

  it(`never throws and always gives valid calls: any text (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
        checkClosed(await router.route(text, facts));
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it(`never throws and always gives valid calls: the words it knows, in any order (seed ${SEED})`, async () => {
    const piece = fc.constantFrom(
      ...'花壇 大村鄉 彰化縣 附近 台北 集合點 全素 素食 蛋奶素 鍋邊素 吃素 不限 不 不要 別 再 幫我記住 記得 以後 優先找 今天 如果 我媽說 改成 換成 忘記 刪掉 偏好 有什麼 店 在哪 嗎 ？ ， 「 」 活動 走讀 6月1日 2030-06-01 現在有開 輪椅 停車 預約 和米素食 爌肉飯 我 你 的 a 1 臺 帮 记'.split(
        ' ',
      ),
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (typed) => {
        checkClosed(await router.route(typed, facts));
      }),
      { seed: SEED, numRuns: 1_500 },
    );
  });
});
