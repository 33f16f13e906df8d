/**
 * Two routes over two doubles: what differs is named, costs stay apart, and no route is left for the other.
 * @module
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import pricesFile from '../../../data/prices.json' with { type: 'json' };
import { compareRoutes } from '../../../src/adapters/gemini/migration-check.ts';
import { PriceList } from '../../../src/adapters/gemini/usage.ts';
import * as v from 'valibot';
import { answering, calling, type GeminiDouble, type Reply, startGeminiDouble } from '../../support/gemini-double.ts';
import { developerRoute, facts, routerTo, vertexRoute } from './routes.ts';

const prices = v.parse(PriceList, pricesFile);
let developer: GeminiDouble;
let vertex: GeminiDouble;
beforeEach(async () => {
  [developer, vertex] = await Promise.all([startGeminiDouble(), startGeminiDouble()]);
});
afterEach(() => Promise.all([developer.close(), vertex.close()]));

const respond = (body: unknown): Reply => ({ kind: 'response', body });
const places = (args: object): Reply => respond(calling('search_local_places', args));
const help = respond(calling('show_local_help', { reason: 'unsupported' }));
const compare = (questions: readonly string[]) =>
  compareRoutes(
    questions,
    facts,
    { developer: routerTo(developerRoute(developer.url)), vertex: routerTo(vertexRoute(vertex.url)) },
    prices,
  );

it('names what differs: outcome, tools, arguments, how the unknown is told', async () => {
  const rows: readonly (readonly [string, Reply, Reply, readonly string[]])[] = [
    ['花壇有什麼店', places({ area: '花壇鄉' }), places({ area: '花壇鄉', dietary_type: '' }), []],
    ['花壇的素食', places({ area: '花壇' }), places({ area: '花壇', dietary_type: '素食' }), ['arguments']],
    ['花壇十月三日', places({ area: '花壇' }), respond(calling('search_local_events', { area: '花壇' })), ['tools']],
    ['附近能停車嗎', help, places({ area: '附近' }), ['outcome', 'tools']],
    ['嗯嗯', respond(answering([{ text: '?' }])), help, ['outcome', 'told_as_unknown']],
  ];
  developer.meet(...rows.map(([, one]) => one));
  vertex.meet(...rows.map(([, , other]) => other));
  const report = await compare(rows.map(([question]) => question));
  expect(report.questions.map(({ differences }) => differences)).toEqual(
    rows.map(([, , , differences]) => differences),
  );
  expect(report.same).toBe(1);
  expect(developer.requests.map(({ backend }) => backend)).toEqual(rows.map(() => 'developer'));
  expect(vertex.requests.map(({ backend }) => backend)).toEqual(rows.map(() => 'vertex'));
});

it('keeps the two accounts apart, and an unknown cost unknown', async () => {
  const { usageMetadata: _none, ...withoutUsage } = calling('search_local_places', {});
  developer.meet(places({}), places({}));
  vertex.meet(places({}), respond(withoutUsage));
  const report = await compare(['有什麼吃的', '有什麼好吃的']);
  // 2 × (900 × 0.75 + 80 × 3.75) micro-USD.
  expect(report.developer).toEqual({
    attempts: 2,
    attemptsWithoutCost: 0,
    costMicroUsd: 1_950,
    modelVersions: ['gemini-3.8-flash'],
  });
  expect(report.vertex).toMatchObject({ attempts: 2, attemptsWithoutCost: 1, costMicroUsd: null });
});

it('never answers for a failing route with the other one', async () => {
  developer.meet({ kind: 'status', status: 403 });
  vertex.meet(places({ area: '花壇鄉' }));
  const report = await compare(['花壇有什麼店']);
  expect(report.questions).toMatchObject([{ developer: { outcome: 'unavailable' }, vertex: { outcome: 'call' } }]);
  expect([developer.requests.length, vertex.requests.length]).toEqual([1, 1]);
});
