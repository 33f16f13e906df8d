/**
 * Shapes a model service's response was seen to have or could have, with the one outcome each must come to. Test data.
 * @module
 */
import type { Routed } from '../../../src/commands/tools.ts';
import type { Why } from '../../../src/adapters/gemini/response-reading.ts';
import { answering, calling } from '../../support/gemini-double.ts';

export type Shape = readonly [title: string, response: unknown, outcome: Routed['outcome'], why: Why];

const places = { functionCall: { id: 'fc-1', name: 'search_local_places', args: { area: '花壇鄉' } } };
const remember = { functionCall: { id: 'fc-2', name: 'propose_dietary_memory', args: { dietary_type: '蔬食' } } };
const events = { functionCall: { id: 'fc-3', name: 'search_local_events', args: { date: '10/3' } } };
const named = (name: unknown) => answering([{ functionCall: { name, args: { area: '花壇鄉' } } }]);
const withArgs = (args: unknown, name = 'search_local_places') => calling(name, args);
/** Own keys named like those every object inherits, as they come out of JSON. */
const parsed = (args: string): unknown => JSON.parse(args);

const proper: readonly Shape[] = [
  ['a search', withArgs({ area: '花壇鄉', dietary_type: '', keyword: '' }), 'call', 'called'],
  ['a search without any argument', withArgs({}), 'call', 'called'],
  ['a search of events', calling('search_local_events', { date: '10/3' }), 'call', 'called'],
  ['an offer to remember', calling('propose_dietary_memory', { dietary_type: '全素' }), 'call', 'called'],
  ['a look at memory', calling('request_memory_management', { action: 'inspect' }), 'call', 'called'],
  ['why is that known', calling('request_memory_management', { action: 'explain' }), 'call', 'called'],
  ['the menu', calling('show_local_help', {}), 'call', 'called'],
  ['out of scope', calling('show_local_help', { reason: 'unsupported' }), 'unsupported', 'called'],
  ['a call without id', calling('search_local_places', { area: '花壇鄉' }, null), 'call', 'called'],
  ['a call with an empty id', calling('search_local_places', {}, ''), 'call', 'called'],
  ['a call without args', answering([{ functionCall: { name: 'show_local_help' } }]), 'call', 'called'],
  ['a call with args null', withArgs(null, 'show_local_help'), 'call', 'called'],
  ['thoughts, then a call', answering([{ text: '想一下', thought: true }, places]), 'call', 'called'],
  ['prose beside a call', answering([{ text: '好的，馬上查' }, places]), 'call', 'called'],
  ['a search and an offer', answering([places, remember]), 'call', 'called'],
  ['the same offer three times (C76)', answering([remember, remember, remember]), 'call', 'called'],
  ['three different calls', answering([places, remember, events]), 'clarify', 'several_wishes'],
  ['a key nobody knows beside the call', answering([{ ...places, partMetadata: { a: 1 } }]), 'call', 'called'],
];

const blocked: readonly Shape[] = [
  [
    'a blocked prompt (C69)',
    { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 13 } },
    'blocked',
    'prompt_blocked',
  ],
  ['a prompt blocked for a new reason', { promptFeedback: { blockReason: 'NEW_REASON' } }, 'blocked', 'prompt_blocked'],
  ['a block reason that is no text', { promptFeedback: { blockReason: 7 } }, 'blocked', 'prompt_blocked'],
  [
    'a blocked prompt beside a call',
    { ...withArgs({}), promptFeedback: { blockReason: 'SAFETY' } },
    'blocked',
    'prompt_blocked',
  ],
  ['feedback without a reason', { ...withArgs({}), promptFeedback: { safetyRatings: [] } }, 'call', 'called'],
  ['feedback that is no object', { ...withArgs({}), promptFeedback: 'SAFETY' }, 'call', 'called'],
  ...[
    'SAFETY',
    'RECITATION',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'MODEL_ARMOR',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
    'IMAGE_RECITATION',
  ].map((reason): Shape => [`${reason}, even with a call`, answering([places], reason), 'blocked', 'answer_blocked']),
];

