/**
 * What of a ledger each role is shown: `content` the events as they are stored and the value in force; `integrity` neither
 * a value nor the key of a person.
 * @module
 */
import type { Reader } from '../../commands/access.ts';
import type { LedgerId, LedgerKind, LedgerRef } from '../../events/identity.ts';
import type { Head, LedgerReader } from '../../events/ports.ts';
import { PURPOSES } from '../../events/purposes.ts';
import type { AnyEvent } from '../../projections/ledger-law.ts';
import { decodeState } from '../../projections/preference-state.ts';
import type { Replayed } from '../../projections/replay.ts';
import { maySeeContent } from './looking.ts';

/** One ledger in a list. */
export type LedgerSummary = {
  readonly ledgerId: LedgerId;
  readonly kind: LedgerKind;
  readonly purpose: string;
  readonly position: number;
  readonly hash: string | null;
  readonly time: string | null;
  /** Null for a ledger that holds no preference, and for a head that cannot be read. */
  readonly revision: number | null;
  readonly inForce: boolean | null;
};

/** A ledger by its head alone. */
export function summaryOf(ledger: LedgerRef, head: Head): LedgerSummary {
  const { ledgerId, kind, purpose } = ledger;
  const state = kind === 'preference' ? presentOf(head) : null;
  return {
    ledgerId,
    kind,
    purpose,
    position: head.position,
    hash: head.hash,
    time: head.time,
    revision: state?.revision ?? null,
    inForce: state === null ? null : state.commitment !== null,
  };
}

function presentOf({ state }: Head) {
  try {
    return decodeState(state).present;
  } catch {
    // A damaged head is told by verify; a list must still be shown.
    return null;
  }
}

/** A page of ledgers after a cursor (exclusive), of one kind or of all; `next` is null at the end. */
export async function ledgersPage(
  reader: LedgerReader,
  { after, kind, limit }: { after: LedgerId | null; kind: LedgerKind | null; limit: number },
): Promise<{ readonly ledgers: readonly LedgerSummary[]; readonly next: LedgerId | null }> {
  const found: LedgerRef[] = [];
  let cursor = after;
  let isEnd = false;
  // A rare kind is looked for in a bounded number of pages; a short page with a cursor is no end.
  for (let read = 0; read < SPARSE_PAGES_MAX && found.length <= limit && !isEnd; read += 1) {
    const page = await reader.ledgers(cursor, limit + 1);
    isEnd = page.length <= limit;
    found.push(...page.filter((each) => kind === null || each.kind === kind));
    cursor = page.at(-1)?.ledgerId ?? cursor;
  }
  const shown = found.slice(0, limit);
  const ledgers = await Promise.all(shown.map(async (each) => summaryOf(each, await reader.head(each.ledgerId))));
  if (found.length > limit) return { ledgers, next: shown.at(-1)?.ledgerId ?? null };
  return { ledgers, next: isEnd ? null : cursor };
}
const SPARSE_PAGES_MAX = 50;

/** An event as a role is shown it. */
export type EventView = Readonly<Record<string, unknown>> & { readonly position: number; readonly hash: string };

/** The event with its hash: whole, so that the hash can be made again, or without the key of a person. */
export function eventView(reader: Reader, event: AnyEvent, hash: string): EventView {
  if (maySeeContent(reader)) return { ...event, hash };
  const { subject: _, actor, ...rest } = event;
  return { ...rest, actor: event.actorrole === 'subject' ? 'subject' : actor, hash };
}

/** A replayed state as a role is shown it. */
export type StateView = Omit<Replayed, 'value'> & {
  readonly value: { readonly code: string; readonly label: string } | null;
  /** Something is in force that this role is not shown. */
  readonly isWithheld: boolean;
};

/** What was in force, with its value only while it is in force now and only for the role that may see it. */
export function stateView(reader: Reader, { purpose }: LedgerRef, { value, ...replayed }: Replayed): StateView {
  const mayShow = maySeeContent(reader) && value !== null;
  return {
    ...replayed,
    value: mayShow ? { code: value, label: labelFor(purpose, value) } : null,
    isWithheld: value !== null && !mayShow,
  };
}

function labelFor(purpose: string, value: string): string {
  return PURPOSES.get(purpose)?.values.find((known) => known.value === value)?.label['zh-TW'] ?? value;
}

/** The exact words of a notice version, or null for one this program does not know. */
export function noticeText(purpose: string, version: string | null): string | null {
  return PURPOSES.get(purpose)?.notices.find((notice) => notice.version === version)?.text ?? null;
}
