/**
 * Goal: whoever can write the store's file and knows its format changes nothing that a checkpoint covers without console
 * and API saying so, even where what is left fits together.
 * Method: a real SQLite file with signed checkpoints, laid hands on through a connection of its own.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCheckpointer } from '../../../src/adapters/audit/checkpointer.ts';
import { verifierKey } from '../../../src/adapters/audit/checkpoint-note.ts';
import { verifyLedger } from '../../../src/adapters/audit/reading.ts';
import type { SqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { canonicalBytes } from '../../../src/events/canonical.ts';
import { genesisHash, sha256Hex } from '../../../src/events/chain.ts';
import type { RecordedEvent } from '../../../src/events/envelope.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../src/events/purposes.ts';
import { encodeState, evolve, initialState } from '../../../src/projections/preference-state.ts';
import { personOn } from '../../support/ledger-world.ts';
import { ORIGIN, signingKey } from '../../support/witnessed-ledgers.ts';
import { newFolder, openIn } from '../sqlite/store-files.ts';
import { type Audited, startAudited } from './audited.ts';

let folder: string;
let store: SqliteStore;
let db: DatabaseSync;
let audited: Audited;
let id: Audited['people']['keeping']['ref']['ledgerId'];
beforeEach(async () => {
  folder = newFolder();
  store = await openIn(folder);
  audited = await startAudited({
    ledger: store.ledger,
    checkpoints: store.checkpointLog,
    checkpointKeys: [verifierKey(ORIGIN, signingKey('first'))],
  });
  id = audited.people.keeping.ref.ledgerId;
  const { notices } = DIET_FOR_PLACE_SEARCH;
  const signed = await createCheckpointer({
    log: store.checkpointLog,
    origin: ORIGIN,
    signer: signingKey('first'),
    retiring: null,
    notices,
    holder: 'writer',
  }).run(audited.clock.now);
  expect(signed).toMatchObject({ outcome: 'signed', heads: 3 });
  db = new DatabaseSync(join(folder, 'ledger.sqlite'));
  db.exec('PRAGMA foreign_keys = OFF');
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
    db.exec(`DROP TRIGGER "${String(name)}"`);
});
afterEach(async () => {
  db.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Drops one event; positions, links, hashes and the head are made to fit again. */
function rewriteWithout(dropped: number): void {
  const ledger = Number(db.prepare('SELECT id FROM ledgers WHERE key = ?').get(id)?.['id']);
  const rows = db.prepare('SELECT bytes FROM events WHERE ledger = ? ORDER BY position').all(ledger);
  db.prepare('DELETE FROM events WHERE ledger = ?').run(ledger);
  let [state, position, previous, time] = [initialState, 0, genesisHash(id), ''];
  for (const [index, { bytes }] of rows.entries()) {
    if (index === dropped - 1) continue;
    const old = JSON.parse(Buffer.from(bytes as Uint8Array).toString()) as RecordedEvent;
    position += 1;
    const event = { ...old, position, previoushash: previous } as RecordedEvent;
    const made = canonicalBytes(event);
    previous = sha256Hex(made);
    time = event.time;
    state = evolve(state, event, previous);
    const hash = Buffer.from(previous, 'hex');
    db.prepare('INSERT INTO events (ledger, position, hash, bytes) VALUES (?, ?, ?, ?)').run(
      ledger,
      position,
      hash,
      made,
    );
  }
  db.prepare('UPDATE ledgers SET position = ?, hash = ?, time = ?, state = ? WHERE id = ?').run(
    position,
    Buffer.from(previous, 'hex'),
    time,
    encodeState(state),
    ledger,
  );
}

const page = async (path: string): Promise<string> => (await audited.as('integrity', path)).text();
async function answer(path: string): Promise<unknown> {
  return (await audited.as('integrity', `/audit/api/ledgers/${path}`)).json();
}

test('untouched: everything fits, and what is newer than the checkpoint does not change that', async () => {
  await personOn(store.ledger, 'late', () => audited.clock.now).remember('cause', 'vegan');
  expect(await page('/audit')).not.toContain('帳本和簽過的檢查點不一樣');
  expect(await page('/audit/verify')).toContain('全部符合');
  expect(await page(`/audit/ledgers/${id}/verify`)).toContain('全部符合');
  const shown = await page(`/audit/ledgers/${id}`);
  expect(shown).toContain('涵蓋到位置 7');
  // Only what compares with the signed checkpoint proves anything elsewhere.
  expect(shown).toContain(`npm run ledger -- export --ledger ${id} --out bundle`);
  expect(shown).toContain('node verify/verify-bundle.mjs bundle --key key.txt');
  expect(await answer(`${id}/verify`)).toMatchObject({ ok: true, problem: null });
});

