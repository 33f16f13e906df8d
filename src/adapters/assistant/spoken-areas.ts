/**
 * Which townships a message names.
 * @module
 */
import { earliest, folded, hasAny, words } from './spoken-text.ts';

/** One place name as found. `area` is the official township name, 附近, 彰化, or a place outside as it was said. */
export type SpokenArea = { readonly area: string; readonly at: number; readonly length: number };

const NEARBY = words('集合點附近 集合地點附近 活動附近 會場附近 這附近 這裡附近 附近 這邊 周邊');
const OUTSIDE = words(`
  台北 新北 桃園 台中 台南 高雄 基隆 新竹 苗栗 南投 雲林 嘉義 屏東 宜蘭 花蓮 台東 澎湖 金門 馬祖
`);
/** A short township name before one of these is part of another word (和美食, 大城市) or of a street. */
const NOT_AN_AREA_BEFORE: Readonly<Record<string, readonly string[]>> = {
  和美: ['食', '味', '麗', '景', '術'],
  大城: ['市'],
  線西: ['餐'],
  田中: ['央'],
};
const STREET = ['路', '街', '宮', '國小', '國中'];
const NOT_THERE = words('不是 不要 不去 除了 別 不在 不找 不查');

/**
 * The places a folded clause names, first said first. Suffix, 臺 and the county in front may be there or not; the longest name
 * wins. A township that is named to be left out ("not 花壇") is not among them.
 */
export function areasIn(clause: string, townships: readonly string[]): SpokenArea[] {
  const found: SpokenArea[] = [];
  for (let at = 0; at < clause.length; ) {
    const area = areaAt(clause, at, townships);
    if (area === null) {
      at += 1;
      continue;
    }
    const county = clause.startsWith('縣', at - 1) ? at - 3 : at - 2;
    const before = clause.slice(0, clause.slice(Math.max(county, 0), at).startsWith('彰化') ? Math.max(county, 0) : at);
    if (!NOT_THERE.some((word) => before.endsWith(word))) found.push(area);
    at += area.length;
  }
  return found;
}

function areaAt(clause: string, at: number, townships: readonly string[]): SpokenArea | null {
  for (const township of townships) {
    const full = folded(township);
    if (clause.startsWith(full, at)) return { area: township, at, length: full.length };
  }
  if (clause.startsWith('彰化市區', at)) return { area: '彰化市', at, length: 4 };
  for (const township of townships) {
    const short = folded(township).slice(0, -1);
    // 彰化 alone may be the county: it needs a township.
    if (short === '彰化' || short.length < 2 || !clause.startsWith(short, at)) continue;
    const after = clause.slice(at + short.length);
    const excluded = [...STREET, ...(NOT_AN_AREA_BEFORE[short] ?? [])];
    if (!excluded.some((word) => after.startsWith(word))) return { area: township, at, length: short.length };
  }
  const nearby = NEARBY.find((word) => clause.startsWith(word, at));
  if (nearby !== undefined) return { area: '附近', at, length: nearby.length };
  const outside = OUTSIDE.find((word) => clause.startsWith(word, at));
  if (outside !== undefined) {
    const suffix = hasAny(clause.charAt(at + 2), ['市', '縣']) ? 1 : 0;
    return { area: clause.slice(at, at + 2 + suffix), at, length: 2 + suffix };
  }
  if (!clause.startsWith('彰化', at)) return null;
  return { area: '彰化', at, length: clause.startsWith('彰化縣', at) ? 3 : 2 };
}

/** The one area of a message: '' when none, null when two townships are named and one search cannot serve both. */
export function oneArea(found: readonly SpokenArea[], text: string): string | null {
  // A meeting point has no coordinates, so a township beside it does not answer "near".
  if (earliest(text, ['集合點附近', '集合地點附近', '活動附近', '會場附近']) !== null) return '附近';
  const named = new Set(found.map((area) => area.area));
  const precise = [...named].filter((area) => area !== '附近' && area !== '彰化');
  if (precise.length > 1) return null;
  return precise[0] ?? (named.has('附近') ? '附近' : (found[0]?.area ?? ''));
}
