import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readExportArguments, runExport } from '../../../src/adapters/audit/bundle-command.ts';
import { compareWithWitnessed, readWitnessed } from '../../../src/adapters/audit/checkpoint-verify.ts';
import { readVerifierKey } from '../../../src/adapters/audit/checkpoint-note.ts';
import { allLedgers } from '../../../src/adapters/audit/reading.ts';
import type { LedgerKind } from '../../../src/events/identity.ts';
import { personLedger, personOn } from '../../support/ledger-world.ts';
import { liveThrough, publicKeyText, type WitnessedWorld, witnessedWorld } from '../../support/witnessed-ledgers.ts';

describe('the words after export', () => {
  test.each([
    [['--out', 'there', '--all'], { out: 'there', content: false, seenFile: null, rest: ['--all'] }],
    [
      ['--user', 'U1', '--content', '--out=there', '--seen', 'old', '--json'],
      { out: 'there', content: true, seenFile: 'old', rest: ['--user', 'U1', '--json'] },
    ],
  ])('%j', (argv, read) => expect(readExportArguments(argv)).toStrictEqual({ ok: true, arguments: read }));
  test.each([[['--all']], [['--all', '--out']], [['--out', 'a', '--out', 'b']], [['--out', 'a', '--seen']]])(
    '%j is wrong',
    (argv) => expect(readExportArguments(argv)).toMatchObject({ ok: false }),
  );
});

describe('export', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'export-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function exported(world: WitnessedWorld, over: { seenFile?: string; out?: string } = {}) {
    const told: unknown[] = [];
    const words: string[] = [];
    const out = over.out ?? join(folder, 'bundle');
    const code = await runExport(
      { content: false, seenFile: null, rest: [], ...over, out },
      {
        reader: world.ledger,
        log: world.log,
        ledgers: allLedgers(world.ledger),
        isAll: true,
        clock: world.now,
        out: (json) => told.push(json),
        say: (said) => words.push(said),
      },
    );
    return { code, told: told[0], out, words: words.join(' ') };
  }

  test('written: 0; the same folder again: 2', async () => {
    const world = witnessedWorld();
    await personOn(world.ledger, 'A', world.now).remember('cause', 'vegan');
    await world.checkpoint();
    await personOn(world.ledger, 'A', world.now).forget();
    const { code, told, out } = await exported(world);
    expect(code).toBe(0);
    expect(told).toMatchObject({ outcome: 'written', ledgers: 1, events: 3, notYetWitnessed: 1, bundle: out });
    expect(readdirSync(out)).toHaveLength(4);
    expect(await exported(world)).toMatchObject({ code: 2, told: { outcome: 'folder_exists' } });
    expect(readdirSync(out)).toHaveLength(4);
  });
  test('no ledger, or no checkpoint yet: 3, and no folder', async () => {
    const world = witnessedWorld();
    expect(await exported(world)).toMatchObject({ code: 3, told: { outcome: 'no_ledgers' } });
    await personOn(world.ledger, 'A', world.now).remember('cause', 'vegan');
    const { code, out } = await exported(world);
    expect(code).toBe(3);
    expect(existsSync(out)).toBe(false);
  });
  test('a seen checkpoint this log never had: 1; one that cannot be read: 2', async () => {
    const world = witnessedWorld();
    await personOn(world.ledger, 'A', world.now).remember('cause', 'vegan');
    await world.checkpoint();
    const seenFile = join(folder, 'seen');
    writeFileSync(seenFile, world.log.kept.checkpoints[0]?.note.replace(/\n4\n/, '\n3\n') ?? '');
    expect(await exported(world, { seenFile })).toMatchObject({ code: 1, told: { outcome: 'seen_not_of_this_log' } });
    expect(await exported(world, { seenFile: join(folder, 'nowhere') })).toMatchObject({ code: 2 });
  });
  test('an event that is not even JSON: 1, where it stands, and no folder', async () => {
    const world = witnessedWorld();
    await personOn(world.ledger, 'A', world.now).remember('cause', 'vegan');
    await world.checkpoint();
    const row = world.ledger.kept().ledgers.get(personLedger('A').ledgerId);
    const [, second] = row?.events ?? [];
    if (second === undefined) throw new Error('Two events');
    second.stored.bytes.fill(0);
    const { code, told, out } = await exported(world);
    expect(code).toBe(1);
    expect(told).toMatchObject({ outcome: 'unreadable_event', position: 2, cause: 'not_json' });
    expect(existsSync(out)).toBe(false);
  });
  test.each([
    ['access', { outcome: 'unreadable_event', position: 1, cause: 'not_an_event' }, /position 1 .*not_an_event/],
    ['request', { outcome: 'unknown_kind', kind: 'request' }, /no ledger of kind request/],
    ['foo', { outcome: 'unknown_kind', kind: 'foo' }, /no ledger of kind foo/],
  ])('a preference ledger that the store calls %s: 1, in words, and no folder', async (kind, outcome, said) => {
    const world = witnessedWorld();
    await personOn(world.ledger, 'A', world.now).remember('cause', 'vegan');
    await world.checkpoint();
    const row = world.ledger.kept().ledgers.get(personLedger('A').ledgerId);
    if (row === undefined) throw new Error('A ledger');
    row.ref = { ...row.ref, kind: kind as LedgerKind };
    const { code, told, out, words } = await exported(world);
    expect(code).toBe(1);
    expect(told).toMatchObject({ ...outcome, ledgerId: row.ref.ledgerId });
    expect(words).toMatch(said);
    expect(existsSync(out)).toBe(false);
  });
  test('a folder whose parent is not there: 2, in words', async () => {
    const world = witnessedWorld();
    await personOn(world.ledger, 'A', world.now).remember('cause', 'vegan');
    await world.checkpoint();
    const { code, told, words } = await exported(world, { out: join(folder, 'nowhere', 'bundle') });
    expect(code).toBe(2);
    expect(told).toStrictEqual({ outcome: 'folder_not_made', code: 'ENOENT' });
    expect(words).toContain('cannot be made (ENOENT): its parent must exist');
  });
  test('a log of heads that is not what was signed: 1, in words, and no folder', async () => {
    const world = witnessedWorld();
    await personOn(world.ledger, 'A', world.now).remember('cause', 'vegan');
    await world.checkpoint();
    world.log.kept.leaves[0]?.fill(0x20);
    const { code, told, out, words } = await exported(world);
    expect(code).toBe(1);
    expect(told).toStrictEqual({ outcome: 'checkpoint_log_damaged' });
    expect(words).toContain('The log of heads is not what was signed');
    expect(existsSync(out)).toBe(false);
  });
});

