/**
 * The catalog files: their form, and what must hold before a search may rest on them.
 * @module
 */
import * as v from 'valibot';
import { ambiguousNames } from './area-names.ts';
import { RECORDED_DIETS } from './diets.ts';

/** The only form of the files that is read; another number is refused, not guessed at. */
const SCHEMA_VERSION = 1;
/** 彰化縣 has 26 townships. */
const TOWNSHIPS = 26;

const short = v.pipe(v.string(), v.minLength(1), v.maxLength(120), v.regex(/^[^\p{Cc}]+$/u, 'No control characters'));
const id = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/));
const version = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,80}$/));
const about = v.record(v.string(), v.string());
const plainDate = v.pipe(v.string(), v.check(isRealDate, 'Not a date'));
const instant = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/, 'Not a time with its offset'),
  v.check((text) => isRealDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)), 'Not a time'),
);
const coordinates = v.strictObject({
  latitude: v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
  longitude: v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
});
const source = v.strictObject({
  id,
  kind: short,
  title: short,
  url: v.nullable(v.pipe(v.string(), v.maxLength(500), v.url(), v.startsWith('https://'))),
  asOf: v.pipe(v.string(), v.regex(/^\d{4}(?:-\d{2}-\d{2})?$/)),
});

/** A fact with the id of its source. */
function sourced<const T extends v.GenericSchema>(value: T) {
  return v.strictObject({ value, source: id });
}

const shifts = v.nullable(v.pipe(v.array(v.pipe(v.string(), v.maxLength(20))), v.maxLength(6)));
const hours = v.strictObject({
  text: short,
  weekly: v.nullable(
    v.strictObject({ sun: shifts, mon: shifts, tue: shifts, wed: shifts, thu: shifts, fri: shifts, sat: shifts }),
  ),
  exceptions: v.pipe(v.array(v.strictObject({ date: plainDate, shifts })), v.maxLength(60)),
  source: id,
});
const part = v.nullable(sourced(v.boolean()));
const accessibility = v.strictObject({ entrance: part, route: part, toilet: part });

const AreasFile = v.pipe(
  v.strictObject({
    schemaVersion: v.literal(SCHEMA_VERSION),
    version,
    about,
    county: v.array(short),
    nearby: v.array(short),
    areas: v.pipe(v.array(v.strictObject({ name: short, aliases: v.array(short) })), v.length(TOWNSHIPS)),
  }),
  v.check((file) => ambiguousNames(file).length === 0, 'A name stands for two things'),
);
/** areas.json */
export type AreasFile = v.InferOutput<typeof AreasFile>;

const OfficialFile = v.pipe(
  v.strictObject({
    schemaVersion: v.literal(SCHEMA_VERSION),
    version,
    about,
    sources: v.array(source),
    campaign: v.strictObject({
      campaignId: id,
      startsAt: instant,
      endsAt: instant,
      carnivalDate: plainDate,
      source: id,
    }),
    places: v.array(
      v.strictObject({
        placeId: id,
        name: sourced(short),
        area: sourced(short),
        address: v.nullable(sourced(short)),
        phone: v.nullable(sourced(short)),
        diets: v.array(v.strictObject({ diet: v.picklist(RECORDED_DIETS), source: id })),
        dietScope: v.nullable(v.picklist(['some_items', 'whole_shop'])),
        businessStatus: v.picklist(['listed_not_live_verified', 'closed_for_good']),
        hours: v.nullable(hours),
        coordinates: v.nullable(sourced(coordinates)),
        accessibility,
      }),
    ),
  }),
  v.check(({ sources }) => areDistinct(sources.map((each) => each.id)), 'A source id is there twice'),
  v.check(({ places }) => areDistinct(places.map((place) => place.placeId)), 'A place id is there twice'),
  v.check(
    ({ places }) => places.every((place) => areDistinct(place.diets.map(({ diet }) => diet))),
    'A diet is recorded twice for a place',
  ),
  v.check(({ campaign }) => Date.parse(campaign.startsAt) < Date.parse(campaign.endsAt), 'The campaign ends too early'),
  v.check((file) => citesOnly(file, file.sources), 'Evidence points at a source that is not there'),
);
/** places.json */
export type OfficialFile = v.InferOutput<typeof OfficialFile>;

const CommunityFile = v.pipe(
  v.strictObject({
    schemaVersion: v.literal(SCHEMA_VERSION),
    version,
    about,
    source,
    places: v.array(
      v.strictObject({ id, name: short, area: short, address: short, coordinates: v.nullable(coordinates) }),
    ),
  }),
  v.check(({ places }) => areDistinct(places.map((place) => place.id)), 'A place id is there twice'),
);
/** places-community.json */
export type CommunityFile = v.InferOutput<typeof CommunityFile>;

