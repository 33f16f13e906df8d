/** A turn's row: read back as written, always within its one length, and what was left out is said. */
import { describe, expect, it } from 'vitest';
import { decodeTurnBody, encodeTurnBody, type TurnBody } from '../../src/commands/turn-body.ts';
import { TURN_BODY_BYTES } from '../../src/events/turn-ports.ts';

const attempt: TurnBody['attempts'][number] = {
  retry: 0,
  from: 1_000,
  to: 1_250,
  backend: 'developer',
  model: 'gemini',
  modelVersion: 'gemini-1',
  outcome: 'call',
  httpStatus: null,
  why: 'called',
  promptTokens: 100,
  outputTokens: 10,
  thoughtTokens: null,
  totalTokens: 110,
  costMicroUsd: null,
  proposed: [{ functionCallId: 'call-1', name: 'search_local_places', arguments: '{"area":"花壇"}' }],
};
const body: TurnBody = {
  version: 1,
  route: 'chat',
  router: 'gemini',
  request: {
    catalogVersion: 'v1',
    context: { goal: null, turns: [{ topic: 'help', area: '' }] },
    text: '花壇有推薦吃的嗎？',
  },
  withheld: null,
  trimmed: false,
  revision: 2,
  attempts: [attempt],
  costMicroUsd: null,
  routed: 'call',
  ran: [
    {
      tool: 'search_local_places',
      arguments: { area: '花壇', dietary_type: '', keyword: '' },
      effective: { area: '花壇鄉', dietary_type: 'vegetarian', keyword: '' },
      origin: 'consented_memory',
      status: 'places',
      resultIds: ['place-1'],
    },
  ],
  statuses: ['places'],
};

describe('the body of a turn', () => {
  it('is read back as it was written', () => {
    expect(decodeTurnBody(encodeTurnBody(body))).toEqual(body);
  });

  const call = { functionCallId: 'i'.repeat(200), name: 'n'.repeat(100), arguments: '"'.repeat(2_000) };
  const long: readonly (readonly [string, Partial<TurnBody>])[] = [
    ['eight calls with two thousand characters each', { attempts: [{ ...attempt, proposed: Array(8).fill(call) }] }],
    ['a text of control characters', { request: { ...body.request, text: '\u0001'.repeat(5_000) } }],
    ['a text of lone surrogates', { request: { ...body.request, text: '\ud83d'.repeat(5_000) } }],
    [
      'everything at once',
      {
        attempts: Array(2).fill({ ...attempt, proposed: Array(8).fill(call), why: 'w'.repeat(5_000) }),
        request: { ...body.request, text: '字'.repeat(5_000) },
      },
    ],
  ];
  it.each(long)('fits its row and says that something was left out: %s', (_title, over) => {
    const bytes = encodeTurnBody({ ...body, ...over });
    expect(bytes.length).toBeLessThanOrEqual(TURN_BODY_BYTES);
    expect(decodeTurnBody(bytes)).toMatchObject({ trimmed: true, statuses: ['places'], revision: 2 });
  });

  it('leaves out the proposed arguments first and keeps what was typed', () => {
    const bytes = encodeTurnBody({ ...body, attempts: [{ ...attempt, proposed: Array(8).fill(call) }] });
    const read = decodeTurnBody(bytes);
    expect(read?.request.text).toBe(body.request.text);
    expect(read?.attempts[0]?.proposed[0]).toMatchObject({ functionCallId: call.functionCallId, arguments: null });
  });

  it.each(['', '{}', '\u0000', JSON.stringify({ ...body, version: 2 })])('is nothing else: %j', (text) => {
    expect(decodeTurnBody(Buffer.from(text))).toBeNull();
  });
});
