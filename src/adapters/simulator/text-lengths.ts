/**
 * How LINE counts characters: UTF-16 units in general, grapheme clusters for what a person reads on a button.
 * @module
 */
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

export type Counting = 'utf16' | 'graphemes';

/** The length of a text, counted as LINE counts it for that property. */
export function lengthOf(text: string, counting: Counting): number {
  return counting === 'utf16' ? text.length : [...graphemes.segment(text)].length;
}
