import { v5 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../src/commands/card.ts';
import type { Command } from '../../src/commands/decide.ts';
import { CLOCK_AHEAD_MAX_MS, execute } from '../../src/commands/execute.ts';
import type { RecordedEvent } from '../../src/events/envelope.ts';
import { decodeContent, opens } from '../../src/events/commitment.ts';
import { type Ledger, StoreUnavailable } from '../../src/events/ports.ts';
import { decodeState, encodeState, evolve, initialState } from '../../src/projections/preference-state.ts';
import { type Fault, memoryLedger } from '../support/memory-ledger.ts';
import { BEGINNING, issued, LEDGER, offer, propose } from '../support/scenario.ts';
import { faulty, forget, listening, offered, outcomeOf, request, typesIn } from './requests.ts';

const A = offer('A', 'vegan');
const B = offer('B', 'lacto');
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
      { ...press, provenance: { ...press.provenance, eventId: v5('another', v5.URL) } },
      listening().effects,
    );
    expect(again).toMatchObject({ kind: 'duplicate', once: { outcome: '{"outcome":"memory_saved","revision":1}' } });
    expect(await typesIn(ledger)).toHaveLength(2);
  });

  test('words taken back before the commit: the store is asked with it, nothing is written, and the outcome says so', async () => {
    const ledger = memoryLedger();
    const asked: unknown[] = [];
    const emptied: Ledger = {
      ...ledger,
      async commit({ whileHeld }) {
        asked.push(whileHeld);
        return { status: 'taken_back' };
      },
    };
    const wish = { ...request('wish', propose(A)), whileHeld: 'delivery-1' };
    expect(await execute(emptied, wish, listening().effects)).toStrictEqual({
      kind: 'decided',
      outcome: { outcome: 'message_taken_back', revision: 0 },
      state: initialState,
      position: 0,
      appended: null,
    });
    expect(asked).toStrictEqual(['delivery-1']);
    await execute(ledger, request('other', propose(B)), listening().effects);
    expect(ledger.kept().commits[0]).not.toHaveProperty('whileHeld');
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
  ])('%s: one event at most, and the answer says what is known', async (_, faults, outcome) => {
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
    .reduce((state, { event, hash }) => evolve(state, event as RecordedEvent, hash), initialState);
  expect((await ledger.head(LEDGER.ledgerId)).state).toBe(encodeState(folded));
});
