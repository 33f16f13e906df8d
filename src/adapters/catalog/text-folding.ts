/**
 * Spellings that mean the same: the one folding used for area names, keywords and diet words.
 * @module
 */

/** The longest condition a search looks at, UTF-16 units: the tools take no more, and nothing longer can fit. */
export const CONDITION_LENGTH_MAX = 80;

/** Text for comparing, never for showing: full and half width, letter case and 臺/台 are one. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('臺', '台').trim();
}

/** {@link foldText} without spaces and invisible format characters, for names that people space as they like. */
export function foldName(text: string): string {
  return foldText(text).replace(/[\s\p{Cf}]+/gu, '');
}
