/**
 * Searches the events: date, area and keyword, all of which must fit.
 * @module
 */
import type { EventAnswer, EventQuery, LocalEvent, Source } from '../../commands/catalog.ts';
import type { AreaNames } from './area-names.ts';
import type { EventsFile } from './catalog-files.ts';
import { CONDITION_LENGTH_MAX, foldText } from './text-folding.ts';

/**
 * Answers one query. Never throws. A blank condition is none; a date is compared as the plain date it is, in no zone, and
 * one that does not exist fits nothing. The whole county, or "near here", is no limit: every event says its township.
 * Events come by date.
 */
export function searchEvents(file: EventsFile, areas: AreaNames, query: EventQuery): EventAnswer {
  const catalogVersion = file.version;
  if (Math.max(query.date.length, query.keyword.length) > CONDITION_LENGTH_MAX)
    return { status: 'no_data', catalogVersion };
  const date = foldText(query.date);
  const keyword = foldText(query.keyword);
  const meaning = areas.meaningOf(query.area);
  if (meaning.kind === 'unknown') return { status: 'no_data', catalogVersion };
  const found = file.events
    .filter((event) => meaning.kind !== 'township' || event.area.value === meaning.name)
    .filter((event) => date === '' || event.date.value === date)
    .filter((event) => foldText(event.name.value).includes(keyword))
    .toSorted((one, other) => (one.date.value < other.date.value ? -1 : Number(one.date.value > other.date.value)));
  if (found.length === 0) return { status: 'no_data', catalogVersion };
  return { status: 'ok', events: found.map(tell), catalogVersion, sources: sourcesOf(file, found) };
}

function tell(event: EventsFile['events'][number]): LocalEvent {
  const told: Omit<LocalEvent, 'unknownFields'> = {
    eventId: event.eventId,
    name: event.name.value,
    area: event.area.value,
    date: event.date.value,
    time: event.time?.value ?? null,
    venue: event.venue?.value ?? null,
    meetingTime: event.meetingTime?.value ?? null,
    meetingPoint: event.meetingPoint?.value ?? null,
    accessibility: {
      entrance: event.accessibility.entrance?.value ?? null,
      route: event.accessibility.route?.value ?? null,
      toilet: event.accessibility.toilet?.value ?? null,
    },
    snapshot: event.snapshot,
  };
  const fields = ['time', 'venue', 'meetingTime', 'meetingPoint'] as const;
  const parts = ['entrance', 'route', 'toilet'] as const;
  return {
    ...told,
    unknownFields: [
      ...fields.filter((field) => told[field] === null),
      ...parts.filter((part) => told.accessibility[part] === null).map((part) => `accessibility.${part}`),
    ],
  };
}

/** The sources that the found events rest on, in the order of the file. */
function sourcesOf(file: EventsFile, found: EventsFile['events']): readonly Source[] {
  const cited = new Set(
    found.flatMap((event) => {
      const { name, area, date, time, venue, meetingTime, meetingPoint, accessibility } = event;
      const facts = [name, area, date, time, venue, meetingTime, meetingPoint, ...Object.values(accessibility)];
      return facts.map((fact) => fact?.source);
    }),
  );
  return file.sources
    .filter((source) => cited.has(source.id))
    .map(({ id, title, url, asOf }) => ({ id, title, url, asOf }));
}
