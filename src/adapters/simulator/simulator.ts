/**
 * A LINE platform in one process, for trying the product without LINE: people chat on a page, events reach the product
 * signed as LINE signs them, and the product answers through a Messaging API with LINE's rules.
 * @module
 */
import { readFileSync } from 'node:fs';
import { type Context, Hono } from 'hono';
import { type ActingPerson, actingPerson } from './acting-person.ts';
import { createChatApi } from './chat-api.ts';
import { chatPage } from './chat-page.ts';
import { createStreams } from './chat-stream.ts';
import { createChats, type DeliveryKind, type Person, type PersonItem } from './chats.ts';
import { createIds } from './ids.ts';
import type { LedgerView } from './ledger-words.ts';
import { createMessagingApi } from './messaging-api.ts';
import { createReplyTokens } from './reply-tokens.ts';
import { deliverEvent } from './webhook-delivery.ts';

export type SimulatorDeps = {
  /** The product's `POST /line/webhook`; asked for at each delivery. */
  readonly webhookUrl: () => string;
  /** Signs the webhooks; the people's user ids are derived from it. Not empty. */
  readonly channelSecret: string;
  /** What the product must present as bearer. Not empty. */
  readonly channelAccessToken: string;
  /** `U` and 32 hex digits: the `destination` of each webhook. */
  readonly botUserId: string;
  /** Unix milliseconds; judges reply tokens and retry keys too. */
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** The ledger of a person now, for the panel. */
  readonly ledgerEvents: (userId: string) => Promise<LedgerView>;
  /** Present where the simulator may move the time on; the page then has a button for it. */
  readonly advanceClock?: (milliseconds: number) => void;
};

export type Simulator = {
  /** The chat page and its API; belongs at `/chat`. */
  readonly routes: Hono;
  /** The Messaging API; belongs on a loopback port of its own. */
  readonly messagingApi: Hono;
  /** The people there are, to address one from outside the page. */
  readonly people: () => readonly { readonly letter: string; readonly userId: string }[];
  /** A person acted by a program, by letter; undefined when there is nobody of that letter. */
  readonly as: (letter: string) => ActingPerson | undefined;
  /** Ends the open pages' streams, so that a server can close. */
  readonly close: () => void;
};

const SCRIPT = 'text/javascript';
const ASSETS = {
  '/app.js': [['app.js'], SCRIPT],
  '/dom.js': [['dom.js'], SCRIPT],
  '/flex.js': [['flex.js'], SCRIPT],
  '/items.js': [['items.js'], SCRIPT],
  '/panels.js': [['panels.js'], SCRIPT],
  '/style.css': [['page.css', 'layout.css', 'chat.css', 'flex.css', 'panels.css'], 'text/css'],
  '/icon.svg': [['icon.svg'], 'image/svg+xml'],
} as const;

const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/**
 * Builds a simulator. Nothing runs until its routes are served.
 * @throws RangeError when secret or token is empty: anyone could sign with an empty secret.
 */
export function createSimulator(deps: SimulatorDeps): Simulator {
  if (deps.channelSecret === '' || deps.channelAccessToken === '')
    throw new RangeError('The simulator needs a channel secret and an access token');
  const ids = createIds(deps.clock, deps.randomBytes);
  const chats = createChats(deps.channelSecret);
  const replyTokens = createReplyTokens(deps.clock);
  const world = { ...deps, ids, chats, replyTokens };
  const deliver = (person: Person, item: PersonItem, kind: DeliveryKind) => deliverEvent(world, person, item, kind);
  const streams = createStreams(world);
  const advanceClock = deps.advanceClock ?? null;

  const routes = new Hono();
  routes.use(async function loopbackOnly(c, next) {
    // A page elsewhere whose name was made to point here would otherwise act as the people of this simulator.
    if (!LOOPBACK_NAMES.has(new URL(c.req.url).hostname)) return c.text('The simulator answers on loopback only.', 421);
    return next();
  });
  routes.use(async function pageHeaders(c, next) {
    await next();
    c.header('content-security-policy', POLICY);
    c.header('x-content-type-options', 'nosniff');
    c.header('referrer-policy', 'no-referrer');
    c.header('cache-control', 'no-store');
  });
  routes.get('/', (c) => c.html(chatPage({ movableClock: advanceClock !== null })));
  for (const [path, [files, type]] of Object.entries(ASSETS)) {
    const text = files.map((file) => readFileSync(new URL(`./page/${file}`, import.meta.url), 'utf8')).join('\n');
    routes.get(path, (c: Context) => c.body(text, 200, { 'content-type': `${type}; charset=utf-8` }));
  }
  routes.get('/stream', (c) => {
    const person = chats.byLetter(c.req.query('person') ?? '');
    return person === undefined ? c.json({ message: '沒有這個人。' }, 404) : streams.stream(c, person);
  });
  routes.route('/api', createChatApi({ ...world, advanceClock, deliver }));
  return {
    routes,
    messagingApi: createMessagingApi(world),
    people: () => chats.people.map(({ letter, userId }) => ({ letter, userId })),
    as(letter) {
      const person = chats.byLetter(letter);
      if (person === undefined) return undefined;
      return actingPerson(world, person, (whose, item) => deliver(whose, item, 'first'));
    },
    close: streams.close,
  };
}
