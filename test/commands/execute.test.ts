import fc from 'fast-check';
import { v5 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../src/commands/card.ts';
import type { Command } from '../../src/commands/decide.ts';
import { CLOCK_AHEAD_MAX_MS, type Effects, type Execution, execute, type Request } from '../../src/commands/execute.ts';
import { genesisHash } from '../../src/events/chain.ts';
import { decodeContent, opens } from '../../src/events/commitment.ts';
import { seal } from '../../src/events/envelope.ts';
import { type Ledger, StoreUnavailable } from '../../src/events/ports.ts';
import { evolve, decodeState, encodeState, initialState } from '../../src/projections/preference-state.ts';
import { type Fault, type MemoryLedger, memoryLedger, withFaults } from '../support/memory-ledger.ts';
import { BEGINNING, issued, LEDGER, type Offer, offer, propose } from '../support/scenario.ts';

const A = offer('A', 'vegan');
const B = offer('B', 'lacto');
const NAMES = 'c1f7a7f0-7f0a-5c5e-8f3e-2a1f4ad8b001';

type Heard = { effects: Effects; pauses: number[]; alarms: string[] };
function listening(): Heard {
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

function request(name: string, command: Command, clock = BEGINNING, onceKey: string | null = null): Request {
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

const forget: Command = { kind: 'forget', method: 'fixed_entry', erasureScope: 'purpose' };

/** Offers a card in a ledger without faults. */
async function offered(ledger: Ledger, by: Offer, clock = BEGINNING): Promise<Card> {
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
function faulty(inner: Ledger, faults: readonly Fault[]) {
  const left = [...faults];
  let conflicts = 0;
  return withFaults(inner, {
    next: () => left.shift() ?? 'none',
    interfere: () => interfere(inner, `other-${(conflicts += 1)}`),
    lateCalls: () => 100,
  });
}

async function typesIn(ledger: Ledger): Promise<string[]> {
  const { position } = await ledger.head(LEDGER.ledgerId);
  const events = await ledger.events(LEDGER.ledgerId, 1, position);
  return events.map(({ bytes }) => (JSON.parse(Buffer.from(bytes).toString('utf8')) as { type: string }).type);
}

const outcomeOf = (execution: Execution): string =>
  execution.kind === 'decided'
    ? execution.outcome.outcome
    : execution.kind === 'duplicate'
      ? 'duplicate'
      : execution.outcome;

describe('load, decide, commit', () => {
  test('a card agreed to writes event, state and opened content in one commit', async () => {
    const ledger = memoryLedger();
    const card = await offered(ledger, A);
    const execution = await execute(ledger, request('press', { kind: 'approve', card }), listening().effects);
    expect(execution).toMatchObject({
      kind: 'decided',
      outcome: { outcome: 'memory_saved', revision: 1 },
      position: 2,
    });
    expect(await typesIn(ledger)).toStrictEqual(['preference.proposed', 'preference.approved']);
    const { head, content } = await ledger.headWithContent(LEDGER.ledgerId);
    const state = decodeState(head.state);
    if (content === null || state.present.commitment === null) throw new Error('Nothing in force');
    expect(content.revision).toBe(1);
    expect(decodeContent(content.bytes).value).toBe('vegan');
    expect(opens(state.present.commitment, decodeContent(content.bytes))).toBe(true);
    if (execution.kind === 'decided') expect(encodeState(execution.state)).toBe(head.state);
  });

  test('a decision without an event and without a delivery to remember commits nothing', async () => {
    const ledger = memoryLedger();
    const execution = await execute(ledger, request('forget', forget), listening().effects);
    expect(outcomeOf(execution)).toBe('nothing_to_forget');
    expect(ledger.kept().commits).toStrictEqual([]);
  });

  test('a refusal opens no ledger (C43); only the delivery is remembered', async () => {
    const elsewhere = await offered(memoryLedger(), A);
    const ledger = memoryLedger();
    const heard = listening();
    const press = request('press', { kind: 'approve', card: elsewhere }, BEGINNING, 'delivery-1');
    expect(await execute(ledger, press, heard.effects)).toMatchObject({
      outcome: { outcome: 'stale_memory_card', cause: 'history_differs' },
      appended: null,
    });
    expect(heard.alarms).toStrictEqual(['history_differs']);
    expect(await ledger.ledger(LEDGER.ledgerId)).toBeNull();
    expect(await ledger.head(LEDGER.ledgerId)).toMatchObject({ position: 0 });
    expect(await ledger.once('delivery-1')).toStrictEqual({
      key: 'delivery-1',
      outcome: '{"cause":"history_differs","outcome":"stale_memory_card","revision":0}',
      answered: false,
    });
  });

  test('the same delivery again appends nothing and gives what was decided', async () => {
    const ledger = memoryLedger();
    const card = await offered(ledger, A);
    const press = request('press', { kind: 'approve', card }, BEGINNING, 'delivery-1');
    await execute(ledger, press, listening().effects);
    const again = await execute(
      ledger,
      { ...press, provenance: { ...press.provenance, eventId: v5('x', NAMES) } },
      listening().effects,
    );
    expect(again).toMatchObject({ kind: 'duplicate', once: { outcome: '{"outcome":"memory_saved","revision":1}' } });
    expect(await typesIn(ledger)).toHaveLength(2);
  });

  test('correct replaces the content, forget erases it', async () => {
    const ledger = memoryLedger();
    const first = await offered(ledger, A);
    await execute(ledger, request('1', { kind: 'approve', card: first }), listening().effects);
    const second = await offered(ledger, B);
    await execute(ledger, request('2', { kind: 'approve', card: second }), listening().effects);
    const { content } = await ledger.headWithContent(LEDGER.ledgerId);
    expect(content === null ? null : decodeContent(content.bytes).value).toBe('lacto');
    await execute(ledger, request('3', forget), listening().effects);
    expect((await ledger.headWithContent(LEDGER.ledgerId)).content).toBeNull();
  });

  test('the same request run twice writes identical bytes (C124)', async () => {
    const written = await Promise.all(
      [1, 2].map(async () => {
        const ledger = memoryLedger();
        const card = await offered(ledger, A);
        await execute(
          faulty(ledger, ['lost_unknown']),
          request('press', { kind: 'approve', card }, BEGINNING, 'delivery-1'),
          listening().effects,
        );
        return ledger.kept().commits;
      }),
    );
    expect(written[0]).toStrictEqual(written[1]);
    expect(written[0]).toHaveLength(2);
  });

  test('two presses of one card at once: one event, one already_applied (C40)', async () => {
    const ledger = memoryLedger();
    const card = await offered(ledger, A);
    const outcomes = await Promise.all(
      ['one', 'two'].map((name) => execute(ledger, request(name, { kind: 'approve', card }), listening().effects)),
    );
    expect(outcomes.map(outcomeOf).toSorted()).toStrictEqual(['already_applied', 'memory_saved']);
    expect(await typesIn(ledger)).toHaveLength(2);
  });
});

describe('conflicts', () => {
  test('two are survived by deciding again on the fresher head', async () => {
    const inner = memoryLedger();
    const card = await offered(inner, A);
    const heard = listening();
    const execution = await execute(
      faulty(inner, ['conflict', 'conflict']),
      request('press', { kind: 'approve', card }),
      heard.effects,
    );
    expect(execution).toMatchObject({ outcome: { outcome: 'memory_saved' }, position: 4 });
    expect(heard.pauses).toStrictEqual([1, 2]);
  });

  test('three are busy, and nothing was written', async () => {
    const inner = memoryLedger();
    const card = await offered(inner, A);
    const execution = await execute(
      faulty(inner, ['conflict', 'conflict', 'conflict']),
      request('press', { kind: 'approve', card }),
      listening().effects,
    );
    expect(execution).toStrictEqual({ kind: 'undecided', outcome: 'busy' });
    expect(await typesIn(inner)).not.toContain('preference.approved');
  });

  test('evidence of a refusal lost three times: the refusal stands as it was read, and it is told', async () => {
    const inner = memoryLedger();
    const card = await offered(inner, A);
    const heard = listening();
    const execution = await execute(
      faulty(inner, ['conflict', 'conflict', 'conflict']),
      request('press', { kind: 'approve', card }, card.expiresAt),
      heard.effects,
    );
    expect(execution).toMatchObject({
      kind: 'decided',
      outcome: { outcome: 'expired_memory_card' },
      appended: null,
      position: 3,
    });
    if (execution.kind === 'decided') expect(execution.state.open?.refusals).toStrictEqual([]);
    expect(heard.alarms).toStrictEqual(['refusal_evidence_lost']);
  });
});

describe('a commit of unknown outcome', () => {
  test.each<[string, readonly Fault[], string]>([
    ['done, answer lost', ['applied_unknown'], 'memory_saved'],
    ['not done, answer lost', ['lost_unknown'], 'memory_saved'],
    ['not done twice', ['lost_unknown', 'lost_unknown'], 'memory_saved'],
    ['done, then the store is away', ['applied_unknown', 'unavailable'], 'memory_saved'],
    ['done, then the store is away for good', ['applied_unknown', 'unavailable', 'unavailable'], 'outcome_unknown'],
    ['done, then somebody else wrote', ['applied_unknown', 'conflict'], 'memory_saved'],
    ['not done, then somebody else wrote', ['lost_unknown', 'conflict'], 'memory_saved'],
    ['never known', ['lost_unknown', 'lost_unknown', 'lost_unknown'], 'outcome_unknown'],
    ['on its way for long', ['late_unknown', 'late_unknown', 'late_unknown'], 'outcome_unknown'],
  ])('%s: one event at most, and the answer is %3$s', async (_, faults, outcome) => {
    const inner = memoryLedger();
    const card = await offered(inner, A);
    const ledger = faulty(inner, faults);
    const execution = await execute(ledger, request('press', { kind: 'approve', card }), listening().effects);
    expect(outcomeOf(execution)).toBe(outcome);
    await ledger.settle();
    const approvals = (await typesIn(inner)).filter((type) => type === 'preference.approved');
    if (outcome === 'memory_saved') expect(approvals).toHaveLength(1);
    expect(approvals.length).toBeLessThanOrEqual(1);
  });

  test('a store that certainly did nothing is not asked again; the caller hears it', async () => {
    const inner = memoryLedger();
    const card = await offered(inner, A);
    await expect(
      execute(faulty(inner, ['unavailable']), request('press', { kind: 'approve', card }), listening().effects),
    ).rejects.toThrow(StoreUnavailable);
    expect(await typesIn(inner)).toHaveLength(1);
  });
});

describe('a newest event ahead of the clock', () => {
  test.each([
    [0, 'memory_saved', []],
    [CLOCK_AHEAD_MAX_MS, 'memory_saved', []],
    [CLOCK_AHEAD_MAX_MS + 1, 'busy', ['clock_behind_ledger']],
  ])('by %i ms: %s', async (ahead, outcome, alarms) => {
    const ledger = memoryLedger();
    const card = await offered(ledger, A);
    const heard = listening();
    const execution = await execute(
      ledger,
      request('press', { kind: 'approve', card }, BEGINNING - ahead),
      heard.effects,
    );
    expect(outcomeOf(execution)).toBe(outcome);
    expect(heard.alarms).toStrictEqual(alarms);
    expect(CLOCK_AHEAD_MAX_MS).toBe(10_000);
    if (execution.kind === 'decided') expect(execution.appended?.event.time).toBe(new Date(BEGINNING).toISOString());
  });
});

type Run = {
  readonly faults: readonly Fault[];
  readonly late: number;
  readonly what: 'approve' | 'cancel' | 'forget' | 'propose';
  readonly wait: number;
  readonly once: boolean;
};

/** What became of one command under faults, against what is in the ledger once everything has arrived. */
async function underFaults({ faults, late, what, wait, once }: Run): Promise<void> {
  const inner: MemoryLedger = memoryLedger();
  const card = await offered(inner, A);
  const left = [...faults];
  let conflicts = 0;
  const ledger = withFaults(inner, {
    next: () => left.shift() ?? 'none',
    interfere: () => interfere(inner, `other-${(conflicts += 1)}`),
    lateCalls: () => late,
  });
  const command: Command = what === 'forget' ? forget : what === 'propose' ? propose(B) : { kind: what, card };
  const asked = request('press', command, BEGINNING + wait, once ? 'delivery-1' : null);
  const ours = async () => {
    const events = await inner.events(LEDGER.ledgerId, 1, 1_000);
    return events.filter(({ bytes }) => Buffer.from(bytes).includes(asked.provenance.eventId)).length;
  };
  let execution: Execution | 'unavailable';
  try {
    execution = await execute(ledger, asked, listening().effects);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    execution = 'unavailable';
  }
  const durable = await ours();
  await ledger.settle();
  const settled = await ours();

  expect(settled, 'doubled').toBeLessThanOrEqual(1);
  if (execution === 'unavailable' || (execution.kind === 'undecided' && execution.outcome === 'busy'))
    expect(settled, 'said "not done", was done').toBe(0);
  if (execution !== 'unavailable' && execution.kind === 'decided')
    expect(durable, 'said "done", was not').toBe(execution.appended === null ? 0 : 1);
  const { head, content } = await inner.headWithContent(LEDGER.ledgerId);
  const state = decodeState(head.state);
  expect(content !== null, 'content without revision or the reverse').toBe(state.present.commitment !== null);
}

const fault = fc.constantFrom<Fault>(
  'none',
  'applied_unknown',
  'lost_unknown',
  'late_unknown',
  'conflict',
  'unavailable',
);
const run = fc.record<Run>({
  faults: fc.array(fault, { maxLength: 9, size: 'max' }),
  late: fc.integer({ min: 1, max: 8 }),
  what: fc.constantFrom('approve', 'cancel', 'forget', 'propose'),
  wait: fc.constantFrom(0, 299_999, 300_000),
  once: fc.boolean(),
});

test('2,000 runs under faults (seed 20260106): none doubled, no "saved" that was not, no "not saved" that was', async () => {
  await fc.assert(fc.asyncProperty(run, underFaults), { numRuns: 2_000, seed: 20260106 });
}, 120_000);

describe('idempotence: decided, written, decided again writes nothing', () => {
  const commands: readonly (readonly [string, (card: Card) => Command, number])[] = [
    ['approve', (card) => ({ kind: 'approve', card }), 0],
    ['cancel', (card) => ({ kind: 'cancel', card }), 0],
    ['approve of an expired card', (card) => ({ kind: 'approve', card }), 300_000],
    ['cancel of an expired card', (card) => ({ kind: 'cancel', card }), 300_000],
    ['forget', () => forget, 0],
    ['withdraw', () => ({ kind: 'withdraw_proposal', messageId: 'turn-propose-cause-A', method: 'unsend' }), 0],
  ];
  test.each(commands)('%s', async (_, make, wait) => {
    const ledger = memoryLedger();
    const card = await offered(ledger, A);
    const command = make(card);
    await execute(ledger, request('first', command, BEGINNING + wait), listening().effects);
    const again = await execute(ledger, request('again', command, BEGINNING + wait + 1), listening().effects);
    expect(again).toMatchObject({ kind: 'decided', appended: null });
  });

  test('propose of what came into force', async () => {
    const ledger = memoryLedger();
    const card = await offered(ledger, A);
    await execute(ledger, request('press', { kind: 'approve', card }), listening().effects);
    await offered(ledger, B);
    const first = await execute(ledger, request('say', propose(A)), listening().effects);
    expect(first).toMatchObject({
      outcome: { outcome: 'already_effective' },
      appended: { event: { type: 'preference.cancelled' } },
    });
    const again = await execute(ledger, request('say-again', propose(A)), listening().effects);
    expect(again).toMatchObject({ outcome: { outcome: 'already_effective' }, appended: null });
  });

  test('but propose of an open card makes the card anew, one open at a time, the revision as it was', async () => {
    const ledger = memoryLedger();
    await offered(ledger, A);
    const again = await execute(ledger, request('again', propose(A)), listening().effects);
    expect(again).toMatchObject({ state: { open: { proposalId: issued(A, 2).proposalId }, present: { revision: 0 } } });
  });
});

test('the state in the head is the fold of the events, whatever was asked', async () => {
  const ledger = memoryLedger();
  const card = await offered(ledger, A);
  await execute(ledger, request('1', { kind: 'approve', card }), listening().effects);
  await offered(ledger, B);
  await execute(ledger, request('2', { kind: 'cancel', card }), listening().effects);
  await execute(ledger, request('3', forget), listening().effects);
  await execute(ledger, request('4', { kind: 'approve', card }), listening().effects);
  const folded = ledger
    .kept()
    .commits.flatMap(({ events }) => events)
    .reduce((state, { event, hash }) => evolve(state, event, hash), initialState);
  expect((await ledger.head(LEDGER.ledgerId)).state).toBe(encodeState(folded));
});
