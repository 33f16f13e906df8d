/**
 * Every ledger from SQLite to Firestore and back: byte for byte, twice without harm, and never over what differs.
 * @module
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccessLog } from '../../../src/adapters/audit/access-log.ts';
import { exportBundle } from '../../../src/adapters/audit/bundle-export.ts';
import { createCheckpointer } from '../../../src/adapters/audit/checkpointer.ts';
import { allLedgers, verifyLedger } from '../../../src/adapters/audit/reading.ts';
import { openBundle } from '../../../src/adapters/migration/bundle-reading.ts';
import { readImportArguments, runImport } from '../../../src/adapters/migration/import-command.ts';
import { importLedgers } from '../../../src/adapters/migration/import-ledgers.ts';
import type { CheckpointLog } from '../../../src/events/checkpoint-ports.ts';
import {
  accessLedger,
  type LedgerRef,
  preferenceLedger,
  readerDayLedger,
  type TenantId,
} from '../../../src/events/identity.ts';
import type { Ledger } from '../../../src/events/ports.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../src/events/purposes.ts';
import { BEGINNING, personLedger, personOn, SUBJECT_KEY } from '../../support/ledger-world.ts';
import { type MemoryLedger, memoryLedger } from '../../support/memory-ledger.ts';
import { memoryCheckpointLog } from '../../support/memory-checkpoint-log.ts';
import { onEmulator } from '../../support/on-emulator.ts';
import { ORIGIN, signingKey } from '../../support/witnessed-ledgers.ts';
import { newProject, openClient } from '../firestore/emulated-store.ts';
import { newFolder, openIn } from '../sqlite/store-files.ts';

const TENANT = 'tenant-a' as TenantId;
const isOurs = ({ kind, subjectKey, purpose, ledgerId }: LedgerRef): boolean =>
  kind === 'access' || preferenceLedger(SUBJECT_KEY, TENANT, subjectKey, purpose).ledgerId === ledgerId;

type Store = { readonly ledger: Ledger; readonly checkpointLog: CheckpointLog };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-migration-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** People in every state a ledger can be in. */
async function live(ledger: Ledger): Promise<void> {
  await personOn(ledger, 'A').remember('cause-1', 'vegan');
  const corrected = personOn(ledger, 'B');
  await corrected.remember('cause-1', 'vegan');
  await corrected.remember('cause-2', 'lacto');
  const older = await corrected.propose('cause-3', 'ovo_lacto');
  await corrected.cancel(older);
  const forgotten = personOn(ledger, 'C');
  const card = await forgotten.remember('cause-1', 'vegan');
  await forgotten.forget();
  await forgotten.approve(card);
  await personOn(ledger, 'D').propose('cause-1', 'vegan');
  const looks = createAccessLog({
    store: ledger,
    ofLedger: (audited) => accessLedger(SUBJECT_KEY, audited),
    ofReader: (reader, day) => readerDayLedger(SUBJECT_KEY, TENANT, reader, day),
    clock: () => BEGINNING,
    newEventId: () => v7(),
    pause: () => Promise.resolve(),
  });
  const reader = { name: 'auditor', role: 'content' } as const;
  await looks.record({
    reader,
    channel: 'api',
    route: 'replay',
    ledger: personLedger('A'),
    bound: { kind: 'all' },
  });
}

/** Exports every ledger, values included. */
async function exported({ ledger, checkpointLog: log }: Store, name: string): Promise<string> {
  const signer = signingKey('first');
  const { notices } = DIET_FOR_PLACE_SEARCH;
  await createCheckpointer({ log, origin: ORIGIN, signer, retiring: null, notices, holder: name }).run(BEGINNING);
  const out = join(folder, name);
  const options = { reader: ledger, log, ledgers: allLedgers(ledger), out, now: BEGINNING, seen: null, notices };
  expect((await exportBundle({ ...options, scope: 'all', content: true })).outcome).toBe('written');
  return out;
}

async function imported(from: string, ledger: Ledger) {
  return importLedgers({ bundle: await openBundle(from, TENANT), ledger, isOurs });
}

/** All that a store holds of its ledgers. */
async function everything(ledger: Ledger) {
  const all = [];
  for await (const ref of allLedgers(ledger)) {
    const { head, content } = await ledger.headWithContent(ref.ledgerId);
    const events = await ledger.events(ref.ledgerId, 1, 1_000);
    expect(await verifyLedger(ledger, ref)).toMatchObject({ problem: null });
    all.push({
      ref,
      head,
      content: content === null ? null : { ...content, bytes: Buffer.from(content.bytes).toString('hex') },
      events: events.map(({ bytes, ...event }) => ({ ...event, bytes: Buffer.from(bytes).toString('hex') })),
    });
  }
  return all;
}

