/** Model calls of a day: whose, which day, and that rules are free. */
import { describe, expect, it } from 'vitest';
import { createModelAllowance, taipeiDay } from '../../../src/adapters/assistant/model-allowance.ts';
import type { Person } from '../../../src/commands/turns.ts';

describe('the allowance of a day', () => {
  const days: readonly (readonly [string, string])[] = [
    ['2026-11-30T15:59:59.999Z', '2026-11-30'],
    ['2026-11-30T16:00:00.000Z', '2026-12-01'],
    ['2026-12-31T16:00:00.000Z', '2027-01-01'],
  ];
  it.each(days)('%s is %s in Taipei', (time, day) => {
    expect(taipeiDay(Date.parse(time))).toBe(day);
  });

  it('is asked for by person, day and limit; rules ask for none', async () => {
    const asked: unknown[][] = [];
    const budget = {
      take: async (...call: unknown[]) => {
        asked.push(call);
        return asked.length > 1 ? ('exhausted' as const) : ('taken' as const);
      },
      purge: async () => 0,
    };
    const allowance = createModelAllowance(budget, 7, () => Date.parse('2026-11-30T01:00:00Z'));
    const person = { subjectKey: 'A' } as unknown as Person;
    expect(await allowance.take(person, 'rules')).toBe(true);
    expect(await allowance.take(person, 'gemini')).toBe(true);
    expect(await allowance.take(person, 'gemini')).toBe(false);
    expect(asked).toEqual([
      ['A', '2026-11-30', 7],
      ['A', '2026-11-30', 7],
    ]);
  });
});
