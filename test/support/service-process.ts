/**
 * The service as a real process of its own, with a stand-in for LINE, so that it can be killed.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const CHANNEL_SECRET = 'channel-secret-of-the-test-process';
const BOT = `U${'b'.repeat(32)}`;
const key = (fill: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 7 + fill) % 256)).toString('base64');

/** The environment of every process of one test: the same keys, the store of a folder, LINE at `lineUrl`. */
export function serviceEnvironment(folder: string, lineUrl: string, over: Readonly<Record<string, string>> = {}) {
  return {
    PATH: process.env['PATH'] ?? '',
    PORT: '0',
    TENANT_ID: 'test',
    SUBJECT_KEY: key(1),
    CARD_KEYS: `k1:${key(2)}`,
    LEDGER_SQLITE_PATH: join(folder, 'ledger.sqlite'),
    LINE_CHANNEL_SECRET: CHANNEL_SECRET,
    LINE_CHANNEL_ACCESS_TOKEN: 'token-of-the-test',
    LINE_BOT_USER_ID: BOT,
    LINE_API_BASE_URL: lineUrl,
    ...over,
  };
}

/** The environment of a service whose LINE is its own chat simulator: nothing is configured but keys and a store. */
export function simulatorEnvironment(folder: string): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '',
    PORT: '0',
    SUBJECT_KEY: key(1),
    CARD_KEYS: `k1:${key(2)}`,
    LEDGER_SQLITE_PATH: join(folder, 'ledger.sqlite'),
  };
}

export type ServiceProcess = {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resolves when the process has ended, however. */
  readonly ended: Promise<void>;
  /** Everything it wrote. */
  readonly words: () => string;
};

/** Starts the service and resolves when it serves. @throws when it ends before that. */
export async function startService(environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: url, resolve: serve, reject } = Promise.withResolvers<string>();
  let words = '';
  const hear = (chunk: Buffer): void => {
    words += chunk.toString();
    const found = /serves (http:\/\/[^\s,]+)[,\n]/.exec(words)?.[1];
    if (found !== undefined) serve(found);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  child.once('exit', () => {
    end();
    reject(new Error(`The service ended before it served: ${words}`));
  });
  return { url: await url, child, ended, words: () => words };
}

/** A webhook body with one event of a person. */
export function webhookBody(userId: string, webhookEventId: string, happening: object, redelivered = false): string {
  const event = {
    mode: 'active',
    timestamp: Date.now(),
    source: { type: 'user', userId },
    webhookEventId,
    deliveryContext: { isRedelivery: redelivered },
    replyToken: createHmac('sha256', 'reply').update(webhookEventId).digest('hex').slice(0, 32),
    ...happening,
  };
  return JSON.stringify({ destination: BOT, events: [event] });
}

/** Posts a body as LINE would. @returns the status, or null when no answer came. */
export async function postWebhook(url: string, body: string): Promise<number | null> {
  const signature = createHmac('sha256', CHANNEL_SECRET).update(body).digest('base64');
  const headers = { 'content-type': 'application/json', 'x-line-signature': signature };
  try {
    const response = await fetch(`${url}/line/webhook`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
