/**
 * One typed outcome for every response a model service can give; a model's prose decides nothing and is shown to nobody.
 * @module
 */
import * as v from 'valibot';
import type { ProposedCall } from '../../commands/model-attempt.ts';
import { type Routed, ToolCall } from '../../commands/tools.ts';

/** What an outcome rests on. */
export type Why =
  | 'called'
  | 'prose_only'
  | 'several_wishes'
  | 'prompt_blocked'
  | 'answer_blocked'
  | 'no_candidates'
  | 'unfinished'
  | 'empty_answer'
  | 'refused_by_itself'
  | 'malformed_response'
  | 'unknown_tool'
  | 'malformed_arguments'
  | 'too_many_calls';

/** The outcome with what it rests on and the calls as they were proposed, for the trail. */
export type Reading = {
  readonly routed: Routed;
  readonly why: Why;
  readonly proposed: readonly ProposedCall[];
};

/** More calls than this in one answer are a fault of the model, not several wishes of a person. */
const CALLS_MAX = 8;
/** A search and an offer; a third wish is asked about. */
const DISTINCT_CALLS_MAX = 2;
const NAME_LENGTH_KEPT = 100;
const ARGUMENTS_LENGTH_KEPT = 2_000;
const ID_LENGTH_MAX = 200;

/** The service kept something back because of what was said. */
const BLOCKED = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);
/** The service itself says that what the model wrote is no proper call. */
const REFUSED_BY_ITSELF = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
]);

/**
 * Reads a response of generateContent. Total: never throws, whatever the value. Only an answer that ended with STOP is read for
 * calls; a finish reason nobody knows is unfinished. Names count exactly as declared; one bad call makes the answer invalid.
 */
export function readResponse(response: unknown): Reading {
  if (!isRecord(response)) return invalid('malformed_response');
  const feedback = own(response, 'promptFeedback');
  const blockReason = isRecord(feedback) ? own(feedback, 'blockReason') : undefined;
  if (isPresent(blockReason) && blockReason !== '') return plain({ outcome: 'blocked' }, 'prompt_blocked');
  const candidates = own(response, 'candidates');
  if (!isPresent(candidates)) return plain({ outcome: 'unavailable' }, 'no_candidates');
  if (!Array.isArray(candidates)) return invalid('malformed_response');
  if (candidates.length === 0) return plain({ outcome: 'unavailable' }, 'no_candidates');
  // One answer was asked for; which of several would be meant, nobody could say.
  if (candidates.length > 1) return invalid('malformed_response');
  const candidate: unknown = candidates[0];
  return isRecord(candidate) ? readCandidate(candidate) : invalid('malformed_response');
}

function readCandidate(candidate: Fields): Reading {
  const finishReason = own(candidate, 'finishReason');
  if (isPresent(finishReason) && typeof finishReason !== 'string') return invalid('malformed_response');
  const content = own(candidate, 'content');
  const parts = isRecord(content) ? own(content, 'parts') : undefined;
  const found = callsIn(parts);
  const proposed = found.slice(0, CALLS_MAX).map(proposedOf);
  if (typeof finishReason === 'string' && BLOCKED.has(finishReason)) {
    return { routed: { outcome: 'blocked' }, why: 'answer_blocked', proposed };
  }
  if (typeof finishReason === 'string' && REFUSED_BY_ITSELF.has(finishReason)) {
    return { routed: { outcome: 'invalid' }, why: 'refused_by_itself', proposed };
  }
  if (finishReason !== 'STOP') return { routed: { outcome: 'unavailable' }, why: 'unfinished', proposed };
  if (isPresent(content) && !isRecord(content)) return invalid('malformed_response');
  if (!isPresent(parts)) return plain({ outcome: 'unavailable' }, 'empty_answer');
  if (!Array.isArray(parts) || !parts.every(isRecord)) return invalid('malformed_response');
  if (found.length > CALLS_MAX) return { routed: { outcome: 'invalid' }, why: 'too_many_calls', proposed };
  if (found.length === 0) {
    const spoke = parts.some((part) => isRecord(part) && own(part, 'thought') !== true && hasText(part));
    return spoke
      ? plain({ outcome: 'clarify', question: 'what_to_do' }, 'prose_only')
      : plain({ outcome: 'unavailable' }, 'empty_answer');
  }
  return { ...readCalls(found), proposed };
}

function readCalls(found: readonly unknown[]): Pick<Reading, 'routed' | 'why'> {
  const calls: ToolCall[] = [];
  for (const each of found) {
    const read = readCall(each);
    if (typeof read === 'string') return { routed: { outcome: 'invalid' }, why: read };
    if (!calls.some((known) => JSON.stringify(known) === JSON.stringify(read))) calls.push(read);
  }
  if (calls.length > DISTINCT_CALLS_MAX) {
    return { routed: { outcome: 'clarify', question: 'one_thing_at_a_time' }, why: 'several_wishes' };
  }
  const [only, second] = calls;
  if (second === undefined && only?.tool === 'show_local_help' && only.reason === 'unsupported') {
    return { routed: { outcome: 'unsupported', unanswered: [] }, why: 'called' };
  }
  return { routed: { outcome: 'call', calls, unanswered: [] }, why: 'called' };
}

/** One call, or why it is none. `tool` is the backend's key: the name of the function says it, no argument does. */
function readCall(call: unknown): ToolCall | Extract<Why, 'unknown_tool' | 'malformed_arguments'> {
  if (!isRecord(call)) return 'malformed_arguments';
  const name = own(call, 'name');
  const schema = ToolCall.options.find((option) => option.entries.tool.literal === name);
  if (schema === undefined) return 'unknown_tool';
  const id = own(call, 'id');
  if (isPresent(id) && (typeof id !== 'string' || id.length > ID_LENGTH_MAX)) return 'malformed_arguments';
  const given = own(call, 'args') ?? {};
  if (!isRecord(given)) return 'malformed_arguments';
  if (Object.hasOwn(given, 'tool')) return 'malformed_arguments';
  const read = v.safeParse(ToolCall, { ...given, tool: name });
  return read.success ? read.output : 'malformed_arguments';
}

/** The function calls among the parts; a part whose call is null or missing has none. */
function callsIn(parts: unknown): readonly unknown[] {
  if (!Array.isArray(parts)) return [];
  return parts
    .map((part: unknown) => (isRecord(part) ? own(part, 'functionCall') : undefined))
    .filter((call) => isPresent(call));
}

function proposedOf(call: unknown): ProposedCall {
  const id = isRecord(call) ? own(call, 'id') : undefined;
  const name = isRecord(call) ? own(call, 'name') : undefined;
  return {
    functionCallId: typeof id === 'string' && id !== '' && id.length <= ID_LENGTH_MAX ? id : null,
    name: typeof name === 'string' ? name.slice(0, NAME_LENGTH_KEPT) : '',
    arguments: isRecord(call) ? jsonOf(own(call, 'args')) : null,
  };
}

/** Null for what is missing, too long, or nested too deep to be written. */
function jsonOf(value: unknown): string | null {
  try {
    const json = JSON.stringify(value);
    return json === undefined || json.length > ARGUMENTS_LENGTH_KEPT ? null : json;
  } catch {
    return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function hasText(part: Fields): boolean {
  const text = own(part, 'text');
  return typeof text === 'string' && text.trim() !== '';
}

function invalid(why: Why): Reading {
  return plain({ outcome: 'invalid' }, why);
}

function plain(routed: Routed, why: Why): Reading {
  return { routed, why, proposed: [] };
}
