/**
 * The whole product over real parts: webhook and Messaging API on loopback sockets, the LINE SDK between them, a store of
 * the caller's, and a clock that moves only when a test moves it.
 * @module
 */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { v7 } from 'uuid';
import { createRuleRouter } from '../../src/adapters/assistant/rule-router.ts';
import { readLedger, verifyLedger } from '../../src/adapters/audit/reading.ts';
import { loadCatalog } from '../../src/adapters/catalog/catalog.ts';
import { listen } from '../../src/adapters/http/server.ts';
import { createLineClient } from '../../src/adapters/line/client.ts';
import { type AppParts, createApp, type Store } from '../../src/app.ts';
import type { CardKeys } from '../../src/commands/card.ts';
import type { Router } from '../../src/commands/tools.ts';
import { TenantId } from '../../src/events/identity.ts';
import { replay } from '../../src/projections/replay.ts';
import { startLineDouble } from './line-double.ts';

const SECRET = 'channel-secret-of-the-test';
const BOT = `U${'b'.repeat(32)}`;
const subjectKeySecret = createSecretKey(Buffer.alloc(32, 7));
export const cardKeys: CardKeys = [{ keyId: 'k1', key: createSecretKey(Buffer.alloc(32, 9)) }];
const catalog = loadCatalog(fileURLToPath(new URL('../../data', import.meta.url)));
export const START = Date.parse('2026-11-30T01:00:00.000Z');

/** One message as a person sees it: all its text, and its buttons. */
export type Seen = {
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
  /** Addresses that buttons open. */
  readonly links: readonly string[];
};

let events = 0;
/** A fresh id in the shape of LINE's. */
export function newId(): string {
  events += 1;
  return `01J${String(events).padStart(23, '0')}`;
}

/** Starts the product over a store; `tenant` keeps runs on one store apart. */
export async function startProduct(
  store: Store,
  options: {
    tenant?: string;
    router?: Router;
    clock?: { now: number };
    publicBaseUrl?: string;
    parts?: Partial<AppParts>;
  } = {},
) {
  const clock = options.clock ?? { now: START };
  const line = await startLineDouble();
  const logged: object[] = [];
  const served: { url: string | null } = { url: null };
  const app = createApp({
    tenantId: v.parse(TenantId, options.tenant ?? 'test'),
    subjectKeySecret,
    cardKeys,
    store,
    catalog,
    router: options.router ?? createRuleRouter({ dietOf: catalog.dietOf }),
    line: {
      channelSecret: SECRET,
      botUserId: BOT,
      client: createLineClient({ channelAccessToken: 'token', baseUrl: line.url, timeoutMs: 2_000, fetch }),
    },
    publicBaseUrl: () => options.publicBaseUrl ?? served.url,
    buildId: 'build-of-the-test',
    simulator: null,
    clock: () => clock.now,
    timer(milliseconds, run) {
      const timeout = setTimeout(run, milliseconds);
      return () => clearTimeout(timeout);
    },
    newEventId: () => v7(),
    randomBytes,
    random: Math.random,
    log: (record) => logged.push(record),
    ...options.parts,
  });
  const server = await listen(app.routes, '127.0.0.1', 0);
  served.url = server.url;

  async function post(body: string, signature = sign(body)): Promise<Response> {
    return fetch(`${server.url}/line/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-line-signature': signature },
      body,
    });
  }

  function envelope(userId: string, happening: object, over: object = {}): string {
    const event = {
      mode: 'active',
      timestamp: clock.now,
      source: { type: 'user', userId },
      webhookEventId: newId(),
      deliveryContext: { isRedelivery: false },
      replyToken: randomBytes(16).toString('hex'),
      ...happening,
      ...over,
    };
    return JSON.stringify({ destination: BOT, events: [event] });
  }

  /** Delivers one event and lets everything it caused finish. @returns the status and what the person then saw. */
  async function deliver(body: string): Promise<{ status: number; seen: readonly Seen[] }> {
    const before = line.seen.length;
    const response = await post(body);
    await app.idle();
    await app.worker.drain();
    return { status: response.status, seen: line.seen.slice(before).flatMap((call) => call.messages.map(seenOf)) };
  }

  const message = (id: string, text: string) => ({ type: 'message', message: { type: 'text', id, text } });
  const bodies = {
    text: (userId: string, text: string, over: { messageId?: string; webhookEventId?: string } = {}) =>
      envelope(
        userId,
        message(over.messageId ?? newId(), text),
        over.webhookEventId === undefined ? {} : { webhookEventId: over.webhookEventId },
      ),
    postback: (userId: string, data: string, over: object = {}) =>
      envelope(userId, { type: 'postback', postback: { data } }, over),
    unsend: (userId: string, messageId: string) =>
      envelope(userId, { type: 'unsend', unsend: { messageId }, replyToken: undefined }),
    location: (userId: string, latitude: number, longitude: number) =>
      envelope(userId, { type: 'message', message: { type: 'location', id: newId(), latitude, longitude } }),
    other: envelope,
  };
  const ledgerOf = (userId: string) => app.personOf(userId).diet;
  return {
    app,
    line,
    clock,
    logged,
    url: server.url,
    post,
    deliver,
    bodies,
    sign,
    ledgerOf,
    say: async (userId: string, text: string) => (await deliver(bodies.text(userId, text))).seen,
    press: async (userId: string, data: string) => (await deliver(bodies.postback(userId, data))).seen,
    async history(userId: string) {
      const { events: happened, content } = await readLedger(store.ledger, ledgerOf(userId));
      const { revision, value } = replay(happened, { kind: 'all' }, content);
      return { types: happened.map(({ event }) => event.type), revision, value, events: happened };
    },
    async verified(userId: string) {
      return (await verifyLedger(store.ledger, ledgerOf(userId))).problem;
    },
    async stop() {
      await server.close(0);
      await app.idle();
      await line.close();
    },
  };
}

export type Product = Awaited<ReturnType<typeof startProduct>>;

function sign(body: string): string {
  return createHmac('sha256', SECRET).update(body).digest('base64');
}

/** All text of a message in the order it is drawn, and its postback buttons. */
function seenOf(message: unknown): Seen {
  const texts: string[] = [];
  const buttons: { label: string; data: string }[] = [];
  const links: string[] = [];
  const look = (part: unknown): void => {
    if (Array.isArray(part)) return part.forEach(look);
    if (part === null || typeof part !== 'object') return;
    const fields = part as Record<string, unknown>;
    if (typeof fields['text'] === 'string') texts.push(fields['text']);
    if (fields['type'] === 'postback') buttons.push({ label: String(fields['label']), data: String(fields['data']) });
    if (fields['type'] === 'uri') links.push(String(fields['uri']));
    Object.values(fields).forEach(look);
  };
  look(message);
  return { text: texts.join('\n'), buttons, links };
}

/** The data of the button of that label, in the newest message that has one. */
export function buttonIn(seen: readonly Seen[], label: string): string {
  const found = seen.flatMap(({ buttons }) => buttons).findLast((button) => button.label === label);
  if (found === undefined)
    throw new Error(
      `No button ${label} among ${JSON.stringify(seen.map(({ buttons }) => buttons.map((b) => b.label)))}`,
    );
  return found.data;
}

/** All that was said, as one text. */
export function textOf(seen: readonly Seen[]): string {
  return seen.map(({ text }) => text).join('\n');
}
