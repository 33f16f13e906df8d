/**
 * The audit side of the service as a whole: access log, gate, API and console over one read-only port.
 * @module
 */
import type { KeyObject } from 'node:crypto';
import { Hono } from 'hono';
import type { AuditToken } from '../../commands/access.ts';
import type { CheckpointLogReader } from '../../events/checkpoint-ports.ts';
import { accessLedger, readerDayLedger, type TenantId } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { type AccessStore, createAccessLog } from './access-log.ts';
import { auditApi } from './api.ts';
import { auditConsole } from './console.ts';
import type { VerifierKey } from './checkpoint-note.ts';
import { checkpointView } from './checkpoint-view.ts';
import type { AuditParts } from './looking.ts';
import { createGate } from './roles.ts';

/** Whoever holds the one-time link of a local start. */
const LOCAL_READER = { name: 'local', role: 'content' } as const;

export type AuditServiceParts = {
  readonly tenantId: TenantId;
  readonly subjectKeySecret: KeyObject;
  readonly reader: LedgerReader;
  /** Where looks are recorded; by its type nothing else can be put there. */
  readonly accessStore: AccessStore;
  readonly tokens: readonly AuditToken[];
  readonly secureCookies: boolean;
  /** The log of heads with its signed checkpoints; null where the store keeps none. */
  readonly checkpoints: CheckpointLogReader | null;
  /** One of which must have signed the newest checkpoint; none: signatures are not judged. */
  readonly checkpointKeys: readonly VerifierKey[];
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly timer: (milliseconds: number, run: () => void) => () => void;
  /** A new UUIDv7. */
  readonly newEventId: () => string;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly pause: (attempt: number) => Promise<void>;
  readonly count: (name: string) => void;
};

export type AuditService = {
  /** To be mounted at /audit. */
  readonly routes: Hono;
  /** The path of a link that signs a browser in once, within ten minutes, with the role `content`. */
  readonly oneTimePath: () => string;
};

/** Builds it. */
export function auditService(parts: AuditServiceParts): AuditService {
  const { subjectKeySecret, tenantId, clock, timer, randomBytes, count } = parts;
  const gate = createGate({ tokens: parts.tokens, clock, timer, randomBytes, count });
  const audit: AuditParts = {
    reader: parts.reader,
    accessLog: createAccessLog({
      store: parts.accessStore,
      ofLedger: (audited) => accessLedger(subjectKeySecret, audited),
      ofReader: (reader, day) => readerDayLedger(subjectKeySecret, tenantId, reader, day),
      clock,
      newEventId: parts.newEventId,
      pause: parts.pause,
    }),
    accessLedgerOf: (audited) => accessLedger(subjectKeySecret, audited),
    checkpoints:
      parts.checkpoints === null ? null : checkpointView(parts.checkpoints, parts.reader, parts.checkpointKeys),
    clock,
  };
  const alarm = (): void => count('audit_look_failed');
  const routes = new Hono();
  routes.route('/api', auditApi(audit, gate, alarm));
  routes.route('/', auditConsole(audit, { gate, secureCookies: parts.secureCookies, alarm }));
  return { routes, oneTimePath: () => `/audit/once/${gate.oneTime(LOCAL_READER)}` };
}
