import { describe, expect, test } from 'vitest';
import { ownHistory, ownWords, standingWords, taipeiTime } from '../../src/projections/own-history.ts';
import { type PreferenceEvent, RefusalReason } from '../../src/events/kinds.ts';
import { agree, chain, change, close, forget, offer, offerId, offerToForget } from '../support/own-histories.ts';

const last = (...bodies: readonly PreferenceEvent[]) => {
  const entry = ownHistory(chain(...bodies)).at(-1);
  if (entry === undefined) throw new Error('No entry');
  return entry;
};
const saved = [offer('a', 'save', 'vegetarian', 0), agree('a', 'vegetarian', 1)] as const;

describe("A person's own history", () => {
  test.each([
    ['an offer to save', [offer('a', 'save', 'vegetarian', 0)], '還沒有儲存'],
    ['an offer to correct', [...saved, offer('b', 'correct', 'vegan', 1)], '還沒有改變'],
    ['an offer to forget', [...saved, offerToForget('b', 1)], '還沒有刪除'],
    ['a consent', saved, '你按了同意，第 1 版開始使用'],
    ['a correction', [...saved, offer('b', 'correct', 'vegan', 1), change('b', 'vegan', 2)], '第 2 版取代了前一版'],
    ['a no', [offer('a', 'save', 'vegetarian', 0), close('a')], '先不要'],
    ['an unsend', [offer('a', 'save', 'vegetarian', 0), close('a', 'unsend')], '收回了訊息'],
    ['a later message', [offer('a', 'save', 'vegetarian', 0), close('a', 'message')], '後來的訊息'],
    ['a forget', [...saved, forget(2, 1)], '條件從這時起不再使用（第 2 版）'],
    ['a forget of an offer', [offer('a', 'save', 'vegetarian', 0), forget(1, null)], '只有等著的卡片'],
  ] as const)('tells %s', (_title, bodies, words) => {
    expect(ownWords(last(...bodies))).toContain(words);
  });

  test('tells each refusal with its reason, each differently', () => {
    const told = RefusalReason.options.map((reason) =>
      ownWords(
        last(...saved, {
          type: 'card.refused',
          data: { proposalId: offerId('x'), reason, presentedRevision: 0, headRevision: 1 },
        }),
      ),
    );
    expect(new Set(told).size).toBe(RefusalReason.options.length);
    for (const words of told) expect(words).toContain('沒有改變任何東西');
  });

  test('says of a value whether it is used, corrected away or forgotten, and when', () => {
    const history = ownHistory(
      chain(...saved, offer('b', 'correct', 'vegan', 1), change('b', 'vegan', 2), forget(3, 2)),
    );
    expect(history.map(standingWords)).toStrictEqual([
      null,
      '內容已刪除（更正，2026-01-05 10:00:40）',
      null,
      '內容已刪除（忘記，2026-01-05 10:00:50）',
      null,
    ]);
    expect(standingWords(last(...saved))).toBe('使用中');
  });

  test('tells time in Taipei', () => {
    expect(taipeiTime(Date.UTC(2026, 11, 31, 16, 0, 1))).toBe('2027-01-01 00:00:01');
  });

  test('holds no value', () => {
    expect(JSON.stringify(ownHistory(chain(...saved)))).not.toMatch(/vegetarian|commitment/);
  });
});
