/**
 * Requests for the execute loop, made as the edge makes them, and the world around it.
 * @module
 */
import { v5 } from 'uuid';
import type { Card } from '../../src/commands/card.ts';
import type { Command } from '../../src/commands/decide.ts';
import { type Effects, type Execution, execute, type Request } from '../../src/commands/execute.ts';
import { genesisHash } from '../../src/events/chain.ts';
import { seal } from '../../src/events/envelope.ts';
import type { Ledger } from '../../src/events/ports.ts';
import { encodeState, initialState } from '../../src/projections/preference-state.ts';
import { type Fault, type FaultyLedger, withFaults } from '../support/memory-ledger.ts';
import { BEGINNING, LEDGER, type Offer, propose } from '../support/scenario.ts';

const NAMES = 'c1f7a7f0-7f0a-5c5e-8f3e-2a1f4ad8b001';

type Heard = { effects: Effects; pauses: number[]; alarms: string[] };
export function listening(): Heard {
  const pauses: number[] = [];
  const alarms: string[] = [];
  return {
    pauses,
    alarms,
    effects: {
      pause: async (attempt) => void pauses.push(attempt),
      alarm: (fault) => void alarms.push(fault),
    },
  };
}

export function request(name: string, command: Command, clock = BEGINNING, onceKey: string | null = null): Request {
  const causationId = 'causationId' in command ? command.causationId : `press-${name}`;
  return {
    ledger: LEDGER,
    command,
    provenance: {
      eventId: v5(name, NAMES),
      actor: LEDGER.subjectKey,
      actorRole: 'subject',
      causationId,
      correlationId: `turn-${name}`,
    },
    clock,
    onceKey,
  };
}

export const forget: Command = { kind: 'forget', method: 'fixed_entry', erasureScope: 'purpose' };

/** Offers a card in a ledger without faults. */
export async function offered(ledger: Ledger, by: Offer, clock = BEGINNING): Promise<Card> {
  const execution = await execute(
    ledger,
    request(`propose-${by.causationId}`, propose(by), clock),
    listening().effects,
  );
  if (execution.kind !== 'decided' || execution.appended === null) throw new Error('No card');
  const { open } = execution.state;
  if (open === null) throw new Error('No card');
  return {
    proposalId: open.proposalId,
    operation: open.operation,
    value: by.value,
    baseRevision: open.baseRevision,
    eventHashPrefix: open.eventHash.slice(0, 16),
    expiresAt: open.expiresAt,
    blindingKey: by.blindingKey,
  };
}

/** Somebody else's event that moves the position and nothing else. */
async function interfere(ledger: Ledger, name: string): Promise<void> {
  const head = await ledger.head(LEDGER.ledgerId);
  const position = head.position + 1;
  const event = seal(
    {
      type: 'card.refused',
      data: { proposalId: v5(name, NAMES), reason: 'superseded', presentedRevision: 0, headRevision: 0 },
    },
    {
      ledgerId: LEDGER.ledgerId,
      subjectKey: LEDGER.subjectKey,
      position,
      previousHash: head.hash ?? genesisHash(LEDGER.ledgerId),
      time: head.time ?? new Date(BEGINNING).toISOString(),
    },
    { eventId: v5(name, NAMES), actor: 'other', actorRole: 'service', causationId: name, correlationId: name },
  );
  await ledger.commit({
    ledger: LEDGER,
    expectedPosition: head.position,
    events: [event],
    content: { kind: 'keep' },
    state: head.state ?? encodeState(initialState),
    once: null,
  });
}

/** A ledger that shows these faults, then none. */
export function faulty(inner: Ledger, faults: readonly Fault[], lateCalls = 100): FaultyLedger {
  const left = [...faults];
  let conflicts = 0;
  return withFaults(inner, {
    next: () => left.shift() ?? 'none',
    interfere: () => interfere(inner, `other-${(conflicts += 1)}`),
    lateCalls: () => lateCalls,
  });
}

export async function typesIn(ledger: Ledger): Promise<string[]> {
  const { position } = await ledger.head(LEDGER.ledgerId);
  const events = await ledger.events(LEDGER.ledgerId, 1, position);
  return events.map(({ bytes }) => (JSON.parse(Buffer.from(bytes).toString('utf8')) as { type: string }).type);
}

export const outcomeOf = (execution: Execution): string =>
  execution.kind === 'decided'
    ? execution.outcome.outcome
    : execution.kind === 'duplicate'
      ? 'duplicate'
      : execution.outcome;
