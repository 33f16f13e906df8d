/**
 * One preference ledger: its timeline, the slider through revisions, and the state at the moment one stands at.
 * @module
 */
import { html } from 'hono/html';
import type { LedgerRef } from '../../events/identity.ts';
import type { HistoryEntry } from '../../projections/history.ts';
import { type Html, markIcon, trackChart } from './console-charts.ts';
import { detailSection, proofSection } from './console-detail.ts';
import { markOf, sentenceOf, titleOf } from './console-event-words.ts';
import { purposeName } from './console-ledgers.ts';
import { digest, framed, type PageFor, timeOf } from './console-page.ts';
import type { Words } from './console-words.ts';
import type { Witnessed } from './looking.ts';
import type { StateView } from './views.ts';

export type LedgerPage = {
  readonly ledger: LedgerRef;
  readonly history: readonly HistoryEntry[];
  /** The state at the position one stands at. */
  readonly state: StateView;
  /** The words of the notice that consent was given on; null when there is none, or none that is known. */
  readonly notice: string | null;
  readonly accessLedgerId: string;
  readonly witnessed: 'not_configured' | 'damaged' | Witnessed | null;
  /** False when a verification finds anything; then nothing of the ledger counts as covered. */
  readonly isSound: boolean;
  /** Unix milliseconds. */
  readonly now: number;
};

/** The page. */
export function ledgerPage(page: PageFor, shown: LedgerPage): Html {
  const { words, language } = page;
  const { ledger, history, state } = shown;
  const here = history[state.position - 1] ?? null;
  const path = `/audit/ledgers/${ledger.ledgerId}`;
  return framed(page, {
    title: `${words.ledger} ${ledger.ledgerId.slice(0, 10)}`,
    current: 'ledgers',
    main: html`<div class="head"><h1>${purposeName(words, ledger)} <span class="quiet">${digest(ledger.ledgerId, 14)}</span></h1>
<p class="row"><a class="button" href="${path}/verify">${words.verifyThis}</a>
<a class="button" href="${path}/history.ndjson" download>${words.download}</a>
<a class="button" href="/audit/ledgers/${shown.accessLedgerId}">${words.accessOf}</a></p></div>
${shown.isSound ? '' : html`<section class="card verdict bad" aria-labelledby="alarm"><h2 id="alarm">${words.notAsSigned}</h2></section>`}
<div id="moment" class="moment" data-path="${path}">
${sliderSection(page, shown)}
<div class="beside">
${stateSection(page, shown)}
<section class="card timeline" aria-labelledby="timeline">
<h2 id="timeline">${words.timeline}</h2>
<p class="quiet">${words.timelineWhy}</p>
<ol>${history.map((entry) => timelineEntry(path, entry, { language, at: state.position }))}</ol>
</section>
${here === null ? '' : detailSection(page, shown, here)}
${here === null ? '' : proofSection(page, shown, here)}
</div>
</div>`,
  });
}

function timelineEntry(
  path: string,
  { event }: HistoryEntry,
  { language, at }: { language: PageFor['language']; at: number },
): Html {
  const isHere = event.position === at;
  return html`<li class="${event.position > at ? 'later' : ''}"><a href="${path}?position=${event.position}"${isHere ? html` aria-current="true"` : ''}>
${markIcon(markOf(event.type))}<span class="said"><b>${titleOf(event.type, language)}</b> <span>${sentenceOf(event, language)}</span>
<span class="quiet">${event.position} · ${timeOf(event.time)}</span></span></a></li>`;
}

function sliderSection({ words }: PageFor, { ledger, history, state }: LedgerPage): Html {
  const newest = history.at(-1)?.revision ?? 0;
  const path = `/audit/ledgers/${ledger.ledgerId}`;
  const isNewest = state.position === history.length;
  return html`<section class="card slider" aria-labelledby="where">
<h2 id="where" class="where"><span class="quiet">${words.through}</span> <span aria-live="polite">${
    state.position === 0
      ? words.nothingYet
      : html`${words.position} ${state.position} · ${words.revision} ${state.revision}${state.time === null ? '' : html` · ${timeOf(state.time)}`}`
  }</span></h2>
${trackChart(history, state.position, `${words.timeline}: ${words.position} ${state.position} / ${history.length}`)}
<form method="get" action="${path}" class="scrub">
<label for="revision">${words.slider} <output id="revision-said" for="revision">${state.revision}</output> / ${newest}</label>
<input id="revision" name="revision" type="range" min="0" max="${newest}" step="1" value="${state.revision}" aria-describedby="revision-hint"${newest === 0 ? html` disabled` : ''}>
<button type="submit">${words.go}</button>
<p id="revision-hint" class="quiet">${words.sliderHint}</p>
</form>
<form method="get" action="${path}" class="row">
<label for="at">${words.atMoment}</label>
<input id="at" name="at" type="datetime-local" step="0.001" value="${state.time?.slice(0, 23) ?? ''}">
<button type="submit">${words.go}</button>
${isNewest ? '' : html`<a class="button" href="${path}">${words.latest}</a>`}
</form>
</section>`;
}

function stateSection({ words }: PageFor, { state, notice }: LedgerPage): Html {
  const { consent, erased } = state;
  return html`<section class="card state s-${state.state}" aria-labelledby="state">
<h2 id="state">${words.moment}</h2>
<p class="big">${stateName(words, state)}</p>
${
  state.value === null
    ? state.isWithheld
      ? html`<p class="withheld">${words.withheld}</p>`
      : ''
    : html`<p class="value"><span class="quiet">${words.value}</span> <b lang="zh-Hant-TW">${state.value.label}</b> <code>${state.value.code}</code></p>`
}
<dl class="facts">
${erased === null ? '' : html`<div><dt>${words.erasedAt}</dt><dd>${timeOf(erased.time)}</dd></div><div><dt>${words.erasedWhy}</dt><dd>${erased.by === 'forgotten' ? words.byForgotten : words.byCorrected}</dd></div>`}
${consent === null ? '' : html`<div><dt>${words.consentBy}</dt><dd>${digest(consent.eventId, 18)}</dd></div><div><dt>${words.noticeVersion}</dt><dd>${consent.noticeVersion ?? '—'}</dd></div>`}
</dl>
${state.proposalOpen ? html`<p><span class="pill open">${words.cardOpen}</span></p>` : ''}
${consent === null ? '' : html`<details class="shown-notice" open><summary>${words.noticeShown}</summary>${notice === null ? html`<p>${words.noticeUnknown}</p>` : html`<blockquote lang="zh-Hant-TW">${notice}</blockquote>`}</details>`}
</section>`;
}

function stateName(words: Words, { state }: StateView): string {
  switch (state) {
    case 'in_force':
      return words.stateInForce;
    case 'none':
      return words.stateNone;
    case 'erased':
      return words.stateErased;
  }
}
