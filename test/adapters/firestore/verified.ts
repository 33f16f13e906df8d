/**
 * Whether a ledger in a store is as it should be, by the project's own verification.
 * @module
 */
import type { LedgerRef } from '../../../src/events/identity.ts';
import type { LedgerReader } from '../../../src/events/ports.ts';
import { finishVerification, type Problem, startVerification, verifyEvent } from '../../../src/projections/verify.ts';

/** The first problem of a ledger of at most 1,000 events, or null. */
export async function problemOf(reader: LedgerReader, ref: LedgerRef): Promise<Problem | null> {
  const events = await reader.events(ref.ledgerId, 1, 1_000);
  const { head, content } = await reader.headWithContent(ref.ledgerId);
  return finishVerification(events.reduce(verifyEvent, startVerification(ref)), head, content);
}
