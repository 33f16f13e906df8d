/**
 * The receipt of one decision: the person's own copy of its record, which for a save or a correction opens the commitment
 * in the ledger, so that what was agreed can be proved after it was erased here. It is given away and never stored.
 * @module
 */
import * as v from 'valibot';
import { type CanonicalValue, canonicalText } from '../events/canonical.ts';
import { sha256Hex } from '../events/chain.ts';
import { CONTENT_VERSION, decodeContent, opens } from '../events/commitment.ts';
import { openEvent, type RecordedEvent, type StoredEvent } from '../events/envelope.ts';
import { LedgerId } from '../events/identity.ts';
import type { StoredContent } from '../events/ports.ts';
import {
  CONTEXT,
  type JsonLd,
  noticeOf,
  operationsOf,
  outsidePromise,
  RECORD_SCHEMA,
  type RecordSource,
  recordBody,
  statusOf,
  UNKNOWN,
} from './record.ts';
import type { HashedEvent } from './replay.ts';

/** What a person did with an offer, or without one. */
export type DecisionKind = 'save' | 'correct' | 'cancel' | 'forget';

/**
 * One decision of the history: its event, and the offer it is about when that is among the events: the one it answered, and
 * for a forget the one whose consent it withdraws.
 */
export type Decision = {
  readonly kind: DecisionKind;
  readonly decided: HashedEvent;
  readonly offered: HashedEvent | null;
};

/** The decisions about consent, in ledger order. Turning down an offer to forget leaves the consent as it was: none. */
export function decisionsOf(events: readonly HashedEvent[]): readonly Decision[] {
  const offers = new Map<string, HashedEvent>();
  const decisions: Decision[] = [];
  let inForce: HashedEvent | null = null;
  let newest: HashedEvent | null = null;
  for (const each of events) {
    const { event } = each;
    if (event.type === 'preference.proposed' && event.data.operation !== 'forget') {
      offers.set(event.data.proposalId, each);
      newest = each;
    }
    const kind = kindOf(event);
    if (kind === null) continue;
    const withdrawn: HashedEvent | null = inForce ?? newest;
    const offered: HashedEvent | null =
      'proposalId' in event.data ? (offers.get(event.data.proposalId) ?? null) : withdrawn;
    if (kind === 'cancel' && offered === null) continue;
    if (kind !== 'cancel') inForce = kind === 'forget' ? null : offered;
    decisions.push({ kind, decided: each, offered });
  }
  return decisions;
}

function kindOf(event: RecordedEvent): DecisionKind | null {
  switch (event.type) {
    case 'preference.approved':
      return 'save';
    case 'preference.corrected':
      return 'correct';
    case 'preference.cancelled':
      return 'cancel';
    case 'preference.forgotten':
      return 'forget';
    default:
      return null;
  }
}

/** The notice version a decision rests on, or null when its offer is not among the events. */
export function noticeVersionOf({ offered }: Decision): string | null {
  return offered?.event.type === 'preference.proposed' ? offered.event.data.noticeVersion : null;
}

/** Whether the content that exists now is what this decision agreed to, so that its receipt can open it. */
export function canOpen({ decided }: Decision, content: StoredContent | null): boolean {
  const { event } = decided;
  if (event.type !== 'preference.approved' && event.type !== 'preference.corrected') return false;
  return content !== null && opens(event.data.commitment, decodeContent(content.bytes));
}

/**
 * The receipt of a decision.
 * @param content what exists now; only the receipt of the value in force opens anything.
 */
