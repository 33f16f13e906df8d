/**
 * People who decide through `execute` on any store, with ids, keys and times that follow from a seed.
 * @module
 */
import { createHash, createSecretKey } from 'node:crypto';
import { v5 } from 'uuid';
import { type Card, type CardKeys, type CardScope, mintCard } from '../../src/commands/card.ts';
import type { Command } from '../../src/commands/decide.ts';
import { type Execution, execute } from '../../src/commands/execute.ts';
import { genesisHash } from '../../src/events/chain.ts';
import { encodeContent } from '../../src/events/commitment.ts';
import { type Provenance, type SealedEvent, seal } from '../../src/events/envelope.ts';
import {
  type LedgerRef,
  preferenceLedger,
  type SubjectKey,
  subjectKeyOf,
  type TenantId,
} from '../../src/events/identity.ts';
import type { PreferenceEvent } from '../../src/events/kinds.ts';
import type { Commit, ContentChange, Head, Ledger } from '../../src/events/ports.ts';
import { currentNotice, DIET_FOR_PLACE_SEARCH, labelOf } from '../../src/events/purposes.ts';

/** When every world begins, Unix milliseconds. */
export const BEGINNING = Date.UTC(2026, 0, 5, 2, 0, 0);
/** The server keys of every world: whoever attacks it in a test is given them. */
export const SUBJECT_KEY = createSecretKey(Buffer.alloc(32, 7));
export const CARD_KEYS: CardKeys = [{ keyId: 'k1', key: createSecretKey(Buffer.alloc(32, 9)) }];

const TENANT = 'tenant-a' as TenantId;
const NAMES = '3f0d1b8e-5a44-5c8e-8a53-50c5c3bb1a07';
const NOTICE = { noticeVersion: currentNotice(DIET_FOR_PLACE_SEARCH).version, language: 'zh-TW' } as const;
const NO_EFFECTS = { pause: () => new Promise<void>((resolve) => setImmediate(resolve)), alarm: () => undefined };

/** 32 bytes that follow from a name. */
export function bytesOf(name: string): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(name).digest());
}

/** The diet ledger of the person with this name. */
export function personLedger(name: string): LedgerRef {
  const userId = `U${createHash('md5').update(name).digest('hex')}`;
  const subjectKey = subjectKeyOf(SUBJECT_KEY, TENANT, 'line', userId);
  return preferenceLedger(SUBJECT_KEY, TENANT, subjectKey, DIET_FOR_PLACE_SEARCH.purpose);
}

/** What a person agrees to in a world: the card, its token, and everything that must be gone after a forget. */
export type Offered = {
  readonly card: Card;
  readonly token: string;
  readonly execution: Execution;
  /** What must stand nowhere after a forget, as bytes: the sentence, the label, the canonical content, the blinding key. */
  readonly traces: readonly Uint8Array[];
};

/** One person on one store. Every call makes new ids; each propose needs its own `cause`. */
export type Person = {
  readonly ref: LedgerRef;
  readonly subjectKey: SubjectKey;
  propose(cause: string, value: string): Promise<Offered>;
  approve(offered: Offered, onceKey?: string): Promise<Execution>;
  cancel(offered: Offered, onceKey?: string): Promise<Execution>;
  forget(onceKey?: string): Promise<Execution>;
  /** Proposes and approves. */
  remember(cause: string, value: string): Promise<Offered>;
};

/**
 * @param now Unix milliseconds.
 * @throws from the calls when a proposal or approval did not come to what its name says.
 */
export function personOn(ledger: Ledger, name: string, now: () => number = () => BEGINNING): Person {
  const ref = personLedger(name);
  let made = 0;

  function run(command: Command, causationId: string, onceKey: string | null): Promise<Execution> {
    made += 1;
    const eventId = v5(`${name}|${process.pid}|${made}|${causationId}`, NAMES);
    const provenance: Provenance = {
      eventId,
      actor: ref.subjectKey,
      actorRole: 'subject',
      causationId,
      correlationId: causationId,
    };
    return execute(ledger, { ledger: ref, command, provenance, clock: now(), onceKey }, NO_EFFECTS);
  }

  const person: Person = {
    ref,
    subjectKey: ref.subjectKey,
    async propose(cause, value) {
      const blindingKey = bytesOf(`${name}|${cause}`);
      const execution = await run(
        { kind: 'propose', value, blindingKey, causationId: cause, collectionMethod: 'message', ...NOTICE },
        cause,
        null,
      );
      return offeredBy(ref, execution, value, blindingKey);
    },
    approve: ({ card }, onceKey) => run({ kind: 'approve', card }, onceKey ?? `approve-${made}`, onceKey ?? null),
    cancel: ({ card }, onceKey) => run({ kind: 'cancel', card }, onceKey ?? `cancel-${made}`, onceKey ?? null),
    forget: (onceKey) =>
      run(
        { kind: 'forget', method: 'fixed_entry', erasureScope: 'purpose' },
        onceKey ?? `forget-${made}`,
        onceKey ?? null,
      ),
    async remember(cause, value) {
      const offered = await person.propose(cause, value);
      const execution = await person.approve(offered);
      const saved =
        execution.kind === 'decided' && /^memory_(saved|corrected)$/.test(execution.outcome.outcome) ? execution : null;
      if (saved === null) throw new Error(`Not remembered: ${JSON.stringify(execution)}`);
      return offered;
    },
  };
  return person;
}

