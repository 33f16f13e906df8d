/**
 * People with an open card each, ready to be approved: the work the benchmarks time.
 * @module
 */
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { type CardKeys, type CardScope, mintCard, openCard } from '../src/commands/card.ts';
import type { Command } from '../src/commands/decide.ts';
import { type Effects, type Execution, execute } from '../src/commands/execute.ts';
import { type LedgerRef, preferenceLedger, subjectKeyOf, TenantId } from '../src/events/identity.ts';
import type { Ledger } from '../src/events/ports.ts';
import { currentNotice, DIET_FOR_PLACE_SEARCH } from '../src/events/purposes.ts';
import * as v from 'valibot';

const secret = createSecretKey(randomBytes(32));
const tenantId = v.parse(TenantId, 'bench');
const cardKeys: CardKeys = [{ keyId: 'k1', key: createSecretKey(randomBytes(32)) }];
const effects: Effects = { pause: async () => {}, alarm: (fault) => console.error(`alarm: ${fault}`) };
const notice = currentNotice(DIET_FOR_PLACE_SEARCH);
const VALUES = ['vegetarian', 'vegan', 'ovo_lacto', 'lacto'] as const;

export type Holder = { readonly ledger: LedgerRef; readonly scope: CardScope };
/** Someone with an open card in hand. */
export type CardHolder = Holder & { readonly token: string };

/** A person nobody else is. */
export function someone(): Holder {
  const subjectKey = subjectKeyOf(secret, tenantId, 'line', `U${randomBytes(16).toString('hex')}`);
  return {
    ledger: preferenceLedger(secret, tenantId, subjectKey, DIET_FOR_PLACE_SEARCH.purpose),
    scope: { tenantId, subjectKey, purpose: DIET_FOR_PLACE_SEARCH },
  };
}

async function run(ledger: Ledger, { ledger: ref }: Holder, command: Command): Promise<Execution> {
  const id = randomUUID();
  const provenance = {
    eventId: v7(),
    actor: ref.subjectKey,
    actorRole: 'subject',
    causationId: id,
    correlationId: id,
  } as const;
  return execute(ledger, { ledger: ref, command, provenance, clock: Date.now(), onceKey: null }, effects);
}

/** Opens a card for someone; `turn` picks a value that differs from the turn before. */
export async function offer(ledger: Ledger, holder: Holder, turn: number): Promise<CardHolder> {
  const blindingKey = randomBytes(32);
  const value = VALUES[turn % VALUES.length] ?? 'vegetarian';
  const { version, language } = notice;
  const causationId = randomUUID();
  const shared = { causationId, noticeVersion: version, language, collectionMethod: 'message' } as const;
  const execution = await run(ledger, holder, { kind: 'propose', value, blindingKey, ...shared });
  if (execution.kind !== 'decided' || execution.state.open === null) throw new Error('The offer was not made');
  const { proposalId, operation, baseRevision, eventHash, expiresAt } = execution.state.open;
  const card = {
    proposalId,
    operation,
    value,
    baseRevision,
    eventHashPrefix: eventHash.slice(0, 16),
    expiresAt,
    blindingKey,
  };
  return { ...holder, token: mintCard(cardKeys, holder.scope, card) };
}

/** What a tap does: opens the card, decides, chains, commits, writes the content. */
export async function approve(ledger: Ledger, holder: CardHolder): Promise<void> {
  const opened = openCard(cardKeys, holder.scope, holder.token);
  if (!opened.ok) throw new Error('The card did not open');
  const execution = await run(ledger, holder, { kind: 'approve', card: opened.card });
  const outcome = execution.kind === 'decided' ? execution.outcome.outcome : execution.kind;
  if (outcome !== 'memory_saved' && outcome !== 'memory_corrected') throw new Error(`The tap came to ${outcome}`);
}

/** Forgets. */
export async function forget(ledger: Ledger, holder: Holder): Promise<void> {
  await run(ledger, holder, { kind: 'forget', method: 'fixed_entry', erasureScope: 'purpose' });
}
