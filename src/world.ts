/**
 * The world a configuration asks for: store, catalogs, router, LINE or the simulator in its place, and a listening server.
 * @module
 */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import * as v from 'valibot';
import { unansweredIn } from './adapters/assistant/beyond-local.ts';
import { DOCUMENT_TOOLS } from './adapters/assistant/documents.ts';
import { createRuleRouter } from './adapters/assistant/rule-router.ts';
import type { GeminiRouterOptions } from './adapters/gemini/router.ts';
import { folded, normalised } from './adapters/assistant/spoken-text.ts';
import { readLedger } from './adapters/audit/reading.ts';
import { loadCatalog } from './adapters/catalog/catalog.ts';
import { type Listening, listen } from './adapters/http/server.ts';
import { createLineClient } from './adapters/line/client.ts';
import { assertLongestCardFits } from './adapters/line/view/view.ts';
import { createSimulator, type Simulator } from './adapters/simulator/simulator.ts';
import { buildId } from './adapters/system/build-id.ts';
import type { AuditConfig, Config } from './adapters/system/config.ts';
import { isLostWithContainer, thisMachine } from './adapters/system/container-disk.ts';
import { type App, type AppParts, createApp } from './app.ts';
import { checkpointerOf, checkpointVerifiers, keepCheckpoints } from './checkpoints.ts';
import type { Catalog } from './commands/catalog.ts';
import { type LedgerRef, preferenceLedger, subjectKeyOf } from './events/identity.ts';
import type { LedgerReader } from './events/ports.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from './events/purposes.ts';
import { replay } from './projections/replay.ts';
import { type OpenedStore, openStore } from './stores.ts';

/** How long one call to LINE may take, milliseconds: less than the 5 s after which the worker tells an owed answer by push. */
const LINE_TIMEOUT_MS = 4_000;
/** How long requests under way may finish after a stop was asked for, milliseconds. */
const STOP_GRACE_MS = 4_000;
/** Hosts a browser on this machine reaches without the network, as a URL names them. */
const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]', 'localhost']);
const TAIPEI_DATE = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Taipei' });

export type World = {
  readonly app: App;
  readonly store: OpenedStore;
  readonly simulator: Simulator | null;
  readonly url: string;
  readonly buildId: string;
  /** Words about parts that are not as they should be, to be told at start. */
  readonly warnings: readonly string[];
  /** Stops in order: accept nothing new, finish what runs, let go of the store. */
  readonly stop: () => Promise<void>;
};

/** Starts everything. `folder` is the project's own, where data/ and package.json stand. */
export async function startWorld(config: Config, folder: string, log: (record: object) => void): Promise<World> {
  assertLongestCardFits();
  const warnings: string[] = [];
  const store = await openStore(config, false);
  const catalog = loadCatalog(`${folder}/data`);
  for (const { file, cause } of catalog.problems)
    warnings.push(`catalog ${file}: ${cause}; searches that need it answer "unavailable"`);
  const id = buildId(folder);
  const counters = new Map<string, number>();
  let url: string | null = null;
  const stand = config.line === null ? await startSimulator(config, store, () => `${url}/line/webhook`) : null;
  const line = stand?.line ?? config.line;
  if (line === null || line === undefined) throw new Error('Neither LINE nor the simulator is configured');
  const app = createApp({
    tenantId: config.tenantId,
    subjectKeySecret: config.subjectKeySecret,
    cardKeys: config.cardKeys,
    store,
    catalog,
    ...(await routerFor(config, catalog, counters)),
    counters,
    line: {
      channelSecret: line.channelSecret,
      botUserId: line.botUserId,
      client: createLineClient({
        channelAccessToken: line.channelAccessToken,
        baseUrl: line.apiBaseUrl,
        timeoutMs: LINE_TIMEOUT_MS,
        fetch,
      }),
    },
    publicBaseUrl: () => config.publicBaseUrl ?? (config.production ? null : loopbackOrigin(url)),
    controller: config.controller,
    audit: {
      tokens: config.auditTokens,
      secureCookies: config.production,
      checkpointKeys: checkpointVerifiers(config),
    },
    buildId: id,
    simulator: stand?.simulator.routes ?? null,
    clock: Date.now,
    timer,
    newEventId: () => v7(),
    randomBytes,
    random: Math.random,
    log,
  });
  let server: Listening;
  try {
    server = await listen(app.routes, config.host, config.port);
  } catch (error) {
    await stand?.server.close(0);
    await store.close();
    throw error;
  }
  url = server.url;
  if (config.production && config.publicBaseUrl === null) {
    warnings.push(
      "PUBLIC_BASE_URL is not set: 我的紀錄 and 給我收據 answer as text only, without the person's own page",
    );
  }
  if (config.production && isLost(config)) {
    warnings.push('SQLite on a disk that goes with the container: what people decide would be lost with it');
  }
  app.worker.start();
  const endCheckpoints = keepCheckpoints(checkpointerOf(config, store.checkpointLog, randomUUID()), {
    clock: Date.now,
    timer,
    count: (name) => counters.set(name, (counters.get(name) ?? 0) + 1),
  });
  return {
    app,
    store,
    simulator: stand?.simulator ?? null,
    url,
    buildId: id,
    warnings,
    async stop() {
      stand?.simulator.close();
      await server.close(STOP_GRACE_MS);
      await app.idle();
      await app.worker.stop();
      await endCheckpoints();
      await stand?.server.close(0);
      await store.close();
    },
  };
}

