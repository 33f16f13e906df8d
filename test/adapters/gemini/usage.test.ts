/**
 * Usage as it was reported, and a cost only where everything it rests on is known.
 * @module
 */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import pricesFile from '../../../data/prices.json' with { type: 'json' };
import { type Billed, costOf, PriceList, usageOf } from '../../../src/adapters/gemini/usage.ts';

const prices = v.parse(PriceList, pricesFile);
const billed: Billed = {
  backend: 'developer',
  model: 'gemini-3.8-flash',
  requestedAt: Date.parse('2026-11-30T08:00:00Z'),
  promptTokens: 1_000,
  outputTokens: 20,
  thoughtTokens: 80,
  totalTokens: 1_100,
};

describe('the cost of an answer', () => {
  const rows: readonly (readonly [string, Partial<Billed>, number | null])[] = [
    ['is prompt and output by the price of the day, thinking billed as output', {}, 1_125],
    ['needs no split when the total is there', { outputTokens: null, thoughtTokens: null }, 1_125],
    ['needs no total when the parts are there', { totalTokens: null }, 1_125],
    ['is 0 only for 0 tokens', { promptTokens: 0, outputTokens: 0, thoughtTokens: 0, totalTokens: 0 }, 0],
    ['is unknown without a prompt count', { promptTokens: null }, null],
    ['is unknown when thinking was not reported and no total either', { thoughtTokens: null, totalTokens: null }, null],
    ['is unknown without any count', { promptTokens: null, outputTokens: null, totalTokens: null }, null],
    ['is unknown when the counts contradict each other', { totalTokens: 1_050 }, null],
    ['is unknown for a model without a price', { model: 'gemini-9' }, null],
    ['is unknown before the first price', { requestedAt: Date.parse('2026-09-01T23:59:59.999Z') }, null],
    ['is by the new price from its first moment', { requestedAt: Date.parse('2027-01-01T00:00:00Z') }, 2_250],
    ['is by the old price until then', { requestedAt: Date.parse('2026-12-31T23:59:59.999Z') }, 1_125],
    [
      'is unknown where only the other service has a price',
      { backend: 'vertex', requestedAt: Date.parse('2027-01-01') },
      null,
    ],
    ['is unknown beyond what can be counted exactly', { promptTokens: 2 ** 52, totalTokens: null }, null],
  ];
  it.each(rows)('%s', (_title, change, cost) => {
    expect(costOf({ ...billed, ...change }, prices)).toBe(cost);
  });
});

describe('the price list', () => {
  it('has one price for a model, backend and moment', () => {
    for (const one of prices.prices) {
      const others = prices.prices.filter(
        (other) =>
          other !== one &&
          other.model === one.model &&
          other.backend === one.backend &&
          other.from < (one.until ?? '9999') &&
          one.from < (other.until ?? '9999'),
      );
      expect(others).toEqual([]);
    }
  });
});

describe('a usage', () => {
  const none = { promptTokens: null, outputTokens: null, thoughtTokens: null, totalTokens: null };
  it.each([
    ['nothing', undefined, none],
    ['an empty response', {}, none],
    ['usage that is a text', { usageMetadata: 'many' }, none],
    ['counts that are none', { usageMetadata: { promptTokenCount: -1, totalTokenCount: '9' } }, none],
    ['one count', { usageMetadata: { promptTokenCount: 13 } }, { ...none, promptTokens: 13 }],
  ])('of %s holds what was reported and null for the rest', (_title, response, usage) => {
    expect(usageOf(response)).toEqual(usage);
  });
});
