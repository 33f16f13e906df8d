/**
 * A question that goes on from the one before ("and in 二林?"): what it leaves out is taken from the turn before.
 * @module
 */
import type { PublicContext, Routed, ToolCall } from '../../commands/tools.ts';
import { folded, hasAny, normalised, words } from './spoken-text.ts';

/** A follow-up is short; a longer message says what it wants. */
const LENGTH_MAX = 20;
const BEGINNINGS = words('那 那麼 還有 換 改查 改看 也');
const ENDINGS = words('呢 嘞 咧');
/** With one of these the message itself says that it is about eating. */
const FOOD = words('吃 素 餐 店 飯 麵 小吃');

/** Whether a message goes on from the one before. */
export function isFollowUp(text: string): boolean {
  const said = folded(normalised(text)).replace(/[\p{P}\p{S}\s]/gu, '');
  if (said.length === 0 || said.length > LENGTH_MAX) return false;
  return BEGINNINGS.some((word) => said.startsWith(word)) || ENDINGS.some((word) => said.endsWith(word));
}

/**
 * What a router made of a follow-up, completed from what is carried over: a township alone keeps the topic, and a search
 * without a township keeps the township. What is said now always wins. Everything else stays as it was.
 */
export function completed(routed: Routed, text: string, context: PublicContext | null): Routed {
  const goal = context?.goal ?? null;
  if (goal === null || routed.outcome !== 'call' || !isFollowUp(text)) return routed;
  const [call] = routed.calls;
  if (call === undefined || routed.calls.length !== 1) return routed;
  if (call.tool !== 'search_local_places' && call.tool !== 'search_local_events') return routed;
  const area = call.area.trim() === '' ? goal.area : call.area;
  const townshipOnly =
    call.tool === 'search_local_places' &&
    call.dietary_type.trim() === '' &&
    call.keyword.trim() === '' &&
    !hasAny(folded(normalised(text)), FOOD);
  const next: ToolCall =
    townshipOnly && goal.topic === 'events'
      ? { tool: 'search_local_events', date: '', area, keyword: '' }
      : { ...call, area };
  return { ...routed, calls: [next] };
}
