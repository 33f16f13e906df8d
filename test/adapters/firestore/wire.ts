/**
 * A gRPC server between the client and the emulator: counts requests, answers some with a status of its own, loses or
 * delays answers. Real HTTP/2 on loopback, so what is seen is what the client really sends.
 * @module
 */
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** What happens to one request. */
export type Treatment =
  | { readonly kind: 'pass' }
  /** Not carried out; answered with this gRPC status. */
  | { readonly kind: 'refuse'; readonly status: number }
  /** Carried out, and then answered with this gRPC status all the same. */
  | { readonly kind: 'lose_answer'; readonly status: number }
  /** Never answered. */
  | { readonly kind: 'hang' };

export type Wire = {
  /** `host:port` for the client. */
  readonly host: string;
  /** The method of each request so far, such as `Commit`. */
  readonly requests: string[];
  /** Decides for each request; everything passes at first. */
  treat: (method: string) => Treatment;
  close(): Promise<void>;
};

/** @param upstream `host:port` of the emulator; null when every request is treated otherwise. */
export async function openWire(upstream: string | null): Promise<Wire> {
  const sessions = new Set<Http2Session>();
  let emulator: ClientHttp2Session | null = null;
  const server = createServer();
  const wire: Wire = {
    host: '',
    requests: [],
    treat: () => ({ kind: 'pass' }),
    async close() {
      emulator?.destroy();
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  function toEmulator(): ClientHttp2Session {
    if (upstream === null) throw new Error('This wire ends here');
    if (emulator === null || emulator.closed || emulator.destroyed) emulator = connect(`http://${upstream}`);
    return emulator;
  }
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const method = String(headers[':path']).split('/').at(-1) ?? '';
    wire.requests.push(method);
    const treatment = wire.treat(method);
    if (treatment.kind === 'hang') return;
    if (treatment.kind === 'refuse') answerWith(stream, treatment.status);
    else forward(stream, headers, toEmulator(), treatment.kind === 'pass' ? null : treatment.status);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(wire, { host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function answerWith(stream: ServerHttp2Stream, status: number): void {
  if (stream.closed || stream.destroyed) return;
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status) },
    { endStream: true },
  );
}

function withoutConnectionHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== ':authority' && name !== 'host'));
}

function forward(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  emulator: ClientHttp2Session,
  status: number | null,
): void {
  const request = emulator.request(withoutConnectionHeaders(headers));
  let trailers: IncomingHttpHeaders = {};
  request.on('error', () => answerWith(stream, 14));
  stream.pipe(request);
  if (status !== null) {
    request.resume();
    request.on('end', () => answerWith(stream, status));
    return;
  }
  request.on('trailers', (received) => {
    trailers = received;
  });
  request.on('response', (received) => {
    if (stream.closed || stream.destroyed) return;
    // An error comes as headers alone.
    if (received['grpc-status'] !== undefined) {
      stream.respond(received, { endStream: true });
      request.resume();
      return;
    }
    stream.respond(received, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    request.pipe(stream);
  });
}
