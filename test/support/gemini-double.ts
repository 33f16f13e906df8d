/**
 * A stand-in for Google's model service on loopback: speaks its wire format under any version segment, answers from a script, and
 * looks at every request for what must never be sent.
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the next request meets. `silence`: no answer ever. `reset`: the connection is cut. `half`: cut in the middle of the body. */
export type Reply =
  | { readonly kind: 'response'; readonly body: unknown }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'silence' | 'reset' | 'half' | 'garbage' | 'page' | 'flood' };

export type GeminiRequest = {
  readonly path: string;
  readonly backend: 'developer' | 'vertex';
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WireBody;
  readonly text: string;
};
/** The parts of a request the tests look at. */
export type WireBody = {
  readonly contents?: readonly { readonly role?: string; readonly parts: readonly { readonly text?: string }[] }[];
  readonly systemInstruction?: { readonly parts: readonly { readonly text: string }[] };
  readonly tools?: readonly { readonly functionDeclarations: readonly WireDeclaration[] }[];
  readonly toolConfig?: { readonly functionCallingConfig: { readonly mode: string } };
  readonly generationConfig?: Readonly<Record<string, unknown>>;
};
export type WireDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required: readonly string[];
    readonly additionalProperties: boolean;
  };
};

export type GeminiDouble = {
  readonly url: string;
  readonly requests: readonly GeminiRequest[];
  /** Sockets the client gave up while a request was unanswered. */
  readonly abandoned: () => number;
  /** Scripts the next replies; without a script a request gets 500. */
  readonly meet: (...replies: readonly Reply[]) => void;
  /** Resolves when `count` requests have come. */
  readonly called: (count: number) => Promise<void>;
  /** Resolves when the client has given up `count` sockets. */
  readonly released: (count: number) => Promise<void>;
  /** What the requests that met `silence` get after all. */
  readonly endSilence: (reply: Reply) => void;
  /** Stops. @throws Error when any request carried more than public facts and the message itself. */
  readonly close: () => Promise<void>;
};

const PATH =
  /^\/v[0-9a-z]+\/(projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/)?models\/([^/:]+):generateContent$/;

/** Starts the double on a free port. */
export async function startGeminiDouble(): Promise<GeminiDouble> {
  const requests: GeminiRequest[] = [];
  const replies: Reply[] = [];
  const silent: ServerResponse[] = [];
  const waiting: { readonly ready: () => boolean; readonly resolve: () => void }[] = [];
  let abandoned = 0;

  function wake(): void {
    for (const { ready, resolve } of waiting) if (ready()) resolve();
  }
  function when(ready: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      if (ready()) resolve();
      else waiting.push({ ready, resolve });
    });
  }

  const server = createServer((request, response) => {
    void read(request).then((heard) => {
      if (heard === null) return error(response, 404, 'NOT_FOUND');
      requests.push(heard);
      response.on('close', () => {
        if (!response.writableEnded) abandoned += 1;
        wake();
      });
      answer(replies.shift() ?? { kind: 'status', status: 500 }, response, silent);
      wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    abandoned: () => abandoned,
    meet: (...next) => void replies.push(...next),
    called: (count) => when(() => requests.length >= count),
    released: (count) => when(() => abandoned >= count),
    endSilence(reply) {
      for (const response of silent.splice(0)) if (!response.destroyed) answer(reply, response, silent);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      const traces = requests.flatMap(personalTraces);
      if (traces.length > 0) throw new Error(`A request to the model carried ${traces.join(', ')}`);
    },
  };
}

async function read(request: IncomingMessage): Promise<GeminiRequest | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const path = (request.url ?? '').split('?')[0] ?? '';
  const [, cloud, model] = PATH.exec(path) ?? [];
  if (request.method !== 'POST' || model === undefined) return null;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return {
    path,
    backend: cloud === undefined ? 'developer' : 'vertex',
    model,
    headers,
    body: JSON.parse(text) as WireBody,
    text,
  };
}

function answer(reply: Reply, response: ServerResponse, silent: ServerResponse[]): void {
  switch (reply.kind) {
    case 'response':
      return send(response, 200, JSON.stringify(reply.body));
    case 'redirect':
      return void response.writeHead(307, { location: reply.to }).end();
    case 'status':
      return error(response, reply.status, 'UNAVAILABLE');
    case 'silence':
      return void silent.push(response);
    case 'reset':
      return void response.socket?.resetAndDestroy();
    case 'half':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"candidates":[{"content":');
      return void setImmediate(() => response.socket?.resetAndDestroy());
    case 'garbage':
      return send(response, 200, '{"candidates":[{"content":{"parts":[{"functionCall"');
    case 'page':
      return send(response, 200, '<!doctype html><title>Welcome</title>', 'text/html');
    case 'flood':
      return send(response, 200, JSON.stringify(calling('show_local_help', { reason: 'x'.repeat(1_000_000) })));
  }
}

function send(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

function error(response: ServerResponse, code: number, status: string): void {
  send(response, code, JSON.stringify({ error: { code, message: 'refused', status } }));
}

/** A response in which the model calls one function, as the service writes it. */
export function calling(name: string, args: unknown, id: string | null = 'fc-1'): Record<string, unknown> {
  return answering([
    { functionCall: { ...(id === null ? {} : { id }), name, args }, thoughtSignature: 'c2lnbmF0dXJl' },
  ]);
}

/** A finished response with these parts. */
export function answering(parts: readonly unknown[], finishReason: unknown = 'STOP'): Record<string, unknown> {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 900, candidatesTokenCount: 20, thoughtsTokenCount: 60, totalTokenCount: 980 },
    modelVersion: 'gemini-3.8-flash',
    responseId: 'resp-1',
  };
}

const NEVER_SENT: readonly (readonly [what: string, found: RegExp])[] = [
  ['a user id', /U[0-9a-f]{32}/],
  ['a UUID', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/],
  ['a key or digest', /[0-9A-Za-z_-]{43}/],
  ['a stored value', /vegetarian|vegan|ovo_lacto|"lacto"|allium|friendly/],
  ['a revision', /revision|版本號|第 ?\d+ ?版/],
];

/** What a request carries beside the rules, public facts and the message: names of what was found. */
export function personalTraces({ body }: GeminiRequest): string[] {
  const { contents = [], ...rest } = body;
  const beside = JSON.stringify(rest);
  const found = NEVER_SENT.filter(([, pattern]) => pattern.test(beside)).map(([what]) => what);
  const [only] = contents;
  const onePart = contents.length === 1 && only?.role === 'user' && only.parts.length === 1;
  return onePart ? found : [...found, 'more than this one message'];
}
