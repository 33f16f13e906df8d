/**
 * Reads the end of one person's ledger: the newest events with the head and content they belong to.
 * @module
 */
import { sha256Hex } from '../../events/chain.ts';
import { decodeContent } from '../../events/commitment.ts';
import { openEvent } from '../../events/envelope.ts';
import type { LedgerId } from '../../events/identity.ts';
import type { LedgerReader, StoredContent } from '../../events/ports.ts';
import { decodeState } from '../../projections/preference-state.ts';
import type { HashedEvent } from '../../projections/replay.ts';

/** What one call of the reader gives at most. */
const PAGE = 1_000;

export type OwnLedger = {
  readonly position: number;
  readonly revision: number;
  readonly content: StoredContent | null;
  /** What is in force, with the revision and event that made it; null when nothing is. */
  readonly inForce: { readonly value: string; readonly revision: number; readonly eventId: string } | null;
  /** The newest events, gapless up to `position`, oldest first. */
  readonly events: readonly HashedEvent[];
};

/**
 * Reads at most `limit` events, the newest. What comes after the head that was read is not among them, so events and
 * content belong together.
 * @returns null when an event cannot be read, is missing or is not what was hashed: then nothing is told of any.
 */
export async function readOwn(reader: LedgerReader, ledgerId: LedgerId, limit: number): Promise<OwnLedger | null> {
  const { head, content } = await reader.headWithContent(ledgerId);
  const { present } = decodeState(head.state);
  const events: HashedEvent[] = [];
  const first = Math.max(1, head.position - limit + 1);
  for (let from = first; from <= head.position; from += PAGE) {
    const page = await reader.events(ledgerId, from, Math.min(head.position, from + PAGE - 1));
    for (const { bytes, hash } of page) {
      const opened = openEvent(bytes);
      if (!opened.ok || opened.event.position !== first + events.length || sha256Hex(bytes) !== hash) return null;
      events.push({ event: opened.event, hash });
    }
  }
  if (events.length !== Math.min(limit, head.position)) return null;
  return {
    position: head.position,
    revision: present.revision,
    content,
    inForce:
      content === null || present.eventId === null
        ? null
        : { value: decodeContent(content.bytes).value, revision: present.revision, eventId: present.eventId },
    events,
  };
}
