/**
 * The eight development turns for a real model: what is said, and what must come of it. They are public, so they are for finding
 * faults, not for a score.
 * @module
 */
import type { ToolCall } from './commands/tools.ts';

/** What the calls of a turn must be. Arguments are compared after the catalog has understood them. */
export type LiveExpectation =
  | {
      readonly calls: 'search';
      readonly diet: string;
      readonly origin: 'this_turn' | 'consented_memory' | 'none';
      readonly effective: string;
    }
  | { readonly calls: 'offer'; readonly diet: string }
  /** Whatever it is, it is no offer to remember. */
  | { readonly calls: 'no_offer' };

export type LiveQuestion = {
  readonly id: string;
  readonly text: string;
  /** Turns of one group are one person's, in this order. */
  readonly group: 'lifecycle' | 'boundary';
  /** What the person does before this turn without a model. */
  readonly before: 'nothing' | 'agree_to_the_card' | 'forget';
  readonly expected: LiveExpectation;
};

export const LIVE_QUESTIONS: readonly LiveQuestion[] = [
  {
    id: 'lifecycle-1-this-meal',
    text: '今天想吃素，花壇有什麼店？',
    group: 'lifecycle',
    before: 'nothing',
    expected: { calls: 'search', diet: 'vegetarian', origin: 'this_turn', effective: 'vegetarian' },
  },
  {
    id: 'lifecycle-2-remember',
    text: '長輩吃素，以後優先找蔬食，幫我記住',
    group: 'lifecycle',
    before: 'nothing',
    expected: { calls: 'offer', diet: 'vegetarian' },
  },
  {
    id: 'lifecycle-3-from-memory',
    text: '花壇有什麼店推薦吃吃看？',
    group: 'lifecycle',
    before: 'agree_to_the_card',
    expected: { calls: 'search', diet: '', origin: 'consented_memory', effective: 'vegetarian' },
  },
  {
    id: 'lifecycle-4-after-forget',
    text: '花壇有什麼店推薦吃吃看？',
    group: 'lifecycle',
    before: 'forget',
    expected: { calls: 'search', diet: '', origin: 'none', effective: 'any' },
  },
  {
    id: 'boundary-1-single-negated',
    text: '這次想吃全素，花壇有什麼店？不用幫我記住',
    group: 'boundary',
    before: 'nothing',
    expected: { calls: 'search', diet: 'vegan', origin: 'this_turn', effective: 'vegan' },
  },
  {
    id: 'boundary-2-reported-speech',
    text: '朋友說他以後都吃全素，要你記住',
    group: 'boundary',
    before: 'nothing',
    expected: { calls: 'no_offer' },
  },
  {
    id: 'boundary-3-future-not-consent',
    text: '以後也許會改吃素，到時候再說',
    group: 'boundary',
    before: 'nothing',
    expected: { calls: 'no_offer' },
  },
  {
    id: 'boundary-4-explicit-save',
    text: '請幫我記住，以後都找蛋奶素',
    group: 'boundary',
    before: 'nothing',
    expected: { calls: 'offer', diet: 'ovo_lacto' },
  },
];

/** What was seen of one turn. */
export type LiveSeen = {
  /** The calls the model proposed, as the backend took them. */
  readonly calls: readonly ToolCall[];
  readonly place: { readonly origin: string; readonly diet: string } | null;
  readonly offered: string | null;
  /** Types of the events the turn wrote. */
  readonly written: readonly string[];
};

/**
 * What is wrong with a turn, empty when nothing is. A model that fills in what memory should have filled is wrong although the
 * same places come of it.
 * @param dietOf the diet a word names, or null.
 */
export function faultsOf(expected: LiveExpectation, seen: LiveSeen, dietOf: (word: string) => string | null): string[] {
  const faults: string[] = [];
  const offers = seen.calls.filter(({ tool }) => tool === 'propose_dietary_memory');
  if (expected.calls !== 'offer' && (offers.length > 0 || seen.written.length > 0)) faults.push('offered or wrote');
  if (expected.calls === 'no_offer') return faults;
  const [call, second] = seen.calls;
  if (second !== undefined) faults.push('more than one call');
  if (expected.calls === 'offer') {
    if (call?.tool !== 'propose_dietary_memory') return [...faults, 'no offer was called for'];
    if (dietOf(call.dietary_type) !== expected.diet) faults.push('another value was offered');
    if (seen.offered !== expected.diet) faults.push('the card has another value');
    if (seen.written.join() !== 'preference.proposed') faults.push('something else than one offer was written');
    return faults;
  }
  if (call?.tool !== 'search_local_places') return [...faults, 'no search was called for'];
  const diet = call.dietary_type.trim() === '' ? '' : (dietOf(call.dietary_type) ?? 'unknown');
  if (diet !== expected.diet) faults.push(expected.diet === '' ? 'the model filled in a diet' : 'another diet');
  if (!/^花壇鄉?$/.test(call.area)) faults.push('another area');
  if (seen.place?.origin !== expected.origin) faults.push('another origin');
  if (seen.place?.diet !== expected.effective) faults.push('another condition took effect');
  return faults;
}
