/**
 * The Messaging API as LINE offers it, for the product to answer through: same paths, same limits, same refusals.
 *
 * LINE's wording is kept where it is published; the wording about retry keys, unparsable bodies and unknown recipients is
 * ours, its status is LINE's.
 * @module
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Chats, Person } from './chats.ts';
import { isFields } from './flex-limits.ts';
import type { Ids } from './ids.ts';
import { type LineError, messagesError, requestError } from './message-limits.ts';
import { createRetryKeys, type ReplyTokens } from './reply-tokens.ts';

/** LINE's bound on a request body, bytes. */
export const REQUEST_BYTES_MAX = 2 * 1024 * 1024;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const RETRY_KEY = 'x-line-retry-key';
const UNAUTHORIZED = 'Authentication failed. Confirm that the access token in the authorization header is valid.';

export type MessagingApiDeps = {
  readonly channelAccessToken: string;
  readonly botUserId: string;
  readonly clock: () => number;
  readonly ids: Ids;
  readonly chats: Chats;
  readonly replyTokens: ReplyTokens;
};

type Fields = Readonly<Record<string, unknown>>;
type Status = 200 | 202 | 400 | 401 | 404 | 409 | 413;
/** What a call comes to: the status, LINE's body, and a note for the page that names no content. */
type Result = {
  readonly status: Status;
  readonly body: LineError | object;
  readonly note: string;
  readonly headers?: Record<string, string>;
};

/** The API as a Hono app, to be served on a port of its own: the SDK keeps only the origin of its base URL. */
export function createMessagingApi(deps: MessagingApiDeps): Hono {
  const { chats, ids, clock } = deps;
  const retryKeys = createRetryKeys(clock);
  const app = new Hono();

  const answer = (c: Context, { status, body, note, headers }: Result) => {
    chats.addTraffic({ at: clock(), direction: 'to_platform', what: `${c.req.method} ${c.req.path}`, status, note });
    return c.json(body, status, { 'x-line-request-id': ids.requestId(), ...headers });
  };
  const post = (path: string, handle: (body: Fields, c: Context) => Result, retryable = false) =>
    app.post(path, async (c) => {
      if (!retryable && c.req.header(RETRY_KEY) !== undefined)
        return answer(c, refused('The header X-Line-Retry-Key is not supported by this endpoint'));
      const body = parsed(await c.req.text());
      return answer(c, body === null ? refused('The request body could not be parsed as JSON') : handle(body, c));
    });

  app.use(
    bodyLimit({
      maxSize: REQUEST_BYTES_MAX,
      onError: (c) => answer(c, { status: 413, body: { message: 'Request Entity Too Large' }, note: '' }),
    }),
  );
  app.use(async function bearer(c, next) {
    if (sameText(c.req.header('authorization') ?? '', `Bearer ${deps.channelAccessToken}`)) return next();
    return answer(c, { status: 401, body: { message: UNAUTHORIZED }, note: '' });
  });

  post('/v2/bot/message/reply', (body) => reply(deps, body));
  post('/v2/bot/message/push', (body, c) => push(deps, retryKeys, body, c.req.header(RETRY_KEY)), true);
  for (const kind of ['reply', 'push'])
    post(`/v2/bot/message/validate/${kind}`, (body) => {
      const error = messagesError(body.messages);
      return error === null ? { status: 200, body: {}, note: '' } : refusedWith(error);
    });
  post('/v2/bot/chat/loading/start', (body) => startLoading(chats, body));
  post('/v2/bot/chat/markAsRead', (body) => markAsRead(chats, body));
  app.get('/v2/bot/info', (c) => {
    const info = { userId: deps.botUserId, basicId: '@local', displayName: 'LOCAL', chatMode: 'bot' };
    return answer(c, { status: 200, body: { ...info, markAsReadMode: 'manual' }, note: '' });
  });
  app.get('/v2/bot/profile/:userId', (c) => {
    const person = chats.byUserId(c.req.param('userId'));
    if (person === undefined || person.relation === 'blocked') return answer(c, notFound());
    const profile = { displayName: `Person ${person.letter}`, userId: person.userId, language: 'zh-TW' };
    return answer(c, { status: 200, body: profile, note: '' });
  });
  app.all('*', (c) => answer(c, notFound()));
  return app;
}

function reply(deps: MessagingApiDeps, body: Fields): Result {
  if (typeof body.replyToken !== 'string' || body.replyToken === '')
    return refusedWith(requestError([{ message: 'May not be empty', property: 'replyToken' }]));
  const error = messagesError(body.messages);
  if (error !== null) return refusedWith(error);
  const recipients = deps.replyTokens.redeem(body.replyToken);
  if (recipients === null) return refused('Invalid reply token');
  return deliver(deps, recipients, body.messages as readonly Fields[], 'reply');
}