const unfinished: readonly Shape[] = [
  ['nothing at all', {}, 'unavailable', 'no_candidates'],
  ['no candidates', { candidates: [] }, 'unavailable', 'no_candidates'],
  ['candidates null', { candidates: null }, 'unavailable', 'no_candidates'],
  ['an error object', { error: { code: 503, status: 'UNAVAILABLE' } }, 'unavailable', 'no_candidates'],
  ['MAX_TOKENS without content (C70)', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, 'unavailable', 'unfinished'],
  ...[
    'MAX_TOKENS',
    'OTHER',
    'LANGUAGE',
    'CONTINUATION',
    'ESCALATION',
    'PUP_LIMITED_DISABLED',
    'NO_IMAGE',
    'IMAGE_OTHER',
    'FINISH_REASON_UNSPECIFIED',
    'A_REASON_OF_NEXT_YEAR',
    'stop',
    '',
  ].map((reason): Shape => [`'${reason}', even with a call`, answering([places], reason), 'unavailable', 'unfinished']),
  ['no finish reason', { candidates: [{ content: { parts: [places] } }] }, 'unavailable', 'unfinished'],
  ['STOP without content', { candidates: [{ finishReason: 'STOP' }] }, 'unavailable', 'empty_answer'],
  ['STOP with empty content', { candidates: [{ finishReason: 'STOP', content: {} }] }, 'unavailable', 'empty_answer'],
  ['STOP without parts', answering([]), 'unavailable', 'empty_answer'],
  ['an empty part', answering([{}]), 'unavailable', 'empty_answer'],
  ['thoughts only', answering([{ text: '想一下', thought: true }]), 'unavailable', 'empty_answer'],
  ['blank prose', answering([{ text: ' \n' }]), 'unavailable', 'empty_answer'],
  ['a call that is null', answering([{ functionCall: null }]), 'unavailable', 'empty_answer'],
];

const prose: readonly Shape[] = [
  ['text that claims success', answering([{ text: '已幫您記住蔬食！' }]), 'clarify', 'prose_only'],
  ['a call written as text', answering([{ text: '{"name":"search_local_places"}' }]), 'clarify', 'prose_only'],
  ['text under another kind of part', answering([{ text: '好', executableCode: {} }]), 'clarify', 'prose_only'],
];

