/**
 * Whether a place is open at a moment, by its recorded hours: yes, no, or unknown.
 * @module
 */

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
type Weekday = (typeof WEEKDAYS)[number];

/**
 * The shifts that begin on one day, as `HH:MM-HH:MM` in Taipei; an end at or before the start is on the next day, and
 * `24:00` is a midnight end. Empty: closed that day. Null: not known.
 */
type Shifts = readonly string[] | null;

/** Hours as a source gives them. */
export type OpeningHours = {
  /** The words of the source, shown as they are. */
  readonly text: string;
  /** Null when the words cannot be read as hours (「看心情」). */
  readonly weekly: Readonly<Record<Weekday, Shifts>> | null;
  /** Days with their own rule, by plain date in Taipei: a holiday, a typhoon day. */
  readonly exceptions: readonly { readonly date: string; readonly shifts: Shifts }[];
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Taiwan keeps one offset all year (no daylight saving since 1980), so the host's zone is never asked. */
const TAIPEI_OFFSET_MS = 8 * 60 * MINUTE_MS;
/** 1970-01-01 was a Thursday. */
const WEEKDAY_OF_DAY_0 = 4;

/**
 * Whether the place is open at `now` (Unix milliseconds). A shift follows the rule of the day it began on, also after
 * midnight; it includes its first millisecond and not its last. Null, never "closed", when a day that decides is unknown.
 */
export function isOpenAt(hours: OpeningHours, now: number): boolean | null {
  const local = now + TAIPEI_OFFSET_MS;
  const today = Math.floor(local / DAY_MS);
  const sinceMidnight = local - today * DAY_MS;
  const begunToday = isWithin(shiftsOf(hours, today), sinceMidnight);
  const begunYesterday = isWithin(shiftsOf(hours, today - 1), sinceMidnight + DAY_MS);
  if (begunToday === true || begunYesterday === true) return true;
  return begunToday === null || begunYesterday === null ? null : false;
}

/** `day` counts days of Taipei since 1970-01-01. */
function shiftsOf(hours: OpeningHours, day: number): Shifts {
  const exception = hours.exceptions.find(({ date }) => Date.parse(`${date}T00:00:00Z`) === day * DAY_MS);
  if (exception !== undefined) return exception.shifts;
  const weekday = WEEKDAYS[(((day + WEEKDAY_OF_DAY_0) % 7) + 7) % 7];
  return weekday === undefined ? null : (hours.weekly?.[weekday] ?? null);
}

/** `elapsed`: milliseconds since the midnight that began the shifts' day, up to two days. */
function isWithin(shifts: Shifts, elapsed: number): boolean | null {
  if (shifts === null) return null;
  let unreadable = false;
  for (const shift of shifts) {
    const read = readShift(shift);
    if (read === null) unreadable = true;
    else if (read.opens <= elapsed && elapsed < read.closes) return true;
  }
  return unreadable ? null : false;
}

/** Milliseconds since the midnight of the day the shift begins; null for what is not a shift. */
function readShift(text: string): { readonly opens: number; readonly closes: number } | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)-(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/.exec(text);
  if (match === null) return null;
  const opens = (Number(match[1]) * 60 + Number(match[2])) * MINUTE_MS;
  const closes = match[3] === undefined ? DAY_MS : (Number(match[3]) * 60 + Number(match[4])) * MINUTE_MS;
  // 10:00-10:00 may mean all day or a slip of the pen.
  if (opens === closes) return null;
  return { opens, closes: closes > opens ? closes : closes + DAY_MS };
}
