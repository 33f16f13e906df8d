/**
 * The list of ledgers, an access ledger's looks, and what a verification came to.
 * @module
 */
import { html } from 'hono/html';
import { AccessRead, type RecordedAccess } from '../../events/access-kinds.ts';
import { LedgerKind, type LedgerRef } from '../../events/identity.ts';
import type { AnyEvent } from '../../projections/ledger-law.ts';
import type { HashedEvent } from '../../projections/replay.ts';
import * as v from 'valibot';
import { type Html, markIcon } from './console-charts.ts';
import { routeOf } from './console-event-words.ts';
import { digest, framed, type PageFor, timeOf } from './console-page.ts';
import type { Words } from './console-words.ts';
import { type FoundProblem, ledgerIdFrom } from './looking.ts';
import type { LedgerSummary } from './views.ts';

/** What a kind of ledger is called. */
export function kindName(words: Words, kind: LedgerKind): string {
  const names: Readonly<Record<LedgerKind, string>> = {
    preference: words.kindPreference,
    request: words.kindRequest,
    access: words.kindAccess,
    gate: words.kindGate,
  };
  return names[kind];
}

/** What a purpose is called; one that has no name yet is told by its key. */
export function purposeName(words: Words, { kind, purpose }: Pick<LedgerRef, 'kind' | 'purpose'>): string {
  if (kind === 'access') return words.purposeAccess;
  return purpose === 'diet_for_place_search' ? words.purposeDiet : purpose;
}

export type LedgersPage = {
  readonly ledgers: readonly LedgerSummary[];
  readonly kind: LedgerKind | null;
  readonly isFirst: boolean;
  /** The cursor of the next page, or null. */
  readonly next: string | null;
};

/** The list. */
export function ledgersListPage(page: PageFor, { ledgers, kind, isFirst, next }: LedgersPage): Html {
  const { words } = page;
  const ofKind = kind === null ? '' : `kind=${kind}`;
  return framed(page, {
    title: words.ledgersTitle,
    current: 'ledgers',
    main: html`<h1>${words.ledgersTitle}</h1>
<p class="quiet">${words.ledgersWhy}</p>
<form method="get" action="/audit/ledgers" class="row">
<label for="kind">${words.kind}</label>
<select id="kind" name="kind"><option value="">${words.kindAll}</option>${LedgerKind.options.map(
      (each) => html`<option value="${each}"${each === kind ? html` selected` : ''}>${kindName(words, each)}</option>`,
    )}</select>
<button type="submit">${words.show}</button>
</form>
${ledgers.length === 0 ? html`<p class="card">${words.empty}</p>` : ledgersTable(words, ledgers)}
<nav class="row" aria-label="${words.ledgersTitle}">
${isFirst ? '' : html`<a class="button" href="/audit/ledgers?${ofKind}">${words.first}</a>`}
${next === null ? '' : html`<a class="button" rel="next" href="/audit/ledgers?${ofKind}${ofKind === '' ? '' : '&'}after=${next}">${words.next}</a>`}
</nav>`,
  });
}

function ledgersTable(words: Words, ledgers: readonly LedgerSummary[]): Html {
  return html`<div class="card flush scroll" tabindex="0" role="region" aria-label="${words.ledgersTitle}"><table class="list"><caption class="unseen">${words.ledgersTitle}</caption>
<thead><tr><th scope="col">${words.ledger}</th><th scope="col">${words.kind}</th><th scope="col">${words.now}</th><th scope="col" class="number">${words.revision}</th><th scope="col" class="number">${words.position}</th><th scope="col">${words.newest}</th></tr></thead>
<tbody>${ledgers.map(
    (ledger) =>
      html`<tr><th scope="row"><a href="/audit/ledgers/${ledger.ledgerId}">${digest(ledger.ledgerId, 12)}</a></th>
<td>${kindName(words, ledger.kind)}</td><td>${inForceName(words, ledger)}</td>
<td class="number">${ledger.revision ?? '—'}</td><td class="number">${ledger.position}</td>
<td>${ledger.time === null ? '—' : timeOf(ledger.time)}</td></tr>`,
  )}</tbody></table></div>`;
}

function inForceName(words: Words, { inForce }: LedgerSummary): Html | string {
  if (inForce === null) return '—';
  return inForce
    ? html`<span class="pill held">${words.stateInForce}</span>`
    : html`<span class="pill">${words.stateNone}</span>`;
}