function timer(milliseconds: number, run: () => void): () => void {
  const timeout = setTimeout(run, milliseconds);
  return () => clearTimeout(timeout);
}

/** The router the configuration names: a model's, loaded only then, or rules. Never one in place of the other. */
async function routerFor(
  config: Config,
  catalog: Catalog,
  counters: Map<string, number>,
): Promise<Pick<AppParts, 'router' | 'documentRouter' | 'costOf'>> {
  const { dietOf } = catalog;
  if (config.model === null) {
    return { router: createRuleRouter({ dietOf, today: () => TAIPEI_DATE.format(Date.now()) }) };
  }
  const { createModelClient } = await import('./adapters/gemini/client.ts');
  const { createGeminiRouter } = await import('./adapters/gemini/router.ts');
  const { documentSystemText } = await import('./adapters/gemini/system-text.ts');
  const { costOf, PriceList } = await import('./adapters/gemini/usage.ts');
  const prices = v.parse(PriceList, (await import('../data/prices.json', { with: { type: 'json' } })).default);
  const options: GeminiRouterOptions = {
    route: config.model,
    createClient: (route) => createModelClient(route, fetch),
    clock: Date.now,
    timer,
    random: Math.random,
    dietOf,
    unansweredIn: (message) => unansweredIn(folded(normalised(message))),
    count: (name) => counters.set(name, (counters.get(name) ?? 0) + 1),
  };
  return {
    router: createGeminiRouter(options),
    documentRouter: createGeminiRouter({
      ...options,
      task: { tools: DOCUMENT_TOOLS, systemText: documentSystemText },
    }),
    costOf: (attempt) => costOf(attempt, prices),
  };
}

/** The address of a local start, if this machine can open it; another one needs PUBLIC_BASE_URL. */
function loopbackOrigin(url: string | null): string | null {
  return url !== null && LOOPBACK_HOSTS.has(new URL(url).hostname) ? url : null;
}

function isLost({ store, onCloudRun }: Config): boolean {
  return store.kind === 'sqlite' && isLostWithContainer(store.path, onCloudRun, thisMachine);
}

/** The simulator's secrets come from SUBJECT_KEY, so that its people are the same after a restart. */
function simulatorSecret(config: Config, what: string): string {
  return createHmac('sha256', config.subjectKeySecret).update(`local-simulator/v1|${what}`).digest('hex').slice(0, 32);
}

async function startSimulator(config: Config, store: OpenedStore, webhookUrl: () => string) {
  const channelSecret = simulatorSecret(config, 'channel secret');
  const channelAccessToken = simulatorSecret(config, 'channel access token');
  const botUserId = `U${simulatorSecret(config, 'bot user id')}`;
  const simulator = createSimulator({
    webhookUrl,
    channelSecret,
    channelAccessToken,
    botUserId,
    clock: Date.now,
    randomBytes,
    ledgerEvents: (userId) => ledgerView(store.ledger, dietLedgerOf(config, userId)),
  });
  const server = await listen(simulator.messagingApi, '127.0.0.1', 0);
  return { simulator, server, line: { channelSecret, channelAccessToken, botUserId, apiBaseUrl: server.url } };
}

/** The diet ledger of a person of this configuration's tenant. */
export function dietLedgerOf(config: AuditConfig, userId: string): LedgerRef {
  const subjectKey = subjectKeyOf(config.subjectKeySecret, config.tenantId, 'line', userId);
  return preferenceLedger(config.subjectKeySecret, config.tenantId, subjectKey, DIET_FOR_PLACE_SEARCH.purpose);
}

async function ledgerView(reader: LedgerReader, ledger: LedgerRef) {
  const { events, content } = await readLedger(reader, ledger);
  const { revision, value } = replay(events, { kind: 'all' }, content);
  return {
    ledgerId: ledger.ledgerId,
    revision,
    value: value === null ? null : (labelOf(DIET_FOR_PLACE_SEARCH, value) ?? value),
    events: events.map(({ event, hash }) => ({
      position: event.position,
      type: event.type,
      time: event.time,
      hash,
      data: event.data,
    })),
  };
}