function offeredBy(ref: LedgerRef, execution: Execution, value: string, blindingKey: Uint8Array): Offered {
  if (execution.kind !== 'decided' || execution.outcome.outcome !== 'awaiting_memory_consent')
    throw new Error(`Not proposed: ${JSON.stringify(execution)}`);
  const { proposalId, operation, revision, expiresAt } = execution.outcome;
  const hash = execution.appended?.hash ?? '';
  const card: Card = {
    proposalId,
    operation,
    value,
    baseRevision: revision,
    eventHashPrefix: hash.slice(0, 16),
    expiresAt,
    blindingKey,
  };
  const scope: CardScope = { tenantId: ref.tenantId, subjectKey: ref.subjectKey, purpose: DIET_FOR_PLACE_SEARCH };
  return { card, token: mintCard(CARD_KEYS, scope, card), execution, traces: tracesOf(ref, value, blindingKey) };
}

/** What a person would type to be remembered with this value. */
export function sentenceFor(value: string): string {
  return `以後優先找${labelOf(DIET_FOR_PLACE_SEARCH, value)}，幫我記住`;
}

function tracesOf(ref: LedgerRef, value: string, blindingKey: Uint8Array): readonly Uint8Array[] {
  const key = Buffer.from(blindingKey).toString('base64url');
  const content = contentBytes(ref, value, blindingKey);
  return [
    Buffer.from(labelOf(DIET_FOR_PLACE_SEARCH, value) ?? ''),
    Buffer.from(sentenceFor(value)),
    Buffer.from(Buffer.from(content).toString().trimEnd()),
    Buffer.from(key),
    blindingKey,
  ];
}

/** A content row's bytes for a value. */
export function contentBytes(ref: LedgerRef, value: string, blindingKey: Uint8Array): Uint8Array {
  return encodeContent({
    ledgerId: ref.ledgerId,
    purpose: ref.purpose,
    version: 1,
    value,
    blindingKey: Buffer.from(blindingKey).toString('base64url'),
  });
}

/** A commit of one plain event on a head, for tests that look at the port itself. */
export function nextCommit(ref: LedgerRef, head: Head, eventName: string, over: Partial<Commit> = {}): Commit {
  const event = sealedOn(ref, head, eventName);
  return {
    ledger: ref,
    expectedPosition: head.position,
    events: [event],
    content: { kind: 'keep' },
    state: `{"after":"${eventName}"}`,
    once: null,
    ...over,
  };
}

/** A refused card's event in its place after a head; its id follows from the name. */
export function sealedOn(ref: LedgerRef, head: Pick<Head, 'position' | 'hash'>, eventName: string): SealedEvent {
  const body: PreferenceEvent = {
    type: 'card.refused',
    data: { proposalId: v5('proposal', NAMES), reason: 'expired', presentedRevision: 0, headRevision: 0 },
  };
  return seal(
    body,
    {
      ledgerId: ref.ledgerId,
      subjectKey: ref.subjectKey,
      position: head.position + 1,
      previousHash: head.hash ?? genesisHash(ref.ledgerId),
      time: new Date(BEGINNING + head.position).toISOString(),
    },
    {
      eventId: v5(eventName, NAMES),
      actor: ref.subjectKey,
      actorRole: 'subject',
      causationId: 'cause',
      correlationId: 'turn',
    },
  );
}

/** Content for a revision, whose value and key follow from the name. */
export function putContent(ref: LedgerRef, revision: number, name: string): Extract<ContentChange, { kind: 'put' }> {
  return { kind: 'put', revision, bytes: contentBytes(ref, 'vegetarian', bytesOf(name)) };
}
