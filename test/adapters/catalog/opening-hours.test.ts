import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOpenAt, type OpeningHours } from '../../../src/adapters/catalog/opening-hours.ts';
import { at } from './catalog-fixture.ts';

const CLOSED = { sun: [], mon: [], tue: [], wed: [], thu: [], fri: [], sat: [] };

function hours(weekly: Partial<NonNullable<OpeningHours['weekly']>>, ...exceptions: OpeningHours['exceptions']) {
  return { text: '如表', weekly: { ...CLOSED, ...weekly }, exceptions };
}

describe('opening hours', () => {
  // 2026-10-02 is a Friday.
  const fridayNight = hours({ fri: ['17:00-02:00'] });
  const holidayOnFriday = hours({ fri: ['17:00-02:00'] }, { date: '2026-10-02', shifts: [] });
  const holidayOnSaturday = hours({ fri: ['17:00-02:00'], sat: ['10:00-20:00'] }, { date: '2026-10-03', shifts: [] });
  const spillingException = hours({ sat: ['10:00-20:00'] }, { date: '2026-10-02', shifts: ['22:00-03:00'] });
  const unknownFriday = hours({ fri: null, sat: ['10:00-20:00'] });
  it.each<[string, OpeningHours, string, boolean | null]>([
    ['an evening that runs past midnight', fridayNight, '2026-10-03T00:30:00+08:00', true],
    ['the last millisecond before the end', fridayNight, '2026-10-03T01:59:59.999+08:00', true],
    ['the end itself', fridayNight, '2026-10-03T02:00:00+08:00', false],
    ['the millisecond before the start', fridayNight, '2026-10-02T16:59:59.999+08:00', false],
    ['the start itself', fridayNight, '2026-10-02T17:00:00+08:00', true],
    ['the same clock time a day later', fridayNight, '2026-10-04T00:30:00+08:00', false],
    ['a holiday on Saturday, while Friday’s shift runs', holidayOnSaturday, '2026-10-03T00:30:00+08:00', true],
    ['a holiday on Saturday, at noon', holidayOnSaturday, '2026-10-03T12:00:00+08:00', false],
    ['a holiday on Friday, after midnight', holidayOnFriday, '2026-10-03T00:30:00+08:00', false],
    ['an exception that runs past midnight', spillingException, '2026-10-03T02:30:00+08:00', true],
    ['a day that ends at 24:00', hours({ fri: ['10:00-24:00'] }), '2026-10-02T23:59:59+08:00', true],
    ['24:00 itself', hours({ fri: ['10:00-24:00'] }), '2026-10-03T00:00:00+08:00', false],
    ['a whole day', hours({ fri: ['00:00-24:00'] }), '2026-10-02T00:00:00+08:00', true],
    ['Sunday’s shift on Monday', hours({ sun: ['18:00-02:00'] }), '2026-10-05T00:30:00+08:00', true],
    ['a leap day', hours({ tue: ['09:00-10:00'] }), '2028-02-29T09:30:00+08:00', true],
    ['two shifts, between them', hours({ fri: ['10:00-14:00', '16:00-20:00'] }), '2026-10-02T15:00:00+08:00', false],
    ['the zone of the place, not of UTC', hours({ fri: ['07:00-08:00'] }), '2026-10-01T23:30:00Z', true],
    ['words that are no hours', { text: '看心情', weekly: null, exceptions: [] }, '2026-10-02T12:00:00+08:00', null],
    ['a shift that cannot be read', hours({ fri: ['看心情'] }), '2026-10-02T12:00:00+08:00', null],
    ['an impossible time', hours({ fri: ['25:00-26:00'] }), '2026-10-02T12:00:00+08:00', null],
    ['equal ends', hours({ fri: ['10:00-10:00'] }), '2026-10-02T12:00:00+08:00', null],
    [
      'a readable shift beside an unreadable one',
      hours({ fri: ['11:00-13:00', '?'] }),
      '2026-10-02T12:00:00+08:00',
      true,
    ],
    ['an unknown day', unknownFriday, '2026-10-02T12:00:00+08:00', null],
    ['a known shift after an unknown day', unknownFriday, '2026-10-03T12:00:00+08:00', true],
    ['the hour after an unknown day, which may still run', unknownFriday, '2026-10-03T00:30:00+08:00', null],
    [
      'an unknown exception',
      hours({ fri: ['10:00-20:00'] }, { date: '2026-10-02', shifts: null }),
      '2026-10-02T12:00:00+08:00',
      null,
    ],
  ])('%s', (_, opening, time, open) => {
    expect(isOpenAt(opening, at(time))).toBe(open);
  });

  it('of no moment are unknown', () => {
    expect(isOpenAt(fridayNight, Number.NaN)).toBeNull();
  });

  it('agree with a slow reference around every boundary (seed 7, 600 cases)', () => {
    const days = ['2028-02-27', '2028-02-28', '2028-02-29', '2028-03-01', '2028-03-02'];
    const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
    const quarter = fc.integer({ min: 0, max: 95 });
    const clock = (quarters: number) =>
      `${String(Math.floor(quarters / 4)).padStart(2, '0')}:${String((quarters % 4) * 15).padStart(2, '0')}`;
    const shift = fc
      .tuple(quarter, fc.integer({ min: 0, max: 96 }))
      .filter(([opens, closes]) => opens !== closes)
      .map(([opens, closes]) => `${clock(opens)}-${clock(closes)}`);
    const shifts = fc.option(fc.array(shift, { maxLength: 2 }), { freq: 8 });
    const week = fc.record({
      sun: shifts,
      mon: shifts,
      tue: shifts,
      wed: shifts,
      thu: shifts,
      fri: shifts,
      sat: shifts,
    });
    const exceptions = fc.uniqueArray(fc.record({ date: fc.constantFrom(...days), shifts }), {
      maxLength: 3,
      selector: ({ date }) => date,
    });
    const offset = fc.constantFrom(-1000, -1, 0, 1, 1000);
    const moment = fc.tuple(fc.constantFrom(...days), fc.integer({ min: 0, max: 96 }), offset);

    // Spells out every shift of every day as two instants, by another road than the module's arithmetic.
    function reference(opening: OpeningHours, now: number): boolean | null {
      let unknown = false;
      for (const back of [0, 1]) {
        const date = new Date(now + 8 * 3_600_000 - back * 86_400_000).toISOString().slice(0, 10);
        const exception = opening.exceptions.find((each) => each.date === date);
        const weekday = names[new Date(`${date}T12:00:00Z`).getUTCDay()] ?? 'sun';
        const list = exception ? exception.shifts : (opening.weekly?.[weekday] ?? null);
        if (list === null) unknown = true;
        for (const [opens = '', closes = ''] of (list ?? []).map((text) => text.split('-'))) {
          const start = Date.parse(`${date}T${opens}:00+08:00`);
          const endOfDay = closes === '24:00' ? Date.parse(`${date}T00:00:00+08:00`) + 86_400_000 : null;
          const end = endOfDay ?? Date.parse(`${date}T${closes}:00+08:00`) + (closes < opens ? 86_400_000 : 0);
          if (start <= now && now < end) return true;
        }
      }
      return unknown ? null : false;
    }

    fc.assert(
      fc.property(week, exceptions, moment, (weekly, holidays, [date, quarters, plus]) => {
        const opening = { text: '如表', weekly, exceptions: holidays };
        const now = at(`${date}T00:00:00+08:00`) + quarters * 900_000 + plus;
        expect(isOpenAt(opening, now)).toBe(reference(opening, now));
      }),
      { seed: 7, numRuns: 600 },
    );
  });
});
