/**
 * Serves the audit API: who asks, what is asked, problems without echoing what was sent.
 * @module
 */
import { type Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { AccessNotRecorded } from '../../commands/access.ts';
import { StoreUnavailable } from '../../events/ports.ts';
import { readerOf } from './admission.ts';
import { API_ROUTES } from './api-routes.ts';
import { type ProblemCode, PROBLEMS } from './api-schemas.ts';
import type { AuditParts } from './looking.ts';
import { openApi } from './openapi.ts';
import type { Gate } from './roles.ts';

/** How long whoever sent too many wrong tokens is asked to wait, seconds. */
const RETRY_AFTER_SECONDS = 10;

/** Routes under /audit/api. @param alarm told that something failed for a reason of no closed list. */
export function auditApi(parts: AuditParts, gate: Gate, alarm: () => void): Hono {
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      strictTransportSecurity: false,
    }),
  );
  app.use(async function uncached(c, next) {
    await next();
    c.header('cache-control', 'no-store');
  });
  app.get('/openapi.json', (c) => c.json(openApi(API_ROUTES)));
  for (const { path, handle } of API_ROUTES) {
    app.get(path, async (c) => {
      const reader = await readerOf(c, gate);
      if (reader === 'too_many') return problem(c, 'too_many');
      if (typeof reader === 'string') return problem(c, 'unauthenticated');
      const answer = await handle(parts, { reader, channel: 'api' }, c.req.param(), queryOf(c));
      return answer.ok ? c.json(answer.body) : problem(c, answer.code, answer.parameters);
    });
  }
  app.all('*', (c) => problem(c, 'no_such_route'));
  app.onError((error, c) => {
    const failure = failureOf(error);
    if (failure === 'failed') alarm();
    return problem(c, failure);
  });
  return app;
}

/** What an error means to whoever looks. */
export function failureOf(error: unknown): 'access_not_recorded' | 'store_unavailable' | 'failed' {
  if (error instanceof AccessNotRecorded) return 'access_not_recorded';
  return error instanceof StoreUnavailable ? 'store_unavailable' : 'failed';
}

/** Each parameter once; one that is repeated stays a list, which no schema takes. */
function queryOf(c: Context): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function problem(c: Context, code: ProblemCode, parameters?: readonly string[]): Response {
  const { status, title } = PROBLEMS[code];
  const body = { type: 'about:blank', title, status, code, ...(parameters === undefined ? {} : { parameters }) };
  c.header('cache-control', 'no-store');
  if (code === 'unauthenticated') c.header('www-authenticate', 'Bearer realm="audit"');
  if (code === 'too_many') c.header('retry-after', String(RETRY_AFTER_SECONDS));
  return c.body(JSON.stringify(body), status, { 'content-type': 'application/problem+json' });
}
