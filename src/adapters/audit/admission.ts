/**
 * Who a request comes from: a token in its Authorization header, or the session cookie of a signed-in browser.
 * @module
 */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Reader } from '../../commands/access.ts';
import { type Gate, type Refusal, SESSION_MS } from './roles.ts';

const COOKIE = 'audit_session';
const PATH = '/audit';

/** The reader of a request; `none` when it names nobody. A token in the header counts before a cookie. */
export async function readerOf(c: Context, gate: Gate): Promise<Reader | Refusal | 'none'> {
  const authorization = c.req.header('authorization');
  if (authorization !== undefined) {
    const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization) ?? [];
    return gate.byToken(token ?? '');
  }
  return sessionReader(c, gate) ?? 'none';
}

/** The reader of the session cookie, or null. */
export function sessionReader(c: Context, gate: Gate): Reader | null {
  const session = getCookie(c, COOKIE);
  return session === undefined ? null : gate.bySession(session);
}

/** Signs a browser in. @param secure whether the cookie may travel over https only. */
export function signIn(c: Context, gate: Gate, reader: Reader, secure: boolean): void {
  setCookie(c, COOKIE, gate.open(reader), {
    httpOnly: true,
    sameSite: 'Strict',
    path: PATH,
    secure,
    maxAge: SESSION_MS / 1_000,
  });
}

/** Signs a browser out, here and there. */
export function signOut(c: Context, gate: Gate): void {
  const session = getCookie(c, COOKIE);
  if (session !== undefined) gate.close(session);
  deleteCookie(c, COOKIE, { path: PATH });
}
