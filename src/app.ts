/**
 * The service from ready parts: no environment is read and no client is made here, so that an evaluation can hand in
 * another clock, another store or another router and run exactly this.
 * @module
 */
import type { KeyObject } from 'node:crypto';
import { Hono } from 'hono';
import { fixedEntry } from './adapters/assistant/fixed-entries.ts';
import { createFreeText } from './adapters/assistant/free-text.ts';
import { createSearches } from './adapters/assistant/search.ts';
import { pages } from './adapters/http/pages.ts';
import { addressKeyOf, createAddressBook } from './adapters/line/addresses.ts';
import type { LineClient } from './adapters/line/client.ts';
import type { Timer } from './adapters/line/deadline.ts';
import type { TurnRecord } from './adapters/line/signals.ts';
import { lineWebhook } from './adapters/line/webhook.ts';
import { createInboxWorker, type InboxWorker } from './adapters/line/worker.ts';
import { createPreferenceDesk } from './adapters/preferences/desk.ts';
import { createEntries } from './adapters/preferences/entries.ts';
import type { CardKeys } from './commands/card.ts';
import type { Catalog } from './commands/catalog.ts';
import type { Router } from './commands/tools.ts';
import type { Person, Turns } from './commands/turns.ts';
import type { Addresses, Inbox, Outbox } from './events/delivery-ports.ts';
import { preferenceLedger, subjectKeyOf, type TenantId } from './events/identity.ts';
import type { Ledger } from './events/ports.ts';
import { DIET_FOR_PLACE_SEARCH } from './events/purposes.ts';

/** What a store must be for this service: ledger and delivery over the same data. */
export type Store = {
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: Addresses;
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
  readonly line: { readonly channelSecret: string; readonly botUserId: string; readonly client: LineClient };
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
  readonly log: (record: TurnRecord) => void;
};

export type App = {
  readonly routes: Hono;
  readonly worker: InboxWorker;
  readonly personOf: (userId: string) => Person;
  /** Resolves when what requests left running has ended. */
  readonly idle: () => Promise<void>;
};

/** The longest wait between tries of a decision, milliseconds; the try's number multiplies it. */
const PAUSE_MS_MAX = 12;

/** Builds the service. Nothing runs until its routes are served and its worker is started. */
export function createApp(parts: AppParts): App {
  const { store, catalog, clock, timer, router, buildId } = parts;
  const counters = new Map<string, number>();
  const count = (name: string): void => {
    counters.set(name, (counters.get(name) ?? 0) + 1);
  };
  const desk = createPreferenceDesk({
    ledger: store.ledger,
    cardKeys: parts.cardKeys,
    clock,
    newEventId: parts.newEventId,
    randomBytes: parts.randomBytes,
    pause: (attempt) => new Promise((resolve) => timer(parts.random() * PAUSE_MS_MAX * attempt, resolve)),
    count,
  });
  const searches = createSearches(catalog, desk, clock);
  const freeText = createFreeText({ router, catalog, offers: desk, clock });
  const turns: Turns = { ...createEntries(desk, searches, catalog), ...freeText };
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
  };
  const worker = createInboxWorker(channel);
  const running = new Set<Promise<void>>();
  const routes = new Hono();
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
    pages({
      buildId,
      router: router.name,
      simulator: parts.simulator !== null,
      readiness: () => readinessOf(parts),
      counters: () => counters,
    }),
  );
  return {
    routes,
    worker,
    personOf,
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function readinessOf({ store, catalog, clock }: AppParts) {
  const health = await store.health();
  const waiting = await store.inbox.waiting().catch(() => null);
  const oldest = waiting?.oldestReceivedAt ?? null;
  return {
    store: health.reachable && waiting !== null ? ('ok' as const) : ('unavailable' as const),
    inbox: {
      waiting: waiting?.jobs ?? 0,
      oldestSeconds: oldest === null ? null : Math.max(0, Math.round((clock() - oldest) / 1_000)),
    },
    erasure: health.erasurePending ? ('erasure_pending' as const) : ('done' as const),
    catalog: catalog.problems.length === 0 ? ('ok' as const) : ('unavailable' as const),
  };
}
