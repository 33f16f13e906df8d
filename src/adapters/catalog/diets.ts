/**
 * What the words for a diet mean, and whom a place with given recorded options can serve.
 * @module
 */
import type { Diet } from '../../commands/catalog.ts';
import { foldName } from './text-folding.ts';

/** What a source can record about a place; `any` is a wish, never a record. */
export const RECORDED_DIETS = ['vegetarian', 'vegan', 'ovo_lacto', 'lacto', 'allium', 'friendly'] as const;
export type RecordedDiet = (typeof RECORDED_DIETS)[number];

const WORDS: Readonly<Record<Diet, readonly string[]>> = {
  any: ['any', '不限', '都可以', '不拘'],
  vegetarian: ['vegetarian', '蔬食', '素食', '素', '吃素', '吃蔬食'],
  vegan: ['vegan', '全素', '純素', '吃全素', '吃純素', '全素食', '純素食'],
  ovo_lacto: ['ovo_lacto', '蛋奶素', '奶蛋素', '吃蛋奶素', '吃奶蛋素'],
  lacto: ['lacto', '奶素', '吃奶素'],
  allium: ['allium', '五辛素', '植物五辛素', '吃五辛素'],
  friendly: ['friendly', '蔬食友善'],
};

const DIET_BY_WORD = new Map(
  (Object.keys(WORDS) as Diet[]).flatMap((diet) => WORDS[diet].map((word) => [foldName(word), diet] as const)),
);

/**
 * The diet a word stands for. Null for a blank word and for a word that is none of ours: 蛋素, 鍋邊素 and 方便素 are real
 * diets that no source here records, so they are not bent into a neighbour.
 */
export function dietOf(word: string): Diet | null {
  return DIET_BY_WORD.get(foldName(word)) ?? null;
}

/**
 * For each wish: `met` lists the records that satisfy it, `open` those that leave it undecided; what is in neither does
 * not satisfy it. Who eats vegan food only is served by vegan; who also takes milk is served by that too; who also takes
 * eggs by all three; 蔬食 without more by any of them. 五辛素 and 蔬食友善 are other questions (garlic and onion in the
 * food; meat in the same kitchen), so they compare with the others only where it is certain: vegan food suits who eats
 * 五辛素. A record of 五辛素 rules the place out for the strict wishes, as these leave the five pungent plants out.
 */
const SERVES: Readonly<
  Record<RecordedDiet, { readonly met: readonly RecordedDiet[]; readonly open: readonly RecordedDiet[] }>
> = {
  vegan: { met: ['vegan'], open: ['vegetarian', 'friendly'] },
  lacto: { met: ['lacto', 'vegan'], open: ['vegetarian', 'friendly'] },
  ovo_lacto: { met: ['ovo_lacto', 'lacto', 'vegan'], open: ['vegetarian', 'friendly'] },
  vegetarian: { met: ['vegetarian', 'ovo_lacto', 'lacto', 'vegan'], open: ['allium', 'friendly'] },
  allium: { met: ['allium', 'vegan'], open: ['vegetarian', 'ovo_lacto', 'lacto', 'friendly'] },
  friendly: { met: ['friendly'], open: ['vegetarian', 'ovo_lacto', 'lacto', 'vegan', 'allium'] },
};

/** Whether recorded options meet a wish. `undecided`: worth asking the shop, nobody recorded it. */
export type Suitability =
  | { readonly suits: 'yes'; readonly because: RecordedDiet | null }
  | { readonly suits: 'undecided' }
  | { readonly suits: 'no' };

/**
 * Judges by the records alone; a shop's name is no evidence.
 * @returns `yes` with the record that meets the wish (null when the wish is no limit), the wish itself where recorded;
 *   `undecided` when nothing is recorded or every record leaves the wish open; else `no`.
 */
export function suitability(wish: Diet, options: readonly RecordedDiet[]): Suitability {
  if (wish === 'any') return { suits: 'yes', because: null };
  const { met, open } = SERVES[wish];
  const because = met.find((diet) => options.includes(diet));
  if (because !== undefined) return { suits: 'yes', because };
  return { suits: options.every((option) => open.includes(option)) ? 'undecided' : 'no' };
}

/** Short names for reasons; the full labels of what can be remembered are in the purpose registry. */
const SHORT_NAMES: Readonly<Record<RecordedDiet, string>> = {
  vegetarian: '蔬食',
  vegan: '全素',
  ovo_lacto: '蛋奶素',
  lacto: '奶素',
  allium: '五辛素',
  friendly: '蔬食友善',
};

/** What a reason is made from. */
export type DietRecord = {
  readonly options: readonly RecordedDiet[];
  readonly scope: 'some_items' | 'whole_shop' | null;
  readonly evidence: 'official' | 'community';
};

/**
 * Why a place is listed for a wish, in Chinese; null where that is plain.
 * @param suits how the place was judged for this wish.
 */
export function dietaryReason(wish: Diet, place: DietRecord, suits: Suitability): string | null {
  if (wish === 'any' || suits.suits === 'no') return null;
  if (suits.suits === 'undecided') {
    const recorded = place.options.map((option) => SHORT_NAMES[option]).join('、');
    return recorded === ''
      ? `沒有飲食種類的紀錄，是否有${SHORT_NAMES[wish]}請先向店家確認`
      : `只記有${recorded}，沒有記是否符合${SHORT_NAMES[wish]}，請先向店家確認`;
  }
  if (suits.because !== null && suits.because !== wish) {
    const some = place.scope === 'some_items' ? '，但不代表全店都是' : '';
    return `記有${SHORT_NAMES[suits.because]}，吃${SHORT_NAMES[wish]}也適合${some}`;
  }
  if (place.scope === 'some_items') return `店裡有${SHORT_NAMES[wish]}品項，不代表全店都是`;
  return place.evidence === 'community' ? '名單只記有蔬食，店裡可能也供應葷食' : null;
}
