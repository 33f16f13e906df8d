/**
 * `npm run live-check -- --compare --yes`: the development questions over the Developer API and over Vertex, side by side.
 * @module
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unansweredIn } from './adapters/assistant/beyond-local.ts';
import { folded, normalised } from './adapters/assistant/spoken-text.ts';
import { createModelClient, type ModelRoute } from './adapters/gemini/client.ts';
import { compareRoutes } from './adapters/gemini/migration-check.ts';
import { createGeminiRouter } from './adapters/gemini/router.ts';
import type { PriceList } from './adapters/gemini/usage.ts';
import { readModelRoute } from './adapters/system/model-route.ts';
import type { Catalog } from './commands/catalog.ts';
import type { Router } from './commands/tools.ts';
import { LIVE_QUESTIONS } from './live-questions.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type VertexRoute = Extract<ModelRoute, { backend: 'vertex' }>;

const PROJECT = 'LIVE_CHECK_VERTEX_PROJECT';
const LOCATION = 'LIVE_CHECK_VERTEX_LOCATION';

/** A router over a real model, as a start would build it, that counts nothing. */
export function liveRouter(route: ModelRoute, { dietOf }: Pick<Catalog, 'dietOf'>): Router {
  return createGeminiRouter({
    route,
    createClient: (asked) => createModelClient(asked, fetch),
    clock: Date.now,
    timer(milliseconds, run) {
      const timeout = setTimeout(run, milliseconds);
      return () => clearTimeout(timeout);
    },
    random: Math.random,
    dietOf,
    unansweredIn: (message) => unansweredIn(folded(normalised(message))),
    count: () => {},
  });
}

/**
 * The second route: project and location from variables of the check's own, the same model, no other kind of credentials than the
 * platform's. `missing`: neither is set; a fault is told and gives `wrong`.
 */
export function secondRoute(
  model: string,
  environment: Environment,
  say: (words: string) => void,
): VertexRoute | 'missing' | 'wrong' {
  const [project, location] = [environment[PROJECT] || null, environment[LOCATION] || null];
  if (project === null && location === null) return 'missing';
  const given: Readonly<Record<string, string | null>> = {
    GOOGLE_GENAI_USE_VERTEXAI: 'true',
    GOOGLE_CLOUD_PROJECT: project,
    GOOGLE_CLOUD_LOCATION: location,
    GEMINI_MODEL: model,
  };
  const route = readModelRoute(
    (name) => given[name] ?? null,
    (variable, message) => {
      say(`${variable === 'GOOGLE_CLOUD_PROJECT' ? PROJECT : LOCATION} ${message}`);
      return null;
    },
    false,
  );
  return route?.backend === 'vertex' ? route : 'wrong';
}

/**
 * Asks both routes every question and keeps the report in `out`.
 * @returns `same`, `different`, or `unanswered` when a route did not answer every question: then there is nothing to compare.
 */
export async function compareLive(
  routes: { readonly developer: ModelRoute; readonly vertex: ModelRoute },
  catalog: Pick<Catalog, 'version' | 'areas' | 'dietOf'>,
  prices: PriceList,
  out: string,
  say: (words: string) => void,
): Promise<'same' | 'different' | 'unanswered'> {
  const report = await compareRoutes(
    LIVE_QUESTIONS.map(({ text }) => text),
    { catalogVersion: catalog.version, areas: catalog.areas },
    { developer: liveRouter(routes.developer, catalog), vertex: liveRouter(routes.vertex, catalog) },
    prices,
  );
  writeFileSync(join(out, 'comparison.json'), `${JSON.stringify(report, null, 2)}\n`);
  for (const { question, differences } of report.questions) {
    say(`${differences.length === 0 ? 'SAME' : `DIFFERENT (${differences.join(', ')})`} ${question}`);
  }
  for (const backend of ['developer', 'vertex'] as const) {
    const { attempts, costMicroUsd } = report[backend];
    say(`${backend}: ${attempts} requests, ${costMicroUsd === null ? 'cost not known' : `${costMicroUsd} micro-USD`}`);
  }
  const outcomes = report.questions.flatMap(({ developer, vertex }) => [developer.outcome, vertex.outcome]);
  if (outcomes.includes('unavailable')) return 'unanswered';
  return report.same === report.questions.length ? 'same' : 'different';
}