onEmulator('Between SQLite and Firestore', (host) => {
  it('every ledger arrives byte for byte, there and back again, and goes on where it was', async () => {
    const [one, three] = [newFolder(), newFolder()];
    const sqlite = await openIn(one);
    const firestore = await openClient(host(), newProject());
    const back = await openIn(three);
    try {
      await live(sqlite.ledger);
      const before = await everything(sqlite.ledger);
      const there = await imported(await exported(sqlite, 'from-sqlite'), firestore.ledger);
      expect(there).toEqual({ outcome: 'imported', imported: 5, events: 14, unchanged: 0, refused: [] });
      expect(await everything(firestore.ledger)).toEqual(before);
      const again = await imported(join(folder, 'from-sqlite'), firestore.ledger);
      expect(again).toEqual({ outcome: 'imported', imported: 0, events: 0, unchanged: 5, refused: [] });
      expect(await everything(firestore.ledger)).toEqual(before);
      expect(await imported(await exported(firestore, 'from-firestore'), back.ledger)).toMatchObject({ imported: 5 });
      expect(await everything(back.ledger)).toEqual(before);
      expect(readFileSync(join(folder, 'from-firestore', 'events.ndjson'))).toEqual(
        readFileSync(join(folder, 'from-sqlite', 'events.ndjson')),
      );
      const forgotten = await personOn(back.ledger, 'A').forget();
      expect(forgotten).toMatchObject({ kind: 'decided', outcome: { outcome: 'memory_forgotten' } });
    } finally {
      await Promise.all([sqlite.close(), firestore.close(), back.close()]);
      for (const each of [one, three]) rmSync(each, { recursive: true });
    }
  });

  it('a ledger of more events than one commit takes arrives whole', async () => {
    const from = memoryLedger();
    const person = personOn(from, 'A');
    for (let cause = 0; cause < 501; cause += 1) await person.propose(`cause-${cause}`, 'vegan');
    await person.remember('cause-last', 'vegan');
    const bundle = await exported({ ledger: from, checkpointLog: memoryCheckpointLog(from) }, 'long');
    const firestore = await openClient(host(), newProject());
    expect(await imported(bundle, firestore.ledger)).toMatchObject({ imported: 1, events: 503, refused: [] });
    expect(await everything(firestore.ledger)).toEqual(await everything(from));
    await firestore.close();
  });
});

