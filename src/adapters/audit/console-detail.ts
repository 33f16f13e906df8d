/**
 * The event one stands at: its card, the head it met, and what proves it.
 * @module
 */
import { html } from 'hono/html';
import { cardEnd, type HistoryEntry } from '../../projections/history.ts';
import { type Html, markIcon } from './console-charts.ts';
import { endOf, markOf, methodOf, operationOf, reasonOf, sentenceOf, titleOf } from './console-event-words.ts';
import type { LedgerPage } from './console-ledger.ts';
import { digest, type PageFor, timeOf } from './console-page.ts';
import type { Words } from './console-words.ts';

function fact(name: string, value: Html | string | number): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** The event with its card; for a refusal the head it met. */
export function detailSection(page: PageFor, shown: LedgerPage, entry: HistoryEntry): Html {
  const { words, language } = page;
  const { event } = entry;
  const path = `/audit/ledgers/${shown.ledger.ledgerId}`;
  return html`<section class="card detail" aria-labelledby="detail">
<h2 id="detail">${words.detail}</h2>
<p class="lead">${markIcon(markOf(event.type))} <b>${titleOf(event.type, language)}</b></p>
<p>${sentenceOf(event, language)}</p>
<dl class="facts">
${fact(words.time, timeOf(event.time))}
${fact(words.actor, event.actorrole === 'subject' ? words.actorSubject : event.actor)}
${'method' in event.data ? fact(words.method, methodOf(event.data.method, language)) : ''}
${cardFacts(page, shown, entry)}
</dl>
${event.type === 'card.refused' ? metHead(page, shown, entry) : ''}
<nav class="row" aria-label="${words.detail}">
${event.position > 1 ? html`<a class="button" rel="prev" href="${path}?position=${event.position - 1}">${words.previous}</a>` : ''}
${event.position < shown.history.length ? html`<a class="button" rel="next" href="${path}?position=${event.position + 1}">${words.following}</a>` : ''}
</nav>
</section>`;
}

function cardFacts({ words, language }: PageFor, shown: LedgerPage, entry: HistoryEntry): Html | '' {
  const { event, offeredAt } = entry;
  if (!('proposalId' in event.data)) return '';
  const path = `/audit/ledgers/${shown.ledger.ledgerId}`;
  const offer = offeredAt === null ? undefined : shown.history[offeredAt - 1];
  const end = offer === undefined ? null : cardEnd(shown.history, offer, shown.now);
  const offered = offer?.event.type === 'preference.proposed' ? offer.event.data : null;
  return html`${fact(words.card, digest(event.data.proposalId, 18))}
${fact(words.offeredAt, offeredAt === null ? words.notHere : html`<a href="${path}?position=${offeredAt}">${offeredAt}</a>`)}
${
  offered === null
    ? ''
    : html`${fact(words.operation, operationOf(offered.operation, language))}
${fact(words.validity, `${offered.validitySeconds} ${words.seconds}`)}
${fact(words.noticeVersion, offered.noticeVersion)}`
}
${end === null ? '' : fact(words.cardBecame, end.position === null ? endOf(end.end, language) : html`<a href="${path}?position=${end.position}">${endOf(end.end, language)} (${end.position})</a>`)}`;
}

function metHead({ words, language }: PageFor, shown: LedgerPage, { event, met }: HistoryEntry): Html | '' {
  if (event.type !== 'card.refused') return '';
  const path = `/audit/ledgers/${shown.ledger.ledgerId}`;
  return html`<section class="met" aria-labelledby="met">
<h3 id="met">${words.metHead}</h3>
<p class="quiet">${words.metWhy}</p>
<dl class="facts">
${fact(words.reason, reasonOf(event.data.reason, language))}
${fact(words.presented, event.data.presentedRevision)}
${fact(words.headRevision, event.data.headRevision)}
${fact(words.position, html`<a href="${path}?position=${met.position}">${met.position}</a>`)}
${met.hash === null ? '' : fact(words.metHash, digest(met.hash, 16))}
${fact(words.inForceThen, met.inForce ? words.stateInForce : words.stateNone)}
${fact(words.openThen, met.openProposalId === null ? words.none : digest(met.openProposalId, 18))}
</dl>
</section>`;
}

/** What proves the event: its hash, its link, and the checkpoint that covers it. */
export function proofSection({ words }: PageFor, shown: LedgerPage, { event, hash }: HistoryEntry): Html {
  const { ledger } = shown;
  return html`<section class="card proof" aria-labelledby="proof">
<h2 id="proof">${words.proof}</h2>
<p class="quiet">${words.proofWhy}</p>
<dl class="facts tall">
${fact(words.hash, html`<code class="whole">${hash}</code>`)}
${fact(words.link, html`<code class="whole">${event.previoushash}</code>${event.position === 1 ? html` <span class="quiet">${words.genesis}</span>` : ''}`)}
${inclusion(words, shown, event.position)}
${fact(words.commandLine, html`<code class="whole">npm run ledger -- export --ledger ${ledger.ledgerId} --out bundle</code><br><code class="whole">node verify/verify-bundle.mjs bundle --key key.txt</code>`)}
</dl>
</section>`;
}

function inclusion(words: Words, { witnessed, isSound, ledger }: LedgerPage, position: number): Html {
  if (witnessed === 'not_configured') return fact(words.inclusion, words.notConfigured);
  if (witnessed === 'damaged')
    return fact(words.inclusion, html`<span class="bad"><b>${words.checkpointDamaged}</b></span>`);
  if (!isSound || (witnessed !== null && witnessed.difference !== null)) {
    const href = `/audit/ledgers/${ledger.ledgerId}/verify`;
    return fact(
      words.inclusion,
      html`<span class="bad"><b>${words.notAsSigned}</b></span> <a href="${href}">${words.verifyThis}</a>`,
    );
  }
  if (witnessed === null || witnessed.position < position) return fact(words.inclusion, words.notWitnessed);
  return html`${fact(words.inclusion, `${words.witnessedThrough} ${witnessed.position}`)}
${fact(words.leaf, `${witnessed.leafIndex} / ${witnessed.treeSize}`)}
${fact(
  words.auditPath,
  html`<details><summary>${witnessed.path.length}</summary><ol class="path">${witnessed.path.map((node) => html`<li><code class="whole">${node}</code></li>`)}</ol></details>`,
)}`;
}
