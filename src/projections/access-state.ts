/**
 * What an access ledger says: how often was looked, under which roles, and at what; with the rule of what may follow.
 * @module
 */
import * as v from 'valibot';
import type { RecordedAccess } from '../events/access-kinds.ts';
import { canonicalText } from '../events/canonical.ts';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const AccessState = v.strictObject({
  reads: v.strictObject({ integrity: count, content: count }),
  /** The one ledger whose reads are recorded here; null before the first, and where reads of several are. */
  about: v.nullable(v.string()),
});
export type AccessState = v.InferOutput<typeof AccessState>;

/** Before the first read. */
export const initialAccess: AccessState = { reads: { integrity: 0, content: 0 }, about: null };

/** The state after one more read. */
export function evolveAccess({ reads, about }: AccessState, { source, data }: RecordedAccess): AccessState {
  const { role, ledgerId } = data;
  const isOfItself = source === `/ledgers/${ledgerId}`;
  return { reads: { ...reads, [role]: reads[role] + 1 }, about: isOfItself ? about : (about ?? ledgerId) };
}

/** The state as the text that stands in the head. */
export function encodeAccess(state: AccessState): string {
  return canonicalText(state);
}

/**
 * Reads a head's state; null (position 0) is the initial state.
 * @throws ValiError when the text is not a state of this program.
 */
export function decodeAccess(text: string | null): AccessState {
  return text === null ? initialAccess : v.parse(AccessState, JSON.parse(text));
}

/**
 * The first reason why a read may not stand where it stands, or null.
 * @param previousTime the time of the event before, or null at position 1.
 */
export function accessIllegality(
  { about, reads }: AccessState,
  { source, time, data }: RecordedAccess,
  previousTime: string | null,
): 'time_goes_back' | 'read_of_another_ledger' | null {
  if (previousTime !== null && time < previousTime) return 'time_goes_back';
  const isOfItself = source === `/ledgers/${data.ledgerId}`;
  const isFirst = reads.integrity + reads.content === 0;
  return isFirst || isOfItself || data.ledgerId === about ? null : 'read_of_another_ledger';
}
