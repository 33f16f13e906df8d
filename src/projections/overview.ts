/**
 * All ledgers at a glance: how many, what happened on which day, why cards were refused. Holds nothing of one person.
 * @module
 */
import type { LedgerKind } from '../events/identity.ts';
import { type PreferenceEvent, RefusalReason } from '../events/kinds.ts';
import type { AnyEvent } from './ledger-law.ts';

/** What is told apart in the days: consent given, offers, ends, refusals and looks. */
export const DAY_GROUPS = ['offered', 'agreed', 'ended', 'refused', 'looked'] as const;
export type DayGroup = (typeof DAY_GROUPS)[number];

export type DayCount = Readonly<Record<DayGroup, number>>;

export type Overview = {
  readonly ledgers: Readonly<Record<LedgerKind, number>>;
  /** Preference ledgers in which something is in force. */
  readonly inForce: number;
  readonly events: number;
  /** By UTC day, YYYY-MM-DD. */
  readonly days: ReadonlyMap<string, DayCount>;
  readonly refusals: Readonly<Record<RefusalReason, number>>;
  /** Ledgers with something that cannot be read. */
  readonly unreadable: number;
};

const NO_DAY: DayCount = { offered: 0, agreed: 0, ended: 0, refused: 0, looked: 0 };

/** Of nothing. */
export const emptyOverview: Overview = {
  ledgers: { preference: 0, request: 0, access: 0, gate: 0 },
  inForce: 0,
  events: 0,
  days: new Map(),
  refusals: { expired: 0, superseded: 0, cancelled: 0, forgotten: 0, corrected: 0, revision_moved: 0 },
  unreadable: 0,
};

const GROUPS: Readonly<Record<PreferenceEvent['type'] | 'access.read', DayGroup>> = {
  'preference.proposed': 'offered',
  'preference.approved': 'agreed',
  'preference.corrected': 'agreed',
  'preference.cancelled': 'ended',
  'preference.forgotten': 'ended',
  'card.refused': 'refused',
  'access.read': 'looked',
};

function groupOf(type: string): DayGroup | null {
  return Object.hasOwn(GROUPS, type) ? GROUPS[type as keyof typeof GROUPS] : null;
}

/** Adds one ledger with all its events. @param isInForce whether its head says that something is in force. */
export function withLedger(
  so: Overview,
  ledger: { readonly kind: LedgerKind; readonly isInForce: boolean; readonly isReadable: boolean },
  events: readonly AnyEvent[],
): Overview {
  const days = new Map(so.days);
  const refusals = { ...so.refusals };
  for (const { type, time, data } of events) {
    const group = groupOf(type);
    if (group === null) continue;
    const day = time.slice(0, 10);
    const counted = days.get(day) ?? NO_DAY;
    days.set(day, { ...counted, [group]: counted[group] + 1 });
    const reason = RefusalReason.options.find((known) => group === 'refused' && known === data['reason']);
    if (reason !== undefined) refusals[reason] += 1;
  }
  return {
    ledgers: { ...so.ledgers, [ledger.kind]: so.ledgers[ledger.kind] + 1 },
    inForce: so.inForce + (ledger.isInForce ? 1 : 0),
    events: so.events + events.length,
    days,
    refusals,
    unreadable: so.unreadable + (ledger.isReadable ? 0 : 1),
  };
}

/** The last `count` days through `today` (YYYY-MM-DD, UTC), oldest first, those without events among them. */
export function lastDays(
  { days }: Overview,
  today: string,
  count: number,
): readonly { readonly day: string; readonly counts: DayCount }[] {
  const end = Date.parse(`${today}T00:00:00.000Z`);
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(end - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return { day, counts: days.get(day) ?? NO_DAY };
  });
}
