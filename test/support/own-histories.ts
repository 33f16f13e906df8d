/**
 * Histories of one person as sealed events, made without a store, with the content that would stand beside them.
 * @module
 */
import { v5 } from 'uuid';
import mandatory from '../../data/receipts/mandatory-fields.json' with { type: 'json' };
import { genesisHash } from '../../src/events/chain.ts';
import { commit, decodeContent } from '../../src/events/commitment.ts';
import { type SealedEvent, seal } from '../../src/events/envelope.ts';
import type { PreferenceEvent } from '../../src/events/kinds.ts';
import type { StoredContent } from '../../src/events/ports.ts';
import { BEGINNING, bytesOf, contentBytes, personLedger } from './ledger-world.ts';

export const REF = personLedger('Person A');
const NAMES = '3f0d1b8e-5a44-5c8e-8a53-50c5c3bb1a07';
const NOTICE = { noticeVersion: 'diet_for_place_search/1', language: 'zh-TW', validitySeconds: 300 } as const;

/** The id of an offer by its name. */
export function offerId(name: string): string {
  return v5(name, NAMES);
}

/** The commitment of an offer by its name. */
export function commitmentOf(name: string, value: string): string {
  return commit(bytesOf(name), { ledgerId: REF.ledgerId, purpose: REF.purpose, value });
}

/** An offer of a value. */
export function offer(
  name: string,
  operation: 'save' | 'correct',
  value: string,
  baseRevision: number,
): PreferenceEvent {
  return {
    type: 'preference.proposed',
    data: {
      operation,
      proposalId: offerId(name),
      commitment: commitmentOf(name, value),
      baseRevision,
      collectionMethod: 'message',
      ...NOTICE,
    },
  };
}

/** An offer to forget. */
export function offerToForget(name: string, baseRevision: number): PreferenceEvent {
  return {
    type: 'preference.proposed',
    data: { operation: 'forget', proposalId: offerId(name), baseRevision, collectionMethod: 'message', ...NOTICE },
  };
}

/** Consent to a first value. */
export function agree(name: string, value: string, revision: number): PreferenceEvent {
  const commitment = commitmentOf(name, value);
  return { type: 'preference.approved', data: { proposalId: offerId(name), revision, commitment, method: 'card' } };
}

/** Consent to another value. */
export function change(name: string, value: string, revision: number): PreferenceEvent {
  const data = { proposalId: offerId(name), revision, commitment: commitmentOf(name, value) };
  return { type: 'preference.corrected', data: { ...data, correctsRevision: revision - 1, method: 'card' } };
}

/** The end of an offer without effect. */
export function close(name: string, method: 'card' | 'unsend' | 'message' = 'card'): PreferenceEvent {
  return { type: 'preference.cancelled', data: { proposalId: offerId(name), method } };
}

/** A forget. */
export function forget(revision: number, forgetsRevision: number | null): PreferenceEvent {
  return {
    type: 'preference.forgotten',
    data: { revision, forgetsRevision, method: 'fixed_entry', erasureScope: 'purpose' },
  };
}

/** The events in their places, ten seconds apart. */
export function chain(...bodies: readonly PreferenceEvent[]): readonly SealedEvent[] {
  const sealed: SealedEvent[] = [];
  for (const body of bodies) {
    const position = sealed.length + 1;
    const id = `delivery-${position}`;
    const place = {
      ledgerId: REF.ledgerId,
      subjectKey: REF.subjectKey,
      position,
      previousHash: sealed.at(-1)?.hash ?? genesisHash(REF.ledgerId),
      time: new Date(BEGINNING + position * 10_000).toISOString(),
    };
    sealed.push(
      seal(body, place, {
        eventId: v5(`event ${position}`, NAMES),
        actor: REF.subjectKey,
        actorRole: 'subject',
        causationId: id,
        correlationId: id,
      }),
    );
  }
  return sealed;
}

/** The content row while a value is in force. */
export function content(name: string, value: string, revision: number): StoredContent {
  const bytes = contentBytes(REF, value, bytesOf(name));
  decodeContent(bytes);
  return { revision, bytes };
}

/** What stands at a path; `*` is every member of a list. */
export function at(value: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (name === '*') return Array.isArray(value) ? value.flatMap((each) => at(each, rest)) : [];
  if (typeof value !== 'object' || value === null) return [];
  return at((value as Record<string, unknown>)[name], rest);
}

/** The names of the mandatory fields that a record does not have. */
export function missingFields(record: unknown): readonly string[] {
  return mandatory
    .filter(({ path }) => {
      const found = at(record, path);
      return found.length === 0 || found.some((value) => value === undefined || value === null || value === '');
    })
    .map(({ field }) => field);
}
