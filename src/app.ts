/**
 * The service from ready parts: no environment is read and no client is made here, so that an evaluation can hand in
 * another clock, another store or another router and run exactly this.
 * @module
 */
import type { KeyObject } from 'node:crypto';
import { Hono } from 'hono';
import { fixedEntry } from './adapters/assistant/fixed-entries.ts';
import { CONTEXT_TTL_MS, createJournal } from './adapters/assistant/context.ts';
import { createDocumentRules } from './adapters/assistant/document-rules.ts';
import { createDocuments } from './adapters/assistant/documents.ts';
import { createFreeText } from './adapters/assistant/free-text.ts';
import { createModelAllowance, taipeiDay } from './adapters/assistant/model-allowance.ts';
import { createRuleRouter } from './adapters/assistant/rule-router.ts';
import { createSearches } from './adapters/assistant/search.ts';
import { createTurnTrail } from './adapters/assistant/turn-trail.ts';
import type { VerifierKey } from './adapters/audit/checkpoint-note.ts';
import { auditService } from './adapters/audit/service.ts';
import { witnessRoute } from './adapters/audit/witness-route.ts';
import { pages } from './adapters/http/pages.ts';
import { addressKeyOf, createAddressBook } from './adapters/line/addresses.ts';
import type { LineClient } from './adapters/line/client.ts';
import type { Timer } from './adapters/line/deadline.ts';
import type { TurnRecord } from './adapters/line/signals.ts';
import { lineWebhook } from './adapters/line/webhook.ts';
import { createInboxWorker, type InboxWorker } from './adapters/line/worker.ts';
import { createFaultWatch, type FaultRecord, type FaultWatch } from './adapters/system/fault-watch.ts';
import { createPreferenceDesk, type PreferenceDesk } from './adapters/preferences/desk.ts';
import { createEntries } from './adapters/preferences/entries.ts';
import { createOwnRecords } from './adapters/receipts/own-answers.ts';
import { ownPage } from './adapters/receipts/own-page.ts';
import type { AuditToken } from './commands/access.ts';
import type { CardKeys } from './commands/card.ts';
import type { Catalog } from './commands/catalog.ts';
import type { ModelAttempt } from './commands/model-attempt.ts';
import type { Router } from './commands/tools.ts';
import type { Person, Searches, Turns } from './commands/turns.ts';
import type { CheckpointLog } from './events/checkpoint-ports.ts';
import type { Addresses, Inbox, Outbox } from './events/delivery-ports.ts';
import { preferenceLedger, subjectKeyOf, type TenantId } from './events/identity.ts';
import type { InTurn, Ledger } from './events/ports.ts';
import type { Contexts, ModelBudget, TurnRecords } from './events/turn-ports.ts';
import { DIET_FOR_PLACE_SEARCH } from './events/purposes.ts';
import type { Controller } from './projections/record.ts';

/** What a store must be for this service: ledger and delivery over the same data. */
export type Store = {
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: Addresses;
  readonly turnRecords: TurnRecords;
  readonly contexts: Contexts;
  readonly modelBudget: ModelBudget;
  /** The log of ledger heads that checkpoints sign. */
  readonly checkpointLog: CheckpointLog;
  /** Where the store is slow to refuse a lost race. */
  readonly inTurn?: InTurn;
  health(): Promise<StoreHealth> | StoreHealth;
};
export type StoreHealth = { readonly reachable: boolean; readonly erasurePending: boolean };

