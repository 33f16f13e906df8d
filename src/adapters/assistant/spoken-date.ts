/**
 * Which day a message names.
 * @module
 */

/**
 * `YYYY-MM-DD`, or '' when no one day is named or it cannot be known. A day without a year is of the year of `today`
 * (`YYYY-MM-DD` in Taipei); without `today` only a full date is read. Takes folded text without spaces.
 */
export function dateIn(text: string, today: string | null): string {
  const full = /(\d{4})[年/-](\d{1,2})[月/-](\d{1,2})/.exec(text);
  if (full !== null) return realDate(Number(full[1]), Number(full[2]), Number(full[3]));
  if (today === null) return '';
  const short = /(?<!\d)(\d{1,2})[月/](\d{1,2})(?!\d)/.exec(text);
  if (short !== null) return realDate(Number(today.slice(0, 4)), Number(short[1]), Number(short[2]));
  const days = ['今天', '明天', '後天'].findIndex((word) => text.includes(word));
  if (days < 0) return '';
  const [year, month, day] = today.split('-').map(Number);
  return realDate(year ?? 0, month ?? 0, (day ?? 0) + days, true);
}

function realDate(year: number, month: number, day: number, mayRoll = false): string {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (Number.isNaN(date.getTime())) return '';
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return real || mayRoll ? date.toISOString().slice(0, 10) : '';
}

/** Whether a day of a month is named. */
export function namesDay(text: string): boolean {
  return /\d[月/]\d/.test(text);
}

/** The text without dates and words for days. */
export function withoutDates(text: string): string {
  return text
    .replace(/\d{1,4}[年月日號/-]/g, '')
    .replace(/\d/g, '')
    .replaceAll(/[今明後]天|這?個?週末|日/g, '');
}
