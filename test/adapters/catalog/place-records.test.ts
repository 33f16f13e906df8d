import { describe, expect, it } from 'vitest';
import { type CatalogTexts, readCatalogFiles } from '../../../src/adapters/catalog/catalog-files.ts';
import { joinPlaceLists } from '../../../src/adapters/catalog/place-records.ts';
import { straightLineMetres } from '../../../src/adapters/catalog/straight-line.ts';
import { type LooseFile, shippedText, withChanged, withText } from './catalog-fixture.ts';

function read(texts: CatalogTexts) {
  const { places, community, problems } = readCatalogFiles(texts);
  if (places === null || community === null) throw new Error(JSON.stringify(problems));
  return { places, community, list: joinPlaceLists(places, community) };
}

const shipped = read(withText('events', null));

describe('the shipped lists', () => {
  it('are 2 official and 396 community places, together 396: both official ones are in the community list too', () => {
    expect(shipped.places.places).toHaveLength(2);
    expect(shipped.community.places).toHaveLength(396);
    expect(shipped.list.records).toHaveLength(396);
    expect(shipped.list.records.slice(0, 3).map(({ evidence }) => evidence)).toEqual([
      'official',
      'official',
      'community',
    ]);
    expect(new Set(shipped.list.records.map(({ placeId }) => placeId)).size).toBe(396);
  });

  it('have community places in 24 of the 26 townships', () => {
    expect(new Set(shipped.community.places.map(({ area }) => area)).size).toBe(24);
  });

  it('say nothing of 68 coordinates, hours, accessibility or any community phone', () => {
    expect(shipped.community.places.filter(({ coordinates }) => coordinates === null)).toHaveLength(68);
    const { records } = shipped.list;
    expect(records.every(({ hours }) => hours === null)).toBe(true);
    expect(records.every(({ accessibility }) => Object.values(accessibility).every((part) => part === null))).toBe(
      true,
    );
    expect(records.filter(({ phone }) => phone !== null).map(({ placeId }) => placeId)).toEqual([
      'vegfest26-01',
      'vegfest26-22',
    ]);
  });

  it('put no place more than 10 km from the middle of the places of its township', () => {
    const middle = (numbers: number[]) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0;
    for (const [area, places] of Map.groupBy(shipped.list.records, (record) => record.area)) {
      const points = places.flatMap(({ coordinates }) => coordinates ?? []);
      const centre = {
        latitude: middle(points.map(({ latitude }) => latitude)),
        longitude: middle(points.map(({ longitude }) => longitude)),
      };
      const stray = points.filter((point) => straightLineMetres(centre, point) > 10_000);
      expect(stray, area).toEqual([]);
    }
  });

  it('name a source with a date for every known field', () => {
    for (const record of shipped.list.records) {
      const known = (['name', 'area', 'address', 'phone', 'coordinates', 'hours'] as const).filter(
        (field) => record[field] !== null,
      );
      for (const field of [...known, ...record.options.map((option) => `dietaryOptions.${option}`)]) {
        expect(shipped.list.sources.get(record.sources[field] ?? '')?.asOf, `${record.placeId} ${field}`).toMatch(
          /^20\d\d/,
        );
      }
    }
  });

  it('keep the notice of the community list', () => {
    const notice = shippedText('NOTICE');
    expect(notice).toContain('The MIT License (MIT)');
    expect(notice).toContain('Copyright (c) 2020 Shinren Pan');
    expect(notice).toContain('bc41616d89ed93d9ad1cfccb54ee6cad28ae5d52');
  });
});

describe('a place in both lists', () => {
  it('keeps its official evidence and takes only the coordinates from the community list', () => {
    const [john] = shipped.list.records;
    expect(john).toMatchObject({
      placeId: 'vegfest26-01',
      evidence: 'official',
      address: '彰化市華山路78號',
      phone: '04-7284398',
      options: ['vegetarian', 'vegan', 'lacto', 'ovo_lacto'],
      coordinates: { latitude: 24.074797, longitude: 120.541083 },
    });
    expect(john?.sources).toEqual({
      name: 'festival_list',
      area: 'festival_list',
      address: 'john_address',
      phone: 'john_address',
      coordinates: 'community_map',
      'dietaryOptions.vegetarian': 'festival_list',
      'dietaryOptions.vegan': 'john_menu',
      'dietaryOptions.lacto': 'john_menu',
      'dietaryOptions.ovo_lacto': 'john_menu',
    });
  });

  it.each<[string, (twin: LooseFile) => void, number]>([
    ['also when spelled in full width with a space', (twin) => (twin.name = 'Ｊｏｈｎ 手作蔬食'), 396],
    ['also without 彰化縣', (twin) => (twin.address = '彰化市華山路 78 號'), 396],
    ['not under another name', (twin) => (twin.name = 'John手作'), 397],
    ['not at another address', (twin) => (twin.address = '彰化縣彰化市華山路79號'), 397],
  ])('is one place %s', (_, respell, places) => {
    const texts = withChanged('community', (json) =>
      respell(json.places.find((place: LooseFile) => place.name === 'John手作蔬食')),
    );
    expect(read(texts).list.records).toHaveLength(places);
  });

  it('keeps official coordinates where there are some', () => {
    const value = { latitude: 24, longitude: 120.5 };
    const { list } = read(
      withChanged('places', (json) => (json.places[0].coordinates = { value, source: 'john_menu' })),
    );
    expect(list.records[0]?.coordinates).toEqual(value);
    expect(list.records[0]?.sources['coordinates']).toBe('john_menu');
  });

  it('is listed by neither when it is officially closed for good', () => {
    const { list } = read(withChanged('places', (json) => (json.places[1].businessStatus = 'closed_for_good')));
    expect(list.records).toHaveLength(395);
    expect(list.records.some(({ name }) => name === '和米素食')).toBe(false);
  });
});
