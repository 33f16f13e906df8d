/**
 * What can have happened in an access ledger: somebody with an audit token looked.
 *
 * Which ledger that is: identity.ts, `accessLedger` for a look at one ledger and `readerDayLedger` for a look at several.
 * @module
 */
import * as v from 'valibot';
import type { EnvelopedEvent, Spelling } from './envelope.ts';
import { EventTime } from './envelope.ts';
import { LedgerId } from './identity.ts';

/** What a token lets its holder see: that things happened as recorded, or also what is in force. */
export const AuditRole = v.picklist(['integrity', 'content']);
export type AuditRole = v.InferOutput<typeof AuditRole>;

/** The name of an audit token, as it stands in the record of each read. */
export const ReaderName = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,39}$/));

const bounded = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(1_000_000_000));

/** Up to where was looked; all inclusive. */
export const ReadBound = v.variant('kind', [
  v.strictObject({ kind: v.literal('all') }),
  v.strictObject({ kind: v.literal('through_revision'), revision: bounded }),
  v.strictObject({ kind: v.literal('through_position'), position: bounded }),
  v.strictObject({ kind: v.literal('at'), time: EventTime }),
]);
export type ReadBound = v.InferOutput<typeof ReadBound>;

/** What kind of look it was. */
export const ReadRoute = v.picklist([
  'overview',
  'ledgers',
  'ledger',
  'history',
  'replay',
  'verify',
  'verify_all',
  'download',
]);
export type ReadRoute = v.InferOutput<typeof ReadRoute>;

/** A read, recorded before anything of it was shown. */
export const AccessRead = v.strictObject({
  type: v.literal('access.read'),
  data: v.strictObject({
    reader: ReaderName,
    role: AuditRole,
    channel: v.picklist(['console', 'api']),
    route: ReadRoute,
    /** The ledger that was looked at; null for a look at several. */
    ledgerId: v.nullable(LedgerId),
    bound: ReadBound,
  }),
});

/** Everything an access ledger can hold. */
export const AccessEvent = v.variant('type', [AccessRead]);
export type AccessEvent = v.InferOutput<typeof AccessEvent>;

/** How it is spelt; a change is a new version beside the old one. */
export const ACCESS_SPELLING: Spelling<AccessEvent> = { body: AccessEvent, version: 1 };

/** One event of an access ledger. */
export type RecordedAccess = EnvelopedEvent<AccessEvent>;
