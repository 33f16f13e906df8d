/**
 * Gemini routers for tests: over the double, with a clock and a timer that only a test moves.
 * @module
 */
import areasFile from '../../../data/areas.json' with { type: 'json' };
import { unansweredIn } from '../../../src/adapters/assistant/beyond-local.ts';
import { dietOf } from '../../../src/adapters/catalog/diets.ts';
import { createModelClient, type ModelRoute } from '../../../src/adapters/gemini/client.ts';
import { createGeminiRouter, type GeminiRouterOptions } from '../../../src/adapters/gemini/router.ts';

export const facts = { catalogVersion: 'places-test+events-test', areas: areasFile.areas.map(({ name }) => name) };

/** The default model over the developer route to a double. */
export function developerRoute(baseUrl: string): ModelRoute {
  return { backend: 'developer', model: 'gemini-3.8-flash', baseUrl, apiKey: 'key-of-a-test' };
}

/** A vertex route to a double, with credentials that need no network. */
export function vertexRoute(baseUrl: string): ModelRoute {
  const authClient = { getRequestHeaders: async () => new Headers({ authorization: 'Bearer token-of-a-test' }) };
  return {
    backend: 'vertex',
    model: 'gemini-3.8-flash',
    baseUrl,
    project: 'project-a',
    location: 'global',
    credentials: { authClient } as unknown as Extract<ModelRoute, { backend: 'vertex' }>['credentials'],
  };
}

/** Time that stands still until it is moved. */
export function standingTime() {
  let now = Date.UTC(2026, 10, 30);
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  return {
    clock: () => now,
    timer(milliseconds: number, run: () => void): () => void {
      const entry = { at: now + milliseconds, run };
      timers.push(entry);
      return () => {
        timers = timers.filter((each) => each !== entry);
      };
    },
    /** Milliseconds until each waiting timer, soonest first. */
    waiting: () => timers.map(({ at }) => at - now).toSorted((a, b) => a - b),
    pass(milliseconds: number): void {
      now += milliseconds;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { run } of due) run();
    },
  };
}

/** Router options over real sockets; a test replaces what it looks at. */
export function optionsTo(route: ModelRoute, change: Partial<GeminiRouterOptions> = {}): GeminiRouterOptions {
  const { clock, timer } = standingTime();
  return {
    route,
    createClient: (asked) => createModelClient(asked, fetch),
    clock,
    timer,
    random: () => 0,
    dietOf,
    unansweredIn,
    count: () => {},
    ...change,
  };
}

export function routerTo(route: ModelRoute, change: Partial<GeminiRouterOptions> = {}) {
  return createGeminiRouter(optionsTo(route, change));
}
