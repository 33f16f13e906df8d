/**
 * Which of the 26 townships a person named, or why that cannot be said.
 * @module
 */
import { CONDITION_LENGTH_MAX, foldName } from './text-folding.ts';

/** The words of areas.json. */
export type AreaWords = {
  /** Words for the whole county. */
  readonly county: readonly string[];
  /** Words for "near here", which name no township. */
  readonly nearby: readonly string[];
  /** Official names with the other names people use, in the order the townships are offered. */
  readonly areas: readonly { readonly name: string; readonly aliases: readonly string[] }[];
};

/** What an area argument means. */
type AreaMeaning =
  | { readonly kind: 'blank' }
  | { readonly kind: 'township'; readonly name: string }
  | { readonly kind: 'county' }
  | { readonly kind: 'nearby' }
  | { readonly kind: 'unknown' };

/** Understands area words; built once from areas.json. */
export type AreaNames = {
  /** Official names in the order they are offered. */
  readonly names: readonly string[];
  /** Blank after trimming is `blank`; a name of another county is `unknown`, never widened to a neighbour. */
  meaningOf(said: string): AreaMeaning;
};

/**
 * @param words validated: no name or alias means two townships.
 * @returns the names, which fold 臺/台, width, spaces, the prefix 彰化縣 (or 彰化) and a trailing 附近.
 */
export function createAreaNames(words: AreaWords): AreaNames {
  const townships = new Map<string, string>();
  for (const area of words.areas) {
    for (const name of [area.name, ...area.aliases]) townships.set(foldName(name), area.name);
  }
  const county = new Set(words.county.map(foldName));
  const nearby = new Set(words.nearby.map(foldName));

  return {
    names: Object.freeze(words.areas.map((area) => area.name)),
    meaningOf(said) {
      if (said.length > CONDITION_LENGTH_MAX) return { kind: 'unknown' };
      const folded = foldName(said);
      if (folded === '') return { kind: 'blank' };
      if (nearby.has(folded) || folded.endsWith('集合點附近')) return { kind: 'nearby' };
      // 「彰化附近」 still names no township.
      const place = folded.replace(/(?:這?附近|一帶|那邊|那裡)$/u, '');
      if (place === '') return { kind: 'nearby' };
      const inCounty = place.replace(/^(?:台灣省?)?彰化縣?/u, '');
      if (inCounty === '' || county.has(place) || county.has(inCounty)) return { kind: 'county' };
      const name = townships.get(place) ?? townships.get(inCounty);
      return name === undefined ? { kind: 'unknown' } : { kind: 'township', name };
    },
  };
}

/** The names that stand for two townships at once, or for a township and for no township; empty when all is well. */
export function ambiguousNames(words: AreaWords): readonly string[] {
  const seen = new Set<string>([...words.county, ...words.nearby].map(foldName));
  const ambiguous: string[] = [];
  for (const name of words.areas.flatMap((area) => [area.name, ...area.aliases])) {
    const folded = foldName(name);
    if (seen.has(folded)) ambiguous.push(name);
    seen.add(folded);
  }
  return ambiguous;
}