export type AppParts = {
  readonly tenantId: TenantId;
  readonly subjectKeySecret: KeyObject;
  readonly cardKeys: CardKeys;
  readonly store: Store;
  readonly catalog: Catalog & { readonly problems: readonly unknown[] };
  readonly router: Router;
  /** Reads documents, and knows of no tool but the searches and the menu; rules where it is absent. */
  readonly documentRouter?: Router;
  /** Model calls of one person on one day in Taipei; {@link MODEL_CALLS_PER_DAY} where it is absent. */
  readonly modelCallsPerDay?: number;
  /** Micro-USD of an attempt by a price list, or null where it is not known. */
  readonly costOf?: (attempt: ModelAttempt) => number | null;
  readonly line: { readonly channelSecret: string; readonly botUserId: string; readonly client: LineClient };
  /** The public address, an origin without a path, asked for when a link is made; absent or null: no own page is offered. */
  readonly publicBaseUrl?: () => string | null;
  /** Who answers for the processing, for records and receipts; what is absent is said to be unknown. */
  readonly controller?: Controller;
  /** Who may audit; nobody where it is absent. */
  readonly audit?: {
    readonly tokens: readonly AuditToken[];
    /** Whether a signed-in browser's cookie may travel over https only. */
    readonly secureCookies: boolean;
    /** Public keys, one of which must have signed the newest checkpoint; none: signatures are not judged. */
    readonly checkpointKeys: readonly VerifierKey[];
  };
  /** Where counters are kept, for parts made outside that count too; its own where it is absent. */
  readonly counters?: Map<string, number>;
  readonly buildId: string;
  /** Whether the chat simulator stands in for LINE, and its page. */
  readonly simulator: Hono | null;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly timer: Timer;
  /** A new UUIDv7. */
  readonly newEventId: () => string;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Evenly in [0, 1). */
  readonly random: () => number;
  /** One line for whoever watches the process; never content, tokens or user ids. */
  readonly log: (record: TurnRecord | FaultRecord) => void;
};

export type App = {
  readonly routes: Hono;
  readonly worker: InboxWorker;
  readonly personOf: (userId: string) => Person;
  /** The path of a link that signs one browser in to the audit console, once. */
  readonly auditPath: () => string;
  /** Resolves when what requests left running has ended. */
  readonly idle: () => Promise<void>;
};

/** How often a person may ask a model on one day, unless the configuration says otherwise. */
const MODEL_CALLS_PER_DAY = 10;
/** For how long the trail of a turn is kept, milliseconds, and for how many milliseconds the counts of a day. */
const TURNS_KEPT_MS = 30 * 86_400_000;
const CALLS_KEPT_MS = 2 * 86_400_000;

/** The longest wait between tries of a decision, milliseconds; the try's number multiplies it. */
const PAUSE_MS_MAX = 12;

