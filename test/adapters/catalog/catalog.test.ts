import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCatalog, loadCatalog } from '../../../src/adapters/catalog/catalog.ts';
import type { CatalogTexts } from '../../../src/adapters/catalog/catalog-files.ts';
import {
  at,
  DATA_FOLDER,
  eventQuery,
  found,
  type LooseFile,
  placeQuery,
  shipped,
  shippedText,
  withChanged,
  withText,
} from './catalog-fixture.ts';

const shortName = { area: { value: '花壇', source: 'festival_list' } };

describe('the shipped catalog', () => {
  it('has no problem, and a version made of its files’ versions', () => {
    const catalog = loadCatalog(DATA_FOLDER);
    expect(catalog.problems).toEqual([]);
    expect(catalog.version).toBe(
      'vegfest-selected-20260927-v1+community-2020-bc41616+v-62ccd0ef3ca44e6ca8b7ef2d3302ab28',
    );
    expect(catalog.areas).toHaveLength(26);
    expect(catalog.dietOf('純素')).toBe('vegan');
    expect(found(catalog.searchPlaces(placeQuery({ area: '花壇' }))).catalogVersion).toBe(
      'vegfest-selected-20260927-v1+community-2020-bc41616',
    );
  });
});

describe('a damaged file', () => {
  /** What the catalog answers to questions it would find something for. */
  function statuses(texts: CatalogTexts) {
    const catalog = createCatalog(texts);
    return {
      places: catalog.searchPlaces(placeQuery({ area: '花壇' })).status,
      none: catalog.searchPlaces(placeQuery({ area: '線西' })).status,
      events: catalog.searchEvents(eventQuery({ area: '花壇' })).status,
      problems: catalog.problems.map(({ file, cause }) => `${file} ${cause}`),
    };
  }
  const places = { places: 'unavailable', none: 'unavailable', events: 'ok' };
  const events = { places: 'ok', none: 'no_data', events: 'unavailable' };

  it.each(['places', 'community'] as const)(
    '%s: missing or half written, places are unavailable, never no match',
    (file) => {
      const name = file === 'places' ? 'places.json' : 'places-community.json';
      const half = shippedText(name).slice(0, shippedText(name).length / 2);
      expect(statuses(withText(file, null))).toEqual({ ...places, problems: [`${file} missing`] });
      expect(statuses(withText(file, half))).toEqual({ ...places, problems: [`${file} not_json`] });
      expect(statuses(withText(file, ''))).toEqual({ ...places, problems: [`${file} not_json`] });
      expect(statuses(withText(file, 'null'))).toEqual({ ...places, problems: [`${file} not_valid`] });
    },
  );

  it('events: missing or half written, events are unavailable and places are not', () => {
    expect(statuses(withText('events', null))).toEqual({ ...events, problems: ['events missing'] });
    expect(statuses(withText('events', '{"schemaVersion":1'))).toEqual({ ...events, problems: ['events not_json'] });
  });

  it('areas: nothing can be searched, and diet words are still known', () => {
    const texts = withText('areas', '[');
    expect(statuses(texts)).toMatchObject({ places: 'unavailable', none: 'unavailable', events: 'unavailable' });
    expect(createCatalog(texts)).toMatchObject({ areas: [], version: 'places-unavailable+events-unavailable' });
    expect(createCatalog(texts).dietOf('全素')).toBe('vegan');
  });

  it.each<[string, keyof CatalogTexts, (json: LooseFile) => void]>([
    ['another schema version', 'places', (json) => (json.schemaVersion = 2)],
    ['no schema version', 'community', (json) => delete json.schemaVersion],
    ['a duplicate place id', 'places', (json) => (json.places[1].placeId = json.places[0].placeId)],
    ['a duplicate community id', 'community', (json) => (json.places[1].id = json.places[0].id)],
    ['a duplicate event id', 'events', (json) => json.events.push(json.events[0])],
    ['a duplicate source id', 'places', (json) => json.sources.push(json.sources[0])],
    ['an unknown diet', 'places', (json) => (json.places[0].diets[0].diet = 'limited')],
    ['the wish 不限 as a record', 'places', (json) => (json.places[0].diets[0].diet = 'any')],
    ['diet evidence without its source', 'places', (json) => (json.places[0].diets[1].source = 'gone')],
    ['field evidence without its source', 'places', (json) => (json.places[1].phone.source = 'gone')],
    ['a campaign without its source', 'places', (json) => (json.campaign.source = 'gone')],
    ['event evidence without its source', 'events', (json) => (json.events[0].venue.source = 'gone')],
    ['a township that is not among the 26', 'places', (json) => Object.assign(json.places[0], shortName)],
    ['a community township that is not', 'community', (json) => (json.places[5].area = '臺北市')],
    ['an event township that is not', 'events', (json) => (json.events[0].area.value = '花壇')],
    ['25 townships', 'areas', (json) => json.areas.pop()],
    ['a name of two townships', 'areas', (json) => json.areas[3].aliases.push('花壇')],
    ['a member nobody knows', 'places', (json) => (json.places[0].openNow = true)],
    ['a member that is missing', 'places', (json) => delete json.places[0].accessibility.route],
    ['an accessibility that is text', 'places', (json) => (json.places[0].accessibility.route = 'false')],
    ['coordinates off the Earth', 'community', (json) => (json.places[0].coordinates.latitude = 124)],
    ['a campaign time without a zone', 'places', (json) => (json.campaign.endsAt = '2026-09-30T17:00:00')],
    ['a campaign that ends before it starts', 'places', (json) => (json.campaign.endsAt = '2026-07-01T00:00:00+08:00')],
    ['a date that does not exist', 'events', (json) => (json.events[0].date.value = '2026-02-30')],
    ['a link that is not https', 'places', (json) => (json.sources[0].url = 'javascript:alert(1)')],
    ['a control character in a name', 'community', (json) => (json.places[0].name = 'a\u0000b')],
  ])('%s in %s: the file is not used', (_, file, damage) => {
    const catalog = createCatalog(withChanged(file, damage));
    expect(catalog.problems[0]).toMatchObject({ file, cause: 'not_valid' });
    const answer =
      file === 'events'
        ? catalog.searchEvents(eventQuery())
        : catalog.searchPlaces(placeQuery({ area: '花壇', diet: 'vegetarian' }));
    expect(answer).toEqual({ status: 'unavailable' });
  });
});

