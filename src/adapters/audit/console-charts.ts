/**
 * The console's drawings: inline SVG with a name for whoever does not see it, coloured by the stylesheet only.
 * @module
 */
import { html } from 'hono/html';
import type { HistoryEntry } from '../../projections/history.ts';
import { DAY_GROUPS, type DayCount, type DayGroup } from '../../projections/overview.ts';
import { type Mark, markOf } from './console-event-words.ts';

/** A piece of a page. */
export type Html = ReturnType<typeof html>;

const SHAPES: Readonly<Record<Mark, Html>> = {
  offered: html`<circle cx="8" cy="8" r="5" class="hollow"/>`,
  agreed: html`<circle cx="8" cy="8" r="6.5" class="solid"/><path d="M5 8.3l2 2 4-4.4" class="cut"/>`,
  corrected: html`<circle cx="8" cy="8" r="6.5" class="solid"/><path d="M4.8 6.6h6L9.2 5M11.2 9.6h-6l1.6 1.6" class="cut"/>`,
  cancelled: html`<circle cx="8" cy="8" r="5" class="hollow"/><path d="M5.5 8h5" class="hollow"/>`,
  forgotten: html`<circle cx="8" cy="8" r="5.5" class="hollow dashed"/>`,
  refused: html`<path d="M8 1.5L14.5 8 8 14.5 1.5 8z" class="solid"/><path d="M6 6l4 4M10 6l-4 4" class="cut"/>`,
  looked: html`<path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8z" class="hollow"/><circle cx="8" cy="8" r="1.8" class="solid"/>`,
  unknown: html`<rect x="3.5" y="3.5" width="9" height="9" class="hollow"/>`,
};

/** The sign of a kind of event; says nothing to a screen reader, for words stand beside it. */
export function markIcon(mark: Mark): Html {
  return html`<svg class="mark m-${mark}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">${SHAPES[mark]}</svg>`;
}

const CHART_WIDTH = 720;
const CHART_HEIGHT = 150;

/**
 * Stacked bars, one a day, oldest first.
 * @param label what the drawing says, for whoever does not see it.
 */
export function daysChart(days: readonly { readonly day: string; readonly counts: DayCount }[], label: string): Html {
  const most = Math.max(4, ...days.map(({ counts }) => totalOf(counts)));
  const step = CHART_WIDTH / Math.max(1, days.length);
  const bars = days.map(({ counts }, index) => {
    let y = CHART_HEIGHT;
    return DAY_GROUPS.map((group) => {
      const height = (counts[group] / most) * CHART_HEIGHT;
      if (height === 0) return '';
      y -= height;
      return bar(group, index * step + step * 0.16, y, step * 0.68, height);
    });
  });
  const grid = [0.25, 0.5, 0.75].map((part) => html`<path class="grid" d="M0 ${CHART_HEIGHT * part}H${CHART_WIDTH}"/>`);
  return html`<svg class="chart" viewBox="0 0 ${CHART_WIDTH} ${CHART_HEIGHT + 2}" preserveAspectRatio="none" role="img" aria-label="${label}">
${grid}${bars}<path class="axis" d="M0 ${CHART_HEIGHT + 0.5}H${CHART_WIDTH}"/></svg>`;
}

function totalOf(counts: DayCount): number {
  return DAY_GROUPS.reduce((sum, group) => sum + counts[group], 0);
}

function bar(group: DayGroup, x: number, y: number, width: number, height: number): Html {
  return html`<rect class="g-${group}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="1.5"/>`;
}

/** The colour of a group of days, for a legend. */
export function swatch(group: DayGroup): Html {
  return html`<svg class="swatch" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><rect class="g-${group}" width="10" height="10" rx="2"/></svg>`;
}

/** One bar as long as its part of the most; beside it stands the number. */
export function partBar(part: number, most: number): Html {
  const width = most === 0 ? 0 : (part / most) * 100;
  return html`<svg class="part" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="part-ground" width="100" height="8" rx="2"/><rect class="g-refused" width="${width.toFixed(1)}" height="8" rx="2"/></svg>`;
}

/** Positions drawn on a track at most; a longer history is drawn from its end. */
const TRACK_POSITIONS_MAX = 60;
/** Where the line runs, pixels from the top. */
const RAIL_Y = 22;

/**
 * The history as a line: when something was in force (and whether its content still exists), every event, and where one
 * stands. Across it is measured in percent, so that signs keep their size on any screen.
 * @param at the position one stands at; 0 is the beginning.
 */
export function trackChart(history: readonly HistoryEntry[], at: number, label: string): Html {
  const first = Math.max(0, history.length - TRACK_POSITIONS_MAX);
  const shown = history.slice(first);
  const x = (position: number): string => `${(((position - first) / (shown.length + 1)) * 98 + 1).toFixed(2)}%`;
  const spans = shown.map(({ event, inForceAfter, revision }) => {
    if (!inForceAfter) return '';
    const exists = revision === history.at(-1)?.revision;
    return html`<line class="${exists ? 'span-held' : 'span-erased'}" x1="${x(event.position)}" x2="${x(event.position + 1)}" y1="${RAIL_Y}" y2="${RAIL_Y}"/>`;
  });
  const marks = shown.map(({ event }) => {
    const mark = markOf(event.type);
    return html`<svg class="m-${mark}" x="${x(event.position)}" y="${RAIL_Y - 8}" width="16" height="16" overflow="visible"><g transform="translate(-8 0)"><circle cx="8" cy="8" r="8" class="ground"/>${SHAPES[mark]}</g></svg>`;
  });
  const here = x(Math.max(at, first));
  return html`<svg class="track" height="${RAIL_Y * 2}" role="img" aria-label="${label}">
<line class="rail" x1="0" x2="100%" y1="${RAIL_Y}" y2="${RAIL_Y}"/>${spans}<line class="here" x1="${here}" x2="${here}" y1="1" y2="${RAIL_Y * 2 - 1}"/>${marks}</svg>`;
}
