/**
 * The audit side over a store in memory with people who have decided, and one reader of each role.
 * @module
 */
import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { v7 } from 'uuid';
import type { AccessStore } from '../../../src/adapters/audit/access-log.ts';
import type { VerifierKey } from '../../../src/adapters/audit/checkpoint-note.ts';
import { auditService } from '../../../src/adapters/audit/service.ts';
import type { AuditToken } from '../../../src/commands/access.ts';
import type { CheckpointLogReader } from '../../../src/events/checkpoint-ports.ts';
import type { TenantId } from '../../../src/events/identity.ts';
import type { Ledger } from '../../../src/events/ports.ts';
import { BEGINNING, bytesOf, personOn, SUBJECT_KEY } from '../../support/ledger-world.ts';
import { memoryLedger } from '../../support/memory-ledger.ts';

/** The tokens of the test: one of each role. */
export const TOKENS = { integrity: 'token-of-the-integrity-reader', content: 'token-of-the-content-reader' } as const;

function tokenOf(role: keyof typeof TOKENS): AuditToken {
  return { name: `${role}-reader`, role, sha256: createHash('sha256').update(TOKENS[role]).digest() };
}

export type Audited = Awaited<ReturnType<typeof startAudited>>;

/** A clock that moves when told, and waits that end when told: `passed` are the waits asked for. */
export async function startAudited(
  over: {
    ledger?: Ledger;
    accessStore?: AccessStore;
    checkpoints?: CheckpointLogReader;
    checkpointKeys?: readonly VerifierKey[];
    secureCookies?: boolean;
    tokens?: readonly AuditToken[];
    /** Waits end at once, or are kept for the test to end. */
    waits?: 'pass' | 'keep';
  } = {},
) {
  const ledger = over.ledger ?? memoryLedger();
  const clock = { now: BEGINNING };
  const waits: { readonly milliseconds: number; readonly run: () => void }[] = [];
  const counted = new Map<string, number>();
  let secrets = 0;
  const service = auditService({
    tenantId: 'tenant-a' as TenantId,
    subjectKeySecret: SUBJECT_KEY,
    reader: ledger,
    accessStore: over.accessStore ?? ledger,
    tokens: over.tokens ?? [tokenOf('integrity'), tokenOf('content')],
    secureCookies: over.secureCookies ?? false,
    checkpoints: over.checkpoints ?? null,
    checkpointKeys: over.checkpointKeys ?? [],
    clock: () => clock.now,
    timer(milliseconds, run) {
      waits.push({ milliseconds, run });
      if (over.waits !== 'keep') setImmediate(run);
      return () => undefined;
    },
    newEventId: () => v7(),
    randomBytes(length) {
      secrets += 1;
      return bytesOf(`secret ${secrets}`).subarray(0, length);
    },
    pause: () => new Promise<void>((resolve) => setImmediate(resolve)),
    count: (name) => counted.set(name, (counted.get(name) ?? 0) + 1),
  });
  const routes = new Hono();
  routes.route('/audit', service.routes);
  const people = await peopleOn(ledger, clock);
  const cookies = new Map<string, string>();

  async function cookieOf(role: keyof typeof TOKENS): Promise<string> {
    const known = cookies.get(role);
    if (known !== undefined) return known;
    const response = await routes.request('/audit/login', form({ token: TOKENS[role] }));
    const [cookie = ''] = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    cookies.set(role, cookie);
    return cookie;
  }
  return {
    ledger,
    clock,
    waits,
    counted,
    routes,
    people,
    oneTimePath: service.oneTimePath,
    cookieOf,
    /** A page or an answer as a reader of that role is given it. */
    async as(role: keyof typeof TOKENS | 'nobody', path: string, headers: Record<string, string> = {}) {
      const own = { 'accept-language': 'zh-TW', ...headers };
      if (role === 'nobody') return routes.request(path, { headers: own });
      if (path.startsWith('/audit/api')) {
        return routes.request(path, { headers: { ...own, authorization: `Bearer ${TOKENS[role]}` } });
      }
      return routes.request(path, { headers: { ...own, cookie: await cookieOf(role) } });
    },
  };
}

/** A form as a page of the same origin sends it. */
export function form(fields: Record<string, string>): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields).toString(),
  };
}

/**
 * Three people: one with a value in force after a correction and a refused old card; one who forgot, and whose old card
 * was refused; one who only cancelled.
 */
async function peopleOn(ledger: Ledger, clock: { now: number }) {
  const step = (milliseconds: number): void => {
    clock.now += milliseconds;
  };
  const now = (): number => clock.now;
  const keeping = personOn(ledger, 'keeping', now);
  const first = await keeping.remember('a1', 'vegetarian');
  step(86_400_000);
  const late = await keeping.propose('a2', 'vegan');
  step(300_000);
  await keeping.approve(late);
  step(60_000);
  await keeping.remember('a3', 'ovo_lacto');
  step(7_000);
  await keeping.approve(first);
  step(86_400_000 * 2);
  const forgot = personOn(ledger, 'forgot', now);
  const old = await forgot.remember('b1', 'lacto');
  step(3_600_000);
  await forgot.forget();
  step(9_000);
  await forgot.approve(old);
  step(86_400_000);
  const cancelled = personOn(ledger, 'cancelled', now);
  const offered = await cancelled.propose('c1', 'vegan');
  step(5_000);
  await cancelled.cancel(offered);
  step(86_400_000);
  return { keeping, forgot, cancelled };
}
