/**
 * The consent record of a ledger: its decisions with the fields ISO/IEC TS 27560 asks for, as JSON-LD in DPV terms.
 *
 * A record holds no value: commitments, notices, times, states. Pure, so the same events always give the same record.
 * @module
 */
import context from '../../data/receipts/context.json' with { type: 'json' };
import dietForPlaceSearch from '../../data/receipts/diet_for_place_search.json' with { type: 'json' };
import type { CanonicalValue } from '../events/canonical.ts';
import { sha256Hex } from '../events/chain.ts';
import type { RecordedEvent } from '../events/envelope.ts';
import type { LedgerId } from '../events/identity.ts';
import type { Operation } from '../events/kinds.ts';
import { DIET_FOR_PLACE_SEARCH, PURPOSES } from '../events/purposes.ts';
import type { HashedEvent } from './replay.ts';

/** The version of the form of records and receipts written here. */
export const RECORD_SCHEMA = 'local-consent-record/1';
/** What stands for something that is not known; never left out and never guessed. */
export const UNKNOWN = 'unknown';

/** A JSON-LD document or part of one. */
export type JsonLd = { readonly [key: string]: CanonicalValue };

/** Who answers for the processing, as configured; null where nothing is configured. */
export type Controller = {
  readonly name: string | null;
  readonly contact: string | null;
  /** Where its law applies, for example `TW`. */
  readonly jurisdiction: string | null;
};

/** What a record is made of. */
export type RecordSource = {
  readonly ledgerId: LedgerId;
  readonly purpose: string;
  /** Events in ledger order, up to the newest. */
  readonly events: readonly HashedEvent[];
  readonly controller: Controller;
};

const CONTROLLER_ID = 'urn:local-ledger:controller';
/** What is said of each purpose beside its registry entry. */
const DESCRIPTIONS = new Map([[DIET_FOR_PLACE_SEARCH.purpose, dietForPlaceSearch]]);

/** What a receipt must say of what a forget does not reach, in Chinese. */
export function outsidePromise(purpose: string): readonly string[] {
  return DESCRIPTIONS.get(purpose)?.outsidePromise ?? [];
}

/** The prefixes and coercions of every document; inline, so that nothing is fetched to read one. */
export const CONTEXT: JsonLd = context;

function principalId(ledgerId: LedgerId): string {
  return `urn:local-ledger:principal:${ledgerId}`;
}

/** The record of all that was decided, or null when nothing was ever recorded. */
export function consentRecord(source: RecordSource): JsonLd | null {
  const first = source.events[0]?.event;
  if (first === undefined) return null;
  return { '@context': CONTEXT, ...recordBody(source, `urn:uuid:${first.id}#record`) };
}

/** A record without its context, so that a receipt can hold it. `identifier` is its own, unique within the ledger. */
export function recordBody(source: RecordSource, identifier: string): JsonLd {
  const { ledgerId, events } = source;
  const operations = operationsOf(events);
  const listed = events.map((each) => ({ each, status: statusOf(ledgerId, each, operations) }));
  return {
    '@id': identifier,
    '@type': 'dpv:ConsentRecord',
    'dct:identifier': identifier,
    'dct:conformsTo': 'https://w3id.org/dpv/schema/dpv-27560#record',
    'schema:schemaVersion': RECORD_SCHEMA,
    'dpv:hasDataSubject': {
      '@id': principalId(ledgerId),
      '@type': 'dpv:DataSubject',
      'dct:identifier': ledgerId,
    },
    'dpv:hasNotice': noticesOf(source),
    'dpv:hasProcess': processOf(source),
    'dpv:hasEntity': entityOf(source.controller),
    'dpv:hasConsentStatus': listed.flatMap(({ status }) => status ?? []),
    'local:evidence': listed.filter(({ status }) => status === null).map(({ each }) => evidenceOf(each)),
    'local:positions': {
      'local:first': events[0]?.event.position ?? 0,
      'local:last': events.at(-1)?.event.position ?? 0,
    },
  };
}

function entityOf({ name, contact }: Controller): JsonLd {
  return {
    '@id': CONTROLLER_ID,
    '@type': 'dpv:DataController',
    'dpv:hasIdentifier': CONTROLLER_ID,
    'dpv:hasName': name ?? UNKNOWN,
    'schema:contactPoint': { '@type': 'schema:ContactPoint', 'dct:description': contact ?? UNKNOWN },
  };
}

