/**
 * What a ledger said at a revision, a position or a moment, and its history in order.
 * @module
 */
import { type Content, decodeContent } from '../events/commitment.ts';
import type { RecordedEvent } from '../events/envelope.ts';
import type { StoredContent } from '../events/ports.ts';
import { evolve, initialState, type PreferenceState } from './preference-state.ts';

/** An event with the hash that stands beside its bytes. */
export type HashedEvent<Event = RecordedEvent> = { readonly event: Event; readonly hash: string };

/** Up to where: all bounds inclusive. A revision means: through the event that made it. */
export type Bound =
  | { readonly kind: 'all' }
  | { readonly kind: 'through_revision'; readonly revision: number }
  | { readonly kind: 'through_position'; readonly position: number }
  /** Unix milliseconds. */
  | { readonly kind: 'at'; readonly at: number };

export type Replayed = {
  readonly position: number;
  readonly revision: number;
  /** The time of the newest event that counts, or null. */
  readonly time: string | null;
  /** `none`: nothing was in force then; `erased`: something was, and its content is gone. */
  readonly state: 'none' | 'in_force' | 'erased';
  /** Only while it is in force now. */
  readonly value: string | null;
  /** The event by which the person agreed to what was in force then. */
  readonly consent: {
    readonly eventId: string;
    readonly proposalId: string;
    readonly noticeVersion: string | null;
  } | null;
  /** When and by which event a value that is `erased` went. */
  readonly erased: { readonly eventId: string; readonly time: string; readonly by: 'corrected' | 'forgotten' } | null;
  readonly proposalOpen: boolean;
};

/** Whether the ledger reached what was asked for; a revision or position beyond its end is not a state of it. */
export function reaches(events: readonly HashedEvent[], bound: Bound): boolean {
  switch (bound.kind) {
    case 'all':
      return true;
    case 'through_position':
      return bound.position <= events.length;
    case 'through_revision':
      return bound.revision <= events.reduce((highest, { event }) => Math.max(highest, revisionOf(event) ?? 0), 0);
    case 'at':
      return true;
  }
}

function revisionOf(event: RecordedEvent): number | null {
  switch (event.type) {
    case 'preference.approved':
    case 'preference.corrected':
    case 'preference.forgotten':
      return event.data.revision;
    default:
      return null;
  }
}

/** The events that count under a bound: a prefix of the history. */
export function through(events: readonly HashedEvent[], bound: Bound): readonly HashedEvent[] {
  switch (bound.kind) {
    case 'all':
      return events;
    case 'through_position':
      return events.slice(0, bound.position);
    case 'through_revision': {
      const index = events.findIndex(({ event }) => revisionOf(event) === bound.revision);
      return events.slice(0, index + 1);
    }
    case 'at': {
      const index = events.findIndex(({ event }) => Date.parse(event.time) > bound.at);
      return index === -1 ? events : events.slice(0, index);
    }
  }
}

/**
 * Folds a history through a bound.
 * @param content the content that exists now; a value is told only if it is the one that was in force then.
 */
export function replay(events: readonly HashedEvent[], bound: Bound, content: StoredContent | null): Replayed {
  const counted = through(events, bound);
  const state = counted.reduce<PreferenceState>((so, { event, hash }) => evolve(so, event, hash), initialState);
  const last = counted.at(-1)?.event ?? null;
  const inForce = state.present.commitment !== null;
  const held = inForce ? contentOf(state.present.revision, content) : null;
  const time = last?.time ?? null;
  const moment = bound.kind === 'at' ? bound.at : time === null ? 0 : Date.parse(time);
  return {
    position: counted.length,
    revision: state.present.revision,
    time,
    state: !inForce ? 'none' : held === null ? 'erased' : 'in_force',
    value: held?.value ?? null,
    consent: inForce ? consentOf(state, counted) : null,
    erased: inForce && held === null ? erasureOf(state.present.revision, events) : null,
    proposalOpen: state.open !== null && moment < state.open.expiresAt,
  };
}

function contentOf(revision: number, content: StoredContent | null): Content | null {
  return content?.revision === revision ? decodeContent(content.bytes) : null;
}

function consentOf(state: PreferenceState, events: readonly HashedEvent[]): Replayed['consent'] {
  const { eventId, proposalId } = state.present;
  if (eventId === null || proposalId === null) return null;
  const proposed = events.find(
    ({ event }) => event.type === 'preference.proposed' && event.data.proposalId === proposalId,
  )?.event;
  const noticeVersion = proposed?.type === 'preference.proposed' ? proposed.data.noticeVersion : null;
  return { eventId, proposalId, noticeVersion };
}

function erasureOf(revision: number, events: readonly HashedEvent[]): Replayed['erased'] {
  const erasing = events.find(({ event }) => revisionOf(event) === revision + 1)?.event;
  if (erasing === undefined) return null;
  return {
    eventId: erasing.id,
    time: erasing.time,
    by: erasing.type === 'preference.forgotten' ? 'forgotten' : 'corrected',
  };
}
