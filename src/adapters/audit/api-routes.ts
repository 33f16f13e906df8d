/**
 * The audit API, one entry for each thing that can be asked: its schemas and what it does. Served by api.ts, described by
 * openapi.ts.
 * @module
 */
import * as v from 'valibot';
import { historyOf, type MetHead } from '../../projections/history.ts';
import { ledgerLaw } from '../../projections/ledger-law.ts';
import { type Bound, reaches, replay } from '../../projections/replay.ts';
import {
  EVENTS_PER_PAGE_MAX,
  HistoryAnswer,
  HistoryQuery,
  LedgerAnswer,
  LedgersAnswer,
  LedgersQuery,
  NoParameters,
  OneLedger,
  type ProblemCode,
  ReplayAnswer,
  ReplayQuery,
  VerifyAnswer,
} from './api-schemas.ts';
import { judgeLedger } from './judging.ts';
import {
  absence,
  type AuditParts,
  EVENTS_SHOWN_MAX,
  lookAtMany,
  lookAtOne,
  type Looker,
  type Witnessed,
} from './looking.ts';
import { readLedger } from './reading.ts';
import { eventView, ledgersPage, noticeText, stateView, summaryOf } from './views.ts';

const LEDGERS_PER_PAGE = 50;
const EVENTS_PER_PAGE = 100;

/** What a route came to. */
export type ApiAnswer =
  | { readonly ok: true; readonly body: object }
  | { readonly ok: false; readonly code: ProblemCode; readonly parameters?: readonly string[] };

