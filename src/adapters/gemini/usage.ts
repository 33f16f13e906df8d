/**
 * What an answer used, and what that costs by a dated price list.
 * @module
 */
import * as v from 'valibot';
import type { ModelUsage } from '../../commands/model-attempt.ts';

const day = v.pipe(v.string(), v.isoDate());
const microUsd = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Prices by model and time; `from` inclusive, `until` exclusive, both 00:00 UTC. */
export const PriceList = v.strictObject({
  schemaVersion: v.literal(1),
  /** The day the list was last compared with its sources. */
  asOf: day,
  currency: v.literal('USD'),
  prices: v.array(
    v.strictObject({
      model: v.string(),
      backend: v.picklist(['developer', 'vertex']),
      from: day,
      until: v.nullable(day),
      /** Millionths of a US dollar for a million tokens. */
      inputMicroUsdPerMillion: microUsd,
      /** Thinking is billed as output. */
      outputMicroUsdPerMillion: microUsd,
      sources: v.pipe(v.array(v.pipe(v.string(), v.url())), v.minLength(1)),
    }),
  ),
});
export type PriceList = v.InferOutput<typeof PriceList>;

/** What was asked, of whom and when. */
export type Billed = ModelUsage & {
  readonly backend: 'developer' | 'vertex';
  readonly model: string;
  /** Unix milliseconds. */
  readonly requestedAt: number;
};

const MILLION = 1_000_000;

/** The token counts of a response; null for each that is missing or no count. Never throws. */
export function usageOf(response: unknown): ModelUsage {
  const usage = fieldOf(response, 'usageMetadata');
  return {
    promptTokens: count(fieldOf(usage, 'promptTokenCount')),
    outputTokens: count(fieldOf(usage, 'candidatesTokenCount')),
    thoughtTokens: count(fieldOf(usage, 'thoughtsTokenCount')),
    totalTokens: count(fieldOf(usage, 'totalTokenCount')),
  };
}

/**
 * The cost in micro-USD, rounded to the nearest; null when a count is missing or the list has no price for that model, backend
 * and day. The total tells what is billed beside the prompt; without it output and thinking must both have been reported.
 */
export function costOf(billed: Billed, { prices }: PriceList): number | null {
  const { promptTokens, outputTokens, thoughtTokens, totalTokens } = billed;
  if (promptTokens === null) return null;
  const answered = outputTokens === null || thoughtTokens === null ? null : outputTokens + thoughtTokens;
  const produced = totalTokens === null ? answered : totalTokens - promptTokens;
  // Counts that contradict each other are no usage one could bill.
  if (produced === null || produced < (answered ?? 0)) return null;
  const price = prices.find(
    ({ model, backend, from, until }) =>
      model === billed.model &&
      backend === billed.backend &&
      billed.requestedAt >= Date.parse(from) &&
      (until === null || billed.requestedAt < Date.parse(until)),
  );
  if (price === undefined) return null;
  const parts = promptTokens * price.inputMicroUsdPerMillion + produced * price.outputMicroUsdPerMillion;
  return Number.isSafeInteger(parts) ? Math.round(parts / MILLION) : null;
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
