/**
 * The shipped catalog and changed copies of its files, for the catalog's tests.
 * @module
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createCatalog } from '../../../src/adapters/catalog/catalog.ts';
import type { CatalogTexts } from '../../../src/adapters/catalog/catalog-files.ts';
import type { EventQuery, PlaceAnswer, PlaceQuery } from '../../../src/commands/catalog.ts';

/** The folder with the shipped files. */
export const DATA_FOLDER = fileURLToPath(new URL('../../../data/', import.meta.url));

/** A file as JSON without a type, because a test damages it in ways its type forbids. */
export type LooseFile = any;

/** The text of one shipped file. */
export function shippedText(name: string): string {
  return readFileSync(`${DATA_FOLDER}${name}`, 'utf8');
}

const SHIPPED: CatalogTexts = {
  areas: shippedText('areas.json'),
  places: shippedText('places.json'),
  community: shippedText('places-community.json'),
  events: shippedText('events.json'),
};

/** The shipped texts, one of them changed. */
export function withChanged(file: keyof CatalogTexts, change: (json: LooseFile) => void): CatalogTexts {
  const json: LooseFile = JSON.parse(SHIPPED[file] ?? 'null');
  change(json);
  return { ...SHIPPED, [file]: JSON.stringify(json) };
}

/** The shipped texts, one of them replaced as it stands. */
export function withText(file: keyof CatalogTexts, text: string | null): CatalogTexts {
  return { ...SHIPPED, [file]: text };
}

/** The shipped catalog. */
export const shipped = createCatalog(SHIPPED);

/** An official place with nothing known but name, area and address; a test sets the rest. */
export function officialPlace(placeId: string, changes: LooseFile = {}): LooseFile {
  return {
    placeId,
    name: { value: `測試店 ${placeId}`, source: 'festival_list' },
    area: { value: '線西鄉', source: 'festival_list' },
    address: { value: `彰化縣線西鄉測試路 ${placeId} 號`, source: 'festival_list' },
    phone: null,
    diets: [],
    dietScope: null,
    businessStatus: 'listed_not_live_verified',
    hours: null,
    coordinates: null,
    accessibility: { entrance: null, route: null, toilet: null },
    ...changes,
  };
}

/** The records of diets as places.json has them. */
export function diets(...recorded: string[]): { diets: LooseFile } {
  return { diets: recorded.map((diet) => ({ diet, source: 'festival_list' })) };
}

/** The shipped catalog with more official places; 線西鄉 has none of its own. */
export function withOfficialPlaces(...places: LooseFile[]) {
  const catalog = createCatalog(withChanged('places', (json) => json.places.push(...places)));
  if (catalog.problems.length > 0) throw new Error(JSON.stringify(catalog.problems));
  return catalog;
}

/** Milliseconds of a time with its offset. */
export function at(time: string): number {
  return Date.parse(time);
}

/** A place query with nothing asked but what a test says. */
export function placeQuery(changes: Partial<PlaceQuery> = {}): PlaceQuery {
  return { area: '', diet: 'any', keyword: '', near: null, page: 0, now: at('2026-09-28T12:00:00+08:00'), ...changes };
}

/** An event query with nothing asked but what a test says. */
export function eventQuery(changes: Partial<EventQuery> = {}): EventQuery {
  return { date: '', area: '', keyword: '', now: at('2026-09-28T12:00:00+08:00'), ...changes };
}

/** The answer as one that found something. */
export function found(answer: PlaceAnswer): Extract<PlaceAnswer, { status: 'ok' }> {
  if (answer.status !== 'ok') throw new Error(`The search answered ${answer.status}`);
  return answer;
}
