import { v5 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/commands/decide.ts';
import { type Effects, execute } from '../../src/commands/execute.ts';
import type { CanonicalValue } from '../../src/events/canonical.ts';
import { commit } from '../../src/events/commitment.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { memoryLedger } from '../support/memory-ledger.ts';
import { BEGINNING, LEDGER, type Offer, offer, propose } from '../support/scenario.ts';

const values = DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value);
const NAMES = 'c1f7a7f0-7f0a-5c5e-8f3e-2a1f4ad8b002';
const effects: Effects = { pause: async () => {}, alarm: (fault) => expect.fail(fault) };

/** All bytes a ledger still holds after one value was agreed to, one corrected to and all forgotten. */
async function remainsOf(first: Offer, second: Offer): Promise<{ texts: string[]; contents: number }> {
  const ledger = memoryLedger();
  let step = 0;
  const run = async (command: Command) => {
    step += 1;
    const execution = await execute(
      ledger,
      {
        ledger: LEDGER,
        command,
        provenance: {
          eventId: v5(`step ${step}`, NAMES),
          actor: LEDGER.subjectKey,
          actorRole: 'subject',
          causationId: 'causationId' in command ? command.causationId : `press-${step}`,
          correlationId: `turn-${step}`,
        },
        clock: BEGINNING + step,
        onceKey: `delivery-${step}`,
      },
      effects,
    );
    if (execution.kind !== 'decided') throw new Error(execution.kind);
    return execution.state;
  };
  for (const by of [first, second]) {
    const { open } = await run(propose(by));
    if (open === null) throw new Error('No card');
    const { proposalId, operation, baseRevision, expiresAt, eventHash } = open;
    const { value, blindingKey } = by;
    const card = { proposalId, operation, value, baseRevision, expiresAt, blindingKey };
    await run({ kind: 'approve', card: { ...card, eventHashPrefix: eventHash.slice(0, 16) } });
  }
  await run({ kind: 'forget', method: 'fixed_entry', erasureScope: 'purpose' });
  const { ledgers, once } = ledger.kept();
  const row = ledgers.get(LEDGER.ledgerId);
  if (row === undefined) throw new Error('No ledger');
  return {
    texts: [
      JSON.stringify(row.ref),
      row.state,
      ...row.events.map(({ stored }) => Buffer.from(stored.bytes).toString('utf8')),
      ...row.events.map(({ stored }) => JSON.stringify(stored.hash)),
      ...[...once.values()].map((each) => JSON.stringify(each)),
    ],
    contents: row.content === null ? 0 : 1,
  };
}

/** The member names of a JSON text, with their places; values left out. */
function shapeOf(text: string): unknown {
  const shape = (value: CanonicalValue): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]))
      : typeof value;
  return shape(JSON.parse(text) as CanonicalValue);
}

const pair = (first: string, second: string): [Offer, Offer] => [offer('first', first), offer('second', second)];
const pairs = values.flatMap((first) =>
  values.filter((second) => second !== first).map((second) => [first, second] as const),
);

describe('what remains after a forget', () => {
  test.each(pairs)(
    'of %s, then %s: the same rows, members and byte lengths as of any others',
    async (first, second) => {
      const { texts, contents } = await remainsOf(...pair(first, second));
      const other = await remainsOf(...pair('vegetarian', 'vegan'));
      expect(contents).toBe(0);
      expect(texts.map((text) => Buffer.byteLength(text))).toStrictEqual(
        other.texts.map((text) => Buffer.byteLength(text)),
      );
      expect(texts.map(shapeOf)).toStrictEqual(other.texts.map(shapeOf));
    },
  );

  test.each(pairs)('of %s, then %s: no value and no blinding key', async (first, second) => {
    const offers = pair(first, second);
    const { texts } = await remainsOf(...offers);
    const all = texts.join('\n');
    for (const value of values) expect(all).not.toMatch(new RegExp(`"${value}"`));
    for (const { blindingKey } of offers)
      for (const encoding of ['base64url', 'base64', 'hex'] as const)
        expect(all).not.toContain(Buffer.from(blindingKey).toString(encoding));
  });

  test('trying all values tells nothing without the erased key: every one of them could be the one', async () => {
    const [first, second] = pair('vegetarian', 'vegan');
    const { texts } = await remainsOf(first, second);
    const guesses = [
      Buffer.alloc(32),
      Buffer.from(first.proposalId.padEnd(32).slice(0, 32)),
      Buffer.from(LEDGER.subjectKey.slice(0, 32)),
    ];
    for (const key of guesses)
      for (const value of values)
        expect(texts.join('\n')).not.toContain(
          commit(key, { ledgerId: LEDGER.ledgerId, purpose: LEDGER.purpose, value }),
        );
  });
});