describe('a store compared with its newest checkpoint', () => {
  async function compared(change: (world: WitnessedWorld) => void) {
    const world = witnessedWorld();
    const ref = await liveThrough(world, 'A', 20, async (position) => {
      if (position % 2 === 0 && position < 20) await world.checkpoint();
    });
    change(world);
    const key = readVerifierKey(publicKeyText('first'));
    if (key === null) throw new Error('A key');
    return compareWithWitnessed(world.ledger, await readWitnessed(world.log, key, new Set([ref.ledgerId])), ref);
  }
  const events = (world: WitnessedWorld) => world.ledger.kept().ledgers.get(personLedger('A').ledgerId)?.events ?? [];

  test('as it should be: the tail is counted', async () => {
    expect(await compared(() => {})).toStrictEqual({ problem: null, notYetWitnessed: 2 });
  });
  test('with another key than the one that signed, nothing is believed', async () => {
    const world = witnessedWorld();
    const ref = await liveThrough(world, 'A', 2, () => Promise.resolve());
    await world.checkpoint('first');
    const another = readVerifierKey(publicKeyText('second'));
    if (another === null) throw new Error('A key');
    await expect(readWitnessed(world.log, another, new Set([ref.ledgerId]))).rejects.toThrow('not signed by this key');
  });
  test('cut off before the newest checkpoint', async () => {
    expect(await compared((world) => events(world).splice(15))).toMatchObject({
      problem: { position: 16, cause: 'cut_off' },
    });
  });
  test('rewritten with new hashes: the first witnessed position that differs', async () => {
    const verdict = await compared((world) => {
      events(world).forEach((each, index, all) => {
        if (index >= 8) all[index] = { ...each, stored: { ...each.stored, hash: '0'.repeat(64) } };
      });
    });
    expect(verdict).toMatchObject({ problem: { position: 10, cause: 'witnessed_hash_differs' } });
  });
});
