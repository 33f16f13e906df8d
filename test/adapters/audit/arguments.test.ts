/**
 * The words of `npm run ledger -- …`.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { readLedgerArguments } from '../../../src/adapters/audit/arguments.ts';

const user = `U${'0a'.repeat(16)}`;
const digest = 'A'.repeat(43);

describe('what is understood', () => {
  const rows: readonly (readonly [string, object])[] = [
    [
      `history --user ${user}`,
      { command: 'history', target: { by: 'user', userId: user }, bound: { kind: 'all' }, json: false },
    ],
    [`replay --subject ${digest} --through-revision 2`, { bound: { kind: 'through_revision', revision: 2 } }],
    [
      `replay --ledger ${digest} --through-position 0 --json`,
      { bound: { kind: 'through_position', position: 0 }, json: true },
    ],
    [
      `replay --ledger ${digest} --at 2026-11-30T12:00:00+08:00`,
      { bound: { kind: 'at', at: Date.parse('2026-11-30T04:00:00Z') } },
    ],
    ['verify --all', { command: 'verify', target: { by: 'all' } }],
    [`inspect --user ${user} --purpose diet_for_place_search`, { purpose: 'diet_for_place_search' }],
  ];
  it.each(rows)('%s', (words, expected) => {
    expect(readLedgerArguments(words.split(' '))).toMatchObject({ ok: true, arguments: expected });
  });
});

describe('wrong use', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['no command', ''],
    ['an unknown command', `erase --user ${user}`],
    ['no target', 'verify'],
    ['two targets', `verify --all --user ${user}`],
    ['an option nobody knows', `verify --all --force`],
    ['a user id that is none', 'inspect --user someone'],
    ['a subject that is none', 'inspect --subject short'],
    ['two bounds', `replay --user ${user} --through-revision 1 --through-position 1`],
    ['a bound on verify', 'verify --all --through-revision 1'],
    ['a time without offset', `replay --user ${user} --at 2026-11-30T12:00:00`],
    ['a date only', `replay --user ${user} --at 2026-11-30`],
    ['a revision that is no number', `replay --user ${user} --through-revision one`],
    ['a negative position', `replay --user ${user} --through-position=-1`],
    ['inspecting everybody', 'inspect --all'],
  ];
  it.each(rows)('%s', (_title, words) => {
    expect(readLedgerArguments(words === '' ? [] : words.split(' ')).ok).toBe(false);
  });
});

it('a day that does not exist is wrong use, not some other day', () => {
  const words = ['replay', '--user', user, '--at', '2026-02-30T12:00:00Z'];
  expect(readLedgerArguments(words).ok).toBe(false);
});
