/**
 * The console's pages, one entry each: what is read for it, after the look was recorded.
 * @module
 */
import type { Context } from 'hono';
import * as v from 'valibot';
import { type LedgerId, LedgerKind, type LedgerRef } from '../../events/identity.ts';
import { historyOf } from '../../projections/history.ts';
import { type AnyEvent, ledgerLaw } from '../../projections/ledger-law.ts';
import { type Bound, type HashedEvent, reaches, replay } from '../../projections/replay.ts';
import { Moment } from './api-schemas.ts';
import type { SaidPage } from './console.ts';
import type { Html } from './console-charts.ts';
import { ledgerPage } from './console-ledger.ts';
import { accessPage, ledgersListPage, verifiedPage } from './console-ledgers.ts';
import { overviewPage, type VerifiedAll } from './console-overview.ts';
import type { PageFor } from './console-page.ts';
import { judgeBatch, judgeLedger } from './judging.ts';
import { absence, type AuditParts, EVENTS_SHOWN_MAX, ledgerIdFrom, lookAtMany, lookAtOne } from './looking.ts';
import { type GatheredOverview, gatherOverview } from './overview-gathering.ts';
import { readLedger } from './reading.ts';
import { eventView, ledgersPage, noticeText, stateView } from './views.ts';

const LEDGERS_PER_PAGE = 50;
/** Looks shown of an access ledger, the newest. */
const LOOKS_SHOWN_MAX = 500;
/** Events in one piece of a download. */
const DOWNLOAD_PIECE = 500;
/** How long an overview that was gathered is shown again, milliseconds. */
const OVERVIEW_MS = 15_000;

/** What a page came to. */
export type Shown =
  | { readonly kind: 'page'; readonly html: Html }
  | { readonly kind: 'file'; readonly name: string; readonly body: ReadableStream<Uint8Array> }
  | { readonly kind: 'said'; readonly what: SaidPage; readonly href?: string };

export type ConsolePage = {
  /** Under /audit. */
  readonly path: string;
  readonly look: (c: Context, page: PageFor) => Promise<Shown>;
};

const said = (what: SaidPage): Shown => ({ kind: 'said', what });
const shownAs = (html: Html): Shown => ({ kind: 'page', html });
const lookerOf = ({ reader }: PageFor) => ({ reader, channel: 'console' }) as const;

/** All pages. What is remembered between them is what the overview shows, for some seconds, and the newest verification. */
export function consolePages(parts: AuditParts): readonly ConsolePage[] {
  let verified: VerifiedAll | null = null;
  let gathered: { readonly at: number; readonly work: Promise<GatheredOverview> } | null = null;

  function overviewNow(): Promise<GatheredOverview> {
    if (gathered === null || parts.clock() - gathered.at > OVERVIEW_MS) {
      const work = gatherOverview(parts);
      gathered = { at: parts.clock(), work };
      work.catch(() => {
        gathered = null;
      });
    }
    return gathered.work;
  }

  async function overview(_: Context, page: PageFor): Promise<Shown> {
    await lookAtMany(parts, lookerOf(page), 'overview');
    const counted = await overviewNow();
    const checkpoint = parts.checkpoints === null ? 'not_configured' : await parts.checkpoints.latest();
    const today = new Date(parts.clock()).toISOString().slice(0, 10);
    return shownAs(overviewPage(page, { ...counted, checkpoint, verified, today }));
  }

  async function verifyAll(c: Context, page: PageFor): Promise<Shown> {
    const text = c.req.query('after');
    const after = text === undefined ? null : ledgerIdFrom(text);
    if (text !== undefined && after === null) return said('invalid');
    await lookAtMany(parts, lookerOf(page), 'verify_all');
    const batch = await judgeBatch(parts, after);
    const before = after === null ? null : verified;
    verified = {
      time: new Date(parts.clock()).toISOString(),
      ledgers: (before?.ledgers ?? 0) + batch.ledgers,
      events: (before?.events ?? 0) + batch.events,
      problems: (before?.problems ?? 0) + batch.problems.length,
      isWhole: batch.next === null,
    };
    return shownAs(verifiedPage(page, { ...batch, ledgerId: null }));
  }

  return [
    { path: '/', look: overview },
    { path: '/verify', look: verifyAll },
    { path: '/ledgers', look: (c, page) => ledgersList(parts, c, page) },
    { path: '/ledgers/:ledgerId', look: (c, page) => oneLedger(parts, c, page) },
    { path: '/ledgers/:ledgerId/verify', look: (c, page) => verifyOne(parts, c, page) },
    { path: '/ledgers/:ledgerId/history.ndjson', look: (c, page) => download(parts, c, page) },
  ];
}

async function ledgersList(parts: AuditParts, c: Context, page: PageFor): Promise<Shown> {
  const { after: afterText, kind: kindText = '' } = c.req.query();
  const after = afterText === undefined ? null : ledgerIdFrom(afterText);
  const kind = LedgerKind.options.find((known) => known === kindText) ?? null;
  if ((afterText !== undefined && after === null) || (kindText !== '' && kind === null)) return said('invalid');
  await lookAtMany(parts, lookerOf(page), 'ledgers');
  const found = await ledgersPage(parts.reader, { after, kind, limit: LEDGERS_PER_PAGE });
  return shownAs(ledgersListPage(page, { ...found, kind, isFirst: after === null }));
}

