/**
 * The auditor's command line over a real SQLite file, also one that somebody tampered with behind the program's back.
 * @module
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLedgerArguments } from '../../../src/adapters/audit/arguments.ts';
import { runLedgerCommand } from '../../../src/adapters/audit/ledger-command.ts';
import type { SqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { BEGINNING, personLedger, personOn } from '../../support/ledger-world.ts';
import { newFolder, openIn } from '../sqlite/store-files.ts';

let folder: string;
let store: SqliteStore;
let now = BEGINNING;
beforeEach(async () => {
  now = BEGINNING;
  folder = newFolder();
  store = await openIn(folder);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Runs a command line; the last word is replaced by the person's ledger. */
async function run(words: string): Promise<{ code: number; out: unknown; said: string[] }> {
  const asked = readLedgerArguments(words.replace('$A', personLedger('a').ledgerId).split(' '));
  if (!asked.ok) throw new Error(asked.message);
  let out: unknown = null;
  const said: string[] = [];
  const code = await runLedgerCommand(asked.arguments, {
    reader: store.ledger,
    subjectOf: () => personLedger('a').subjectKey,
    ledgerOf: () => personLedger('a'),
    clock: () => now,
    out: (json) => {
      out = json;
    },
    say: (line) => said.push(line),
  });
  return { code, out, said };
}

/** Saves, corrects (an hour later), presents the old card, forgets (a day later): 7 events, revision 3. */
async function live(name = 'a'): Promise<void> {
  const person = personOn(store.ledger, name, () => now);
  const first = await person.remember('w1', 'vegetarian');
  now += 3_600_000;
  await person.remember('w2', 'ovo_lacto');
  await person.approve(first);
  now += 86_400_000;
  await person.propose('w3', 'vegan');
  await person.forget();
}

describe('on a ledger that is as it should be', () => {
  beforeEach(() => live());

  it('history gives the events as CloudEvents with their hashes, refusals included', async () => {
    const { code, out } = await run('history --ledger $A');
    expect(code).toBe(0);
    expect(out).toMatchObject({
      ledgers: [
        {
          purpose: 'diet_for_place_search',
          position: 7,
          revision: 3,
          events: [
            { specversion: '1.0', type: 'preference.proposed', position: 1 },
            { type: 'preference.approved' },
            { type: 'preference.proposed' },
            { type: 'preference.corrected' },
            { type: 'card.refused', data: { reason: 'corrected', headRevision: 2 } },
            { type: 'preference.proposed' },
            { type: 'preference.forgotten', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
          ],
        },
      ],
    });
  });

  const replays: readonly (readonly [string, object])[] = [
    ['--through-position 0', { position: 0, revision: 0, state: 'none', proposalOpen: false }],
    ['--through-position 1', { position: 1, revision: 0, state: 'none', proposalOpen: true }],
    ['--through-revision 1', { position: 2, revision: 1, state: 'erased', erased: { by: 'corrected' } }],
    ['--through-revision 2', { position: 4, revision: 2, state: 'erased', erased: { by: 'forgotten' } }],
    ['--through-revision 3', { position: 7, revision: 3, state: 'none' }],
    [`--at ${new Date(BEGINNING + 1_000).toISOString()}`, { position: 2, revision: 1, state: 'erased' }],
    ['', { position: 7, revision: 3, state: 'none', proposalOpen: false }],
  ];
  it.each(replays)('replay %s', async (bound, expected) => {
    const { code, out } = await run(`replay --ledger $A ${bound}`.trim());
    expect(code).toBe(0);
    expect(out).toMatchObject(expected);
    expect(out).not.toHaveProperty('value');
  });

  it('tells the consent a value rested on, with the notice that was shown', async () => {
    const { out } = await run('replay --ledger $A --through-revision 1');
    expect(out).toMatchObject({ consent: { noticeVersion: 'diet_for_place_search/1' } });
  });

  it('a revision or position beyond the end is nothing to judge', async () => {
    expect((await run('replay --ledger $A --through-revision 4')).code).toBe(3);
    expect((await run('replay --ledger $A --through-position 8')).code).toBe(3);
  });

  it('inspect and replay tell the value only while it is in force', async () => {
    expect((await run('inspect --ledger $A')).out).toEqual({
      purpose: 'diet_for_place_search',
      revision: 3,
      state: 'none',
      open: false,
    });
    await personOn(store.ledger, 'a', () => now).remember('w4', 'lacto');
    expect((await run('inspect --ledger $A')).out).toMatchObject({ revision: 4, state: 'in_force', value: 'lacto' });
    expect((await run('replay --ledger $A')).out).toMatchObject({ state: 'in_force', value: 'lacto' });
    expect((await run('replay --ledger $A --through-revision 2')).out).not.toHaveProperty('value');
  });

  it('verify says good, also after forgetting', async () => {
    expect(await run('verify --all')).toMatchObject({
      code: 0,
      out: { ok: true, ledgers: 1, events: 7, problems: [] },
    });
  });
});

describe('where there is nothing to judge', () => {
  const commands = [
    'history --ledger $A',
    'replay --ledger $A',
    'inspect --ledger $A',
    'verify --ledger $A',
    'verify --all',
    'history --all',
  ];
  it.each(commands)('%s exits 3, never 0', async (words) => {
    const { code, out } = await run(words);
    expect(code).toBe(3);
    if (words.startsWith('verify')) expect(out).toMatchObject({ ok: false });
  });
});

describe('verify on a file that was tampered with', () => {
  const forge = `UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), 'message', 'button ') AS BLOB) WHERE position = 3 AND ledger = 1`;
  const tampers: readonly (readonly [string, string, number, string])[] = [
    ['a changed byte', forge, 3, 'hash_differs'],
    ['a dropped event', 'DELETE FROM events WHERE position = 4 AND ledger = 1', 4, 'position_differs'],
    [
      'two swapped events',
      `UPDATE events SET position = CASE position WHEN 2 THEN 1003 WHEN 3 THEN 1002 END WHERE position IN (2, 3) AND ledger = 1;
       UPDATE events SET position = position - 1000 WHERE position > 1000`,
      2,
      'position_differs',
    ],
    ['a tail cut off while the head row stands', 'DELETE FROM events WHERE position = 7 AND ledger = 1', 7, 'cut_off'],
    ['everything cut off while the head row stands', 'DELETE FROM events WHERE ledger = 1', 1, 'cut_off'],
    ['a head moved back', 'UPDATE ledgers SET position = 6 WHERE id = 1', 7, 'head_behind_events'],
    [
      'a head with another state',
      `UPDATE ledgers SET state = replace(state, '"revision":3', '"revision":2') WHERE id = 1`,
      7,
      'head_state_differs',
    ],
  ];
  it.each(tampers)('%s: exit 1 with the first bad position', async (_title, sql, position, cause) => {
    await live('a');
    await live('b');
    await store.close();
    const db = new DatabaseSync(join(folder, 'ledger.sqlite'));
    for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
      db.exec(`DROP TRIGGER ${String(name)}`);
    const { key: ledgerId } = db.prepare('SELECT key FROM ledgers WHERE id = 1').get() as {
      key: string;
    };
    db.exec(sql);
    db.close();
    store = await openIn(folder, { readOnly: true });
    const { code, out } = await run('verify --all');
    expect(code).toBe(1);
    expect(out).toEqual({
      ok: false,
      ledgers: 2,
      events: expect.any(Number),
      problems: [{ ledgerId, position, cause }],
    });
  });
});