describe('a history rewritten so that it fits together', () => {
  test.each([4, 7])('without the event at %i: console and API say what differs', async (dropped) => {
    rewriteWithout(dropped);
    expect(await verifyLedger(store.ledger, audited.people.keeping.ref)).toStrictEqual({ events: 6, problem: null });
    const verified = await page(`/audit/ledgers/${id}/verify`);
    expect(verified).toContain('有不符合的地方');
    expect(verified).toContain('<td class="number">7</td><td><code>cut_off</code></td>');
    expect(await answer(`${id}/verify`)).toMatchObject({ ok: false, problem: { position: 7, cause: 'cut_off' } });
    expect(await answer(id)).toMatchObject({
      checkpoint: { state: 'differs', cause: 'cut_off', witnessedPosition: 7 },
    });
    expect(await page('/audit/verify')).toContain('<code>cut_off</code>');
    const overview = await page('/audit');
    expect(overview).toContain('帳本和簽過的檢查點不一樣');
    expect(overview).toContain('有不符合的地方');
    const shown = await page(`/audit/ledgers/${id}?position=2`);
    expect(shown).toContain('<span class="bad"><b>這本帳本有不符合的地方');
    expect(shown).not.toContain('涵蓋到位置');
  });

  test('and gone on with, so that it is long enough: the hash differs', async () => {
    rewriteWithout(4);
    await personOn(store.ledger, 'keeping', () => audited.clock.now).propose('more', 'vegan');
    expect((await verifyLedger(store.ledger, audited.people.keeping.ref)).problem).toBeNull();
    const problem = { position: 7, cause: 'witnessed_hash_differs' };
    expect(await answer(`${id}/verify`)).toMatchObject({ ok: false, problem });
    expect(await answer(id)).toMatchObject({ checkpoint: { state: 'differs', cause: 'witnessed_hash_differs' } });
    expect(await page(`/audit/ledgers/${id}/verify`)).toContain('<code>witnessed_hash_differs</code>');
    expect(await page(`/audit/ledgers/${id}?position=7`)).not.toContain('涵蓋到位置');
    expect(await page('/audit')).toContain('帳本和簽過的檢查點不一樣');
  });
});

test('an event changed in place is covered by nothing, even where the newest one still has its hash', async () => {
  db.exec(`UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), '"a2"', '"a9"') AS BLOB) WHERE position = 3
    AND ledger = (SELECT id FROM ledgers WHERE key = '${id}')`);
  const shown = await page(`/audit/ledgers/${id}?position=2`);
  expect(shown).toContain('<span class="bad"><b>這本帳本有不符合的地方');
  expect(shown).not.toContain('涵蓋到位置');
});

test('a ledger that is gone as a whole is told by the overview, by verifying all, and at its own address', async () => {
  db.exec(`DELETE FROM events WHERE ledger = (SELECT id FROM ledgers WHERE key = '${id}');
    DELETE FROM contents WHERE ledger = (SELECT id FROM ledgers WHERE key = '${id}');
    DELETE FROM ledgers WHERE key = '${id}'`);
  const overview = await page('/audit');
  expect(overview).toContain('帳本和簽過的檢查點不一樣');
  const verified = await page('/audit/verify');
  expect(verified).toContain('有不符合的地方');
  expect(verified).toContain(`/audit/ledgers/${id}`);
  expect(verified).toContain('<td class="number">1</td><td><code>cut_off</code></td>');
  for (const path of [`/audit/ledgers/${id}`, `/audit/ledgers/${id}/verify`, `/audit/ledgers/${id}/history.ndjson`]) {
    const response = await audited.as('integrity', path);
    expect([response.status, (await response.text()).includes('這本帳本不見了')]).toStrictEqual([410, true]);
  }
  for (const path of [id, `${id}/verify`, `${id}/history`, `${id}/replay`])
    expect(await answer(path)).toMatchObject({ status: 410, code: 'ledger_gone' });
});
