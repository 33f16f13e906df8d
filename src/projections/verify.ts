/**
 * Whether a ledger is as it should be: bytes, hashes, links, positions, time, legal transitions, and a head and content
 * that say exactly what the events say.
 * @module
 */
import { genesisHash, sha256Hex } from '../events/chain.ts';
import { type Content, decodeContent, opens } from '../events/commitment.ts';
import type { StoredEvent, UnreadableCause } from '../events/envelope.ts';
import type { LedgerRef } from '../events/identity.ts';
import type { Head, StoredContent } from '../events/ports.ts';
import { type FoldedState, type InForceByFold, type LedgerLaw, ledgerLaw } from './ledger-law.ts';
import type { IllegalCause } from './legality.ts';

export type ProblemCause =
  /** The ledger is of a kind this program does not know. */
  | 'unknown_kind'
  | UnreadableCause
  | IllegalCause
  | 'hash_differs'
  | 'link_differs'
  | 'position_differs'
  | 'other_ledger'
  | 'other_subject'
  /** The head names events that are not there: the end was cut off. */
  | 'cut_off'
  | 'head_behind_events'
  | 'head_hash_differs'
  | 'head_time_differs'
  | 'head_state_differs'
  | 'content_missing'
  | 'content_left_behind'
  | 'content_revision_differs'
  | 'content_unreadable'
  | 'content_does_not_open';

export type Problem = { readonly ledgerId: string; readonly position: number; readonly cause: ProblemCause };

/** What has been checked so far of one ledger; feed events in order, then finish. */
export type Verification = {
  readonly ledger: LedgerRef;
  readonly law: LedgerLaw | null;
  readonly position: number;
  readonly hash: string;
  readonly time: string | null;
  readonly state: FoldedState | null;
  /** The first problem; after it nothing later can be judged. */
  readonly problem: Problem | null;
};

/** Before the first event. */
export function startVerification(ledger: LedgerRef): Verification {
  const law = ledgerLaw(ledger.kind);
  return {
    ledger,
    law,
    position: 0,
    hash: genesisHash(ledger.ledgerId),
    time: null,
    state: law?.initial ?? null,
    problem: law === null ? { ledgerId: ledger.ledgerId, position: 0, cause: 'unknown_kind' } : null,
  };
}

/** One more event. After a problem the rest is skipped: the first bad position is what matters. */
export function verifyEvent(so: Verification, stored: StoredEvent): Verification {
  if (so.problem !== null || so.law === null || so.state === null) return so;
  const position = so.position + 1;
  const fail = (cause: ProblemCause): Verification => ({
    ...so,
    problem: { ledgerId: so.ledger.ledgerId, position, cause },
  });
  if (stored.position !== position) return fail('position_differs');
  if (sha256Hex(stored.bytes) !== stored.hash) return fail('hash_differs');
  const opened = so.law.open(stored.bytes);
  if (!opened.ok) return fail(opened.cause);
  const { event } = opened;
  if (event.position !== position) return fail('position_differs');
  if (event.source !== `/ledgers/${so.ledger.ledgerId}`) return fail('other_ledger');
  if (event.subject !== so.ledger.subjectKey) return fail('other_subject');
  if (event.previoushash !== so.hash) return fail('link_differs');
  const illegal = so.law.illegality(so.state, event, so.time);
  if (illegal !== null) return fail(illegal);
  return {
    ...so,
    position,
    hash: stored.hash,
    time: event.time,
    state: so.law.evolve(so.state, event, stored.hash),
  };
}

/** Compares what the events say with the head and the content that stand beside them. */
export function finishVerification(so: Verification, head: Head, content: StoredContent | null): Problem | null {
  if (so.problem !== null || so.law === null || so.state === null) return so.problem;
  const at = (position: number, cause: ProblemCause): Problem => ({ ledgerId: so.ledger.ledgerId, position, cause });
  if (head.position > so.position) return at(so.position + 1, 'cut_off');
  if (head.position < so.position) return at(head.position + 1, 'head_behind_events');
  if (head.position === 0) return content === null ? null : at(0, 'content_left_behind');
  if (head.hash !== so.hash) return at(so.position, 'head_hash_differs');
  if (head.time !== so.time) return at(so.position, 'head_time_differs');
  if (head.state !== so.law.encode(so.state)) return at(so.position, 'head_state_differs');
  const cause = contentProblem(so.ledger, so.law.inForce(so.state), content);
  return cause === null ? null : at(so.position, cause);
}

function contentProblem(
  ledger: LedgerRef,
  { commitment, revision }: InForceByFold,
  content: StoredContent | null,
): ProblemCause | null {
  if (commitment === null) return content === null ? null : 'content_left_behind';
  if (content === null) return 'content_missing';
  if (content.revision !== revision) return 'content_revision_differs';
  let opened: Content;
  try {
    opened = decodeContent(content.bytes);
  } catch {
    return 'content_unreadable';
  }
  if (opened.ledgerId !== ledger.ledgerId || opened.purpose !== ledger.purpose) return 'content_does_not_open';
  return opens(commitment, opened) ? null : 'content_does_not_open';
}
