/**
 * Which diets a message names, and whether it names them to have or to leave out.
 * @module
 */
import type { Diet } from '../../commands/catalog.ts';
import { hasAny, masked, words } from './spoken-text.ts';

/** A diet from any word for it, or null; the catalog's own list. */
export type DietOf = (word: string) => Diet | null;

/** One diet word of a clause. `value` is a diet code, or the word itself when no code fits it. */
export type SpokenDiet = {
  readonly value: string;
  readonly known: boolean;
  readonly at: number;
  readonly length: number;
  /** `ambiguous`: two negations; nobody should guess what they make. */
  readonly sense: 'wanted' | 'left_out' | 'ambiguous';
};

const DIET_WORD_LENGTH_MAX = 8;
/** Everyday words for the plain vegetarian diet that are no entry of the catalog. */
const VEGETARIAN_WORDS = words('吃素 茹素 吃齋 素的 素菜 素餐 有素');
const NO_LIMIT_WORDS = ['葷素不拘', '葷素都可', '葷素皆可', '葷的', '葷食', '吃葷'];
/** Conditions LOCAL has no data for. They are kept as said, so that the answer can say so; none is guessed into a known diet. */
const UNKNOWN_WORDS = words(`
  蛋素 奶蛋素 鍋邊素 方便素 魚素 海鮮素 半素 早齋 初一十五 生酮 清真 無麩質 低醣 過敏 不吃五辛 不要五辛 不含五辛
  無五辛 不吃蔥 不要蔥 不吃蒜 不要蒜 不吃肉 不要肉 不吃牛 不吃豬 不吃海鮮 不吃魚 不吃蛋 不吃奶
`);
/** 不限 before one of these limits something else than the diet. */
const OTHER_LIMITS = words('鄉鎮 地區 區域 地點 時間 人數 預算 哪');
/** Says "no limit" only where it speaks of eating; elsewhere it is a plain "any of them will do". */
const ANYTHING_GOES = '都可以';
/** A diet word before one of these is part of an event's name. */
const EVENT_NAMES = ['節', '嘉年華', '市集', '展', '講座'];

/** Words with 不 or 沒 in them that deny nothing. */
const NO_DENIAL = words(`
  有沒有 是不是 要不要 會不會 能不能 可不可以 好不好 想不想 吃不吃 不知道 不曉得 不確定 不好意思 不錯 不然 不過
  不管 不只 不僅 不如 差不多 對不起 不少
`);
const NEGATIONS = ['不', '沒', '別', '非', '勿', '除了'];
/** What may stand between a negation and the diet it denies. */
const BETWEEN = words('想 要 用 是 必 能 再 會 有 在 吃 找 查 限 需 喜歡 愛 只 什麼');
/** So many links are looked through on either side of a diet word. */
const LINKS_MAX = 8;
const LEFT_OUT_AFTER = ['不要', '不用', '不必', '免了', '不行'];
const EXCEPT = ['除外', '以外', '之外'];
const LINK_AFTER = ['的', '店', '就', '都', '先', '也'];

/** The diets a folded clause names, in the order they are said. */
export function dietsIn(clause: string, dietOf: DietOf): SpokenDiet[] {
  const readable = masked(clause, NO_DENIAL);
  const found: SpokenDiet[] = [];
  for (let at = 0; at < clause.length; ) {
    const word = dietAt(clause, at, dietOf);
    if (word === null) {
      at += 1;
      continue;
    }
    found.push({ ...word, at, sense: senseOf(readable, at, word.length) });
    at += word.length;
  }
  return found;
}

function dietAt(clause: string, at: number, dietOf: DietOf): Omit<SpokenDiet, 'at' | 'sense'> | null {
  for (let length = DIET_WORD_LENGTH_MAX; length >= 2; length -= 1) {
    const word = clause.slice(at, at + length);
    if (word.length < length) continue;
    const end = at + length;
    const goesOn = (next: readonly string[]): boolean => next.some((word) => clause.startsWith(word, end));
    if (goesOn(EVENT_NAMES)) continue;
    const known = dietOf(word);
    if (known === 'any' && (goesOn(OTHER_LIMITS) || (word === ANYTHING_GOES && !clause.includes('吃')))) continue;
    // The catalog also takes its own ASCII codes; those are no words a person types in a sentence.
    if (known !== null && !/^[\x20-\x7e]*$/.test(word)) return { value: known, known: true, length };
    if (UNKNOWN_WORDS.includes(word) && !goesOn(['素', '奶'])) {
      return { value: word, known: false, length };
    }
    if (NO_LIMIT_WORDS.includes(word)) return { value: 'any', known: true, length };
    if (VEGETARIAN_WORDS.includes(word) && !goesOn(['食', '養', '質'])) {
      return { value: 'vegetarian', known: true, length };
    }
  }
  return null;
}

function senseOf(clause: string, at: number, length: number): SpokenDiet['sense'] {
  let negations = 0;
  let from = at;
  for (let steps = 0; steps < LINKS_MAX; steps += 1) {
    const before = clause.slice(Math.max(0, from - 2), from);
    const negation = NEGATIONS.find((word) => before.endsWith(word));
    const link = BETWEEN.find((word) => before.endsWith(word));
    if (negation !== undefined) negations += 1;
    else if (link === undefined) break;
    from -= (negation ?? link ?? '').length;
  }
  if (negations > 1) return 'ambiguous';
  if (negations === 1) return 'left_out';
  let after = clause.slice(at + length);
  for (let steps = 0; steps < LINKS_MAX; steps += 1) {
    const link = LINK_AFTER.find((word) => after.startsWith(word));
    if (link === undefined) break;
    after = after.slice(link.length);
  }
  // "Nothing but vegetarian": a refusal before and an exception after.
  if (EXCEPT.some((word) => after.startsWith(word)))
    return hasAny(clause.slice(0, at), NEGATIONS) ? 'ambiguous' : 'left_out';
  return LEFT_OUT_AFTER.some((word) => after.startsWith(word)) ? 'left_out' : 'wanted';
}

/**
 * The one condition a search should have: '' when no diet is named, `any` when one is only left out, the finer word where 素食
 * and a subtype are both said; null when two different diets are wanted or a double negation hides which.
 */
export function oneDiet(found: readonly SpokenDiet[]): string | null {
  if (found.some((diet) => diet.sense === 'ambiguous')) return null;
  const wanted = new Set(found.filter((diet) => diet.sense === 'wanted').map((diet) => diet.value));
  if (wanted.size === 0) return found.length > 0 ? 'any' : '';
  if (wanted.size > 1) wanted.delete('vegetarian');
  return wanted.size === 1 ? ([...wanted][0] ?? null) : null;
}

/** The one diet a card could offer, or null: unknown words, `any`, several and negated ones are asked about instead. */
export function rememberable(found: readonly SpokenDiet[]): string | null {
  if (found.some((diet) => !diet.known || diet.sense === 'ambiguous')) return null;
  const wanted = new Set(found.filter((diet) => diet.sense === 'wanted').map((diet) => diet.value));
  const [only] = wanted;
  return wanted.size === 1 && only !== undefined && only !== 'any' ? only : null;
}
