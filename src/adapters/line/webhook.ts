/**
 * POST /line/webhook: bytes, signature, destination, shape, then each event; 200 within the time LINE gives.
 * @module
 */
import { LINE_SIGNATURE_HTTP_HEADER_NAME } from '@line/bot-sdk';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Entry } from '../../commands/entries.ts';
import type { Turns } from '../../commands/turns.ts';
import type { LineClient } from './client.ts';
import { createDeliver } from './deliver.ts';
import { type Incoming, readCallback, readEvent } from './events.ts';
import { createGroupPointer } from './group.ts';
import { createIntake, type IntakeParts, type RequestTime, type Taken } from './intake.ts';
import type { LogTurn } from './signals.ts';
import { createSignatureCheck } from './signature.ts';

/** Where LINE posts to. */
export const LINE_WEBHOOK_PATH = '/line/webhook';
/** The longest request body, bytes. */
const BODY_BYTES_MAX = 65_536;
/** A request is answered within so long after its body came, milliseconds; LINE counts 2 s as a timeout. */
const REQUEST_BUDGET_MS = 1_500;

export type LineWebhookParts = Omit<IntakeParts, 'turns' | 'deliver' | 'pointToChat'> & {
  readonly channelSecret: string;
  /** The bot's own user id; requests for another one are refused. */
  readonly botUserId: string;
  readonly turns: Turns;
  readonly client: LineClient;
  /** What a fixed typed text asks for, or null. */
  readonly fixedEntry: (text: string) => Entry | null;
  readonly buildId: string;
  readonly log: LogTurn;
};

/**
 * Makes the route.
 * @throws RangeError for an empty channel secret or bot user id.
 */
export function lineWebhook(parts: LineWebhookParts): Hono {
  const { botUserId, turns, client, fixedEntry, buildId, clock, count, log } = parts;
  if (botUserId === '') throw new RangeError('The bot user id is empty');
  const isSignedByLine = createSignatureCheck(parts.channelSecret);
  const deliver = createDeliver({ client, stillCurrent: turns.stillCurrent, buildId, clock, count, log });
  const pointToChat = createGroupPointer({ client, buildId, clock, count });
  const takeEvent = createIntake({ ...parts, deliver, pointToChat });

  const app = new Hono();
  app.post(
    LINE_WEBHOOK_PATH,
    bodyLimit({
      maxSize: BODY_BYTES_MAX,
      onError(c) {
        count('body_too_large');
        return problem(c, 413, 'Content too large');
      },
    }),
    async function webhook(c) {
      const rawBody = await c.req.arrayBuffer().then(Buffer.from, () => null);
      if (rawBody === null) return problem(c, 400, 'The request body could not be read');
      const receivedAt = clock();
      if (!isSignedByLine(rawBody, c.req.header(LINE_SIGNATURE_HTTP_HEADER_NAME))) {
        count('signature_refused');
        return problem(c, 401, 'Signature missing or not valid');
      }
      const callback = readCallback(rawBody, botUserId);
      if (!callback.ok) {
        count(callback.refusal);
        return callback.refusal === 'destination_refused'
          ? problem(c, 403, 'Not the destination of this webhook')
          : problem(c, 400, 'Not a webhook request');
      }
      const incoming = callback.events.map((raw) => readEvent(raw, fixedEntry));
      const time = { receivedAt, deadline: receivedAt + REQUEST_BUDGET_MS };
      const taken = await takeAll(takeEvent, incoming, time);
      return taken === 'taken' ? c.json({}) : problem(c, 503, 'Not taken, please send it again');
    },
  );
  app.all(LINE_WEBHOOK_PATH, function onlyPost(c) {
    c.header('allow', 'POST');
    return problem(c, 405, 'POST here: this is where LINE delivers webhook events');
  });
  app.onError(function notTaken(_error, c) {
    count('event_deferred');
    return problem(c, 503, 'Not taken, please send it again');
  });
  return app;
}

/** Takes all events: one person's in their order, people side by side. One that fails stops none of the others. */
async function takeAll(
  takeEvent: (incoming: Incoming, time: RequestTime) => Promise<Taken>,
  incoming: readonly Incoming[],
  time: RequestTime,
): Promise<Taken> {
  const queues = Map.groupBy(incoming, (event) => ('userId' in event ? event.userId : event));
  const verdicts = await Promise.all(
    [...queues.values()].map(async (events) => {
      let verdict: Taken = 'taken';
      for (const event of events) {
        if ((await takeEvent(event, time)) === 'deferred') verdict = 'deferred';
      }
      return verdict;
    }),
  );
  return verdicts.includes('deferred') ? 'deferred' : 'taken';
}

/** An RFC 9457 body that says nothing of what was sent. */
function problem(c: Context, status: 400 | 401 | 403 | 405 | 413 | 503, title: string) {
  return c.body(JSON.stringify({ type: 'about:blank', title, status }), status, {
    'content-type': 'application/problem+json',
  });
}