describe('an import', () => {
  let from: MemoryLedger;
  let to: MemoryLedger;
  let bundle: string;
  beforeEach(async () => {
    [from, to] = [memoryLedger(), memoryLedger()];
    await live(from);
    bundle = await exported({ ledger: from, checkpointLog: memoryCheckpointLog(from) }, 'bundle');
  });

  it('refuses by name a ledger that differs, leaves it as it is, and imports the others', async () => {
    await personOn(to, 'B').remember('another-cause', 'vegan');
    const { ledgerId } = personLedger('B');
    const before = await to.events(ledgerId, 1, 1_000);
    expect(await imported(bundle, to)).toMatchObject({
      imported: 4,
      refused: [{ ledgerId, cause: 'history_differs' }],
    });
    expect(await to.events(ledgerId, 1, 1_000)).toEqual(before);
  });

  it.each([0, 1, 2])('goes on where it stopped, here after %i of two decisions', async (decisions) => {
    const values = ['vegan', 'lacto'].slice(0, decisions);
    // The same ids and keys as in the bundle: the beginning of what it holds.
    const person = personOn(to, 'B');
    for (const [index, value] of values.entries()) await person.remember(`cause-${index + 1}`, value);
    const rest = 14 - 2 * decisions;
    expect(await imported(bundle, to)).toMatchObject({ imported: 5, events: rest, refused: [] });
    expect(await everything(to)).toEqual(await everything(from));
  });

  it('leaves a ledger that went on since as it is', async () => {
    await imported(bundle, to);
    await personOn(to, 'A').forget();
    expect(await imported(bundle, to)).toMatchObject({ imported: 0, unchanged: 5, refused: [] });
    expect((await to.headWithContent(personLedger('A').ledgerId)).content).toBeNull();
  });

  it('refuses a ledger whose value is not the one of the bundle', async () => {
    await imported(bundle, to);
    const { ledgerId } = personLedger('A');
    const spoilt: Ledger = {
      ...to,
      headWithContent: async (id) => {
        const found = await to.headWithContent(id);
        return id === ledgerId ? { ...found, content: null } : found;
      },
    };
    expect(await imported(bundle, spoilt)).toMatchObject({ refused: [{ ledgerId, cause: 'content_differs' }] });
  });

  it('refuses ledgers of another deployment', async () => {
    const strange = await openBundle(bundle, 'tenant-b' as TenantId);
    const result = await importLedgers({
      bundle: strange,
      ledger: to,
      isOurs: ({ tenantId, subjectKey, purpose, ledgerId }) =>
        preferenceLedger(SUBJECT_KEY, tenantId, subjectKey, purpose).ledgerId === ledgerId,
    });
    expect(result).toMatchObject({ imported: 0, unchanged: 0 });
    expect(to.kept().ledgers.size).toBe(0);
  });

  it('that meets somebody who writes at the same time says so', async () => {
    const { ledgerId } = personLedger('D');
    const raced: Ledger = {
      ...to,
      async commit(commit) {
        if (commit.ledger.ledgerId === ledgerId) await personOn(to, 'D').propose('meanwhile', 'vegan');
        return to.commit(commit);
      },
    };
    expect(await imported(bundle, raced)).toMatchObject({ refused: [{ ledgerId, cause: 'moved_meanwhile' }] });
  });

  describe('at the command line', () => {
    async function run(where = bundle) {
      const told: unknown[] = [];
      const words: string[] = [];
      const code = await runImport(where, {
        ledger: to,
        tenantId: TENANT,
        isOurs,
        out: (json) => told.push(json),
        say: (line) => words.push(line),
      });
      return { code, told, words: words.join('\n') };
    }

    it('says what it did and ends with 0, with 1 where one was refused', async () => {
      expect(await run()).toMatchObject({ code: 0, told: [{ outcome: 'imported', imported: 5 }] });
      to = memoryLedger();
      await personOn(to, 'B').remember('another-cause', 'vegan');
      const { code, words } = await run();
      expect(code).toBe(1);
      expect(words).toContain(`${personLedger('B').ledgerId} was refused`);
    });

    const files: readonly (readonly [string, number, (text: string) => string, string])[] = [
      ['events.ndjson', 1, (text) => text.replace('"revision":1', '"revision":2'), 'file_differs'],
      ['content.ndjson', 1, (text) => text.slice(0, -20), 'file_differs'],
      ['manifest.json', 2, () => 'not a manifest', 'not_a_bundle'],
      ['manifest.json', 1, (text) => text.replace('"formatVersion":1', '"formatVersion":2'), 'newer_format'],
    ];
    it.each(files)('%s changed: %i, and nothing is written', async (name, expected, change, cause) => {
      const path = join(bundle, name);
      writeFileSync(path, change(readFileSync(path, 'utf8')));
      expect(await run()).toMatchObject({ code: expected, told: [{ outcome: 'refused', cause }] });
      expect(to.kept().ledgers.size).toBe(0);
    });

    it('a head that its events do not lead to: 1 with the place, and nothing is written', async () => {
      const path = join(bundle, 'manifest.json');
      const manifest = JSON.parse(readFileSync(path, 'utf8'));
      manifest.ledgers[0].hash = '0'.repeat(64);
      writeFileSync(path, JSON.stringify(manifest));
      expect(await run()).toMatchObject({
        code: 1,
        told: [{ outcome: 'problems', problems: [{ cause: 'head_hash_differs' }] }],
      });
      expect(to.kept().ledgers.size).toBe(0);
    });

    it('an export without values: 1, and how to make one with them', async () => {
      const path = join(bundle, 'manifest.json');
      writeFileSync(path, readFileSync(path, 'utf8').replace('"content":"in_force"', '"content":"none"'));
      const { code, words } = await run();
      expect(code).toBe(1);
      expect(words).toContain('Export again with --content');
      expect(to.kept().ledgers.size).toBe(0);
    });

    it.each([[[]], [['a', 'b']], [['--all']]])('%j is wrong use', (argv) => {
      expect(readImportArguments(argv)).toMatchObject({ ok: false });
    });
    it('takes a folder', () => {
      expect(readImportArguments(['a', '--json'])).toEqual({ ok: true, folder: 'a', json: true });
    });
  });
});
