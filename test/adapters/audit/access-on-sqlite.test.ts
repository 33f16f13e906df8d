/**
 * Goal: on the embedded store looks are as durable as decisions, and the command line verifies both kinds of ledger.
 * Method: a real SQLite file; looks of many readers at once; another opening of the file judges.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLedgerCommand } from '../../../src/adapters/audit/ledger-command.ts';
import { openSqliteStore, type SqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { BEGINNING, personLedger } from '../../support/ledger-world.ts';
import { startAudited } from './audited.ts';

let folder = '';
let store: SqliteStore;
const open = (): Promise<SqliteStore> =>
  openSqliteStore({
    path: join(folder, 'ledger.sqlite'),
    subjectKeyFingerprint: 'f'.repeat(43),
    clock: () => BEGINNING,
    random: Math.random,
    readOnly: false,
  });
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  store = await open();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command of the auditor's command line. */
async function command(name: 'verify' | 'history'): Promise<{ code: number; out: unknown }> {
  const out: unknown[] = [];
  const code = await runLedgerCommand(
    { command: name, target: { by: 'all' }, purpose: null, bound: { kind: 'all' }, json: true },
    {
      reader: store.ledger,
      subjectOf: () => personLedger('nobody').subjectKey,
      ledgerOf: () => personLedger('nobody'),
      clock: () => BEGINNING,
      out: (json) => out.push(json),
      say: () => undefined,
    },
  );
  return { code, out: out[0] };
}

test('twelve looks at once at one ledger are all there after the file is opened again, and verify', async () => {
  const audited = await startAudited({ ledger: store.ledger });
  const id = audited.people.keeping.ref.ledgerId;
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      audited.as(index % 2 === 0 ? 'integrity' : 'content', `/audit/api/ledgers/${id}`),
    ),
  );
  const shown = answers.filter(({ status }) => status === 200).length;
  // Whoever lost too many races was shown nothing.
  expect(answers.filter(({ status }) => status === 503).length).toBe(12 - shown);
  expect(shown).toBeGreaterThanOrEqual(6);
  await store.close();
  store = await open();
  const { code, out } = await command('verify');
  expect([code, out]).toMatchObject([0, { ok: true, ledgers: 4, problems: [] }]);
  const history = (await command('history')).out as { ledgers: { purpose: string; position: number }[] };
  expect(history.ledgers.find(({ purpose }) => purpose === 'access_by_auditors')?.position).toBe(shown);
});
