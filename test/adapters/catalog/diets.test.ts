import { describe, expect, it } from 'vitest';
import { dietaryReason, dietOf, type RecordedDiet, suitability } from '../../../src/adapters/catalog/diets.ts';
import type { Diet } from '../../../src/commands/catalog.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../src/events/purposes.ts';

describe('diet words', () => {
  it.each<[string, Diet]>([
    ['蔬食', 'vegetarian'],
    ['素食', 'vegetarian'],
    ['素', 'vegetarian'],
    ['吃素', 'vegetarian'],
    ['全素', 'vegan'],
    ['純素', 'vegan'],
    ['Vegan', 'vegan'],
    ['ｖｅｇａｎ', 'vegan'],
    ['蛋奶素', 'ovo_lacto'],
    ['奶素', 'lacto'],
    ['五辛素', 'allium'],
    ['蔬食友善', 'friendly'],
    [' 不限 ', 'any'],
    ['都可以', 'any'],
    ['any', 'any'],
  ])('%s is %s', (word, diet) => {
    expect(dietOf(word)).toBe(diet);
  });

  it.each(DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value))(
    '%s, a value that can be remembered, is itself',
    (value) => {
      expect(dietOf(value)).toBe(value);
    },
  );

  it.each(['', ' 　', '蛋素', '鍋邊素', '方便素', '葷食', 'limited', 'constructor', '素食餐廳', '全素。'])(
    '%j is none of ours',
    (word) => {
      expect(dietOf(word)).toBeNull();
    },
  );
});

describe('whom a place serves', () => {
  // Rows: the only recorded option. Columns: the wish. y: yes, ?: undecided, -: no.
  const wishes: Diet[] = ['any', 'vegetarian', 'ovo_lacto', 'lacto', 'vegan', 'allium', 'friendly'];
  it.each<[RecordedDiet | 'nothing', string]>([
    ['vegan', 'yyyyyy?'],
    ['lacto', 'yyyy-??'],
    ['ovo_lacto', 'yyy--??'],
    ['vegetarian', 'yy?????'],
    ['allium', 'y?---y?'],
    ['friendly', 'y?????y'],
    ['nothing', 'y??????'],
  ])('%s recorded: %s', (option, expected) => {
    const marks = { yes: 'y', undecided: '?', no: '-' };
    const row = wishes.map((wish) => marks[suitability(wish, option === 'nothing' ? [] : [option]).suits]);
    expect(row.join('')).toBe(expected);
  });

  it('is decided by a recorded subtype beside 蔬食: 蛋奶素 there is no near miss for a vegan', () => {
    expect(suitability('vegan', ['vegetarian', 'ovo_lacto'])).toEqual({ suits: 'no' });
    expect(suitability('vegan', ['vegetarian', 'friendly'])).toEqual({ suits: 'undecided' });
    expect(suitability('lacto', ['vegan', 'lacto'])).toEqual({ suits: 'yes', because: 'lacto' });
  });
});

describe('the reason a place is listed', () => {
  it.each<[Diet, RecordedDiet[], 'some_items' | 'whole_shop' | null, 'official' | 'community', string | null]>([
    ['vegetarian', ['vegetarian'], null, 'official', null],
    ['any', ['vegan'], 'some_items', 'official', null],
    ['vegetarian', ['vegetarian'], null, 'community', '名單只記有蔬食，店裡可能也供應葷食'],
    ['lacto', ['vegan'], null, 'official', '記有全素，吃奶素也適合'],
    ['vegetarian', ['vegan'], 'whole_shop', 'official', '記有全素，吃蔬食也適合'],
    ['lacto', ['vegan'], 'some_items', 'official', '記有全素，吃奶素也適合，但不代表全店都是'],
    ['vegan', ['vegan'], 'some_items', 'official', '店裡有全素品項，不代表全店都是'],
    ['vegan', ['vegetarian'], null, 'official', '只記有蔬食，沒有記是否符合全素，請先向店家確認'],
    ['vegan', [], null, 'official', '沒有飲食種類的紀錄，是否有全素請先向店家確認'],
    ['vegan', ['allium'], null, 'official', null],
  ])('for %s at %j (%s, %s) is %j', (wish, options, scope, evidence, reason) => {
    expect(dietaryReason(wish, { options, scope, evidence }, suitability(wish, options))).toBe(reason);
  });
});
