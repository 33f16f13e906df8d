/**
 * The live check against the double: when it runs at all, what it keeps, and that it finds a model's faults.
 * @module
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pricesFile from '../data/prices.json' with { type: 'json' };
import { loadCatalog } from '../src/adapters/catalog/catalog.ts';
import { PriceList } from '../src/adapters/gemini/usage.ts';
import { runLiveCheck } from '../src/live-check.ts';
import { compareLive } from '../src/live-compare.ts';
import { developerRoute, vertexRoute } from './adapters/gemini/routes.ts';
import { answering, calling, type GeminiDouble, type Reply, startGeminiDouble } from './support/gemini-double.ts';

const house = dirname(import.meta.dirname);
let double: GeminiDouble;
let folder: string;
let said: string[];
beforeEach(async () => {
  double = await startGeminiDouble();
  folder = mkdtempSync(join(tmpdir(), 'live-check-'));
  said = [];
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await double.close();
});

const respond = (body: unknown): Reply => ({ kind: 'response', body });
const search = (dietary_type: string): Reply =>
  respond(calling('search_local_places', { area: '花壇鄉', dietary_type }));
const offer = (dietary_type: string): Reply => respond(calling('propose_dietary_memory', { dietary_type }));
const none = respond(answering([{ text: '好的' }]));
const RIGHT: readonly Reply[] = [
  search('蔬食'),
  offer('蔬食'),
  search(''),
  search(''),
  search('全素'),
  none,
  none,
  offer('蛋奶素'),
];
const check = (argv: readonly string[], key = 'key-of-a-test') =>
  runLiveCheck(argv, house, { GEMINI_API_KEY: key, GEMINI_BASE_URL: key === '' ? '' : double.url }, (words) =>
    said.push(words),
  );
const out = () => join(folder, 'out');

describe('is not run', () => {
  it('without a key: says NOT_RUN and ends with 3', async () => {
    expect(await check(['--yes', '--out', out()], '')).toBe(3);
    expect(said.join()).toContain('NOT_RUN');
    expect(readdirSync(folder)).toEqual([]);
  });
  it('without an explicit yes, and sends nothing', async () => {
    expect(await check(['--out', out()])).toBe(3);
    expect(said.join()).toContain('NOT_RUN');
    expect(double.requests).toEqual([]);
  });
  it.each([['--yse'], ['--yes', 'now'], ['--out']])(
    'with options nobody has, %s: says how, and ends with 2',
    async (...argv) => {
      expect(await check(argv)).toBe(2);
      expect(said.join()).toContain('--yes');
      expect(double.requests).toEqual([]);
    },
  );
  it('with a mixture of routes', async () => {
    const environment = { GEMINI_API_KEY: 'key-of-a-test', GOOGLE_CLOUD_PROJECT: 'project-a' };
    expect(await runLiveCheck(['--yes'], house, environment, (words) => said.push(words))).toBe(2);
    expect(said.join()).toContain('DEVELOPER_CONFIG_CONFLICT');
  });
  it('into a folder that is there already', async () => {
    expect(await check(['--yes', '--out', folder])).toBe(2);
    expect(double.requests).toEqual([]);
  });
});

describe('with a key and a yes', () => {
  it('passes when all eight turns are right, and keeps request, calls, execution and store of each', async () => {
    double.meet(...RIGHT);
    expect(await check(['--yes', '--out', out()])).toBe(0);
    const report = JSON.parse(readFileSync(join(out(), 'report.json'), 'utf8'));
    expect(report).toMatchObject({ modelVersions: ['gemini-3.8-flash'], attempts: 8, costMicroUsd: 8 * 975 });
    const turns = readdirSync(out()).filter((name) => /^\d-/.test(name));
    expect(turns).toHaveLength(8);
    for (const turn of turns) {
      expect(readdirSync(join(out(), turn)).toSorted()).toEqual([
        'calls.json',
        'execution.json',
        'request.json',
        'store-after.json',
        'store-before.json',
      ]);
      expect(readFileSync(join(out(), turn, 'execution.json'), 'utf8')).not.toContain('"token"');
    }
    const fromMemory = join(out(), '3-lifecycle-3-from-memory');
    const execution = JSON.parse(readFileSync(join(fromMemory, 'execution.json'), 'utf8'));
    expect(execution).toMatchObject({ answers: [{ status: 'places', origin: 'consented_memory' }] });
    expect(JSON.parse(readFileSync(join(fromMemory, 'calls.json'), 'utf8'))).toMatchObject([
      { proposed: [{ functionCallId: 'fc-1' }] },
    ]);
  });

  const faults: readonly (readonly [string, number, Reply, string])[] = [
    ['fills in what memory should fill', 2, search('蔬食'), 'the model filled in a diet'],
    ['says "remembered" and calls nothing', 1, respond(answering([{ text: '記住了' }])), 'no offer was called for'],
    ['offers what was not wanted', 4, offer('全素'), 'offered or wrote'],
    ['offers what another person said', 5, offer('全素'), 'offered or wrote'],
    ['offers another value', 7, offer('全素'), 'another value was offered'],
  ];
  it.each(faults)('fails when the model %s', async (_title, at, reply, fault) => {
    double.meet(...RIGHT.with(at, reply));
    expect(await check(['--yes', '--out', out()])).toBe(1);
    const { verdicts } = JSON.parse(readFileSync(join(out(), 'report.json'), 'utf8'));
    expect(verdicts[at]).toMatchObject({ verdict: 'FAIL', faults: expect.arrayContaining([fault]) });
  });

  it('judges no memory that could not be agreed to, because the turn before gave no card', async () => {
    double.meet(...RIGHT.with(1, { kind: 'status', status: 403 }));
    expect(await check(['--yes', '--out', out()])).toBe(3);
    const { verdicts } = JSON.parse(readFileSync(join(out(), 'report.json'), 'utf8'));
    expect(verdicts.slice(1, 3)).toMatchObject([{ verdict: 'BLOCKED' }, { verdict: 'BLOCKED' }]);
  });

  it('judges nothing where the service gave no answer', async () => {
    double.meet(...RIGHT.with(5, { kind: 'status', status: 403 }));
    expect(await check(['--yes', '--out', out()])).toBe(3);
    const { verdicts } = JSON.parse(readFileSync(join(out(), 'report.json'), 'utf8'));
    expect(verdicts[5]).toMatchObject({ verdict: 'BLOCKED' });
  });
});

describe('a comparison of two routes', () => {
  const vertexOf = (project: string, location: string) => ({
    GEMINI_API_KEY: 'key-of-a-test',
    GEMINI_BASE_URL: double.url,
    LIVE_CHECK_VERTEX_PROJECT: project,
    LIVE_CHECK_VERTEX_LOCATION: location,
  });
  const rows: readonly (readonly [string, readonly string[], string, string, number, string])[] = [
    ['without the second route', ['--compare', '--yes'], '', '', 3, 'NOT_RUN'],
    ['without a yes', ['--compare'], 'project-a', 'global', 3, 'NOT_RUN: this sends 16 billed requests'],
    ['with half a route', ['--compare', '--yes'], 'project-a', '', 2, 'LIVE_CHECK_VERTEX_LOCATION'],
    [
      'with a location that is none',
      ['--compare', '--yes'],
      'project-a',
      'a.example/#',
      2,
      'LIVE_CHECK_VERTEX_LOCATION',
    ],
  ];
  it.each(rows)('is not run %s', async (_title, argv, project, location, code, words) => {
    const environment = vertexOf(project, location);
    expect(await runLiveCheck([...argv, '--out', out()], house, environment, (told) => said.push(told))).toBe(code);
    expect(said.join()).toContain(words);
    expect(double.requests).toEqual([]);
  });

  const verdicts: readonly (readonly [string, readonly Reply[], string])[] = [
    ['says that both are the same', RIGHT, 'same'],
    ['names what differs', RIGHT.with(2, search('蔬食')), 'different'],
    ['judges nothing where a route did not answer', RIGHT.with(5, { kind: 'status', status: 403 }), 'unanswered'],
  ];
  it.each(verdicts)('%s, and keeps both accounts', async (_title, replies, verdict) => {
    const other = await startGeminiDouble();
    try {
      double.meet(...RIGHT);
      other.meet(...replies);
      const routes = { developer: developerRoute(double.url), vertex: vertexRoute(other.url) };
      const catalog = loadCatalog(join(house, 'data'));
      const prices = v.parse(PriceList, pricesFile);
      expect(await compareLive(routes, catalog, prices, folder, (words) => said.push(words))).toBe(verdict);
      expect([double.requests.length, other.requests.length]).toEqual([8, 8]);
      const report = JSON.parse(readFileSync(join(folder, 'comparison.json'), 'utf8'));
      expect(report).toMatchObject({ developer: { attempts: 8 }, vertex: { attempts: 8 } });
    } finally {
      await other.close();
    }
  });
});