export function receiptOf(
  source: Omit<RecordSource, 'events'>,
  decision: Decision,
  content: StoredContent | null,
): JsonLd {
  const { kind, decided, offered } = decision;
  const identifier = `urn:uuid:${decided.event.id}#receipt`;
  const events = offered === null ? [decided] : [offered, decided];
  return {
    '@context': CONTEXT,
    '@id': identifier,
    '@type': 'dpv:ConsentReceipt',
    'dct:identifier': identifier,
    'dct:conformsTo': 'https://w3id.org/dpv/schema/dpv-27560#receipt',
    'schema:schemaVersion': RECORD_SCHEMA,
    'dct:publisher': source.controller.name ?? UNKNOWN,
    'schema:recipient': 'dpv:DataSubject',
    'local:decision': kind,
    'local:decided': copyOf(decided),
    'local:offered': offered === null ? null : copyOf(offered),
    'local:opening': content !== null && canOpen(decision, content) ? openingOf(decided, content) : null,
    ...(kind === 'forget' ? { 'local:outsidePromise': outsidePromise(source.purpose) } : {}),
    'dpv:hasRecordOfActivity': recordBody({ ...source, events }, `urn:uuid:${decided.event.id}#record`),
  };
}

/** An event as it stands in the ledger, with the SHA-256 of its bytes: RFC 8785 of `local:event` gives those bytes. */
function copyOf({ event, hash }: HashedEvent): JsonLd {
  return { 'local:position': event.position, 'local:eventHash': hash, 'local:event': event };
}

function openingOf({ event }: HashedEvent, content: StoredContent): JsonLd {
  const { ledgerId, purpose, version, value, blindingKey } = decodeContent(content.bytes);
  const commitment = 'commitment' in event.data ? event.data.commitment : '';
  return { ledgerId, purpose, version, value, blindingKey, commitment };
}

const Copy = v.strictObject({
  'local:position': v.pipe(v.number(), v.safeInteger()),
  'local:eventHash': v.string(),
  'local:event': v.record(v.string(), v.unknown()),
});
const Receipt = v.looseObject({
  '@type': v.literal('dpv:ConsentReceipt'),
  'schema:schemaVersion': v.literal(RECORD_SCHEMA),
  'local:decision': v.picklist(['save', 'correct', 'cancel', 'forget']),
  'local:decided': Copy,
  'local:offered': v.nullable(Copy),
  'local:opening': v.nullable(
    v.strictObject({
      ledgerId: LedgerId,
      purpose: v.string(),
      version: v.literal(CONTENT_VERSION),
      value: v.string(),
      blindingKey: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/)),
      commitment: v.string(),
    }),
  ),
  'dpv:hasRecordOfActivity': v.looseObject({
    'dpv:hasDataSubject': v.looseObject({ 'dct:identifier': v.string() }),
    'dpv:hasProcess': v.looseObject({ 'dpv:hasPurpose': v.looseObject({ 'dct:identifier': v.string() }) }),
    'dpv:hasConsentStatus': v.array(v.unknown()),
    'dpv:hasNotice': v.pipe(v.array(v.unknown()), v.maxLength(1)),
  }),
});

/** Why a receipt proves nothing. */
export type ReceiptFault =
  | 'not_a_receipt'
  /** It belongs to a cancel, a forget, or a value that was erased before it was asked for. */
  | 'nothing_to_open'
  /** The ledger or bundle does not hold an event the receipt speaks of. */
  | 'event_missing'
  /** The receipt's copy of an event is not the ledger's. */
  | 'event_differs'
  /** What the receipt says of state, time, notice, principal or purpose is not what the events say. */
  | 'statement_differs'
  | 'commitment_does_not_open';

/** What a receipt proves: this person's ledger holds, at this place, consent to exactly this value. */
export type OpenedReceipt = {
  readonly ledgerId: LedgerId;
  readonly purpose: string;
  readonly value: string;
  readonly revision: number;
  readonly position: number;
  readonly eventHash: string;
  /** When the person agreed, RFC 3339 UTC. */
  readonly agreedAt: string;
  readonly noticeVersion: string;
};

/**
 * Checks a receipt against kept events. Whether these events are the ledger's is for the verifier of the bundle to say.
 * @param receipt the parsed document, whatever it is.
 * @param kept events of the ledger as stored; at least the offer and the decision.
 */
