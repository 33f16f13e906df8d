/**
 * `npm run live-check -- --yes [--compare] [--out <new folder>]`: the eight development turns against a real model, or over two
 * routes side by side. Costs money, so it needs a key and an explicit yes; keeps requests, calls, executions and store snapshots. Its people and its store are its own.
 * @module
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { v7 } from 'uuid';
import pricesFile from '../data/prices.json' with { type: 'json' };
import { createFreeText } from './adapters/assistant/free-text.ts';
import { readLedger } from './adapters/audit/reading.ts';
import { loadCatalog } from './adapters/catalog/catalog.ts';
import type { ModelRoute } from './adapters/gemini/client.ts';
import { costOf, PriceList } from './adapters/gemini/usage.ts';
import { createPreferenceDesk, type PreferenceDesk } from './adapters/preferences/desk.ts';
import { openSqliteStore, type SqliteStore } from './adapters/sqlite/store.ts';
import { readModelRoute } from './adapters/system/model-route.ts';
import type { Answer } from './commands/answers.ts';
import type { ModelAttempt } from './commands/model-attempt.ts';
import type { Routed, Router } from './commands/tools.ts';
import type { Delivery, Person } from './commands/turns.ts';
import { preferenceLedger, subjectKeyFingerprint, subjectKeyOf, TenantId } from './events/identity.ts';
import { DIET_FOR_PLACE_SEARCH } from './events/purposes.ts';
import { compareLive, liveRouter, secondRoute } from './live-compare.ts';
import { faultsOf, LIVE_QUESTIONS, type LiveQuestion } from './live-questions.ts';

/** Exit codes: all as it must be · something was not · wrong use · nothing to judge. */
const EXIT = { pass: 0, fail: 1, usage: 2, notRun: 3 } as const;
const TENANT = v.parse(TenantId, 'live-check');

type Verdict = {
  readonly id: string;
  readonly verdict: 'PASS' | 'FAIL' | 'BLOCKED';
  readonly faults: readonly string[];
};

/**
 * Runs the check. Prints NOT_RUN and gives 3 without a route or without `--yes`; never falls back to anything else.
 * @param environment the environment, for the model route only.
 * @param folder the project's own, where data/ stands.
 * @param say is told what happens, in words.
 */
export async function runLiveCheck(
  argv: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  say: (words: string) => void,
): Promise<number> {
  const values = optionsIn(argv);
  if (values === null) {
    say('Usage: npm run live-check -- --yes [--compare] [--out <new folder>]');
    return EXIT.usage;
  }
  const problems: string[] = [];
  const route = readModelRoute(
    (name) => environment[name] || null,
    (variable, message) => {
      problems.push(`${variable} ${message}`);
      return null;
    },
    false,
  );
  for (const problem of problems) say(problem);
  if (problems.length > 0) return EXIT.usage;
  if (route === null) {
    say('NOT_RUN: no model is configured (GEMINI_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI with its project).');
    return EXIT.notRun;
  }
  const second = values.compare === true ? secondRoute(route.model, environment, say) : null;
  if (second === 'wrong') return EXIT.usage;
  if (second === 'missing' || (second !== null && route.backend === 'vertex')) {
    say('NOT_RUN: a comparison needs GEMINI_API_KEY, LIVE_CHECK_VERTEX_PROJECT and LIVE_CHECK_VERTEX_LOCATION.');
    return EXIT.notRun;
  }
  if (values.yes !== true) {
    const requests = LIVE_QUESTIONS.length * (second === null ? 1 : 2);
    say(`NOT_RUN: this sends ${requests} billed requests to ${route.model}. Add --yes to do it.`);
    return EXIT.notRun;
  }
  const out = resolve(values.out ?? join('out', `live-check-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`));
  try {
    mkdirSync(resolve(out, '..'), { recursive: true });
    mkdirSync(out);
  } catch {
    say(`The folder must be new: ${out}`);
    return EXIT.usage;
  }
  if (second === null) return runQuestions(route, folder, out, say);
  const catalog = loadCatalog(`${folder}/data`);
  const routes = { developer: route, vertex: second };
  const compared = await compareLive(routes, catalog, v.parse(PriceList, pricesFile), out, say);
  say(`Both routes' answers: ${out}`);
  return { same: EXIT.pass, different: EXIT.fail, unanswered: EXIT.notRun }[compared];
}

const OPTIONS = { yes: { type: 'boolean' }, compare: { type: 'boolean' }, out: { type: 'string' } } as const;

function optionsIn(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch {
    return null;
  }
}

