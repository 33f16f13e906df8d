/**
 * A simulator on real loopback ports with a webhook of the test's own behind it.
 * @module
 */
import { serve } from '@hono/node-server';
import { HTTPFetchError, messagingApi, validateSignature, type webhook } from '@line/bot-sdk';
import { Hono } from 'hono';
import type { LedgerView } from '../../../src/adapters/simulator/ledger-words.ts';
import { createSimulator, type Simulator } from '../../../src/adapters/simulator/simulator.ts';

export const SECRET = 'a-channel-secret-of-a-test';
export const TOKEN = 'an-access-token-of-a-test';
export const BOT = `U${'b'.repeat(32)}`;

/** What reached the webhook: the bytes, whether the signature held, and the events. */
export type Received = { readonly body: string; readonly signed: boolean; readonly events: readonly webhook.Event[] };

export type Host = {
  readonly simulator: Simulator;
  readonly client: messagingApi.MessagingApiClient;
  readonly received: Received[];
  readonly chatUrl: string;
  readonly apiUrl: string;
  readonly userId: (letter: string) => string;
  /** Moves the clock on. */
  readonly advance: (milliseconds: number) => void;
  /** POSTs to the chat API as the page does. */
  readonly ask: (path: string, body: object) => Promise<{ status: number; body: Record<string, unknown> }>;
  /** The items of a chat as a page that opens now is told. */
  readonly items: (letter: string) => Promise<ItemSeen[]>;
  readonly close: () => Promise<void>;
};

export type ItemSeen = {
  readonly id: string;
  readonly from: 'person' | 'bot';
  readonly text?: string;
  readonly held?: boolean;
  readonly read?: boolean;
  readonly unsent?: boolean;
  readonly deliveries?: readonly { readonly kind: string; readonly status: number | null }[];
};

export type HostOptions = {
  /** Runs for each event whose signature held, before the webhook answers 200. */
  readonly onEvent?: (event: webhook.Event, client: messagingApi.MessagingApiClient) => Promise<void>;
  readonly ledgerEvents?: (userId: string) => Promise<LedgerView>;
  readonly movableClock?: boolean;
  /** Where to deliver instead of the host's own webhook. */
  readonly webhookUrl?: string;
};

const EMPTY_LEDGER: LedgerView = { ledgerId: 'L'.repeat(43), revision: 0, value: null, events: [] };

/** Starts everything; `close` ends it. The clock stands still unless it is moved. */
export async function startHost(options: HostOptions = {}): Promise<Host> {
  let now = Date.UTC(2026, 10, 30, 4, 0, 0);
  let seed = 0;
  const received: Received[] = [];
  const advance = (milliseconds: number) => {
    now += milliseconds;
  };
  let webhookUrl = '';
  const simulator = createSimulator({
    webhookUrl: () => webhookUrl,
    channelSecret: SECRET,
    channelAccessToken: TOKEN,
    botUserId: BOT,
    clock: () => now,
    randomBytes: (size) => {
      seed += 1;
      return new Uint8Array(size).map((_, index) => (seed * 31 + index * 7) % 256);
    },
    ledgerEvents: options.ledgerEvents ?? (() => Promise.resolve(EMPTY_LEDGER)),
    ...(options.movableClock ? { advanceClock: advance } : {}),
  });
  const api = await listen(simulator.messagingApi);
  const client = new messagingApi.MessagingApiClient({ channelAccessToken: TOKEN, baseURL: api.url });

  const product = new Hono();
  product.route('/chat', simulator.routes);
  product.post('/line/webhook', async (c) => {
    const body = await c.req.text();
    const signed = validateSignature(body, SECRET, c.req.header('x-line-signature') ?? '');
    const events = (JSON.parse(body) as webhook.CallbackRequest).events;
    received.push({ body, signed, events });
    if (!signed) return c.text('', 401);
    for (const event of events) await options.onEvent?.(event, client);
    return c.text('', 200);
  });
  const front = await listen(product);
  webhookUrl = options.webhookUrl ?? `${front.url}/line/webhook`;

  return {
    simulator,
    client,
    received,
    chatUrl: `${front.url}/chat`,
    apiUrl: api.url,
    userId: (letter) => simulator.people().find((person) => person.letter === letter)?.userId ?? '',
    advance,
    ask: async (path, body) => {
      const response = await fetch(`${front.url}/chat/api/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: front.url },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    items: async (letter) => {
      const response = await fetch(`${front.url}/chat/stream?person=${letter}`);
      const reader = response.body?.getReader();
      let seen = '';
      for (;;) {
        const chunk = await reader?.read();
        if (chunk?.value === undefined) throw new Error('The stream ended before the chat came');
        seen += Buffer.from(chunk.value).toString('utf8');
        const chat = /event: chat\ndata: (.*)\n/.exec(seen)?.[1];
        if (chat === undefined) continue;
        await reader?.cancel();
        return (JSON.parse(chat) as { items: ItemSeen[] }).items;
      }
    },
    close: async () => {
      simulator.close();
      await Promise.all([front.close(), api.close()]);
    },
  };
}

function listen(app: Hono): Promise<{ url: string; close: () => Promise<void> }> {
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => closed());
          if ('closeAllConnections' in server) server.closeAllConnections();
        });
      resolve({ url: `http://127.0.0.1:${port}`, close });
    });
  });
}

/** What a call came to: 200, or the status with LINE's parsed body. */
export async function outcome(
  call: Promise<unknown>,
): Promise<{ status: number; body: unknown; headers: Headers | null }> {
  try {
    return { status: 200, body: await call, headers: null };
  } catch (error) {
    if (!(error instanceof HTTPFetchError)) throw error;
    return { status: error.status, body: JSON.parse(error.body), headers: error.headers };
  }
}
