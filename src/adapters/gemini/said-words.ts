/**
 * Whether a call says only what the person said: words a model made up would be told back to a person as their own.
 * @module
 */
import type { ToolCall } from '../../commands/tools.ts';

/** Which words may stand in a call although the message does not hold them: they name a known thing, and are told by its label. */
export type KnownWords = {
  readonly areas: readonly string[];
  /** The diet a word names, or null. */
  readonly dietOf: (word: string) => unknown;
};

const NEARBY = '附近';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Every argument is blank, a known word, or part of the message. */
export function saysOnlyWhatWasSaid(call: ToolCall, message: string, known: KnownWords): boolean {
  const said = folded(message);
  const spoken = (word: string): boolean => said.includes(folded(word));
  const area = (word: string): boolean => word === NEARBY || known.areas.includes(word) || spoken(word);
  const diet = (word: string): boolean => word === '' || known.dietOf(word) !== null || spoken(word);
  switch (call.tool) {
    case 'search_local_places':
      return area(call.area) && diet(call.dietary_type) && spoken(call.keyword);
    case 'search_local_events':
      return area(call.area) && (DATE.test(call.date) || spoken(call.date)) && spoken(call.keyword);
    case 'propose_dietary_memory':
    case 'request_memory_management':
      return diet(call.dietary_type);
    case 'show_local_help':
      return true;
  }
}

/** Width, case, spaces and 臺/台 make no other word. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('臺', '台').replace(/\s+/gu, '');
}
