/**
 * The data of our buttons: one short text per entry, and back.
 *
 * A button lives in the chat as long as the chat does, so a spelling once shown is read for ever or answered with the menu.
 * @module
 */
import * as v from 'valibot';
import type { Entry } from '../../commands/entries.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../events/purposes.ts';

/** The longest data of a postback, UTF-16 units (LINE's limit). */
export const POSTBACK_LENGTH_MAX = 300;

/** Entries without arguments, by their data. */
const WORDS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['menu', { entry: 'menu' }],
  ['welcome', { entry: 'welcome' }],
  ['events', { entry: 'events' }],
  ['retry', { entry: 'retry_guide' }],
  ['request', { entry: 'service_request' }],
  ['unsupported', { entry: 'unsupported_message' }],
  ['memory:inspect', { entry: 'inspect' }],
  ['memory:explain', { entry: 'explain' }],
  ['memory:update', { entry: 'update' }],
  ['memory:records', { entry: 'my_records' }],
  ['memory:receipt', { entry: 'my_receipt' }],
  ['memory:yes', { entry: 'bare_yes' }],
  ['memory:forget', { entry: 'forget', scope: 'purpose' }],
  ['memory:forget-all', { entry: 'forget', scope: 'all' }],
]);

const Page = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(999));
const Argument = v.pipe(
  v.string(),
  v.maxLength(80),
  v.check((text) => text.isWellFormed() && !/\p{Cc}/u.test(text)),
);
const Places = v.strictObject({
  a: Argument,
  d: v.picklist(['', 'any', 'vegetarian', 'vegan', 'ovo_lacto', 'lacto', 'allium', 'friendly']),
  k: Argument,
  n: v.nullable(
    v.strictTuple([
      v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
      v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
    ]),
  ),
  p: Page,
});

/**
 * The data of an entry's button, at most {@link POSTBACK_LENGTH_MAX} units.
 * @throws RangeError when it would be longer, or when {@link decodePostback} would not give the entry back.
 */
export function encodePostback(entry: Entry): string {
  const data = write(entry);
  if (decodePostback(data) === null) throw new RangeError(`No postback for this ${entry.entry} entry`);
  return data;
}

/** Whether {@link encodePostback} has data for the entry. */
export function fitsPostback(entry: Entry): boolean {
  return decodePostback(write(entry)) !== null;
}

/** The entry of a button's data; null for everything that is not exactly what this version writes. Never throws. */
export function decodePostback(data: string): Entry | null {
  if (data.length > POSTBACK_LENGTH_MAX) return null;
  const entry = read(data);
  return entry !== null && write(entry) === data ? entry : null;
}

function write(entry: Entry): string {
  switch (entry.entry) {
    case 'approve':
    case 'cancel':
      return `memory:${entry.entry}:${entry.token}`;
    case 'choose_value':
      return `memory:choose:${entry.value}`;
    case 'choose_area':
      return `areas:${entry.page}`;
    case 'places': {
      const { area, dietary_type, keyword, near, page } = entry;
      const n = near === null ? null : [near.latitude, near.longitude];
      return `places:${JSON.stringify({ a: area, d: dietary_type, k: keyword, n, p: page })}`;
    }
    default:
      return wordOf(entry);
  }
}

function wordOf(entry: Entry): string {
  const scope = entry.entry === 'forget' ? entry.scope : null;
  for (const [word, known] of WORDS) {
    if (known.entry === entry.entry && (known.entry !== 'forget' || known.scope === scope)) return word;
  }
  return '';
}

function read(data: string): Entry | null {
  const word = WORDS.get(data);
  if (word !== undefined) return word;
  const [, name, rest] = /^(memory:approve|memory:cancel|memory:choose|areas|places):(.+)$/su.exec(data) ?? [];
  if (name === undefined || rest === undefined) return null;
  switch (name) {
    case 'memory:approve':
      // Any text: whether it is a card of ours is for openCard to say and to count.
      return { entry: 'approve', token: rest };
    case 'memory:cancel':
      return { entry: 'cancel', token: rest };
    case 'memory:choose':
      return labelOf(DIET_FOR_PLACE_SEARCH, rest) === undefined ? null : { entry: 'choose_value', value: rest };
    case 'areas': {
      const page = Number(rest);
      return v.is(Page, page) ? { entry: 'choose_area', page } : null;
    }
    default:
      return readPlaces(rest);
  }
}

function readPlaces(text: string): Entry | null {
  const json = v.safeParse(v.pipe(v.string(), v.parseJson(), Places), text);
  if (!json.success) return null;
  const { a, d, k, n, p } = json.output;
  const near = n === null ? null : { latitude: n[0], longitude: n[1] };
  return { entry: 'places', area: a, dietary_type: d, keyword: k, near, page: p };
}
