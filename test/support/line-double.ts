/**
 * A stand-in for the Messaging API on loopback: keeps what was sent, and refuses what LINE would (a token used twice, a
 * retry key on a reply), so that a test sees what a person would see.
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the next call meets instead of the usual answer. `accept_then_cut`: accepted, and the answer lost. */
export type Misfortune = 400 | 401 | 429 | 500 | 'hang' | 'accept_then_cut' | 'hold';

export type Call = {
  readonly kind: 'reply' | 'push';
  readonly to: string | null;
  readonly replyToken: string | null;
  readonly retryKey: string | null;
  readonly messages: readonly unknown[];
};

export type LineDouble = {
  readonly url: string;
  /** Every call that came, accepted or not. */
  readonly calls: readonly Call[];
  /** What a person sees: accepted calls, each once. */
  readonly seen: readonly Call[];
  /** Sockets that were closed by the client while their call hung. */
  readonly abandoned: () => number;
  readonly meet: (...misfortunes: Misfortune[]) => void;
  /** Resolves when `count` calls have come. */
  readonly called: (count: number) => Promise<void>;
  /** Accepts what is held. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
};

/** Starts the double on a free port. */
export async function startLineDouble(): Promise<LineDouble> {
  const calls: Call[] = [];
  const seen: Call[] = [];
  const misfortunes: Misfortune[] = [];
  const usedTokens = new Set<string>();
  const acceptedKeys = new Set<string>();
  const held: (() => void)[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let abandoned = 0;

  function accept(call: Call, response: ServerResponse): void {
    if (call.kind === 'reply' && call.retryKey !== null) return answer(response, 400, 'Retry key not allowed');
    if (call.replyToken !== null && usedTokens.has(call.replyToken))
      return answer(response, 400, 'Invalid reply token');
    if (call.retryKey !== null && acceptedKeys.has(call.retryKey)) return answer(response, 409, 'Already accepted');
    if (call.replyToken !== null) usedTokens.add(call.replyToken);
    if (call.retryKey !== null) acceptedKeys.add(call.retryKey);
    seen.push(call);
    answer(response, 200, 'ok');
  }

  function handle(call: Call, response: ServerResponse): void {
    calls.push(call);
    for (const { count, resolve } of waiting) if (calls.length >= count) resolve();
    const misfortune = misfortunes.shift();
    if (misfortune === undefined) return accept(call, response);
    if (misfortune === 'hang' || misfortune === 'hold')
      response.on('close', () => response.writableEnded || (abandoned += 1));
    if (misfortune === 'hang') return;
    if (misfortune === 'hold') return void held.push(() => accept(call, response));
    if (misfortune === 'accept_then_cut') {
      seen.push(call);
      if (call.replyToken !== null) usedTokens.add(call.replyToken);
      if (call.retryKey !== null) acceptedKeys.add(call.retryKey);
      return void response.destroy();
    }
    answer(response, misfortune, misfortune === 400 ? 'The request body has 1 error(s)' : 'refused');
  }

  const server = createServer((request, response) => {
    void read(request).then((call) => handle(call, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    seen,
    abandoned: () => abandoned,
    meet: (...next) => misfortunes.push(...next),
    called: (count) =>
      new Promise((resolve) => {
        if (calls.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    release: () => {
      for (const go of held.splice(0)) go();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  return {
    kind: request.url === '/v2/bot/message/reply' ? 'reply' : 'push',
    to: body.to ?? null,
    replyToken: body.replyToken ?? null,
    retryKey: (request.headers['x-line-retry-key'] as string | undefined) ?? null,
    messages: body.messages,
  };
}

function answer(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(status === 200 ? { sentMessages: [] } : { message }));
}
