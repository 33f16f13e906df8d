/**
 * The overview: all ledgers at a glance.
 * @module
 */
import { html } from 'hono/html';
import type { StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import { RefusalReason } from '../../events/kinds.ts';
import { DAY_GROUPS, type DayGroup, lastDays, type Overview } from '../../projections/overview.ts';
import { daysChart, type Html, partBar, swatch } from './console-charts.ts';
import { reasonOf } from './console-event-words.ts';
import { framed, type PageFor, timeOf } from './console-page.ts';
import type { Words } from './console-words.ts';
import type { FoundProblem } from './looking.ts';

const DAYS_SHOWN = 30;

/** What the newest check of all ledgers came to. */
export type VerifiedAll = {
  /** RFC 3339. */
  readonly time: string;
  readonly ledgers: number;
  readonly events: number;
  readonly problems: number;
  /** False while a next batch waits. */
  readonly isWhole: boolean;
};

export type OverviewPage = {
  readonly overview: Overview;
  /** False when there were too many ledgers to count them all. */
  readonly isWhole: boolean;
  /** The newest checkpoint (null before the first), or why there is none to show. */
  readonly checkpoint: 'not_configured' | 'damaged' | StoredCheckpoint | null;
  /** What of the counted ledgers is not what the newest checkpoint signed. */
  readonly differing: readonly FoundProblem[];
  readonly verified: VerifiedAll | null;
  /** UTC, YYYY-MM-DD. */
  readonly today: string;
};

/** The page. */
export function overviewPage(page: PageFor, shown: OverviewPage): Html {
  const { words } = page;
  const { overview } = shown;
  const others = overview.ledgers.request + overview.ledgers.gate;
  return framed(page, {
    title: words.overview,
    current: 'overview',
    main: html`<h1>${words.overview}</h1>
${shown.differing.length === 0 ? '' : alarm(words, shown.differing.length)}
${shown.isWhole ? '' : html`<p class="notice">${words.partial}</p>`}
<dl class="figures">
${figure(words.preferenceLedgers, overview.ledgers.preference)}
${figure(words.inForceNow, overview.inForce)}
${figure(words.eventsTotal, overview.events)}
${figure(words.accessLedgers, overview.ledgers.access)}
${others === 0 ? '' : figure(words.otherLedgers, others)}
</dl>
${daysSection(page, shown)}
<div class="pair">
${refusalsSection(page, overview)}
<div class="stack">${verifySection(words, shown.verified)}${checkpointSection(words, shown.checkpoint)}</div>
</div>`,
  });
}

function alarm(words: Words, differing: number): Html {
  return html`<section class="card verdict bad" aria-labelledby="alarm">
<h2 id="alarm">${words.differsFromSigned}</h2>
<p>${words.differsWhy} ${words.problems}: <b>${differing}</b></p>
<p><a class="button" href="/audit/verify">${words.verifyNow}</a></p>
</section>`;
}

function figure(name: string, value: number): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function groupName(words: Words, group: DayGroup): string {
  const names: Readonly<Record<DayGroup, string>> = {
    offered: words.groupOffered,
    agreed: words.groupAgreed,
    ended: words.groupEnded,
    refused: words.groupRefused,
    looked: words.groupLooked,
  };
  return names[group];
}

function daysSection({ words }: PageFor, { overview, today }: OverviewPage): Html {
  const days = lastDays(overview, today, DAYS_SHOWN);
  const busy = days.filter(({ counts }) => DAY_GROUPS.some((group) => counts[group] > 0));
  const sums = DAY_GROUPS.map(
    (group) => `${groupName(words, group)} ${days.reduce((sum, { counts }) => sum + counts[group], 0)}`,
  );
  return html`<section class="card" aria-labelledby="days">
<h2 id="days">${words.eventsOverTime}</h2>
<p class="quiet">${words.lastDays}</p>
${daysChart(days, `${words.eventsOverTime}: ${sums.join(', ')}`)}
<p class="ends quiet" aria-hidden="true"><span>${days[0]?.day ?? ''}</span><span>${today}</span></p>
<ul class="legend">${DAY_GROUPS.map((group) => html`<li>${swatch(group)} ${groupName(words, group)}</li>`)}</ul>
<details><summary>${words.asTable}</summary>
<div class="scroll" tabindex="0" role="region" aria-labelledby="days"><table><caption>${words.eventsOverTime}</caption>
<thead><tr><th scope="col">${words.day}</th>${DAY_GROUPS.map((group) => html`<th scope="col" class="number">${groupName(words, group)}</th>`)}</tr></thead>
<tbody>${busy.map(
    ({ day, counts }) =>
      html`<tr><th scope="row">${day}</th>${DAY_GROUPS.map((group) => html`<td class="number">${counts[group]}</td>`)}</tr>`,
  )}</tbody></table></div></details>
</section>`;
}

function refusalsSection({ words, language }: PageFor, { refusals }: Overview): Html {
  const rows = RefusalReason.options.map((reason) => ({ reason, count: refusals[reason] }));
  const most = Math.max(...rows.map(({ count }) => count));
  return html`<section class="card" aria-labelledby="refusals">
<h2 id="refusals">${words.refusalsByCause}</h2>
${
  most === 0
    ? html`<p class="quiet">${words.noRefusals}</p>`
    : html`<table class="bars"><caption class="unseen">${words.refusalsByCause}</caption>
<thead class="unseen"><tr><th scope="col">${words.cause}</th><th scope="col">${words.count}</th></tr></thead>
<tbody>${rows.map(
        ({ reason, count }) =>
          html`<tr><th scope="row">${reasonOf(reason, language)}${partBar(count, most)}</th><td class="number">${count}</td></tr>`,
      )}</tbody></table>`
}
</section>`;
}

function verifySection(words: Words, verified: VerifiedAll | null): Html {
  const result =
    verified === null
      ? html`<p class="quiet">${words.verifyNever}</p>`
      : html`<p class="${verified.problems === 0 ? 'good' : 'bad'}"><b>${verified.problems === 0 ? words.verifiedGood : words.verifiedBad}</b></p>
<dl class="facts"><div><dt>${words.ledgers}</dt><dd>${verified.ledgers}</dd></div>
<div><dt>${words.eventsTotal}</dt><dd>${verified.events}</dd></div>
<div><dt>${words.problems}</dt><dd>${verified.problems}</dd></div>
<div><dt>${words.verifiedAt}</dt><dd>${timeOf(verified.time)}</dd></div></dl>
${verified.isWhole ? '' : html`<p class="quiet">${words.verifiedPart}</p>`}`;
  return html`<section class="card" aria-labelledby="verified">
<h2 id="verified">${words.verifyState}</h2>
${result}
<p><a class="button" href="/audit/verify">${words.verifyNow}</a></p>
</section>`;
}

function checkpointSection(words: Words, checkpoint: OverviewPage['checkpoint']): Html {
  const body =
    checkpoint === 'not_configured'
      ? html`<p><b>${words.notConfigured}</b></p><p class="quiet">${words.notConfiguredWhy}</p>`
      : checkpoint === 'damaged'
        ? html`<p class="bad"><b>${words.checkpointDamaged}</b></p>`
        : checkpoint === null
          ? html`<p class="quiet">${words.noCheckpoint}</p>`
          : html`<dl class="facts"><div><dt>${words.checkpointSize}</dt><dd>${checkpoint.size}</dd></div>
<div><dt>${words.checkpointAt}</dt><dd>${timeOf(new Date(checkpoint.signedAt).toISOString())}</dd></div></dl>
<pre class="note" tabindex="0" role="region" aria-label="${words.checkpointNote}">${checkpoint.note}</pre>`;
  return html`<section class="card" aria-labelledby="checkpoints">
<h2 id="checkpoints">${words.checkpoints}</h2>
${body}
</section>`;
}
