/**
 * How the facts of places and events are named in Chinese, and how "not recorded" is said: never as "no".
 * @module
 */
import type { Place, Source } from '../../../commands/catalog.ts';
import { plain } from './limits.ts';

const FIELD_LABELS: ReadonlyMap<string, string> = new Map([
  ['address', '地址'],
  ['phone', '電話'],
  ['coordinates', '位置座標'],
  ['openNow', '現在營業與否'],
  ['hours', '營業時間'],
  ['straightLineMetres', '直線距離'],
  ['dietaryOptions', '飲食種類'],
  ['dietarySubtype', '細分素別'],
  ['time', '時間'],
  ['venue', '活動地點'],
  ['meetingTime', '集合時間'],
  ['meetingPoint', '集合地點'],
  ['accessibility.entrance', '入口無障礙'],
  ['accessibility.route', '動線無障礙'],
  ['accessibility.toilet', '無障礙廁所'],
]);

/** One line, opened by `intro`, naming what no source records; nothing when all is recorded. */
export function unknownLine(intro: string, fields: readonly string[]): readonly string[] {
  const labels = new Set(fields.map((field) => FIELD_LABELS.get(field) ?? '其他項目'));
  return labels.size === 0 ? [] : [`${intro}：${[...labels].join('、')}`];
}

/** Accessibility by part, as soon as one part is known: one part never speaks for another. */
export function accessibilityLine({ entrance, route, toilet }: Place['accessibility']): readonly string[] {
  if (entrance === null && route === null && toilet === null) return [];
  const word = (known: boolean | null) => (known === null ? '未知' : known ? '可以' : '不行');
  return [`無障礙：入口${word(entrance)}、動線${word(route)}、廁所${word(toilet)}（各看各的，入口可以不代表全程可以）`];
}

/** The sources under their numbers; a source without a usable address is named without one. */
export function sourceLines(sources: readonly Source[]): readonly string[] {
  return sources.map(({ title, url, asOf }, index) => {
    const link = url !== null && /^https?:\/\/[\x21-\x7e]{1,300}$/.test(url) ? ` ${url}` : '';
    return `[${index + 1}] ${plain(title, 80)}（${plain(asOf, 20)}）${link}`;
  });
}

/** The numbers of the sources a record rests on. */
export function sourceNumbers(fields: Place['sources'], sources: readonly Source[]): readonly string[] {
  const cited = new Set(Object.values(fields));
  const numbers = sources.flatMap(({ id }, index) => (cited.has(id) ? [`[${index + 1}]`] : []));
  return numbers.length === 0 ? [] : [`來源：${numbers.join('')}`];
}
