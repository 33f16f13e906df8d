/**
 * The two lists as one: official places and community places, a place that is in both only once.
 * @module
 */
import type { Location, Place, Source } from '../../commands/catalog.ts';
import type { CommunityFile, OfficialFile } from './catalog-files.ts';
import type { RecordedDiet } from './diets.ts';
import type { OpeningHours } from './opening-hours.ts';
import { foldName, foldText } from './text-folding.ts';

/** One place as it is kept: what does not depend on who asks, where and when. */
export type PlaceRecord = {
  readonly placeId: string;
  readonly name: string;
  readonly area: string;
  readonly address: string | null;
  readonly phone: string | null;
  readonly coordinates: Location | null;
  readonly options: readonly RecordedDiet[];
  readonly scope: 'some_items' | 'whole_shop' | null;
  readonly evidence: 'official' | 'community';
  readonly hours: OpeningHours | null;
  readonly accessibility: Place['accessibility'];
  /** Source ids by field name; a diet's is under `dietaryOptions.<diet>`. */
  readonly sources: Readonly<Record<string, string>>;
  /** Name and address, folded, as keywords are looked for in it. */
  readonly searchText: string;
};

/** What a place search rests on. */
export type PlaceList = {
  /** Official first, then community, each in the order of its file. Without those known to be closed for good. */
  readonly records: readonly PlaceRecord[];
  readonly sources: ReadonlyMap<string, Source>;
  readonly campaign: OfficialFile['campaign'];
  readonly version: string;
};

/**
 * Joins both lists by name and address, spelled as one (臺/台, width, spaces, the prefix 彰化縣). A place in both keeps its
 * official evidence and takes from the community list only what the official record lacks: the coordinates. A place
 * that is officially closed for good leaves the list, also where the community list still has it.
 */
export function joinPlaceLists(official: OfficialFile, community: CommunityFile): PlaceList {
  const communityByKey = new Map(community.places.map((place) => [placeKey(place.name, place.address), place]));
  const officialKeys = new Set<string>();
  const records: PlaceRecord[] = [];
  for (const place of official.places) {
    const key = place.address === null ? null : placeKey(place.name.value, place.address.value);
    if (key !== null) officialKeys.add(key);
    if (place.businessStatus === 'closed_for_good') continue;
    const twin = key === null ? undefined : communityByKey.get(key);
    records.push(officialRecord(place, twin, community.source.id));
  }
  for (const place of community.places) {
    if (!officialKeys.has(placeKey(place.name, place.address)))
      records.push(communityRecord(place, community.source.id));
  }
  const sources = [...official.sources, community.source].map(({ id, title, url, asOf }): [string, Source] => [
    id,
    { id, title, url, asOf },
  ]);
  return {
    records,
    sources: new Map(sources),
    campaign: official.campaign,
    version: `${official.version}+${community.version}`,
  };
}

function placeKey(name: string, address: string): string {
  return `${foldName(name)}\n${foldName(address).replace(/^彰化縣/u, '')}`;
}

function searchTextOf(name: string, address: string | null): string {
  return foldText(`${name} ${address ?? ''}`);
}

function officialRecord(
  place: OfficialFile['places'][number],
  twin: CommunityFile['places'][number] | undefined,
  communitySource: string,
): PlaceRecord {
  const { name, area, address, phone, hours, accessibility } = place;
  const fromTwin = twin?.coordinates ? { value: twin.coordinates, source: communitySource } : null;
  const coordinates = place.coordinates ?? fromTwin;
  const sources: Record<string, string> = { name: name.source, area: area.source };
  if (address !== null) sources['address'] = address.source;
  if (phone !== null) sources['phone'] = phone.source;
  if (coordinates !== null) sources['coordinates'] = coordinates.source;
  if (hours !== null) sources['hours'] = hours.source;
  for (const { diet, source } of place.diets) sources[`dietaryOptions.${diet}`] = source;
  for (const part of ['entrance', 'route', 'toilet'] as const) {
    const known = accessibility[part];
    if (known !== null) sources[`accessibility.${part}`] = known.source;
  }
  return {
    placeId: place.placeId,
    name: name.value,
    area: area.value,
    address: address?.value ?? null,
    phone: phone?.value ?? null,
    coordinates: coordinates?.value ?? null,
    options: place.diets.map(({ diet }) => diet),
    scope: place.dietScope,
    evidence: 'official',
    hours,
    accessibility: {
      entrance: accessibility.entrance?.value ?? null,
      route: accessibility.route?.value ?? null,
      toilet: accessibility.toilet?.value ?? null,
    },
    sources,
    searchText: searchTextOf(name.value, address?.value ?? null),
  };
}

function communityRecord(place: CommunityFile['places'][number], source: string): PlaceRecord {
  const sources: Record<string, string> = { name: source, area: source, address: source };
  if (place.coordinates !== null) sources['coordinates'] = source;
  // All the list says of food is that there is vegetarian food; the subtype stays unrecorded.
  sources['dietaryOptions.vegetarian'] = source;
  return {
    placeId: `community-${place.id}`,
    name: place.name,
    area: place.area,
    address: place.address,
    phone: null,
    coordinates: place.coordinates,
    options: ['vegetarian'],
    scope: null,
    evidence: 'community',
    hours: null,
    accessibility: { entrance: null, route: null, toilet: null },
    sources,
    searchText: searchTextOf(place.name, place.address),
  };
}
