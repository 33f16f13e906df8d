/**
 * What can have happened in a preference ledger.
 *
 * The spelling of types and members is the storage format: once shipped it is read for ever (data/golden-events/). A
 * change is a new schemaversion beside the old one, never an edit.
 * @module
 */
import * as v from 'valibot';

const revision = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(1_000_000_000));
const proposalId = v.pipe(v.string(), v.uuid());
const commitment = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const noticeVersion = v.pipe(v.string(), v.regex(/^[a-z_]{1,60}\/[0-9]{1,6}$/));

/** What a card asks the person to agree to. */
export const Operation = v.picklist(['save', 'correct', 'forget']);
export type Operation = v.InferOutput<typeof Operation>;

/** Why a genuine card was refused, kept in `card.refused`. */
export const RefusalReason = v.picklist([
  'expired',
  'superseded',
  'cancelled',
  'forgotten',
  'corrected',
  'revision_moved',
]);
export type RefusalReason = v.InferOutput<typeof RefusalReason>;

/** An offer to change the preference was made; it is open until it is decided, superseded or past its validity. */
export const Proposed = v.strictObject({
  type: v.literal('preference.proposed'),
  data: v.variant('operation', [
    v.strictObject({
      operation: v.picklist(['save', 'correct']),
      proposalId,
      commitment,
      noticeVersion,
      language: v.picklist(['zh-TW']),
      validitySeconds: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(86_400)),
      baseRevision: revision,
      collectionMethod: v.picklist(['message', 'button', 'api']),
    }),
    v.strictObject({
      operation: v.literal('forget'),
      proposalId,
      noticeVersion,
      language: v.picklist(['zh-TW']),
      validitySeconds: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(86_400)),
      baseRevision: revision,
      collectionMethod: v.picklist(['message', 'button', 'api']),
    }),
  ]),
});

/** The person agreed to a first value, or to a value after a forget. */
export const Approved = v.strictObject({
  type: v.literal('preference.approved'),
  data: v.strictObject({ proposalId, revision, commitment, method: v.picklist(['card', 'api']) }),
});

/** The person agreed to another value in place of the one in force. */
export const Corrected = v.strictObject({
  type: v.literal('preference.corrected'),
  data: v.strictObject({
    proposalId,
    revision,
    commitment,
    correctsRevision: revision,
    method: v.picklist(['card', 'api']),
  }),
});

/** An open proposal was closed without effect; the value is untouched. */
export const Cancelled = v.strictObject({
  type: v.literal('preference.cancelled'),
  data: v.strictObject({ proposalId, method: v.picklist(['card', 'unsend', 'message', 'api']) }),
});

/** The value and any open proposal are gone; holds nothing of the value. */
export const Forgotten = v.strictObject({
  type: v.literal('preference.forgotten'),
  data: v.strictObject({
    revision,
    forgetsRevision: v.nullable(revision),
    method: v.picklist(['fixed_entry', 'card', 'api']),
    erasureScope: v.picklist(['purpose', 'all']),
  }),
});

/** A genuine card met a ledger in which it no longer stood for anything. */
export const CardRefused = v.strictObject({
  type: v.literal('card.refused'),
  data: v.strictObject({ proposalId, reason: RefusalReason, presentedRevision: revision, headRevision: revision }),
});

/** Everything a preference ledger can hold. */
export const PreferenceEvent = v.variant('type', [Proposed, Approved, Corrected, Cancelled, Forgotten, CardRefused]);
export type PreferenceEvent = v.InferOutput<typeof PreferenceEvent>;

/** The version of the spelling above, written into every envelope. */
export const SCHEMA_VERSION = 1;
