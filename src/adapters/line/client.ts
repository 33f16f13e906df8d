/**
 * The Messaging API: replying and pushing through LINE's own SDK, with a deadline and a closed list of results.
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { HTTPFetchError, messagingApi } from '@line/bot-sdk';
import * as v from 'valibot';

/** A UUID that makes a push that is sent again count once; LINE keeps it for 24 hours. No other call may carry it. */
export const RetryKey = v.pipe(v.string(), v.uuid(), v.brand('RetryKey'));
export type RetryKey = v.InferOutput<typeof RetryKey>;

/** What became of a call. Accepted is not delivered: LINE says 200 for someone who blocked the account, too. */
export type SendResult =
  | {
      readonly result:
        | 'accepted'
        /** A push with this retry key was accepted before (409): nothing was sent now. */
        | 'already_accepted'
        /** The reply token was used or is too old. */
        | 'invalid_token'
        /** 429, 5xx or no connection: may be sent again. */
        | 'unavailable'
        /** No answer in time: it may have been accepted. */
        | 'timeout';
    }
  /** Refused for good; sending it again would be refused again. */
  | { readonly result: 'rejected'; readonly status: number };

export type Reply = {
  readonly replyToken: string;
  readonly messages: messagingApi.Message[];
  /** LINE answers 400 to a reply that carries one. */
  readonly retryKey?: never;
};

export type Push = {
  /** The channel's user id. */
  readonly to: string;
  readonly messages: messagingApi.Message[];
  readonly retryKey: RetryKey;
};

/** Neither call rejects. */
export type LineClient = {
  reply(call: Reply): Promise<SendResult>;
  push(call: Push): Promise<SendResult>;
};

export type LineClientOptions = {
  readonly channelAccessToken: string;
  /** Only its origin is used; null: LINE itself. */
  readonly baseUrl: string | null;
  /** How long one call may take, body of the answer included, milliseconds. */
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
};

type CallContext = { readonly fetch: typeof fetch; readonly signal: AbortSignal };
const callContext = new AsyncLocalStorage<CallContext | undefined>();
let installedFetch: typeof fetch | null = null;

/**
 * The SDK has neither a timeout nor a fetch option, but calls the global fetch at the time of the call. So the global one
 * is replaced by one that acts only inside a call of this client; everything else in the process gets what was there.
 */
function ensureFetchReadsCallContext(): void {
  if (globalThis.fetch === installedFetch) return;
  const outerFetch = globalThis.fetch;
  installedFetch = function fetchWithinCall(input, init) {
    const call = callContext.getStore();
    if (call === undefined) return outerFetch(input, init);
    // Out of the call again: the fetch that was given may be this very one.
    return callContext.run(undefined, () => call.fetch(input, { ...init, signal: call.signal, redirect: 'manual' }));
  };
  globalThis.fetch = installedFetch;
}

/**
 * Makes the client of one channel.
 * @throws RangeError for an empty access token.
 */
export function createLineClient(options: LineClientOptions): LineClient {
  if (options.channelAccessToken.trim() === '') throw new RangeError('The channel access token is empty');
  const { channelAccessToken, timeoutMs, baseUrl } = options;
  const sdk = new messagingApi.MessagingApiClient({
    channelAccessToken,
    ...(baseUrl === null ? {} : { baseURL: baseUrl }),
  });

  async function call(kind: 'reply' | 'push', send: () => Promise<unknown>): Promise<SendResult> {
    ensureFetchReadsCallContext();
    const context = { fetch: options.fetch, signal: AbortSignal.timeout(timeoutMs) };
    try {
      await callContext.run(context, send);
      return { result: 'accepted' };
    } catch (error) {
      return resultOf(kind, error);
    }
  }

  return {
    reply: ({ replyToken, messages }) => call('reply', () => sdk.replyMessage({ replyToken, messages })),
    push: ({ to, messages, retryKey }) => call('push', () => sdk.pushMessage({ to, messages }, retryKey)),
  };
}

function resultOf(kind: 'reply' | 'push', error: unknown): SendResult {
  if (error instanceof HTTPFetchError) {
    const { status } = error;
    if (status === 409 && kind === 'push') return { result: 'already_accepted' };
    if (status === 400 && kind === 'reply' && /invalid reply token/i.test(error.body))
      return { result: 'invalid_token' };
    if (status === 429 || status >= 500) return { result: 'unavailable' };
    return { result: 'rejected', status };
  }
  // The status was 2xx and only the body could not be read as JSON.
  if (error instanceof SyntaxError) return { result: 'accepted' };
  if (error instanceof Error && error.name === 'TimeoutError') return { result: 'timeout' };
  return { result: 'unavailable' };
}
