/**
 * The heads this process has read, so that a commit needs no second read: each position of a ledger has one head, and
 * with it one update time, which is what Firestore compares.
 * @module
 */
import type firestore from '@google-cloud/firestore';
import type { LedgerId, LedgerRef } from '../../events/identity.ts';

/** How many heads are kept; the one longest unread goes first. */
const HEADS_KEPT = 10_000;

/** A head as it was read. Never an answer to anybody: only what a commit is compared with. */
export type KnownHead = {
  readonly position: number;
  readonly hash: string;
  readonly ledger: LedgerRef;
  readonly updateTime: firestore.Timestamp;
};

export type KnownHeads = {
  /** The head, if it was read at this position and has not moved since as far as this process knows. */
  at(ledgerId: LedgerId, position: number): KnownHead | null;
  /** Whether the ledger is known to be beyond this position. */
  isBeyond(ledgerId: LedgerId, position: number): boolean;
  read(ledgerId: LedgerId, head: KnownHead | null): void;
  /** A commit of ours went through; its update time is not known. */
  moved(ledgerId: LedgerId, position: number): void;
  forget(ledgerId: LedgerId): void;
};

export function knownHeads(): KnownHeads {
  const heads = new Map<LedgerId, { readonly position: number; readonly head: KnownHead | null }>();

  function keep(ledgerId: LedgerId, position: number, head: KnownHead | null): void {
    const known = heads.get(ledgerId);
    // An answer that was overtaken on its way says nothing new.
    if (known !== undefined && known.position > position) return;
    heads.delete(ledgerId);
    heads.set(ledgerId, { position, head });
    if (heads.size <= HEADS_KEPT) return;
    const [oldest] = heads.keys();
    if (oldest !== undefined) heads.delete(oldest);
  }
  return {
    at(ledgerId, position) {
      const known = heads.get(ledgerId);
      return known?.position === position ? known.head : null;
    },
    isBeyond: (ledgerId, position) => (heads.get(ledgerId)?.position ?? 0) > position,
    read(ledgerId, head) {
      if (head !== null) keep(ledgerId, head.position, head);
    },
    moved: (ledgerId, position) => keep(ledgerId, position, null),
    forget(ledgerId) {
      heads.delete(ledgerId);
    },
  };
}
