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
  get(ledgerId: LedgerId): KnownHead | undefined;
  /** Null: the ledger does not exist. */
  remember(ledgerId: LedgerId, head: KnownHead | null): void;
};

export function knownHeads(): KnownHeads {
  const heads = new Map<LedgerId, KnownHead>();
  return {
    get: (ledgerId) => heads.get(ledgerId),
    remember(ledgerId, head) {
      heads.delete(ledgerId);
      if (head !== null) heads.set(ledgerId, head);
      if (heads.size <= HEADS_KEPT) return;
      const [oldest] = heads.keys();
      if (oldest !== undefined) heads.delete(oldest);
    },
  };
}