const invalid: readonly Shape[] = [
  ...[
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'MISSING_THOUGHT_SIGNATURE',
    'MALFORMED_RESPONSE',
  ].map(
    (reason): Shape => [`${reason}, even with a call`, answering([places], reason), 'invalid', 'refused_by_itself'],
  ),
  [
    'MALFORMED_FUNCTION_CALL with content {}',
    { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] },
    'invalid',
    'refused_by_itself',
  ],
  ...[null, undefined, 'text', 7, true, []].map(
    (value): Shape => [`${JSON.stringify(value)} for a response`, value, 'invalid', 'malformed_response'],
  ),
  ['candidates that are no list', { candidates: { 0: {} } }, 'invalid', 'malformed_response'],
  ['a candidate that is a text', { candidates: ['STOP'] }, 'invalid', 'malformed_response'],
  ['two candidates', { candidates: [{}, {}] }, 'invalid', 'malformed_response'],
  ['a finish reason that is a number', answering([places], 1), 'invalid', 'malformed_response'],
  [
    'content that is a list',
    { candidates: [{ finishReason: 'STOP', content: [places] }] },
    'invalid',
    'malformed_response',
  ],
  [
    'parts that are an object',
    { candidates: [{ finishReason: 'STOP', content: { parts: { places } } }] },
    'invalid',
    'malformed_response',
  ],
  ['a part that is a text', answering(['search_local_places']), 'invalid', 'malformed_response'],
  ['a part that is null', answering([null, places]), 'invalid', 'malformed_response'],
  ['an invented tool', named('approve_memory'), 'invalid', 'unknown_tool'],
  ['default_api. before the name (C74)', named('default_api.search_local_places'), 'invalid', 'unknown_tool'],
  ['a server before the name', named('local:search_local_places'), 'invalid', 'unknown_tool'],
  ['a space after the name', named('search_local_places '), 'invalid', 'unknown_tool'],
  ['capitals in the name', named('Search_Local_Places'), 'invalid', 'unknown_tool'],
  ['look-alike letters in the name', named('search_local_plаces'), 'invalid', 'unknown_tool'],
  ['a name every object has', named('constructor'), 'invalid', 'unknown_tool'],
  ['a name that is a list', named(['search_local_places']), 'invalid', 'unknown_tool'],
  ['no name', named(undefined), 'invalid', 'unknown_tool'],
  [
    'an invented tool beside a good call',
    answering([places, { functionCall: { name: 'forget_now' } }]),
    'invalid',
    'unknown_tool',
  ],
  ['a call that is a text', answering([{ functionCall: 'search_local_places' }]), 'invalid', 'malformed_arguments'],
  ['args that are a list', withArgs(['花壇鄉']), 'invalid', 'malformed_arguments'],
  ['args that are JSON text', withArgs('{"area":"花壇鄉"}'), 'invalid', 'malformed_arguments'],
  ['a key that is not declared', withArgs({ area: '花壇鄉', approved: true }), 'invalid', 'malformed_arguments'],
  ['an owner', withArgs({ area: '花壇鄉', owner: 'another' }), 'invalid', 'malformed_arguments'],
  ['the backend’s own key', withArgs({ tool: 'show_local_help' }), 'invalid', 'malformed_arguments'],
  ['a key __proto__', withArgs(parsed('{"__proto__":{"area":"花壇鄉"}}')), 'invalid', 'malformed_arguments'],
  ['a key constructor', withArgs(parsed('{"constructor":"x"}')), 'invalid', 'malformed_arguments'],
  ['a key toString', withArgs(parsed('{"toString":"x"}')), 'invalid', 'malformed_arguments'],
  ['an area that is a number', withArgs({ area: 5 }), 'invalid', 'malformed_arguments'],
  ['an area that is null', withArgs({ area: null }), 'invalid', 'malformed_arguments'],
  ['an area of 81 characters', withArgs({ area: '花'.repeat(81) }), 'invalid', 'malformed_arguments'],
  ['a line end in an area', withArgs({ area: '花壇\n已記住' }), 'invalid', 'malformed_arguments'],
  [
    'a blank value to remember',
    calling('propose_dietary_memory', { dietary_type: ' ' }),
    'invalid',
    'malformed_arguments',
  ],
  ['no value to remember', calling('propose_dietary_memory', {}), 'invalid', 'malformed_arguments'],
  [
    'an action that is none',
    calling('request_memory_management', { action: 'approve' }),
    'invalid',
    'malformed_arguments',
  ],
  [
    'an action in capitals',
    calling('request_memory_management', { action: 'FORGET' }),
    'invalid',
    'malformed_arguments',
  ],
  ['a reason that is none', calling('show_local_help', { reason: 'booking' }), 'invalid', 'malformed_arguments'],
  [
    'an id that is a number',
    answering([{ functionCall: { ...places.functionCall, id: 7 } }]),
    'invalid',
    'malformed_arguments',
  ],
  ['an id of 201 characters', calling('show_local_help', {}, 'x'.repeat(201)), 'invalid', 'malformed_arguments'],
  ['nine calls', answering(Array.from({ length: 9 }, () => places)), 'invalid', 'too_many_calls'],
];

export const SHAPES: readonly Shape[] = [...proper, ...blocked, ...unfinished, ...prose, ...invalid];
