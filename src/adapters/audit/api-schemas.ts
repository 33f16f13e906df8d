/**
 * What the audit API takes and gives, in Valibot: the same schemas check what comes in and describe it in OpenAPI.
 * @module
 */
import * as v from 'valibot';
import { EventTime } from '../../events/envelope.ts';
import { LedgerId, LedgerKind } from '../../events/identity.ts';
import { readMoment } from './moments.ts';

/** Ledgers in one page at most. */
export const LEDGERS_PER_PAGE_MAX = 200;
/** Events in one page at most. */
export const EVENTS_PER_PAGE_MAX = 500;

const wholeNumber = v.pipe(
  v.string(),
  v.regex(/^(0|[1-9]\d{0,8})$/),
  v.description('A whole number, at most 9 digits'),
  v.transform(Number),
);
const countUpTo = (most: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[1-9]\d{0,8}$/),
    v.description(`From 1 to ${most}`),
    v.transform(Number),
    v.maxValue(most),
  );
/** A moment with an offset, on a day that exists; as Unix milliseconds. */
export const Moment = v.pipe(
  v.string(),
  v.description('RFC 3339 with an offset'),
  v.check((text) => readMoment(text) !== null),
  v.transform((text) => readMoment(text) ?? Number.NaN),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(253_402_300_799_999),
);

const nothing = v.strictObject({});
export const OneLedger = v.strictObject({ ledgerId: LedgerId });
export const NoParameters = nothing;
export const LedgersQuery = v.strictObject({
  after: v.optional(LedgerId),
  kind: v.optional(LedgerKind),
  limit: v.optional(countUpTo(LEDGERS_PER_PAGE_MAX)),
});
export const HistoryQuery = v.strictObject({
  from: v.optional(wholeNumber),
  limit: v.optional(countUpTo(EVENTS_PER_PAGE_MAX)),
});
/** At most one of the three; none: through the newest event. */
export const ReplayQuery = v.pipe(
  v.strictObject({
    throughRevision: v.optional(wholeNumber),
    throughPosition: v.optional(wholeNumber),
    at: v.optional(Moment),
  }),
  v.check((query) => Object.keys(query).length <= 1, 'At most one bound'),
);

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** How a ledger can differ from the newest signed checkpoint. */
const DIFFERENCES = ['cut_off', 'witnessed_hash_differs'] as const;

export const Summary = v.strictObject({
  ledgerId: LedgerId,
  kind: LedgerKind,
  purpose: v.string(),
  position: count,
  hash: v.nullable(hash),
  time: v.nullable(EventTime),
  revision: v.nullable(count),
  inForce: v.nullable(v.boolean()),
});
export const LedgersAnswer = v.strictObject({ ledgers: v.array(Summary), next: v.nullable(LedgerId) });
export const LedgerAnswer = v.strictObject({
  ...Summary.entries,
  /** Where reads of this ledger are recorded. */
  accessLedgerId: LedgerId,
  checkpoint: v.variant('state', [
    v.strictObject({ state: v.literal('not_configured') }),
    v.strictObject({ state: v.literal('not_yet_witnessed') }),
    /** The log of heads is not what was signed. */
    v.strictObject({ state: v.literal('damaged') }),
    v.strictObject({
      state: v.literal('witnessed'),
      throughPosition: count,
      notYetWitnessed: count,
      leafIndex: count,
      treeSize: count,
    }),
    /** The ledger is not what was signed: an alarm. */
    v.strictObject({ state: v.literal('differs'), cause: v.picklist(DIFFERENCES), witnessedPosition: count }),
  ]),
});

/** CloudEvents attributes and extensions; `subject` is there only for the role `content`. */
const Event = v.looseObject({
  specversion: v.literal('1.0'),
  id: v.string(),
  source: v.string(),
  type: v.string(),
  time: EventTime,
  data: v.record(v.string(), v.unknown()),
  position: count,
  previoushash: hash,
  hash,
});
const Met = v.strictObject({
  position: count,
  hash: v.nullable(hash),
  revision: count,
  inForce: v.boolean(),
  openProposalId: v.nullable(v.string()),
});
export const HistoryAnswer = v.strictObject({
  ledgerId: LedgerId,
  events: v.array(v.strictObject({ event: Event, met: v.nullable(Met) })),
  /** The position to go on from, or null at the end. */
  next: v.nullable(count),
});
export const ReplayAnswer = v.strictObject({
  ledgerId: LedgerId,
  purpose: v.string(),
  position: count,
  revision: count,
  time: v.nullable(EventTime),
  state: v.picklist(['none', 'in_force', 'erased']),
  value: v.nullable(v.strictObject({ code: v.string(), label: v.string() })),
  isWithheld: v.boolean(),
  consent: v.nullable(
    v.strictObject({ eventId: v.string(), proposalId: v.string(), noticeVersion: v.nullable(v.string()) }),
  ),
  notice: v.nullable(v.string()),
  erased: v.nullable(
    v.strictObject({ eventId: v.string(), time: EventTime, by: v.picklist(['corrected', 'forgotten']) }),
  ),
  proposalOpen: v.boolean(),
});
export const VerifyAnswer = v.strictObject({
  ok: v.boolean(),
  ledgerId: LedgerId,
  events: count,
  problem: v.nullable(v.strictObject({ position: count, cause: v.string() })),
});

/** Why a request was not answered. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'A parameter is not what it should be' },
  unauthenticated: { status: 401, title: 'An audit token is needed' },
  not_found: { status: 404, title: 'There is no such ledger' },
  beyond_end: { status: 404, title: 'The ledger does not reach that far' },
  ledger_gone: { status: 410, title: 'A signed checkpoint knows this ledger, and it is not here any more: an alarm' },
  no_such_route: { status: 404, title: 'There is nothing at this address' },
  no_preference: { status: 409, title: 'That ledger holds no preference' },
  ledger_unreadable: { status: 409, title: 'The ledger has something that cannot be read; verify it' },
  ledger_too_long: { status: 409, title: 'The ledger is too long for this page; use the command line' },
  too_many: { status: 429, title: 'Too many wrong tokens; try again later' },
  failed: { status: 500, title: 'Something went wrong here' },
  access_not_recorded: { status: 503, title: 'The look could not be recorded, so nothing is shown' },
  store_unavailable: { status: 503, title: 'The store cannot be reached' },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

/** RFC 9457. Names parameters of this description only, and never repeats what was sent. */
export const ProblemAnswer = v.strictObject({
  type: v.literal('about:blank'),
  title: v.string(),
  status: count,
  code: v.picklist(Object.keys(PROBLEMS) as ProblemCode[]),
  parameters: v.optional(v.array(v.string())),
});
