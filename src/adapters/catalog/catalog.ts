/**
 * The catalogs of places and events, read from the data folder once and then held in memory.
 * @module
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../../commands/catalog.ts';
import { createAreaNames } from './area-names.ts';
import { type CatalogProblem, type CatalogTexts, readCatalogFiles } from './catalog-files.ts';
import { dietOf } from './diets.ts';
import { searchEvents } from './event-search.ts';
import { joinPlaceLists } from './place-records.ts';
import { searchPlaces } from './place-search.ts';

/** The catalogs with what is wrong with their files, for the operator; empty when all is well. */
export type CheckedCatalog = Catalog & { readonly problems: readonly CatalogProblem[] };

/**
 * Judges the files once. A damaged or missing file never throws and never becomes "no match": what rests on it answers
 * `unavailable` from then on. Places rest on the areas and both place lists, events on the areas and their own file.
 * @param texts the JSON text of each file, null for one that could not be read.
 */
export function createCatalog(texts: CatalogTexts): CheckedCatalog {
  const { areas: areaWords, places, community, events, problems } = readCatalogFiles(texts);
  const areas = areaWords && createAreaNames(areaWords);
  const placeList = places && community && joinPlaceLists(places, community);
  const versions = [placeList?.version ?? 'places-unavailable', events?.version ?? 'events-unavailable'];
  return {
    version: versions.join('+'),
    areas: areas?.names ?? [],
    problems,
    dietOf,
    searchPlaces(query) {
      if (areas === null || placeList === null) return { status: 'unavailable' };
      return searchPlaces(placeList, areas, query);
    },
    searchEvents(query) {
      if (areas === null || events === null) return { status: 'unavailable' };
      return searchEvents(events, areas, query);
    },
  };
}

/** The catalogs of a folder holding areas.json, places.json, places-community.json and events.json. Never throws. */
export function loadCatalog(dataFolder: string): CheckedCatalog {
  function text(name: string): string | null {
    try {
      return readFileSync(join(dataFolder, name), 'utf8');
    } catch {
      return null;
    }
  }
  return createCatalog({
    areas: text('areas.json'),
    places: text('places.json'),
    community: text('places-community.json'),
    events: text('events.json'),
  });
}