function processOf({ purpose, controller }: RecordSource): JsonLd {
  const described = DESCRIPTIONS.get(purpose);
  return {
    '@type': 'dpv:Process',
    'dpv:hasPurpose': {
      '@type': 'dpv:Purpose',
      'dct:identifier': purpose,
      ...(described?.purpose ?? { 'skos:broader': 'dpv:Purpose', 'dct:description': UNKNOWN }),
    },
    'dpv:hasLegalBasis': 'dpv:ExplicitlyExpressedConsent',
    'dpv:hasProcessing': described?.processing ?? ['dpv:Processing'],
    'dpv:hasPersonalData': described?.personalData ?? {
      '@type': 'dpv:PersonalData',
      'skos:broader': 'dpv:PersonalData',
      'dct:description': UNKNOWN,
    },
    'dpv:hasStorageCondition': {
      '@type': 'dpv:StorageDuration',
      'dct:description': described?.storage['dct:description'] ?? UNKNOWN,
    },
    'dpv:hasDataController': CONTROLLER_ID,
    'dpv:hasRecipient': [CONTROLLER_ID],
    'dpv:hasConsentControl': {
      '@type': 'dpv:WithdrawingFromActivity',
      'dct:description': described?.withdrawal ?? UNKNOWN,
    },
    'dpv:hasRight': (described?.rights ?? [UNKNOWN]).map((right) => ({
      '@type': 'dpv:DataSubjectRight',
      'dct:description': right,
    })),
    'dpv:hasJurisdiction': controller.jurisdiction ?? UNKNOWN,
  };
}

/** Every notice that was shown, once each, in order, with its exact words as the registry has them. */
function noticesOf({ purpose, events }: RecordSource): readonly JsonLd[] {
  const shown = new Map<string, JsonLd>();
  for (const { event } of events) {
    if (event.type !== 'preference.proposed') continue;
    const { noticeVersion, language } = event.data;
    shown.set(`${noticeVersion}|${language}`, noticeOf(purpose, noticeVersion, language));
  }
  return shown.size === 0 ? [noticeOf(purpose, UNKNOWN, UNKNOWN)] : [...shown.values()];
}

/** One notice; its words and their SHA-256 are `unknown` when this version's registry does not hold them. */
export function noticeOf(purpose: string, version: string, language: string): JsonLd {
  const known = PURPOSES.get(purpose)?.notices.find(
    (notice) => notice.version === version && notice.language === language,
  );
  return {
    '@type': 'dpv:ConsentNotice',
    'dct:identifier': version,
    'dct:language': language,
    'schema:text': known?.text ?? UNKNOWN,
    'schema:sha256': known === undefined ? UNKNOWN : sha256Hex(known.text),
  };
}

/** What each proposal among the events offered. */
export type Operations = ReadonlyMap<string, Operation>;

/** Reads {@link Operations}. */
export function operationsOf(events: readonly HashedEvent[]): Operations {
  const operations = new Map<string, Operation>();
  for (const { event } of events) {
    if (event.type === 'preference.proposed') operations.set(event.data.proposalId, event.data.operation);
  }
  return operations;
}

/**
 * The consent state an event brought about, or null for one that changed none (a refused card, an offer to forget, its end).
 * The state names are DPV's; the duration says until when the state holds by itself.
 */
export function statusOf(ledgerId: LedgerId, { event, hash }: HashedEvent, operations: Operations): JsonLd | null {
  const state = stateOf(event, operations);
  if (state === null) return null;
  const offered = event.type === 'preference.proposed' ? event.data.validitySeconds : null;
  return {
    '@id': `urn:uuid:${event.id}`,
    '@type': state,
    'dpv:isIndicatedAtTime': event.time,
    'dpv:hasDuration':
      offered !== null
        ? { '@type': 'dpv:TemporalDuration', 'rdf:value': `PT${offered}S` }
        : { '@type': 'dpv:UntilEventDuration', 'rdf:value': 'next_decision_of_the_person' },
    'dpv:isIndicatedBy': offered !== null || event.actorrole !== 'subject' ? CONTROLLER_ID : principalId(ledgerId),
    'dpv:hasIndicationMethod': methodOf(event),
    'dpv:hasLegalBasis': 'dpv:ExplicitlyExpressedConsent',
    ...evidenceOf({ event, hash }),
  };
}

function stateOf(event: RecordedEvent, operations: Operations): string | null {
  switch (event.type) {
    case 'preference.proposed':
      return event.data.operation === 'forget' ? null : 'dpv:ConsentRequested';
    case 'preference.approved':
      return 'dpv:ConsentGiven';
    case 'preference.corrected':
      return 'dpv:RenewedConsentGiven';
    case 'preference.cancelled': {
      const operation = operations.get(event.data.proposalId);
      if (operation === undefined || operation === 'forget') return null;
      // Only 先不要 is a "no"; a request that an unsend or a later message ended was left without a decision.
      return event.data.method === 'card' || event.data.method === 'api'
        ? 'dpv:ConsentRefused'
        : 'dpv:ConsentRequestDeferred';
    }
    case 'preference.forgotten':
      return event.data.forgetsRevision === null ? 'dpv:ConsentRefused' : 'dpv:ConsentWithdrawn';
    case 'card.refused':
      return null;
  }
}

function methodOf(event: RecordedEvent): string {
  switch (event.type) {
    case 'preference.proposed':
      return event.data.collectionMethod;
    case 'card.refused':
      return 'card';
    default:
      return event.data.method;
  }
}

function evidenceOf({ event, hash }: HashedEvent): JsonLd {
  return {
    'local:eventType': event.type,
    'local:position': event.position,
    'local:eventHash': hash,
    ...('commitment' in event.data ? { 'local:commitment': event.data.commitment } : {}),
    ...(event.type === 'card.refused' ? { 'local:reason': event.data.reason } : {}),
  };
}