/** Builds the service. Nothing runs until its routes are served and its worker is started. */
export function createApp(parts: AppParts): App {
  const { catalog, clock, timer, router, buildId } = parts;
  const faults = createFaultWatch(clock, parts.log);
  const store = watchedStore(parts.store, faults);
  const counters = parts.counters ?? new Map<string, number>();
  const count = (name: string): void => {
    counters.set(name, (counters.get(name) ?? 0) + 1);
    faults.counted(name);
  };
  const pause = (attempt: number): Promise<void> =>
    new Promise((resolve) => timer(parts.random() * PAUSE_MS_MAX * attempt, resolve));
  const desk = createPreferenceDesk({
    ledger: store.ledger,
    ...(store.inTurn === undefined ? {} : { inTurn: store.inTurn }),
    cardKeys: parts.cardKeys,
    clock,
    newEventId: parts.newEventId,
    randomBytes: parts.randomBytes,
    pause,
    count,
  });
  const searches = createSearches(catalog, desk, clock);
  const freeText = freeTextOf({ ...parts, store }, desk, searches, count);
  const own = createOwnRecords({
    reader: store.ledger,
    cardKeys: parts.cardKeys,
    clock,
    publicBaseUrl: parts.publicBaseUrl ?? (() => null),
  });
  const entries = createEntries(desk, searches, catalog, own);
  const turns: Turns = {
    ...entries,
    ...freeText,
    async withdraw(person, messageId, method, delivery) {
      await entries.withdraw(person, messageId, method, delivery);
      // What was unsent or edited leaves the trail of its turn too.
      await store.turnRecords.empty(person.subjectKey, messageId);
    },
  };
  const personOf = (userId: string): Person => {
    const subjectKey = subjectKeyOf(parts.subjectKeySecret, parts.tenantId, 'line', userId);
    const { purpose } = DIET_FOR_PLACE_SEARCH;
    return {
      tenantId: parts.tenantId,
      subjectKey,
      diet: preferenceLedger(parts.subjectKeySecret, parts.tenantId, subjectKey, purpose),
    };
  };
  const channel = {
    turns,
    inbox: store.inbox,
    outbox: store.outbox,
    addresses: createAddressBook({
      addresses: store.addresses,
      key: addressKeyOf(parts.subjectKeySecret),
      randomBytes: parts.randomBytes,
    }),
    client: parts.line.client,
    personOf,
    buildId,
    timer,
    clock,
    count,
    log: parts.log,
    async purgeTurns(now: number) {
      await store.turnRecords.purge(now - TURNS_KEPT_MS);
      await store.contexts.purge(now - CONTEXT_TTL_MS);
      await store.modelBudget.purge(taipeiDay(now - CALLS_KEPT_MS));
    },
  };
  const worker = createInboxWorker(channel);
  const running = new Set<Promise<void>>();
  const audit = auditService({
    ...parts,
    reader: store.ledger,
    accessStore: store.ledger,
    ...(parts.audit ?? { tokens: [], secureCookies: true, checkpointKeys: [] }),
    checkpoints: store.checkpointLog,
    pause,
    count,
  });
  const routes = new Hono();
  routes.route('/', witnessRoute(store.checkpointLog));
  routes.route('/audit', audit.routes);
  routes.get('/openapi.json', (c) => c.redirect('/audit/api/openapi.json'));
  routes.route(
    '/',
    lineWebhook({
      ...channel,
      channelSecret: parts.line.channelSecret,
      botUserId: parts.line.botUserId,
      fixedEntry,
      wakeWorker: worker.wake,
      background(work) {
        const tracked = work.finally(() => running.delete(tracked));
        running.add(tracked);
      },
    }),
  );
  if (parts.simulator !== null) routes.route('/chat', parts.simulator);
  routes.route(
    '/',
    ownPage({
      reader: store.ledger,
      tenantId: parts.tenantId,
      cardKeys: parts.cardKeys,
      controller: parts.controller ?? { name: null, contact: null, jurisdiction: null },
      clock,
      count,
    }),
  );
  routes.route(
    '/',
    pages({
      buildId,
      router: router.name,
      simulator: parts.simulator !== null,
      readiness: () => readinessOf({ ...parts, store }, faults),
      counters: () => counters,
    }),
  );
  return {
    routes,
    worker,
    personOf,
    auditPath: audit.oneTimePath,
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Free text with what it keeps, carries over and may spend. The route of documents is given searches, and no desk. */
function freeTextOf(parts: AppParts, desk: PreferenceDesk, searches: Searches, count: (name: string) => void) {
  const { store, catalog, clock, router } = parts;
  const allowance = createModelAllowance(store.modelBudget, parts.modelCallsPerDay ?? MODEL_CALLS_PER_DAY, clock);
  const costOf = parts.costOf ?? (() => null);
  const trail = createTurnTrail({ records: store.turnRecords, clock, costOf, count });
  const journal = createJournal({ contexts: store.contexts, areas: catalog.areas, clock, count });
  const documentRouter = parts.documentRouter ?? createDocumentRules();
  return createFreeText({
    router,
    catalog,
    offers: desk,
    clock,
    keeping: { trail, journal, allowance },
    secondReader: createRuleRouter({ dietOf: catalog.dietOf }),
    documents: createDocuments({ searches, router: documentRouter, catalog, allowance, trail }),
  });
}

/** The same store, whose failures are told. */
function watchedStore(store: Store, { watched }: FaultWatch): Store {
  return {
    ...store,
    ledger: watched(store.ledger, ['commit']),
    inbox: watched(store.inbox, ['accept', 'lease', 'finish', 'postpone', 'drop', 'dropAll', 'purge']),
    outbox: watched(store.outbox, ['answered', 'leaseOwed', 'purgeAnswered']),
    addresses: watched(store.addresses, ['put', 'release', 'remove']),
    turnRecords: watched(store.turnRecords, ['record', 'empty', 'purge']),
    contexts: watched(store.contexts, ['put', 'purge']),
    modelBudget: watched(store.modelBudget, ['take', 'purge']),
  };
}

async function readinessOf({ store, catalog, clock }: AppParts, faults: FaultWatch) {
  const secondsSince = (at: number | null | undefined): number | null =>
    at === null || at === undefined ? null : Math.max(0, Math.round((clock() - at) / 1_000));
  const health = await store.health();
  const waiting = await store.inbox.waiting().catch(() => null);
  const isUp = health.reachable && waiting !== null && !faults.writesFail();
  return {
    store: isUp ? ('ok' as const) : ('unavailable' as const),
    inbox: {
      waiting: waiting?.jobs ?? 0,
      oldestSeconds: secondsSince(waiting?.oldestReceivedAt),
      overdueSeconds: secondsSince(waiting?.dueSince),
    },
    erasure: health.erasurePending ? ('erasure_pending' as const) : ('done' as const),
    faults: faults.shown(),
    catalog: catalog.problems.length === 0 ? ('ok' as const) : ('unavailable' as const),
  };
}
