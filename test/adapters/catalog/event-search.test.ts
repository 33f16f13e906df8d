import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../../src/adapters/catalog/catalog.ts';
import type { EventAnswer } from '../../../src/commands/catalog.ts';
import { eventQuery, type LooseFile, shipped, withChanged } from './catalog-fixture.ts';

function idsOf(answer: EventAnswer) {
  return answer.status === 'ok' ? answer.events.map(({ eventId }) => eventId) : answer.status;
}

const WALK = 'evt-60d76a55472c503faa4c';

describe('event search', () => {
  it('tells the one real event as the teaching snapshot it is: venue known, meeting time and point unknown', () => {
    expect(shipped.searchEvents(eventQuery({ area: '花壇' }))).toEqual({
      status: 'ok',
      catalogVersion: 'v-62ccd0ef3ca44e6ca8b7ef2d3302ab28',
      events: [
        {
          eventId: WALK,
          name: '卦山大縱走 彰化兜兜圈',
          area: '花壇鄉',
          date: '2026-09-19',
          time: '08:00~11:00',
          venue: '大嶺巷步道',
          meetingTime: null,
          meetingPoint: null,
          accessibility: { entrance: null, route: null, toilet: null },
          snapshot: 'historical_teaching_snapshot',
          unknownFields: [
            'meetingTime',
            'meetingPoint',
            'accessibility.entrance',
            'accessibility.route',
            'accessibility.toilet',
          ],
        },
      ],
      sources: [
        { id: 'event_poster', title: '活動海報：卦山大縱走 彰化兜兜圈', url: null, asOf: '2026' },
        { id: 'teaching_revision', title: '教學修訂版 v2（不是主辦單位公告）', url: null, asOf: '2026' },
      ],
    });
  });

  const found = [WALK];
  it.each<[string, string, string, string[] | 'no_data']>([
    ['', '', '', found],
    ['', '花壇', '', found],
    ['', '花壇鄉', '', found],
    ['', '彰化縣花壇鄉', '', found],
    ['', '彰化縣', '', found],
    ['', '附近', '', found],
    ['2026-09-19', '', '', found],
    ['２０２６-09-19', '花壇', '兜兜圈', found],
    ['', '', '卦山', found],
    ['', '大村', '', 'no_data'],
    ['', '台北', '', 'no_data'],
    ['2026-09-18', '花壇', '', 'no_data'],
    ['2026-09-19', '大村', '', 'no_data'],
    ['2026-09-19', '花壇', '市集', 'no_data'],
    ['2026-02-30', '', '', 'no_data'],
    ['2026-9-19', '', '', 'no_data'],
    ['2026-09', '', '', 'no_data'],
    ['明天', '', '', 'no_data'],
    ['', '', '大嶺巷步道', 'no_data'],
    ['', '', 'x'.repeat(500), 'no_data'],
  ])('with date %j, area %j and keyword %j: %j', (date, area, keyword, expected) => {
    expect(idsOf(shipped.searchEvents(eventQuery({ date, area, keyword })))).toEqual(expected);
  });

  it('comes by date, and takes a recorded no for known', () => {
    const catalog = createCatalog(
      withChanged('events', (json) => {
        const later: LooseFile = structuredClone(json.events[0]);
        later.eventId = 'earlier';
        later.date.value = '2026-01-02';
        later.accessibility.route = { value: false, source: 'event_poster' };
        json.events.push(later);
      }),
    );
    const answer = catalog.searchEvents(eventQuery());
    expect(idsOf(answer)).toEqual(['earlier', WALK]);
    const [earlier] = answer.status === 'ok' ? answer.events : [];
    expect(earlier?.accessibility.route).toBe(false);
    expect(earlier?.unknownFields).not.toContain('accessibility.route');
  });

  it('of a readable file without events is no_data, not unavailable', () => {
    const catalog = createCatalog(withChanged('events', (json) => (json.events = [])));
    expect(catalog.searchEvents(eventQuery()).status).toBe('no_data');
  });
});