/** The looks at a ledger, newest first. */
export function accessPage(page: PageFor, ledger: LedgerRef, events: readonly HashedEvent<AnyEvent>[]): Html {
  const { words } = page;
  const looks = events.flatMap(({ event }) => {
    const read = v.safeParse(AccessRead, { type: event.type, data: event.data });
    return read.success ? [{ event, data: read.output.data }] : [];
  });
  return framed(page, {
    title: words.reads,
    current: 'ledgers',
    main: html`<h1>${words.reads} ${digest(ledger.ledgerId)}</h1>
<p class="quiet">${words.accessIntro}</p>
<div class="card flush scroll" tabindex="0" role="region" aria-label="${words.reads}"><table class="list"><caption class="unseen">${words.reads}</caption>
<thead><tr><th scope="col">${words.time}</th><th scope="col">${words.reader}</th><th scope="col">${words.role}</th><th scope="col">${words.channel}</th><th scope="col">${words.route}</th><th scope="col">${words.bound}</th><th scope="col">${words.ledger}</th></tr></thead>
<tbody>${looks.toReversed().map(
      ({ event, data }) =>
        html`<tr><th scope="row">${markIcon('looked')} ${timeOf(event.time)}</th><td>${data.reader}</td><td>${data.role}</td><td>${data.channel}</td><td>${routeOf(data.route, page.language)}</td><td>${boundName(words, data.bound)}</td>
<td>${data.ledgerId === null ? '—' : html`<a href="/audit/ledgers/${data.ledgerId}">${digest(data.ledgerId)}</a>`}</td></tr>`,
    )}</tbody></table></div>
<p class="row"><a class="button" href="/audit/ledgers/${ledger.ledgerId}/verify">${words.verifyThis}</a>
<a class="button" href="/audit/ledgers/${ledger.ledgerId}/history.ndjson" download>${words.download}</a></p>`,
  });
}

function boundName(words: Words, bound: RecordedAccess['data']['bound']): string {
  switch (bound.kind) {
    case 'all':
      return words.boundAll;
    case 'through_revision':
      return `${words.revision} ${bound.revision}`;
    case 'through_position':
      return `${words.position} ${bound.position}`;
    case 'at':
      return bound.time;
  }
}

export type VerifiedPage = {
  /** The one ledger that was verified, or null for several. */
  readonly ledgerId: string | null;
  readonly ledgers: number;
  readonly events: number;
  readonly problems: readonly FoundProblem[];
  /** The cursor of the next batch, or null. */
  readonly next: string | null;
};

/** What a verification came to. */
export function verifiedPage(page: PageFor, shown: VerifiedPage): Html {
  const { words } = page;
  const isGood = shown.problems.length === 0;
  return framed(page, {
    title: words.verifyTitle,
    current: shown.ledgerId === null ? 'verify' : 'ledgers',
    main: html`<h1>${words.verifyTitle}</h1>
<p class="quiet">${words.verifyWhy}</p>
<section class="card verdict ${isGood ? 'good' : 'bad'}" aria-labelledby="verdict">
<h2 id="verdict" role="status">${isGood ? words.verifiedGood : words.verifiedBad}</h2>
<dl class="facts"><div><dt>${words.ledgers}</dt><dd>${shown.ledgers}</dd></div>
<div><dt>${words.eventsTotal}</dt><dd>${shown.events}</dd></div>
<div><dt>${words.problems}</dt><dd>${shown.problems.length}</dd></div></dl>
</section>
${isGood ? '' : problemsTable(words, shown.problems)}
<p class="row">${shown.ledgerId === null ? '' : html`<a class="button" href="/audit/ledgers/${shown.ledgerId}">${words.backToLedger}</a>`}
${shown.next === null ? '' : html`<a class="button primary" rel="next" href="/audit/verify?after=${shown.next}">${words.verifyMore}</a>`}</p>`,
  });
}

function problemsTable(words: Words, problems: readonly FoundProblem[]): Html {
  return html`<div class="card flush scroll" tabindex="0" role="region" aria-label="${words.problems}"><table class="list"><caption class="unseen">${words.problems}</caption>
<thead><tr><th scope="col">${words.ledger}</th><th scope="col" class="number">${words.firstProblem}</th><th scope="col">${words.cause}</th></tr></thead>
<tbody>${problems.map(
    ({ ledgerId, position, cause }) =>
      html`<tr><th scope="row">${ledgerIdFrom(ledgerId) === null ? words.checkpoints : html`<a href="/audit/ledgers/${ledgerId}">${digest(ledgerId, 12)}</a>`}</th><td class="number">${position}</td><td><code>${cause}</code></td></tr>`,
  )}</tbody></table></div>`;
}
