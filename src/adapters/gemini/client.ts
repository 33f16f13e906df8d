/**
 * The one way to Google: a client for a model route, whose failures are values.
 * @module
 */
import { type GenerateContentParameters, GoogleGenAI, type GoogleGenAIOptions } from '@google/genai';

/** Which service answers, with which rights. A route is never left for the other one. */
export type ModelRoute =
  | { readonly backend: 'developer'; readonly model: string; readonly baseUrl: string | null; readonly apiKey: string }
  | {
      readonly backend: 'vertex';
      readonly model: string;
      readonly baseUrl: string | null;
      readonly project: string;
      readonly location: string;
      /** Null: the platform's application default credentials. */
      readonly credentials: NonNullable<GoogleGenAIOptions['googleAuthOptions']> | null;
    };

/** What came of one request. */
export type Generated =
  | { readonly kind: 'response'; readonly response: unknown }
  /** An HTTP status other than 2xx. */
  | { readonly kind: 'refused'; readonly httpStatus: number }
  /** No connection, a connection that broke, or one that was given up by the signal. */
  | { readonly kind: 'network' }
  /** Something came that is no answer of this service: no JSON, too long, another shape than any. */
  | { readonly kind: 'unreadable' };

/** Sends one request, once. Never throws. */
export type ModelClient = {
  readonly generate: (request: GenerateContentParameters, signal: AbortSignal) => Promise<Generated>;
};
export type ClientFactory = (route: ModelRoute) => ModelClient;

export type Fetch = NonNullable<NonNullable<GoogleGenAIOptions['httpOptions']>['fetch']>;

const DEVELOPER_URL = 'https://generativelanguage.googleapis.com/';
/** A tool call takes some hundred bytes; whatever is longer than this is no answer for LOCAL. */
const RESPONSE_BYTES_MAX = 262_144;

class ConnectionBroke extends Error {}
/** An answer that names another address. */
class Redirected extends Error {
  readonly httpStatus: number;
  constructor(httpStatus: number) {
    super('The service answered with a redirect');
    this.httpStatus = httpStatus;
  }
}
class ResponseTooLong extends Error {}

/**
 * Builds a client. Everything the SDK would otherwise take from the environment is given, so that no setting nobody named here
 * changes the route.
 * @throws Error when a developer route has no key or a vertex route no project or location: the SDK would go and look for
 *   credentials on the network.
 */
export function createModelClient(route: ModelRoute, fetch: Fetch): ModelClient {
  const httpOptions = { fetch: boundedFetch(fetch) };
  const sdk = new GoogleGenAI(optionsOf(route, httpOptions));
  return {
    async generate(request, signal) {
      try {
        const response: unknown = await sdk.models.generateContent({
          ...request,
          config: { ...request.config, abortSignal: signal },
        });
        return { kind: 'response', response };
      } catch (error) {
        return failureOf(error, signal);
      }
    },
  };
}

function optionsOf(route: ModelRoute, http: { readonly fetch: Fetch }): GoogleGenAIOptions {
  if (route.backend === 'developer') {
    if (route.apiKey.trim() === '') throw new Error('A developer route needs an API key');
    return {
      enterprise: false,
      apiKey: route.apiKey,
      httpOptions: { ...http, baseUrl: route.baseUrl ?? DEVELOPER_URL, apiVersion: 'v1' },
    };
  }
  if (route.project.trim() === '' || route.location.trim() === '') {
    throw new Error('A vertex route needs a project and a location');
  }
  return {
    enterprise: true,
    project: route.project,
    location: route.location,
    ...(route.credentials === null ? {} : { googleAuthOptions: route.credentials }),
    httpOptions: { ...http, baseUrl: route.baseUrl ?? vertexUrl(route.location), apiVersion: 'v1beta1' },
  };
}

function vertexUrl(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com/';
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com/`;
  return `https://${location}-aiplatform.googleapis.com/`;
}

function failureOf(error: unknown, signal: AbortSignal): Generated {
  if (signal.aborted || error instanceof ConnectionBroke) return { kind: 'network' };
  if (error instanceof Redirected) return { kind: 'refused', httpStatus: error.httpStatus };
  const status = error instanceof Error && 'status' in error ? error.status : null;
  return typeof status === 'number' ? { kind: 'refused', httpStatus: status } : { kind: 'unreadable' };
}

/** Reads the whole body here, so that its length is bounded and a break in the middle is told from bad JSON. */
function boundedFetch(fetch: Fetch): Fetch {
  return async (url, init) => {
    let response: Response;
    try {
      // A redirect would take the key and the person's words to an address nobody configured.
      response = await fetch(url, { ...init, redirect: 'manual' });
    } catch (error) {
      throw new ConnectionBroke('No answer', { cause: error });
    }
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new Redirected(response.status);
    }
    const body = await bodyOf(response);
    const { status, statusText, headers } = response;
    return new Response(status === 204 ? null : body, { status, statusText, headers });
  };
}

async function bodyOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > RESPONSE_BYTES_MAX) throw new ResponseTooLong('The answer is too long');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ResponseTooLong ? error : new ConnectionBroke('The answer broke off', { cause: error });
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