describe('a data folder', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  it('that lacks files, or has a half-written one, loads and answers unavailable', () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
    folders.push(folder);
    writeFileSync(join(folder, 'areas.json'), shippedText('areas.json'));
    writeFileSync(join(folder, 'places.json'), shippedText('places.json'));
    writeFileSync(join(folder, 'places-community.json'), shippedText('places-community.json').slice(0, 40_000));
    const catalog = loadCatalog(folder);
    expect(catalog.problems.map(({ file, cause }) => `${file} ${cause}`)).toEqual([
      'community not_json',
      'events missing',
    ]);
    expect(catalog.searchPlaces(placeQuery({ area: '花壇' }))).toEqual({ status: 'unavailable' });
    expect(catalog.searchEvents(eventQuery({ area: '花壇' }))).toEqual({ status: 'unavailable' });
  });
});

describe('the zone of the host', () => {
  const zoneBefore = process.env['TZ'];
  afterEach(() => {
    if (zoneBefore === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zoneBefore;
  });

  it('changes no answer', () => {
    const moments = ['2026-09-30T16:59:59+08:00', '2026-09-30T17:00:00+08:00', '2026-10-03T00:30:00+08:00'];
    const offsets = new Set<number>();
    const transcripts = new Set<string>();
    for (const zone of ['UTC', 'Asia/Taipei', 'America/Los_Angeles', 'Pacific/Kiritimati']) {
      process.env['TZ'] = zone;
      offsets.add(new Date(0).getTimezoneOffset());
      const shift = ['17:00-02:00'];
      const weekly = { sun: [], mon: [], tue: [], wed: [], thu: [], fri: shift, sat: [] };
      const catalog = createCatalog(
        withChanged('places', (json) => {
          const exceptions = [{ date: '2026-10-03', shifts: [] }];
          json.places[1].hours = { text: '週五晚上', weekly, exceptions, source: 'festival_list' };
        }),
      );
      const answers = moments.flatMap((now) => [
        catalog.searchPlaces(placeQuery({ area: '花壇', now: at(now) })),
        catalog.searchEvents(eventQuery({ date: '2026-09-19', now: at(now) })),
      ]);
      transcripts.add(JSON.stringify(answers));
    }
    expect(offsets.size).toBe(4);
    expect(transcripts.size).toBe(1);
    const [transcript = ''] = transcripts;
    expect(transcript).toContain('"openNow":true');
    expect(transcript).toContain('"date":"2026-09-19"');
  });

  it('moves no plain date: the carnival is on 10/3', () => {
    process.env['TZ'] = 'America/Los_Angeles';
    expect(JSON.parse(shippedText('places.json')).campaign.carnivalDate).toBe('2026-10-03');
    expect(shipped.searchEvents(eventQuery({ date: '2026-09-19' })).status).toBe('ok');
  });
});
