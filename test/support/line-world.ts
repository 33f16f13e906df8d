/**
 * The LINE channel over real sockets: webhook and Messaging API on loopback, the real SDK between them, scripted turns,
 * stores in memory, and a clock that moves only when a test moves it.
 * @module
 */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import * as v from 'valibot';
import { addressKeyOf, createAddressBook } from '../../src/adapters/line/addresses.ts';
import { createLineClient } from '../../src/adapters/line/client.ts';
import type { Timer } from '../../src/adapters/line/deadline.ts';
import type { LineCount, TurnRecord } from '../../src/adapters/line/signals.ts';
import { LINE_WEBHOOK_PATH, lineWebhook } from '../../src/adapters/line/webhook.ts';
import { createInboxWorker } from '../../src/adapters/line/worker.ts';
import type { Answer } from '../../src/commands/answers.ts';
import type { Entry } from '../../src/commands/entries.ts';
import type { Person, Turn, Turns } from '../../src/commands/turns.ts';
import { preferenceLedger, subjectKeyOf, TenantId } from '../../src/events/identity.ts';
import { startLineDouble } from './line-double.ts';
import { type LineStores, lineStores } from './line-stores.ts';

export const SECRET = 'channel-secret-of-the-test';
export const BOT = `U${'b'.repeat(32)}`;
export const PERSON_A = `U${'a'.repeat(32)}`;
export const PERSON_B = `U${'0b'.repeat(16)}`;
const START = Date.parse('2026-11-30T01:00:00.000Z');
const SUBJECT_KEY = createSecretKey(Buffer.alloc(32, 7));
const tenantId = v.parse(TenantId, 'test');

/** A person of the test tenant. */
export function personOf(userId: string): Person {
  const subjectKey = subjectKeyOf(SUBJECT_KEY, tenantId, 'line', userId);
  return { tenantId, subjectKey, diet: preferenceLedger(SUBJECT_KEY, tenantId, subjectKey, 'diet_for_place_search') };
}

/** A turn with these answers and nothing to mark. */
export function said(...answers: Answer[]): Turn {
  return { answers, onceKey: null, restsOnRevision: null };
}

const SAVED: Answer = {
  status: 'memory',
  outcome: { outcome: 'memory_saved', revision: 1 },
  inForce: { value: 'vegetarian', revision: 1, eventId: '01890000-0000-7000-8000-000000000001' },
  operation: 'save',
  erasureScope: null,
};

/** A manual clock and its timers; `advance` moves time and runs what is due, oldest first. */
export function manualClock() {
  let now = START;
  let timers: { at: number; run: () => void }[] = [];
  const timer: Timer = (milliseconds, run) => {
    const entry = { at: now + milliseconds, run };
    timers.push(entry);
    return () => {
      timers = timers.filter((other) => other !== entry);
    };
  };
  function advance(milliseconds: number): void {
    const end = now + milliseconds;
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      timers = timers.filter((other) => other !== next);
      now = next.at;
      next.run();
    }
    now = end;
  }
  return { clock: () => now, timer, advance, timers: () => timers.length };
}

/** What the scripted turns did, one line per call. */
export type Scripted = { -readonly [K in keyof Turns]: Turns[K] };

/** Turns that decide once per event id over the stores, and answer everything else with its entry's own status. */
export function scriptedTurns(stores: LineStores, calls: string[]): Scripted {
  const decide = (person: Person, key: string, outcome: string, answer: Answer): Turn => {
    if (stores.down) throw new Error('the store is down');
    const known = stores.decide({ key, subjectKey: person.subjectKey, ledgerId: person.diet.ledgerId, outcome });
    if (known !== 'new' && known.answered) return said();
    return { answers: [answer], onceKey: key, restsOnRevision: null };
  };
  return {
    async entry(person, entry, { causationId }) {
      calls.push(`entry ${entry.entry}`);
      if (entry.entry === 'approve') return decide(person, causationId, 'memory_saved', SAVED);
      if (entry.entry === 'forget') {
        const turn = decide(person, causationId, 'memory_forgotten', { status: 'menu' });
        stores.emptyBodies(person.subjectKey);
        return turn;
      }
      return said(answerOf(entry));
    },
    async text(_person, text) {
      calls.push(`text ${text}`);
      return said({ status: 'menu' });
    },
    async again(_person, once) {
      calls.push(`again ${once.outcome}`);
      return { answers: [SAVED], onceKey: once.key, restsOnRevision: null };
    },
    async withdraw(_person, messageId, method) {
      calls.push(`withdraw ${messageId} ${method}`);
    },
    async stillCurrent() {
      return true;
    },
  };
}

function answerOf(entry: Entry): Answer {
  if (entry.entry === 'welcome' || entry.entry === 'unsupported_message' || entry.entry === 'retry_guide')
    return { status: entry.entry };
  if (entry.entry === 'update') return { status: 'memory_update_prompt', inForce: null };
  if (entry.entry === 'inspect') return { status: 'memory_inspected', inForce: null, open: null, because: 'asked' };
  return { status: 'menu' };
}

const FIXED: Readonly<Record<string, Entry>> = {
  功能: { entry: 'menu' },
  我的偏好: { entry: 'inspect' },
  忘記我的飲食偏好: { entry: 'forget', scope: 'purpose' },
};

export type LineWorld = Awaited<ReturnType<typeof openLineWorld>>;

/** Where a process dies: at its n-th call to the world (from 0), before it or after it took effect. */
export type Death = { readonly call: number; readonly side: 'before' | 'after' };