async function oneLedger(parts: AuditParts, c: Context, page: PageFor): Promise<Shown> {
  const ledgerId = ledgerIdFrom(c.req.param('ledgerId'));
  const bound = boundOf(c);
  if (ledgerId === null) return said('notFound');
  if (bound === null) return said('invalid');
  const ledger = await lookAtOne(parts, lookerOf(page), 'ledger', ledgerId, bound);
  if (ledger === null) return absent(parts, page, ledgerId);
  if (ledger.kind !== 'preference') return looksOf(parts, ledger, page);
  const href = `/audit/ledgers/${ledgerId}/verify`;
  if ((await parts.reader.head(ledgerId)).position > EVENTS_SHOWN_MAX) return { kind: 'said', what: 'tooLong', href };
  const read = await readLedger(parts.reader, ledger);
  if (read.unreadableAt !== null) return { kind: 'said', what: 'unreadable', href };
  if (!reaches(read.events, bound)) return said('beyond');
  const replayed = replayOrNull(read.events, bound, read.content);
  if (replayed === null) return { kind: 'said', what: 'unreadable', href };
  return shownAs(
    ledgerPage(page, {
      ledger,
      history: historyOf(read.events),
      state: stateView(page.reader, ledger, replayed),
      notice: noticeText(ledger.purpose, replayed.consent?.noticeVersion ?? null),
      accessLedgerId: parts.accessLedgerOf(ledger).ledgerId,
      witnessed: parts.checkpoints === null ? 'not_configured' : await parts.checkpoints.witnessed(ledgerId),
      isSound: (await judgeLedger(parts, ledger)).problems.length === 0,
      now: parts.clock(),
    }),
  );
}

/** Content that cannot be decoded is damage to be verified, not a failure of the page. */
function replayOrNull(...[events, bound, content]: Parameters<typeof replay>): ReturnType<typeof replay> | null {
  try {
    return replay(events, bound, content);
  } catch {
    return null;
  }
}

async function looksOf(parts: AuditParts, ledger: LedgerRef, page: PageFor): Promise<Shown> {
  const { position } = await parts.reader.head(ledger.ledgerId);
  const first = Math.max(1, position - LOOKS_SHOWN_MAX + 1);
  const stored = await parts.reader.events(ledger.ledgerId, first, position);
  const law = ledgerLaw(ledger.kind);
  const events = stored.flatMap(({ bytes, hash }): HashedEvent<AnyEvent>[] => {
    const opened = law?.open(bytes);
    return opened?.ok === true ? [{ event: opened.event, hash }] : [];
  });
  return shownAs(accessPage(page, ledger, events));
}

async function absent(parts: AuditParts, page: PageFor, ledgerId: LedgerId): Promise<Shown> {
  return said((await absence(parts, lookerOf(page), ledgerId)) === 'ledger_gone' ? 'gone' : 'notFound');
}

async function verifyOne(parts: AuditParts, c: Context, page: PageFor): Promise<Shown> {
  const ledgerId = ledgerIdFrom(c.req.param('ledgerId'));
  if (ledgerId === null) return said('notFound');
  const ledger = await lookAtOne(parts, lookerOf(page), 'verify', ledgerId);
  if (ledger === null) return absent(parts, page, ledgerId);
  const { events, problems } = await judgeLedger(parts, ledger);
  return shownAs(verifiedPage(page, { ledgerId, ledgers: 1, events, problems, next: null }));
}

async function download(parts: AuditParts, c: Context, page: PageFor): Promise<Shown> {
  const ledgerId = ledgerIdFrom(c.req.param('ledgerId'));
  if (ledgerId === null) return said('notFound');
  const ledger = await lookAtOne(parts, lookerOf(page), 'download', ledgerId);
  if (ledger === null) return absent(parts, page, ledgerId);
  const { position } = await parts.reader.head(ledger.ledgerId);
  return {
    kind: 'file',
    name: `ledger-${ledger.ledgerId.slice(0, 12)}.ndjson`,
    body: ReadableStream.from(lines(parts, ledger, position, page)),
  };
}

/** The history as one CloudEvent a line. A line that cannot be made ends the file with an error, never in silence. */
async function* lines(
  parts: AuditParts,
  ledger: LedgerRef,
  through: number,
  page: PageFor,
): AsyncGenerator<Uint8Array> {
  const law = ledgerLaw(ledger.kind);
  const encoder = new TextEncoder();
  for (let from = 1; from <= through; from += DOWNLOAD_PIECE) {
    const stored = await parts.reader.events(ledger.ledgerId, from, Math.min(through, from + DOWNLOAD_PIECE - 1));
    const piece = stored.map(({ bytes, hash }) => {
      const opened = law?.open(bytes);
      if (opened?.ok !== true) throw new Error('An event cannot be read');
      return `${JSON.stringify(eventView(page.reader, opened.event, hash))}\n`;
    });
    yield encoder.encode(piece.join(''));
  }
}

/** Up to where the address asks; null for what is no bound. A time without an offset is UTC, as the form says. */
function boundOf(c: Context): Bound | null {
  const { revision, position, at } = c.req.query();
  const given = [revision, position, at].filter((text) => text !== undefined && text !== '');
  if (given.length > 1) return null;
  const number = /^\d{1,9}$/;
  if (revision !== undefined && revision !== '')
    return number.test(revision) ? { kind: 'through_revision', revision: Number(revision) } : null;
  if (position !== undefined && position !== '')
    return number.test(position) ? { kind: 'through_position', position: Number(position) } : null;
  if (at === undefined || at === '') return { kind: 'all' };
  const moment = v.safeParse(Moment, /(Z|[+-]\d\d:\d\d)$/.test(at) ? at : `${at}Z`);
  return moment.success ? { kind: 'at', at: moment.output } : null;
}