function push(
  deps: MessagingApiDeps,
  retryKeys: ReturnType<typeof createRetryKeys>,
  body: Fields,
  retryKey: string | undefined,
): Result {
  if (retryKey !== undefined && !UUID.test(retryKey)) return refused('The X-Line-Retry-Key header is invalid');
  const accepted = retryKey === undefined ? null : retryKeys.accepted(retryKey);
  if (accepted !== null)
    return {
      status: 409,
      body: { message: 'The retry key is already accepted', sentMessages: accepted.sentMessages },
      note: '先前已收下，沒有再送一次',
      headers: { 'x-line-accepted-request-id': accepted.requestId },
    };
  const { to } = body;
  if (typeof to !== 'string' || !/^[UCR][0-9a-f]{32}$/.test(to))
    return refused("The property, 'to', in the request body is invalid (line: -, column: -)");
  const error = messagesError(body.messages);
  if (error !== null) return refusedWith(error);
  const people = to === deps.chats.groupId ? deps.chats.people.filter((person) => person.inGroup) : [];
  const person = deps.chats.byUserId(to);
  const recipients = (person === undefined ? people : [person]).map(({ letter }) => letter);
  if (recipients.length === 0) return refused('Failed to send messages');
  const requestId = deps.ids.requestId();
  const result = deliver(deps, recipients, body.messages as readonly Fields[], 'push');
  if (retryKey !== undefined) retryKeys.remember(retryKey, { requestId, ...result.body });
  return { ...result, headers: { 'x-line-request-id': requestId } };
}

/** Puts messages into chats. A person who blocked the account gets none, and the answer does not tell. */
function deliver(
  { chats, ids, clock }: MessagingApiDeps,
  letters: readonly string[],
  messages: readonly Fields[],
  via: 'reply' | 'push',
) {
  const sentMessages = messages.map(() => ({ id: ids.messageId(), quoteToken: ids.token() }));
  const people = letters.map((letter) => chats.byLetter(letter)).filter((person): person is Person => !!person);
  const reached = people.filter((person) => person.relation !== 'blocked');
  for (const person of reached) {
    messages.forEach((message, index) => {
      const id = sentMessages[index]?.id ?? ids.messageId();
      chats.addItem(person, { id, from: 'bot', at: clock(), via, message });
    });
    chats.changed({ kind: 'ledger', letter: person.letter });
  }
  const names = letters.map((letter) => `Person ${letter}`).join('、');
  const note = reached.length < people.length ? `${names} 已封鎖，沒有送到` : `給 ${names}，${messages.length} 則`;
  return { status: 200, body: { sentMessages }, note } as const;
}

function startLoading(chats: Chats, body: Fields): Result {
  const seconds = body.loadingSeconds ?? 20;
  if (typeof seconds !== 'number' || seconds % 5 !== 0 || seconds < 5 || seconds > 60)
    return refusedWith(
      requestError([{ message: 'Must be a multiple of 5 between 5 and 60', property: 'loadingSeconds' }]),
    );
  const person = typeof body.chatId === 'string' ? chats.byUserId(body.chatId) : undefined;
  if (person === undefined)
    return refusedWith(requestError([{ message: 'Must be a user ID of a one-on-one chat', property: 'chatId' }]));
  chats.changed({ kind: 'loading', letter: person.letter, seconds });
  return { status: 202, body: {}, note: `Person ${person.letter}` };
}

/** Everything the person wrote up to the message with this token counts as read. */
function markAsRead(chats: Chats, body: Fields): Result {
  for (const person of chats.people) {
    const upTo = person.items.findIndex(
      (item) =>
        item.from === 'person' &&
        item.event.type === 'message' &&
        item.event.message.markAsReadToken === body.markAsReadToken,
    );
    if (upTo < 0) continue;
    for (const item of person.items.slice(0, upTo + 1)) {
      if (item.from !== 'person' || item.read) continue;
      item.read = true;
      chats.changed({ kind: 'item', letter: person.letter, item });
    }
    return { status: 200, body: {}, note: `Person ${person.letter}` };
  }
  return refusedWith(requestError([{ message: 'Invalid token', property: 'markAsReadToken' }]));
}

function parsed(text: string): Fields | null {
  try {
    const body: unknown = JSON.parse(text);
    return isFields(body) ? body : null;
  } catch {
    return null;
  }
}

function refused(message: string): Result {
  return refusedWith({ message });
}

function refusedWith(body: LineError): Result {
  const detail = body.details?.[0];
  return { status: 400, body, note: detail ? `${body.message}: ${detail.property} ${detail.message}` : body.message };
}

function notFound(): Result {
  return { status: 404, body: { message: 'Not found' }, note: '' };
}

function sameText(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
