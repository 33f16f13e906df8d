/**
 * A listening HTTP server and its orderly end.
 * @module
 */
import { type ServerType, serve } from '@hono/node-server';
import type { Hono } from 'hono';

export type Listening = {
  /** `http://host:port` as it can be reached from this machine. */
  readonly url: string;
  /** Stops accepting, waits up to `graceMs` for requests under way, then cuts what is left (SSE streams among it). */
  readonly close: (graceMs: number) => Promise<void>;
};

/**
 * Listens; port 0 takes a free one.
 * @throws the listen error (EADDRINUSE, EACCES …) instead of an unhandled event.
 */
export function listen(app: Pick<Hono, 'fetch'>, host: string, port: number): Promise<Listening> {
  const { promise, resolve, reject } = Promise.withResolvers<Listening>();
  const server: ServerType = serve({ fetch: app.fetch, hostname: host, port }, ({ port: taken }) => {
    server.off('error', reject);
    const name = host.includes(':') ? `[${host}]` : host;
    resolve({ url: `http://${name}:${taken}`, close: (graceMs) => close(server, graceMs) });
  });
  server.once('error', reject);
  return promise;
}

async function close(server: ServerType, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  if ('closeIdleConnections' in server) server.closeIdleConnections();
  const cut = setTimeout(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
  }, graceMs);
  await promise;
  clearTimeout(cut);
}