async function runQuestions(
  route: ModelRoute,
  folder: string,
  out: string,
  say: (words: string) => void,
): Promise<number> {
  const scene = await openScene(route, folder, out);
  const verdicts: Verdict[] = [];
  const attempts: ModelAttempt[] = [];
  try {
    for (const [index, question] of LIVE_QUESTIONS.entries()) {
      const place = join(out, `${index + 1}-${question.id}`);
      mkdirSync(place);
      const { verdict, made } = await runQuestion(scene, question, index, (name, content) =>
        writeFileSync(join(place, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`),
      );
      verdicts.push(verdict);
      attempts.push(...made);
      say(`${verdict.verdict} ${verdict.id}${verdict.faults.map((fault) => `; ${fault}`).join('')}`);
    }
  } finally {
    await scene.store.close();
  }
  const prices = v.parse(PriceList, pricesFile);
  const costs = attempts.map((attempt) => costOf(attempt, prices));
  const modelVersions = [...new Set(attempts.map(({ modelVersion }) => modelVersion))];
  const report = {
    backend: route.backend,
    model: route.model,
    modelVersions,
    verdicts,
    attempts: attempts.length,
    // One unknown cost makes the sum unknown.
    costMicroUsd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  say(`Requests, calls, executions and store snapshots: ${out}`);
  if (verdicts.some(({ verdict }) => verdict === 'FAIL')) return EXIT.fail;
  return verdicts.every(({ verdict }) => verdict === 'PASS') && modelVersions.length === 1 ? EXIT.pass : EXIT.notRun;
}

type Scene = {
  readonly store: SqliteStore;
  readonly desk: PreferenceDesk;
  readonly catalog: ReturnType<typeof loadCatalog>;
  readonly router: Router;
  readonly personOf: (question: LiveQuestion) => Person;
  /** The card of the turn before, for the tap that the check makes in the person's place. */
  readonly card: { token: string | null };
};

async function openScene(route: ModelRoute, folder: string, out: string): Promise<Scene> {
  const secret = createSecretKey(randomBytes(32));
  const store = await openSqliteStore({
    path: join(out, 'ledger.sqlite'),
    subjectKeyFingerprint: subjectKeyFingerprint(secret),
    clock: Date.now,
    random: Math.random,
  });
  const catalog = loadCatalog(`${folder}/data`);
  const desk = createPreferenceDesk({
    ledger: store.ledger,
    cardKeys: [{ keyId: 'k1', key: createSecretKey(randomBytes(32)) }],
    clock: Date.now,
    newEventId: () => v7(),
    randomBytes,
    pause: () => new Promise((done) => setImmediate(done)),
    count: () => {},
  });
  const router = liveRouter(route, catalog);
  return {
    store,
    desk,
    catalog,
    router,
    card: { token: null },
    personOf({ group, id }) {
      const subjectKey = subjectKeyOf(secret, TENANT, 'line', group === 'lifecycle' ? group : id);
      const diet = preferenceLedger(secret, TENANT, subjectKey, DIET_FOR_PLACE_SEARCH.purpose);
      return { tenantId: TENANT, subjectKey, diet };
    },
  };
}

async function runQuestion(
  scene: Scene,
  question: LiveQuestion,
  index: number,
  keep: (name: string, content: unknown) => void,
): Promise<{ readonly verdict: Verdict; readonly made: readonly ModelAttempt[] }> {
  const person = scene.personOf(question);
  const noCard = question.before === 'agree_to_the_card' && scene.card.token === null;
  await prepare(scene, question, person, delivered(`before-${index}`));
  const before = await snapshot(scene, person);
  keep('store-before', before);
  const made: ModelAttempt[] = [];
  let routed: Routed = { outcome: 'unavailable' };
  // A new answerer for each turn: nothing of an earlier chat exists that could be sent along.
  const { text } = createFreeText({
    router: {
      name: 'gemini',
      async route(said, facts) {
        keep('request', { said, facts });
        routed = await scene.router.route(said, facts, (attempt) => made.push(attempt));
        return routed;
      },
    },
    catalog: scene.catalog,
    offers: scene.desk,
    clock: Date.now,
  });
  const { answers } = await text(person, question.text, delivered(`turn-${index}`));
  const after = await snapshot(scene, person);
  keep('calls', made);
  keep('execution', { routed, answers: answers.map(withoutToken) });
  keep('store-after', after);
  const offer = answers.find((answer) => answer.status === 'awaiting_memory_consent');
  scene.card.token = offer?.card.token ?? null;
  const places = answers.find((answer) => answer.status === 'places');
  const calls = callsOf(routed);
  const faults = faultsOf(
    question.expected,
    {
      calls,
      place:
        places === undefined || !('diet' in places.answer) ? null : { origin: places.origin, diet: places.answer.diet },
      offered: offer?.card.value ?? null,
      written: after.events.slice(before.events.length).map(({ type }) => type),
    },
    scene.catalog.dietOf,
  );
  const unanswered = made.length === 0 || ['refused', 'network', 'timed_out'].includes(made.at(-1)?.outcome ?? '');
  const obstacles = [
    ...(noCard ? ['the turn before led to no card to agree to'] : []),
    ...(unanswered ? ['the service gave no answer'] : []),
  ];
  const verdict = obstacles.length > 0 ? 'BLOCKED' : faults.length === 0 ? 'PASS' : 'FAIL';
  return { verdict: { id: question.id, verdict, faults: obstacles.length > 0 ? obstacles : faults }, made };
}

function callsOf(routed: Routed) {
  return routed.outcome === 'call' ? routed.calls : [];
}

async function prepare(
  { desk, card }: Scene,
  { before }: LiveQuestion,
  person: Person,
  delivery: Delivery,
): Promise<void> {
  if (before === 'agree_to_the_card' && card.token !== null) await desk.tap(person, 'approve', card.token, delivery);
  if (before === 'forget') await desk.forget(person, 'purpose', delivery);
}

/** A card's token opens its commitment; no file keeps one. */
function withoutToken(answer: Answer): object {
  if (answer.status !== 'awaiting_memory_consent') return answer;
  const { token: _secret, ...shown } = answer.card;
  return { ...answer, card: shown };
}

async function snapshot({ store, desk }: Scene, person: Person) {
  const { events } = await readLedger(store.ledger, person.diet);
  const remembered = await desk.remembered(person);
  return { ...remembered, events: events.map(({ event, hash }) => ({ ...event, hash })) };
}

function delivered(id: string): Delivery {
  return { causationId: id, turnId: id, messageId: id };
}