type Schema = v.GenericSchema<unknown, unknown>;
/** A route, as it is served and described. */
export type ApiRoute = {
  /** Under /audit/api, in Hono's spelling. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly params: Schema;
  readonly query: Schema;
  readonly answer: Schema;
  readonly problems: readonly ProblemCode[];
  readonly handle: (parts: AuditParts, looker: Looker, params: unknown, query: unknown) => Promise<ApiAnswer>;
};

type Definition<P extends Schema, Q extends Schema, A extends Schema> = Omit<
  ApiRoute,
  'params' | 'query' | 'answer' | 'handle'
> & {
  readonly params: P;
  readonly query: Q;
  readonly answer: A;
  readonly run: (
    parts: AuditParts,
    looker: Looker,
    params: v.InferOutput<P>,
    query: v.InferOutput<Q>,
  ) => Promise<v.InferInput<A> | ProblemCode>;
};

function route<P extends Schema, Q extends Schema, A extends Schema>({
  run,
  ...described
}: Definition<P, Q, A>): ApiRoute {
  return {
    ...described,
    async handle(parts, looker, rawParams, rawQuery) {
      const params = v.safeParse(described.params, rawParams);
      const query = v.safeParse(described.query, rawQuery);
      if (!params.success || !query.success) {
        return {
          ok: false,
          code: 'invalid_request',
          parameters: namesOf([...(params.issues ?? []), ...(query.issues ?? [])]),
        };
      }
      const answer = await run(parts, looker, params.output, query.output);
      return typeof answer === 'string'
        ? { ok: false, code: answer as ProblemCode }
        : { ok: true, body: answer as object };
    },
  };
}

const KNOWN_NAMES = new Set([
  ...Object.keys(OneLedger.entries),
  ...Object.keys(LedgersQuery.entries),
  ...Object.keys(HistoryQuery.entries),
  'throughRevision',
  'throughPosition',
  'at',
]);

/** Which of our parameters is meant; a name that is not ours is not repeated. */
function namesOf(issues: readonly v.BaseIssue<unknown>[]): readonly string[] {
  const names = issues.map((issue) => String(issue.path?.[0]?.key));
  return [...new Set(names.map((name) => (KNOWN_NAMES.has(name) ? name : 'unknown or repeated')))];
}

const listLedgers = route({
  path: '/ledgers',
  operationId: 'listLedgers',
  summary: 'Ledgers in order of ledgerId, a page at a time; go on with `after` = `next`.',
  params: NoParameters,
  query: LedgersQuery,
  answer: LedgersAnswer,
  problems: [],
  async run(parts, looker, _params, { after, kind, limit }) {
    await lookAtMany(parts, looker, 'ledgers');
    const page = await ledgersPage(parts.reader, {
      after: after ?? null,
      kind: kind ?? null,
      limit: limit ?? LEDGERS_PER_PAGE,
    });
    return { ledgers: [...page.ledgers], next: page.next };
  },
});

const getLedger = route({
  path: '/ledgers/:ledgerId',
  operationId: 'getLedger',
  summary: 'One ledger by its head, where its reads are recorded, and how far signed checkpoints cover it.',
  params: OneLedger,
  query: NoParameters,
  answer: LedgerAnswer,
  problems: ['not_found', 'ledger_gone'],
  async run(parts, looker, { ledgerId }) {
    const ledger = await lookAtOne(parts, looker, 'ledger', ledgerId);
    if (ledger === null) return absence(parts, looker, ledgerId);
    const head = await parts.reader.head(ledgerId);
    const witnessed = parts.checkpoints === null ? 'not_configured' : await parts.checkpoints.witnessed(ledgerId);
    return {
      ...summaryOf(ledger, head),
      accessLedgerId: parts.accessLedgerOf(ledger).ledgerId,
      checkpoint: coverage(witnessed, head.position),
    };
  },
});

function coverage(
  witnessed: 'not_configured' | 'damaged' | Witnessed | null,
  position: number,
): v.InferInput<typeof LedgerAnswer>['checkpoint'] {
  if (witnessed === null) return { state: 'not_yet_witnessed' };
  if (typeof witnessed === 'string') return { state: witnessed };
  const { leafIndex, treeSize, difference } = witnessed;
  if (difference !== null) return { state: 'differs', cause: difference, witnessedPosition: witnessed.position };
  const notYetWitnessed = Math.max(0, position - witnessed.position);
  return { state: 'witnessed', throughPosition: witnessed.position, notYetWitnessed, leafIndex, treeSize };
}

const getHistory = route({
  path: '/ledgers/:ledgerId/history',
  operationId: 'getHistory',
  summary:
    'Events as CloudEvents with their hash, a page at a time, and the head each met. The role `content` gets them as they ' +
    'are stored (so that the hash can be made again), `integrity` without the key of a person.',
  params: OneLedger,
  query: HistoryQuery,
  answer: HistoryAnswer,
  problems: ['not_found', 'ledger_gone', 'ledger_unreadable'],
  async run(parts, looker, { ledgerId }, { from = 1, limit = EVENTS_PER_PAGE }) {
    const ledger = await lookAtOne(parts, looker, 'history', ledgerId);
    if (ledger === null) return absence(parts, looker, ledgerId);
    const law = ledgerLaw(ledger.kind);
    if (law === null) return 'ledger_unreadable';
    const head = await parts.reader.head(ledgerId);
    const first = Math.max(1, from);
    const through = Math.min(head.position, first + Math.min(limit, EVENTS_PER_PAGE_MAX) - 1);
    const stored = first > through ? [] : await parts.reader.events(ledgerId, first, through);
    const met = await metHeads(parts, ledgerId, ledger.kind === 'preference' ? head.position : Infinity);
    const events: v.InferInput<typeof HistoryAnswer>['events'] = [];
    for (const { bytes, hash } of stored) {
      const opened = law.open(bytes);
      if (!opened.ok) return 'ledger_unreadable';
      const event = eventView(looker.reader, opened.event, hash) as (typeof events)[number]['event'];
      events.push({ event, met: met.get(opened.event.position) ?? null });
    }
    return { ledgerId, events, next: through < head.position ? through + 1 : null };
  },
});

/** The heads that events met, by position; none where the history is too long to be folded for a page. */
async function metHeads(
  { reader }: AuditParts,
  ledgerId: Parameters<AuditParts['reader']['head']>[0],
  length: number,
): Promise<ReadonlyMap<number, MetHead>> {
  const ledger = length > EVENTS_SHOWN_MAX ? null : await reader.ledger(ledgerId);
  if (ledger === null) return new Map();
  const { events } = await readLedger(reader, ledger);
  return new Map(historyOf(events).map(({ event, met }) => [event.position, met]));
}

function boundOf(query: v.InferOutput<typeof ReplayQuery>): Bound {
  if (query.throughRevision !== undefined) return { kind: 'through_revision', revision: query.throughRevision };
  if (query.throughPosition !== undefined) return { kind: 'through_position', position: query.throughPosition };
  return query.at === undefined ? { kind: 'all' } : { kind: 'at', at: query.at };
}

const getReplay = route({
  path: '/ledgers/:ledgerId/replay',
  operationId: 'replayLedger',
  summary:
    'What was in force through a revision, a position or at a moment (all inclusive), on which consent and notice.',
  params: OneLedger,
  query: ReplayQuery,
  answer: ReplayAnswer,
  problems: ['not_found', 'ledger_gone', 'beyond_end', 'no_preference', 'ledger_unreadable', 'ledger_too_long'],
  async run(parts, looker, { ledgerId }, query) {
    const bound = boundOf(query);
    const ledger = await lookAtOne(parts, looker, 'replay', ledgerId, bound);
    if (ledger === null) return absence(parts, looker, ledgerId);
    if (ledger.kind !== 'preference') return 'no_preference';
    if ((await parts.reader.head(ledgerId)).position > EVENTS_SHOWN_MAX) return 'ledger_too_long';
    const read = await readLedger(parts.reader, ledger);
    if (read.unreadableAt !== null) return 'ledger_unreadable';
    if (!reaches(read.events, bound)) return 'beyond_end';
    const state = stateView(looker.reader, ledger, replay(read.events, bound, read.content));
    const notice = noticeText(ledger.purpose, state.consent?.noticeVersion ?? null);
    return { ledgerId, purpose: ledger.purpose, ...state, notice };
  },
});

const getVerify = route({
  path: '/ledgers/:ledgerId/verify',
  operationId: 'verifyLedger',
  summary:
    'Checks bytes, hashes, links, positions, times, legal transitions, head and content, and compares with the newest ' +
    'signed checkpoint; the first problem is told.',
  params: OneLedger,
  query: NoParameters,
  answer: VerifyAnswer,
  problems: ['not_found', 'ledger_gone'],
  async run(parts, looker, { ledgerId }) {
    const ledger = await lookAtOne(parts, looker, 'verify', ledgerId);
    if (ledger === null) return absence(parts, looker, ledgerId);
    const { events, problems } = await judgeLedger(parts, ledger);
    const [first] = problems;
    return {
      ok: first === undefined,
      ledgerId,
      events,
      problem: first === undefined ? null : { position: first.position, cause: first.cause },
    };
  },
});

/** All that can be asked. */
export const API_ROUTES: readonly ApiRoute[] = [listLedgers, getLedger, getHistory, getReplay, getVerify];
