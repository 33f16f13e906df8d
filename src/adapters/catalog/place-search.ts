/**
 * Searches the joined place list: area, diet, keyword, distance, pages.
 * @module
 */
import type { Location, Place, PlaceAnswer, PlaceQuery, Source } from '../../commands/catalog.ts';
import type { AreaNames } from './area-names.ts';
import { dietaryReason, type Suitability, suitability } from './diets.ts';
import { isOpenAt } from './opening-hours.ts';
import type { PlaceList, PlaceRecord } from './place-records.ts';
import { isLocation, straightLineMetres } from './straight-line.ts';
import { CONDITION_LENGTH_MAX, foldText } from './text-folding.ts';

/** Places on one page. */
const PLACES_PER_PAGE = 5;
/** A location further than this from the nearest place of the list is outside 彰化縣, metres: more than the county is long. */
const OUTSIDE_METRES = 60_000;

type Found = {
  readonly record: PlaceRecord;
  readonly suits: Suitability;
  readonly metres: number | null;
};

/**
 * Answers one query. Never throws.
 *
 * Order: official before community, each in the order of its file; with a location, by distance (official first where
 * that is equal) and places without coordinates last. The location is used for this answer and kept nowhere.
 *
 * Pages run over one list, the matches and then the near misses, five a page: a page can hold the last matches and the
 * first near misses. `total` and `totalNearMisses` count the whole lists, `pages` is their sum in pages, and a page
 * beyond the last (a button of an older answer) is answered with the last.
 *
 * A query without a township needs either a location or, with a blank area, a keyword; then all 26 are searched. A location
 * outside 彰化縣 is said to be so.
 */
export function searchPlaces(list: PlaceList, areas: AreaNames, query: PlaceQuery): PlaceAnswer {
  const keyword = query.keyword.trim();
  const isTooLong = keyword.length > CONDITION_LENGTH_MAX;
  const near = query.near !== null && isLocation(query.near) ? query.near : null;
  const meaning = areas.meaningOf(query.area);
  if (meaning.kind === 'unknown') {
    return { status: 'unknown_area', said: cut(query.area.trim()), areas: areas.names };
  }
  const everywhere = near !== null || (meaning.kind === 'blank' && keyword !== '');
  if (meaning.kind !== 'township' && !everywhere) return { status: 'needs_area', areas: areas.names };

  if (meaning.kind !== 'township' && near !== null && isOutside(near, list)) {
    return { status: 'location_outside', areas: areas.names };
  }

  const area = meaning.kind === 'township' ? meaning.name : '';
  const wanted = foldText(cut(keyword));
  const found = list.records
    .filter((record) => (area === '' || record.area === area) && !isTooLong && record.searchText.includes(wanted))
    .map((record): Found => {
      const metres = near && record.coordinates ? straightLineMetres(near, record.coordinates) : null;
      return { record, suits: suitability(query.diet, record.options), metres };
    });
  if (near !== null) found.sort(byDistance);
  const matches = found.filter(({ suits }) => suits.suits === 'yes');
  const nearMisses = found.filter(({ suits }) => suits.suits === 'undecided');
  const { diet } = query;
  const asked = { area, diet, keyword: cut(keyword), catalogVersion: list.version };
  const all = [...matches, ...nearMisses];
  if (all.length === 0) return { status: 'no_data', ...asked };

  const pages = Math.ceil(all.length / PLACES_PER_PAGE);
  const page = Math.min(Math.max(Math.trunc(query.page) || 0, 0), pages - 1);
  const shown = all.slice(page * PLACES_PER_PAGE, (page + 1) * PLACES_PER_PAGE);
  const placesShown = (suits: Suitability['suits']) =>
    shown.filter((each) => each.suits.suits === suits).map((each) => tell(each, query, near));
  return {
    status: 'ok',
    ...asked,
    places: placesShown('yes'),
    nearMisses: placesShown('undecided'),
    total: matches.length,
    totalNearMisses: nearMisses.length,
    page,
    pages,
    sources: sourcesOf(
      list,
      shown.map(({ record }) => record),
    ),
    campaign: campaignState(list.campaign, query.now),
  };
}

/** Whether every place whose coordinates are known is too far away; never where none are known. */
function isOutside(near: Location, list: PlaceList): boolean {
  const known = list.records.flatMap(({ coordinates }) => (coordinates === null ? [] : [coordinates]));
  return known.length > 0 && known.every((place) => straightLineMetres(near, place) > OUTSIDE_METRES);
}

/** The state of the stamp campaign by its announcement; its last moment is outside. A shop stays listed either way. */
export function campaignState(
  campaign: { readonly startsAt: string; readonly endsAt: string },
  now: number,
): 'not_started' | 'active_by_announcement' | 'ended' {
  if (now < Date.parse(campaign.startsAt)) return 'not_started';
  return now < Date.parse(campaign.endsAt) ? 'active_by_announcement' : 'ended';
}

/** What is told back of a condition; a character outside the BMP is not cut in half. */
function cut(condition: string): string {
  return condition.slice(0, CONDITION_LENGTH_MAX).toWellFormed();
}

function byDistance(one: Found, other: Found): number {
  if (one.metres === null || other.metres === null) return Number(one.metres === null) - Number(other.metres === null);
  return one.metres - other.metres;
}

/** The sources of what is shown, each once, in the order they are met; the campaign's comes last. */
function sourcesOf(list: PlaceList, records: readonly PlaceRecord[]): readonly Source[] {
  const ids = new Set([...records.flatMap((record) => Object.values(record.sources)), list.campaign.source]);
  return [...ids].map((id) => list.sources.get(id)).filter((source) => source !== undefined);
}

/** A fresh copy for one answer, so that changing an answer cannot change the catalog. */
function tell({ record, suits, metres }: Found, query: PlaceQuery, near: Location | null): Place {
  const openNow = record.hours === null ? null : isOpenAt(record.hours, query.now);
  const place: Omit<Place, 'unknownFields'> = {
    placeId: record.placeId,
    name: record.name,
    area: record.area,
    address: record.address,
    phone: record.phone,
    coordinates: record.coordinates && { ...record.coordinates },
    dietaryOptions: [...record.options],
    evidence: record.evidence,
    dietaryReason: dietaryReason(query.diet, record, suits),
    openNow,
    hours: record.hours?.text ?? null,
    straightLineMetres: metres,
    accessibility: { ...record.accessibility },
    sources: { ...record.sources },
  };
  return { ...place, unknownFields: unknownFieldsOf(place, record, near !== null) };
}

/** Every null that means "nobody recorded it"; a distance is unknown only when there was somewhere to measure from. */
function unknownFieldsOf(
  place: Omit<Place, 'unknownFields'>,
  record: PlaceRecord,
  measured: boolean,
): readonly string[] {
  const fields = ['address', 'phone', 'coordinates', 'openNow', 'hours'] as const;
  const unknown: string[] = fields.filter((field) => place[field] === null);
  if (measured && place.straightLineMetres === null) unknown.push('straightLineMetres');
  if (record.options.length === 0) unknown.push('dietaryOptions');
  if (record.options.every((option) => option === 'vegetarian' || option === 'friendly'))
    unknown.push('dietarySubtype');
  for (const part of ['entrance', 'route', 'toilet'] as const) {
    if (place.accessibility[part] === null) unknown.push(`accessibility.${part}`);
  }
  return unknown;
}