const EventsFile = v.pipe(
  v.strictObject({
    schemaVersion: v.literal(SCHEMA_VERSION),
    version,
    about,
    sources: v.array(source),
    events: v.array(
      v.strictObject({
        eventId: id,
        name: sourced(short),
        area: sourced(short),
        date: sourced(plainDate),
        time: v.nullable(sourced(short)),
        venue: v.nullable(sourced(short)),
        meetingTime: v.nullable(sourced(short)),
        meetingPoint: v.nullable(sourced(short)),
        accessibility,
        snapshot: v.picklist(['historical_teaching_snapshot', 'current']),
      }),
    ),
  }),
  v.check(({ sources }) => areDistinct(sources.map((each) => each.id)), 'A source id is there twice'),
  v.check(({ events }) => areDistinct(events.map((event) => event.eventId)), 'An event id is there twice'),
  v.check((file) => citesOnly(file, file.sources), 'Evidence points at a source that is not there'),
);
/** events.json */
export type EventsFile = v.InferOutput<typeof EventsFile>;

/** The text of each file; null when it could not be read. */
export type CatalogTexts = {
  readonly areas: string | null;
  readonly places: string | null;
  readonly community: string | null;
  readonly events: string | null;
};

/** Why a file is not used. `detail` is for an operator and names the first fault. */
export type CatalogProblem = {
  readonly file: keyof CatalogTexts;
  readonly cause: 'missing' | 'not_json' | 'not_valid';
  readonly detail: string;
};

/** What may be searched: a part is null when a file it rests on is not usable, and then the problems say why. */
export type CatalogFiles = {
  readonly areas: AreasFile | null;
  readonly places: OfficialFile | null;
  readonly community: CommunityFile | null;
  readonly events: EventsFile | null;
  readonly problems: readonly CatalogProblem[];
};

/** Reads and judges all four files, fail closed: a file with one fault is not used at all. Never throws. */
export function readCatalogFiles(texts: CatalogTexts): CatalogFiles {
  const problems: CatalogProblem[] = [];
  function read<T>(
    file: keyof CatalogTexts,
    schema: v.GenericSchema<unknown, T>,
    areasOf: (value: T) => readonly string[],
    townships: ReadonlySet<string>,
  ): T | null {
    const result = readFile(file, texts[file], schema);
    if ('cause' in result) {
      problems.push(result);
      return null;
    }
    const stray = areasOf(result.value).find((area) => !townships.has(area));
    if (stray === undefined) return result.value;
    problems.push({ file, cause: 'not_valid', detail: `${stray} is not one of the townships` });
    return null;
  }

  const areas = read('areas', AreasFile, () => [], new Set());
  // Without its areas file every named township is a stray one, so the rest is refused with it.
  const townships = new Set(areas?.areas.map((area) => area.name));
  const officialAreas = (file: OfficialFile) => file.places.map((place) => place.area.value);
  return {
    areas,
    places: read('places', OfficialFile, officialAreas, townships),
    community: read('community', CommunityFile, (file) => file.places.map((place) => place.area), townships),
    events: read('events', EventsFile, (file) => file.events.map((event) => event.area.value), townships),
    problems,
  };
}

function readFile<T>(
  file: keyof CatalogTexts,
  text: string | null,
  schema: v.GenericSchema<unknown, T>,
): { readonly value: T } | CatalogProblem {
  if (text === null) return { file, cause: 'missing', detail: 'The file could not be read' };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { file, cause: 'not_json', detail: 'The file is damaged or half written' };
  }
  const result = v.safeParse(schema, json, { abortEarly: true });
  if (result.success) return { value: result.output };
  const [issue] = result.issues;
  return { file, cause: 'not_valid', detail: `${v.getDotPath(issue) ?? 'file'}: ${issue.message}`.slice(0, 300) };
}

/** Whether the text is `YYYY-MM-DD` of a day that exists. */
function isRealDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const midnight = Date.parse(`${text}T00:00:00Z`);
  // 2026-02-30 parses as a day of March: a real date comes back as it went in.
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

function areDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** Whether every `source` member anywhere in the value is one of the sources. */
function citesOnly(value: unknown, sources: readonly { readonly id: string }[]): boolean {
  const known = new Set(sources.map((each) => each.id));
  function cites(node: unknown): boolean {
    if (typeof node !== 'object' || node === null) return true;
    return Object.entries(node).every(([key, member]) =>
      key === 'source' && typeof member === 'string' ? known.has(member) : cites(member),
    );
  }
  return cites(value);
}
