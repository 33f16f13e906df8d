/**
 * The registry of what may be remembered for which use, with the exact words shown when it was agreed to.
 * @module
 */
import * as v from 'valibot';
import dietForPlaceSearch from '../../data/purposes/diet_for_place_search.json' with { type: 'json' };

const Purpose = v.strictObject({
  purpose: v.pipe(v.string(), v.regex(/^[a-z_]{1,60}$/)),
  correctedValue: v.picklist(['erase_at_once', 'keep_until_forgotten']),
  values: v.array(
    v.strictObject({
      value: v.pipe(v.string(), v.regex(/^[a-z_]{1,40}$/)),
      cardCode: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(255)),
      label: v.strictObject({ 'zh-TW': v.string() }),
    }),
  ),
  notices: v.array(v.strictObject({ version: v.string(), language: v.picklist(['zh-TW']), text: v.string() })),
});
/** One purpose: its values (ASCII codes with a label per language) and its notices by version, newest last. */
export type Purpose = v.InferOutput<typeof Purpose>;

/** The diet a person wants used when LOCAL looks for places. */
export const DIET_FOR_PLACE_SEARCH: Purpose = v.parse(Purpose, dietForPlaceSearch);

/** All purposes by key. */
export const PURPOSES: ReadonlyMap<string, Purpose> = new Map([[DIET_FOR_PLACE_SEARCH.purpose, DIET_FOR_PLACE_SEARCH]]);

/** The notice now shown for a purpose: the newest. */
export function currentNotice(purpose: Purpose): Purpose['notices'][number] {
  const notice = purpose.notices.at(-1);
  if (notice === undefined) throw new Error(`Purpose ${purpose.purpose} has no notice`);
  return notice;
}

/** The label of a value in Chinese, or undefined when the purpose does not know the value. */
export function labelOf(purpose: Purpose, value: string): string | undefined {
  return purpose.values.find((known) => known.value === value)?.label['zh-TW'];
}