export function openReceipt(
  receipt: unknown,
  kept: readonly StoredEvent[],
): { ok: true; opened: OpenedReceipt } | { ok: false; fault: ReceiptFault } {
  const fault = (cause: ReceiptFault) => ({ ok: false, fault: cause }) as const;
  const read = v.safeParse(Receipt, receipt);
  if (!read.success) return fault('not_a_receipt');
  const { 'local:opening': opening, 'local:decided': decidedCopy, 'local:offered': offeredCopy } = read.output;
  if (opening === null) return fault('nothing_to_open');
  if (offeredCopy === null) return fault('event_missing');
  const decided = keptEvent(decidedCopy, kept);
  const offered = keptEvent(offeredCopy, kept);
  if (typeof decided === 'string') return fault(decided);
  if (typeof offered === 'string') return fault(offered);
  const { event } = decided;
  if (event.type !== 'preference.approved' && event.type !== 'preference.corrected') return fault('statement_differs');
  if (offered.event.type !== 'preference.proposed') return fault('statement_differs');
  if (!statesWhatHappened(read.output, opening, decided, offered)) return fault('statement_differs');
  if (opening.commitment !== event.data.commitment || !opens(event.data.commitment, opening)) {
    return fault('commitment_does_not_open');
  }
  const { ledgerId, purpose, value } = opening;
  return {
    ok: true,
    opened: {
      ledgerId,
      purpose,
      value,
      revision: event.data.revision,
      position: event.position,
      eventHash: decided.hash,
      agreedAt: event.time,
      noticeVersion: offered.event.data.noticeVersion,
    },
  };
}

function keptEvent(copy: v.InferOutput<typeof Copy>, kept: readonly StoredEvent[]): HashedEvent | ReceiptFault {
  const stored = kept.find(({ position }) => position === copy['local:position']);
  if (stored === undefined) return 'event_missing';
  const opened = openEvent(stored.bytes);
  if (!opened.ok || sha256Hex(stored.bytes) !== stored.hash || stored.hash !== copy['local:eventHash']) {
    return 'event_differs';
  }
  if (!sameText(copy['local:event'], opened.event)) return 'event_differs';
  return { event: opened.event, hash: stored.hash };
}

type ReadReceipt = v.InferOutput<typeof Receipt>;

function statesWhatHappened(
  receipt: ReadReceipt,
  opening: NonNullable<ReadReceipt['local:opening']>,
  decided: HashedEvent,
  offered: HashedEvent,
): boolean {
  const record = receipt['dpv:hasRecordOfActivity'];
  const { ledgerId, purpose } = opening;
  const offer = offered.event.type === 'preference.proposed' ? offered.event.data : null;
  if (offer === null || !('proposalId' in decided.event.data)) return false;
  if (offer.proposalId !== decided.event.data.proposalId) return false;
  if (kindOf(decided.event) !== receipt['local:decision']) return false;
  if (decided.event.source !== `/ledgers/${ledgerId}` || offered.event.source !== decided.event.source) return false;
  if (record['dpv:hasDataSubject']['dct:identifier'] !== ledgerId) return false;
  if (record['dpv:hasProcess']['dpv:hasPurpose']['dct:identifier'] !== purpose) return false;
  const operations = operationsOf([offered]);
  const states = [offered, decided].map((each) => statusOf(ledgerId, each, operations));
  return (
    sameText(record['dpv:hasConsentStatus'], states) &&
    sameText(record['dpv:hasNotice'], [noticeOf(purpose, offer.noticeVersion, offer.language)])
  );
}

function sameText(one: unknown, other: unknown): boolean {
  try {
    return canonicalText(one as CanonicalValue) === canonicalText(other as CanonicalValue);
  } catch {
    // What cannot be hashed was never written by this program.
    return false;
  }
}
