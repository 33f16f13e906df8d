/**
 * Who may look: tokens known by their SHA-256, sessions of a browser, one-time links of a local start.
 * @module
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { AuditToken, Reader } from '../../commands/access.ts';

/** How long a browser stays signed in, milliseconds. */
export const SESSION_MS = 8 * 3_600_000;
/** How long a one-time link can be used, milliseconds. */
export const ONE_TIME_MS = 10 * 60_000;
/** Sessions kept at most; the oldest goes first. */
const SESSIONS_MAX = 200;
/** How long each wrong token keeps the one queue of wrong tokens, milliseconds. */
const WRONG_TOKEN_MS = 500;
/** A longer queue of wrong tokens is not joined any more, milliseconds. */
const QUEUE_MS_MAX = 10_000;
const TOKEN_LENGTH_MAX = 256;
const SECRET_BYTES = 32;

export type GateParts = {
  readonly tokens: readonly AuditToken[];
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly timer: (milliseconds: number, run: () => void) => () => void;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Counts what happened, by name. */
  readonly count: (name: string) => void;
};

/** `wrong`: not a token of ours. `too_many`: wrong ones are queued up; ask later. */
export type Refusal = 'wrong' | 'too_many';

export type Gate = {
  /** Whether there is anybody who could sign in. */
  readonly isConfigured: boolean;
  /** The reader of a token. A right one is answered at once; wrong ones wait for each other. */
  readonly byToken: (token: string) => Promise<Reader | Refusal>;
  /** The reader of a session, or null. */
  readonly bySession: (session: string) => Reader | null;
  /** Opens a session; the id is a secret. */
  readonly open: (reader: Reader) => string;
  readonly close: (session: string) => void;
  /** Makes a secret with which a reader can open one session within {@link ONE_TIME_MS}. */
  readonly oneTime: (reader: Reader) => string;
  /** The reader of a one-time secret, the first time only; else null. */
  readonly redeem: (secret: string) => Reader | null;
};

/** Makes the gate. It keeps digests of sessions and links, not the secrets. */
export function createGate({ tokens, clock, timer, randomBytes, count }: GateParts): Gate {
  const sessions = new Map<string, { readonly reader: Reader; readonly until: number }>();
  const links = new Map<string, { readonly reader: Reader; readonly until: number }>();
  let queueEndsAt = 0;

  const newSecret = (): string => Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url');
  function matching(token: string): Reader | null {
    const digest = digestOf(token);
    let found: Reader | null = null;
    // Every token is compared, so that the time says nothing about which one came close.
    for (const { name, role, sha256 } of tokens) {
      if (timingSafeEqual(digest, sha256)) found = { name, role };
    }
    return token.length === 0 ? null : found;
  }
  function live(kept: typeof sessions, secret: string): Reader | null {
    const key = keyOf(secret);
    const entry = kept.get(key);
    if (entry === undefined) return null;
    if (clock() < entry.until) return entry.reader;
    kept.delete(key);
    return null;
  }
  function keep(kept: typeof sessions, reader: Reader, milliseconds: number): string {
    const secret = newSecret();
    for (const [key, { until }] of kept) if (until <= clock() || kept.size >= SESSIONS_MAX) kept.delete(key);
    kept.set(keyOf(secret), { reader, until: clock() + milliseconds });
    return secret;
  }

  return {
    isConfigured: tokens.length > 0,
    async byToken(token) {
      const reader = token.length > TOKEN_LENGTH_MAX ? null : matching(token);
      if (reader !== null) return reader;
      count('audit_token_wrong');
      const now = clock();
      const startsAt = Math.max(now, queueEndsAt);
      if (startsAt - now >= QUEUE_MS_MAX) return 'too_many';
      queueEndsAt = startsAt + WRONG_TOKEN_MS;
      await new Promise<void>((resolve) => timer(queueEndsAt - now, resolve));
      return 'wrong';
    },
    bySession: (session) => live(sessions, session),
    open: (reader) => keep(sessions, reader, SESSION_MS),
    close: (session) => void sessions.delete(keyOf(session)),
    oneTime: (reader) => keep(links, reader, ONE_TIME_MS),
    redeem(secret) {
      const reader = live(links, secret);
      links.delete(keyOf(secret));
      return reader;
    },
  };
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function keyOf(secret: string): string {
  return digestOf(secret).toString('base64url');
}
