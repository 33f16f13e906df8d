/**
 * A moment as an auditor writes it: with an offset, so that nobody has to guess a time zone.
 * @module
 */

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** Unix milliseconds of RFC 3339 text (seconds may be left out); null for other text and for days that do not exist. */
export function readMoment(text: string): number | null {
  const time = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) || !isRealDay(text.slice(0, 10)) ? null : time;
}

/** 30 February would silently become a day in March. */
function isRealDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
