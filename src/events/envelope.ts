/**
 * How an event is written down: a CloudEvents 1.0 envelope in RFC 8785 bytes, with its SHA-256 beside it.
 * @module
 */
import * as v from 'valibot';
import { canonicalBytes, type CanonicalValue } from './canonical.ts';
import { sha256Hex } from './chain.ts';
import { type LedgerId, SubjectKey } from './identity.ts';
import { PreferenceEvent, SCHEMA_VERSION } from './kinds.ts';
import { readPreferenceText } from './preference-text.ts';

/** The longest id of a delivery, message or operation: it stands 16 times in a head's state of 4 KB. */
export const IDENTIFIER_LENGTH_MAX = 40;
/** An id given by the channel or by a caller: visible ASCII but for `"` and `\`, which JSON writes with two bytes. */
export const Identifier = v.pipe(
  v.string(),
  v.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/),
  v.maxLength(IDENTIFIER_LENGTH_MAX),
);
const hexHash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** RFC 3339, UTC, exactly three digits of milliseconds: one spelling, so that text order is time order. */
export const EventTime = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  v.check((text) => {
    const time = Date.parse(text);
    return !Number.isNaN(time) && new Date(time).toISOString() === text;
  }, 'A moment that exists'),
);

/** Who acted: the person themselves, someone running the service, or the service by its own rules. */
export const ActorRole = v.picklist(['subject', 'operator', 'service']);
export type ActorRole = v.InferOutput<typeof ActorRole>;

/** The envelope: CloudEvents attributes and our extensions (lower case letters only, as CloudEvents asks). */
export const Envelope = v.strictObject({
  specversion: v.literal('1.0'),
  id: v.pipe(v.string(), v.uuid()),
  source: v.pipe(v.string(), v.regex(/^\/ledgers\/[A-Za-z0-9_-]{43}$/)),
  type: v.string(),
  subject: SubjectKey,
  time: EventTime,
  datacontenttype: v.literal('application/json'),
  data: v.record(v.string(), v.unknown()),
  position: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(1_000_000_000)),
  previoushash: hexHash,
  schemaversion: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /** The subjectKey when the subject acts, else a name of the operator or of the rule. */
  actor: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,80}$/)),
  actorrole: ActorRole,
  /** The delivery (webhookEventId) or operation that caused it. */
  causationid: Identifier,
  /** The turn it belongs to; for a chat message the channel's message id, so that an unsend finds its card. */
  correlationid: Identifier,
});

/** All that is needed to know whether a text is for this version to judge. */
const Version = v.object({ schemaversion: v.pipe(v.number(), v.safeInteger(), v.minValue(1)) });

/** What an envelope is around: the type of an event and the data of that type. */
export type EventBody = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
/** One event as every reader sees it: the envelope with a body of its type. */
export type EnvelopedEvent<Body extends EventBody> = Omit<v.InferOutput<typeof Envelope>, 'type' | 'data'> & Body;
/** One event of a preference ledger. */
export type RecordedEvent = EnvelopedEvent<PreferenceEvent>;

/** How the bodies of one kind of ledger are spelt: their schema, and the newest version of the spelling. */
export type Spelling<Body extends EventBody> = {
  readonly body: v.GenericSchema<unknown, Body>;
  readonly version: number;
};
const PREFERENCE_SPELLING: Spelling<PreferenceEvent> = { body: PreferenceEvent, version: SCHEMA_VERSION };

/** What the store keeps: the exact bytes that were hashed, and the hash. */
export type StoredEvent = { readonly position: number; readonly bytes: Uint8Array; readonly hash: string };

/** What is known of an event before it has a place: who, when, why. Made once per command, so a retry writes the same. */
export type Provenance = {
  readonly eventId: string;
  readonly actor: string;
  readonly actorRole: ActorRole;
  readonly causationId: string;
  readonly correlationId: string;
};

/** An event with its place in the chain, ready to be stored. */
export type SealedEvent<Body extends EventBody = PreferenceEvent> = StoredEvent & {
  readonly event: EnvelopedEvent<Body>;
};

/** Where an event is to stand. */
export type Place = {
  readonly ledgerId: LedgerId;
  readonly subjectKey: SubjectKey;
  readonly position: number;
  readonly previousHash: string;
  /** RFC 3339 with milliseconds, UTC. */
  readonly time: string;
};

/**
 * Gives an event of a preference ledger its place: position, link, time, bytes, hash.
 * @throws ValiError when the result is not a valid envelope or body (nothing is stored that could not be read back).
 */
export function seal(body: PreferenceEvent, place: Place, provenance: Provenance): SealedEvent {
  return sealAs(PREFERENCE_SPELLING, body, place, provenance);
}

/** {@link seal} for an event of any kind of ledger. */
export function sealAs<Body extends EventBody>(
  spelling: Spelling<Body>,
  body: Body,
  place: Place,
  provenance: Provenance,
): SealedEvent<Body> {
  const record = {
    specversion: '1.0',
    id: provenance.eventId,
    source: `/ledgers/${place.ledgerId}`,
    type: body.type,
    subject: place.subjectKey,
    time: place.time,
    datacontenttype: 'application/json',
    data: body.data,
    position: place.position,
    previoushash: place.previousHash,
    schemaversion: spelling.version,
    actor: provenance.actor,
    actorrole: provenance.actorRole,
    causationid: provenance.causationId,
    correlationid: provenance.correlationId,
  };
  const envelope = v.parse(Envelope, record);
  const event = { ...envelope, ...v.parse(spelling.body, { type: envelope.type, data: envelope.data }) };
  const bytes = canonicalBytes(record as CanonicalValue);
  return { position: place.position, bytes, hash: sha256Hex(bytes), event };
}

/** Why stored bytes could not be read as an event. */
export type UnreadableCause = 'not_json' | 'newer_schema' | 'not_an_event' | 'not_canonical';

/** Stored bytes as an event, or why they are none. */
export type Opened<Event> =
  | { readonly ok: true; readonly event: Event }
  | { readonly ok: false; readonly cause: UnreadableCause };

/**
 * Reads stored bytes of a preference ledger back. Refuses bytes that are not their own canonical encoding, and says
 * `newer_schema` for an event written by a later version of this program instead of calling it damaged.
 */
export function openEvent(bytes: Uint8Array): Opened<RecordedEvent> {
  const event = readPreferenceText(bytes);
  return event === null ? openEventAs(PREFERENCE_SPELLING, bytes) : { ok: true, event };
}

/** {@link openEvent} for an event of any kind of ledger. */
export function openEventAs<Body extends EventBody>(
  spelling: Spelling<Body>,
  bytes: Uint8Array,
): Opened<EnvelopedEvent<Body>> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, cause: 'not_json' };
  }
  // Read before the rest is judged: a later version may have members that this one does not know.
  const version = v.safeParse(Version, value);
  if (version.success && version.output.schemaversion > spelling.version) return { ok: false, cause: 'newer_schema' };
  const envelope = v.safeParse(Envelope, value);
  if (!envelope.success) return { ok: false, cause: 'not_an_event' };
  const body = v.safeParse(spelling.body, { type: envelope.output.type, data: envelope.output.data });
  if (!body.success) return { ok: false, cause: 'not_an_event' };
  const event = { ...envelope.output, ...body.output };
  if (Buffer.compare(canonicalBytes(value as CanonicalValue), bytes) !== 0)
    return { ok: false, cause: 'not_canonical' };
  return { ok: true, event };
}
