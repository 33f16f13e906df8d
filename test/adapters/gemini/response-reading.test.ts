/**
 * Every response has one outcome: a table of known shapes, and the same shapes broken at random.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { readResponse } from '../../../src/adapters/gemini/response-reading.ts';
import { ToolCall } from '../../../src/commands/tools.ts';
import { mutated, seeded } from './mutation.ts';
import { SHAPES } from './response-shapes.ts';

const SEED = 20261130;
const MUTATIONS = 50_000;
const OUTCOMES = ['call', 'clarify', 'unsupported', 'blocked', 'unavailable', 'invalid'];
const NAMES = ToolCall.options.map((option) => option.entries.tool.literal);

describe('a response', () => {
  it('is known in at least 60 shapes, each named once', () => {
    expect(SHAPES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(SHAPES.map(([title]) => title)).size).toBe(SHAPES.length);
  });

  it.each(SHAPES)('%s', (_title, response, outcome, why) => {
    const reading = readResponse(response);
    expect([reading.routed.outcome, reading.why]).toEqual([outcome, why]);
  });
});

it('takes the same call three times for one (C76)', () => {
  const shape = SHAPES.find(([title]) => title.includes('C76'));
  expect(readResponse(shape?.[1]).routed).toMatchObject({ calls: [{ tool: 'propose_dietary_memory' }] });
});

it('keeps a refused name for the trail, and bounds what it keeps', () => {
  const huge = { name: 'x'.repeat(5_000), args: { a: 'y'.repeat(5_000) } };
  const parts = Array.from({ length: 20 }, () => ({ functionCall: huge }));
  const { proposed } = readResponse({ candidates: [{ finishReason: 'STOP', content: { parts } }] });
  expect(proposed).toHaveLength(8);
  expect(proposed[0]).toEqual({ functionCallId: null, name: 'x'.repeat(100), arguments: null });
});

it('survives arguments nested deeper than anything can write', () => {
  let deep: unknown = 'end';
  for (let level = 0; level < 200_000; level += 1) deep = [deep];
  const response = {
    candidates: [
      {
        finishReason: 'STOP',
        content: { parts: [{ functionCall: { name: 'show_local_help', args: { reason: deep } } }] },
      },
    ],
  };
  expect(readResponse(response)).toMatchObject({ routed: { outcome: 'invalid' }, proposed: [{ arguments: null }] });
});

it(`has one of six outcomes after any of ${MUTATIONS} mutations, seed ${SEED}: 0 throws, 0 unmapped, 0 calls by another name`, () => {
  const random = seeded(SEED);
  const bad: unknown[] = [];
  const seen = new Map<string, number>();
  for (let turn = 0; turn < MUTATIONS; turn += 1) {
    const [, response] = SHAPES[Math.floor(random() * SHAPES.length)] ?? [];
    const changed = mutated(response, random);
    try {
      const { routed } = readResponse(changed);
      seen.set(routed.outcome, (seen.get(routed.outcome) ?? 0) + 1);
      if (!OUTCOMES.includes(routed.outcome)) bad.push([turn, routed]);
      if (routed.outcome === 'call' && !routed.calls.every(({ tool }) => NAMES.includes(tool)))
        bad.push([turn, routed]);
    } catch (error) {
      bad.push([turn, String(error)]);
    }
  }
  expect(bad).toEqual([]);
  // The mutations reach every outcome, so that none is vacuously right.
  expect([...seen.keys()].toSorted()).toEqual(OUTCOMES.toSorted());
});