/** A process that can die: from its death on none of its calls takes effect, and none returns. */
function mortal(death: Death | null) {
  let calls = 0;
  const state = { dead: false };
  const never = new Promise<never>(() => {});
  function wrap<T extends object>(port: T): T {
    return new Proxy(port, {
      get(target, name) {
        const method = Reflect.get(target, name) as unknown;
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          const isLast = death !== null && calls === death.call;
          calls += 1;
          if (state.dead || (isLast && death.side === 'before')) {
            state.dead = true;
            return never;
          }
          const result = await Reflect.apply(method, target, given);
          if (isLast) state.dead = true;
          return state.dead ? never : result;
        };
      },
    });
  }
  return { wrap, state };
}

/** Opens a world; close it in the test's end. `instances` webhooks share the stores. */
export async function openLineWorld(options: { instances?: number; firstInstanceDies?: Death } = {}) {
  const line = await startLineDouble();
  const { clock, timer, advance } = manualClock();
  const stores = lineStores(clock);
  const calls: string[] = [];
  const turns = scriptedTurns(stores, calls);
  const counts: LineCount[] = [];
  const logs: TurnRecord[] = [];
  const pending = new Set<Promise<void>>();
  const client = createLineClient({
    channelAccessToken: 'token-of-the-test',
    baseUrl: line.url,
    timeoutMs: 5_000,
    fetch,
  });
  const shared = ({ wrap } = mortal(null)) => ({
    turns: wrap<Turns>({
      entry: (...call) => turns.entry(...call),
      text: (...call) => turns.text(...call),
      again: (...call) => turns.again(...call),
      withdraw: (...call) => turns.withdraw(...call),
      stillCurrent: (...call) => turns.stillCurrent(...call),
    }),
    inbox: wrap(stores.inbox),
    outbox: wrap(stores.outbox),
    addresses: createAddressBook({ addresses: wrap(stores.addresses), key: addressKeyOf(SUBJECT_KEY), randomBytes }),
    client: wrap(client),
    personOf,
    buildId: 'test',
    timer,
    clock,
    count: (name: LineCount) => void counts.push(name),
    log: (record: TurnRecord) => void logs.push(record),
  });
  const lives = Array.from({ length: options.instances ?? 1 }, (_, index) =>
    mortal(index === 0 ? (options.firstInstanceDies ?? null) : null),
  );
  const instances = await Promise.all(
    lives.map(async (life) => {
      const app = lineWebhook({
        ...shared(life),
        channelSecret: SECRET,
        botUserId: BOT,
        fixedEntry: (text) => FIXED[text.trim()] ?? null,
        wakeWorker: () => {},
        background: (work) => {
          pending.add(work);
          void work.finally(() => pending.delete(work));
        },
      });
      return await new Promise<{ url: string; server: ReturnType<typeof serve> }>((resolve) => {
        const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info: AddressInfo) =>
          resolve({ url: `http://127.0.0.1:${info.port}${LINE_WEBHOOK_PATH}`, server }),
        );
      });
    }),
  );
  const url = instances[0]?.url ?? '';

  return {
    line,
    stores,
    calls,
    turns,
    counts,
    logs,
    clock,
    advance,
    url,
    urls: instances.map((instance) => instance.url),
    worker: () => createInboxWorker(shared()),
    /** A worker that dies; `died` says whether it came to that. */
    mortalWorker(death: Death) {
      const life = mortal(death);
      return { worker: createInboxWorker(shared(life)), died: () => life.state.dead };
    },
    firstInstanceDied: () => lives[0]?.state.dead === true,
    /** All that went on after its request ended. */
    settled: async () => {
      while (pending.size > 0) await Promise.all(pending);
    },
    /** Posts signed events; gives the status. */
    async deliver(events: readonly unknown[], to: string = url): Promise<number> {
      const body = JSON.stringify({ destination: BOT, events });
      return (await post(to, body)).status;
    },
    async close() {
      if (!lives.some(({ state }) => state.dead)) await Promise.all(pending);
      await Promise.all(
        instances.map(({ server }) => {
          const closed = new Promise((resolve) => server.close(resolve));
          if ('closeAllConnections' in server) server.closeAllConnections();
          return closed;
        }),
      );
      await line.close();
    },
  };
}

/** The signature LINE would send. */
export function signatureOf(body: string | Buffer, secret: string = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('base64');
}

/** Posts a body, signed unless told otherwise. */
export function post(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-line-signature': signatureOf(body), ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
}

let made = 0;

type LineEvent = { readonly [field: string]: unknown; readonly webhookEventId: string; readonly replyToken: unknown };

/** One event of Person A in the one-to-one chat, with fresh ids; `over` replaces or adds fields. */
export function event(over: Readonly<Record<string, unknown>>): LineEvent {
  made += 1;
  return {
    mode: 'active',
    timestamp: START,
    source: { type: 'user', userId: PERSON_A },
    webhookEventId: `01J${String(made).padStart(23, '0')}`,
    deliveryContext: { isRedelivery: false },
    replyToken: createHmac('md5', 'token').update(String(made)).digest('hex'),
    ...over,
  };
}

/** A text message event. */
export function textEvent(
  text: string,
  over: Readonly<Record<string, unknown>> = {},
): LineEvent & { readonly message: { readonly id: string } } {
  made += 1;
  const message = { type: 'text', id: `5000${made}`, quoteToken: 'q', text };
  return { ...event({ type: 'message', ...over }), message };
}

/** A tap on a button. */
export function tapEvent(data: string, over: Readonly<Record<string, unknown>> = {}) {
  return event({ type: 'postback', postback: { data }, ...over });
}
