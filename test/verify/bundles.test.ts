import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/events/canonical.ts';
import { sha256Hex } from '../../src/events/chain.ts';
import { personOn } from '../support/ledger-world.ts';
import {
  type BundleFiles,
  liveThrough,
  publicKeyText,
  type WitnessedWorld,
  witnessedWorld,
} from '../support/witnessed-ledgers.ts';
import { VERIFY_MJS, VERIFY_PY } from './both-verifiers.ts';
import { causes, changedTo, type Json, jsonOf, judged, textOf, withManifest, withProofs } from './changed-bundles.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundles-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Three people: one still remembered, one who forgot, one whose newest events are not witnessed. */
async function threePeople(): Promise<WitnessedWorld> {
  const world = witnessedWorld();
  await liveThrough(world, 'A', 15, async () => {});
  await personOn(world.ledger, 'B', world.now).remember('cause', 'vegan');
  await personOn(world.ledger, 'B', world.now).forget();
  await world.checkpoint();
  await personOn(world.ledger, 'C', world.now).remember('cause', 'lacto');
  await world.checkpoint();
  await personOn(world.ledger, 'C', world.now).propose('again', 'allium');
  return world;
}

/** A note may carry signatures of others; but then it is not the file that the manifest names. */
function withSpareSignature(files: BundleFiles): Buffer {
  return Buffer.from(`${textOf(files, 'checkpoint.txt')}— another ${Buffer.alloc(68).toString('base64')}\n`);
}

describe('what is as it should be', () => {
  test('every ledger, forgotten ones without any content, and the length of what is not yet witnessed', async () => {
    const world = await threePeople();
    const files = await world.bundle();
    expect([...files.keys()].toSorted()).toStrictEqual([
      ...['checkpoint.txt', 'events.ndjson', 'manifest.json', 'proofs.json'],
    ]);
    const verdict = await judged(files);
    expect(verdict).toMatchObject({ exit: 0, report: { ok: true, ledgers: 3, problems: [] } });
    expect(verdict.report.notYetWitnessed).toMatchObject({
      ledgers: 1,
      events: 1,
      tails: [{ fromPosition: 3, events: 1 }],
    });
    const everything = [...files.values()].map(String).join('');
    for (const value of ['vegan', 'lacto', 'allium', '全素', 'blindingKey']) expect(everything).not.toContain(value);
  });

  test('with content in force each commitment is opened', async () => {
    const files = await (await threePeople()).bundle({ content: true });
    expect(await judged(files)).toMatchObject({ exit: 0 });
    expect(textOf(files, 'content.ndjson')).toContain('lacto');
    expect(textOf(files, 'content.ndjson')).not.toContain('"vegan"');
  });

  test('a ledger the log does not know yet is shown to be unknown to it', async () => {
    const world = await threePeople();
    for (const name of ['D', 'E', 'F', 'G']) await personOn(world.ledger, name, world.now).remember('cause', 'lacto');
    const { exit, report } = await judged(await world.bundle());
    expect(exit).toBe(0);
    expect(report.notYetWitnessed).toMatchObject({ ledgers: 5, events: 9 });
  });
});

describe('against a checkpoint the auditor kept', () => {
  test('an older one is shown to have grown into this one', async () => {
    const world = await threePeople();
    const [older, newest] = world.log.kept.checkpoints.map(({ note }) => note);
    const files = await world.bundle({ seen: older ?? '' });
    expect(await judged(files, older)).toMatchObject({ exit: 0 });
    expect(await judged(files, newest)).toMatchObject({ exit: 0 });
    expect(causes(await judged(await world.bundle(), older))).toStrictEqual(['consistency_missing']);
    for (const change of [
      (path: string[]) => path.push('0'.repeat(64)),
      (path: string[]) => path.pop(),
      (path: string[]) => path.reverse(),
      (path: string[]) => path.splice(0),
    ]) {
      const forged = withProofs(files, (proofs) => change(proofs.consistency[0].path));
      expect(causes(await judged(forged, older))).toStrictEqual(['consistency_not_proven']);
    }
  });

  test('a bundle from before it is a roll-back', async () => {
    const world = await threePeople();
    const old = await world.bundle();
    await world.checkpoint();
    expect(causes(await judged(old, world.log.kept.checkpoints.at(-1)?.note))).toStrictEqual([
      'checkpoint_rolled_back',
    ]);
  });

  test.each([0, 20])('a fork signed with the right key is seen (%i more people in it)', async (more) => {
    const world = await threePeople();
    const forked = await threePeople();
    for (let each = 0; each < more; each += 1)
      await personOn(forked.ledger, `P${each}`, forked.now).remember('cause', 'lacto');
    // The fork tells another story of the same time.
    await personOn(forked.ledger, 'B', forked.now).remember('cause-2', 'friendly');
    await personOn(world.ledger, 'B', world.now).remember('cause-3', 'friendly');
    for (const each of [world, forked]) await each.checkpoint();
    const seen = world.log.kept.checkpoints.at(-1)?.note ?? '';
    const files = await forked.bundle({ seen: forked.log.kept.checkpoints[0]?.note ?? '' });
    expect(await judged(files)).toMatchObject({ exit: 0 });
    const cause = more === 0 ? 'checkpoint_forked' : 'consistency_missing';
    expect(causes(await judged(files, seen))).toStrictEqual([cause]);
  });
});

describe('keys', () => {
  test('whoever holds the old key follows the recorded change; another key is not believed', async () => {
    const world = await threePeople();
    await world.checkpoint('second', 'first');
    await personOn(world.ledger, 'D', world.now).remember('cause', 'vegan');
    await world.checkpoint('second');
    const files = await world.bundle();
    for (const key of ['first', 'second']) expect(await judged(files, null, key)).toMatchObject({ exit: 0 });
    expect(causes(await judged(files, null, 'third'))).toContain('signature_not_trusted');
    const unrecorded = withProofs(files, (proofs) => proofs.keys.pop());
    expect(causes(await judged(unrecorded))).toContain('signature_not_trusted');
    const forged = withProofs(files, (proofs) => {
      proofs.keys[1].leaf.newKey = publicKeyText('third');
    });
    expect(causes(await judged(forged))).toContain('key_change_not_proven');
  });
});

describe('forged proofs and parts, named', () => {
  const rows: readonly (readonly [string, (files: BundleFiles) => BundleFiles])[] = [
    ['heads_not_proven', (files) => withProofs(files, (proofs) => proofs.heads.path.push('0'.repeat(64)))],
    ['heads_not_proven', (files) => withProofs(files, (proofs) => proofs.heads.path.splice(0))],
    ['heads_not_proven', (files) => withProofs(files, (proofs) => (proofs.heads.leaf.ledgers = 99))],
    ['proofs_of_other_size', (files) => withProofs(files, (proofs) => (proofs.size += 1))],
    ['head_not_proven', (files) => withProofs(files, (proofs) => proofs.ledgers[0].newest.path.splice(0))],
    ['head_not_proven', (files) => withProofs(files, (proofs) => (proofs.ledgers[0].newest.index += 1))],
    [
      'head_not_proven',
      (files) => withProofs(files, (proofs) => proofs.ledgers[0].witnessed[0].path.push('0'.repeat(64))),
    ],
    ['head_not_proven', (files) => withProofs(files, (proofs) => proofs.ledgers.shift())],
    [
      'head_not_proven',
      (files) =>
        withProofs(files, (proofs) => {
          const [{ ledgerId }, other] = proofs.ledgers;
          proofs.ledgers[0] = { ledgerId, absent: { before: null, after: other.newest } };
        }),
    ],
    ['notice_not_proven', (files) => withProofs(files, (proofs) => (proofs.notices[0].leaf.hash = '0'.repeat(64)))],
    ['notice_not_recorded', (files) => withProofs(files, (proofs) => proofs.notices.pop())],
    ['notice_missing', (files) => withManifest(files, (manifest) => manifest.notices.pop())],
    ['checkpoint_missing', (files) => changedTo(files, { 'checkpoint.txt': '' })],
    ['checkpoint_unreadable', (files) => changedTo(files, { 'checkpoint.txt': 'a log\n7\n' })],
    ['proofs_unreadable', (files) => changedTo(files, { 'proofs.json': '{}' })],
    ['newer_format', (files) => withManifest(files, (manifest) => (manifest.formatVersion = 2))],
    ['manifest_unreadable', (files) => withManifest(files, (manifest) => (manifest.more = 1))],
    ['file_differs', (files) => new Map(files).set('checkpoint.txt', withSpareSignature(files))],
    [
      'head_state_differs',
      (files) => withManifest(files, (manifest) => (manifest.ledgers[0].state.present.revision += 1)),
    ],
    ['head_hash_differs', (files) => withManifest(files, (manifest) => (manifest.ledgers[0].hash = '0'.repeat(64)))],
    [
      'head_time_differs',
      (files) => withManifest(files, (manifest) => (manifest.ledgers[0].time = '2026-01-05T02:00:00.001Z')),
    ],
    [
      'other_subject',
      (files) => withManifest(files, (manifest) => (manifest.ledgers[0].subjectKey = manifest.ledgers[1].subjectKey)),
    ],
    [
      'notice_of_other_purpose',
      (files) => withManifest(files, (manifest) => (manifest.ledgers[0].purpose = 'another')),
    ],
  ];
  test.each(rows)('%s', async (cause, change) => {
    const files = await (await threePeople()).bundle();
    const verdict = await judged(change(files));
    expect(verdict.exit).toBe(1);
    expect(causes(verdict)).toContain(cause);
  });

  test('a ledger left out of a bundle of all', async () => {
    const files = await (await threePeople()).bundle();
    const manifest = jsonOf(files, 'manifest.json');
    const [gone, ...ledgers] = manifest['ledgers'] as readonly { readonly ledgerId: string }[];
    const lines = textOf(files, 'events.ndjson').split('\n');
    const changed = changedTo(files, {
      'manifest.json': `${canonicalText({ ...manifest, ledgers })}\n`,
      'events.ndjson': lines.filter((line) => !line.includes(gone?.ledgerId ?? '')).join('\n'),
    });
    expect(causes(await judged(changed))).toStrictEqual(['ledger_missing']);
  });
});

describe('lines that are no events, judged alike by both', () => {
  const rows: readonly (readonly [string, string, (line: string) => string])[] = [
    ['not json', 'not_json', () => '{"hash":'],
    ['nothing', 'not_json', () => ''],
    ['a list', 'not_an_event', () => '[]'],
    ['without hash', 'not_an_event', (line) => line.replace(/"hash":"[0-9a-f]+",/, '')],
    ['spaces', 'not_canonical', (line) => line.replace('","', '", "')],
    ['an integer written 1.0', 'not_canonical', (line) => line.replace('"schemaversion":1', '"schemaversion":1.0')],
    ['an integer written 1e0', 'not_canonical', (line) => line.replace('"schemaversion":1', '"schemaversion":1e0')],
    ['a fraction', 'not_canonical', (line) => line.replace('"schemaversion":1', '"schemaversion":1.5')],
    ['minus zero', 'not_canonical', (line) => line.replace('"schemaversion":1', '"schemaversion":-0')],
    ['beyond every number', 'not_canonical', (line) => line.replace('"schemaversion":1', '"schemaversion":1e999')],
    ['beyond 2^53', 'not_canonical', (line) => line.replace('"schemaversion":1', '"schemaversion":9007199254740993')],
    ['not a number', 'not_json', (line) => line.replace('"schemaversion":1', '"schemaversion":NaN')],
    ['a byte order mark', 'not_json', (line) => `\ufeff${line}`],
    ['a half character', 'not_canonical', (line) => line.replace('"specversion":"1.0"', '"specversion":"\\ud800"')],
    [
      'a member twice',
      'not_canonical',
      (line) => line.replace('"schemaversion":1', '"schemaversion":1,"schemaversion":1'),
    ],
    [
      'deep nesting',
      'not_json',
      (line) => line.replace('"schemaversion":1', `"schemaversion":${'['.repeat(900)}${']'.repeat(900)}`),
    ],
    [
      'an odd member name',
      'hash_differs',
      (line) => line.replace('"actor":', '"__proto__":1,"actor":').replace(/^\{"__proto__":1,/, '{"__proto__":1,'),
    ],
  ];
  test.each(rows)('%s: %s', async (_, cause, change) => {
    const files = await (await threePeople()).bundle();
    const lines = textOf(files, 'events.ndjson').split('\n');
    lines[2] = change(lines[2] ?? '');
    const verdict = await judged(changedTo(files, { 'events.ndjson': lines.join('\n') }));
    expect(verdict.report.problems[0]).toMatchObject({ position: 3, cause });
    expect(verdict.exit).toBe(1);
  });

  test('an event of a later version asks for a newer verifier and is not called tampered', async () => {
    const files = await (await threePeople()).bundle();
    const lines = textOf(files, 'events.ndjson').split('\n');
    const { hash: _, ...event } = JSON.parse(lines[2] ?? '') as Json;
    const later: Json = { ...event, schemaversion: 2, more: 'than this verifier knows' };
    lines[2] = canonicalText({ ...later, hash: sha256Hex(canonicalText(later)) });
    const { exit, report } = await judged(changedTo(files, { 'events.ndjson': lines.join('\n') }));
    expect(exit).toBe(1);
    expect(report.problems).toMatchObject([{ position: 3, cause: 'newer_schema' }]);
  });
});

describe('the two command lines end alike', () => {
  const run = (command: string, argv: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(command, argv, { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const both = (...argv: readonly string[]) => {
    const mjs = run(process.execPath, [VERIFY_MJS, ...argv]);
    const python = run('python3', [VERIFY_PY, ...argv]);
    expect(python.status).toBe(mjs.status);
    expect(python.stdout === '' ? null : JSON.parse(python.stdout)).toStrictEqual(
      mjs.stdout === '' ? null : JSON.parse(mjs.stdout),
    );
    return mjs;
  };
  const put = (name: string, files: BundleFiles): string => {
    const path = join(folder, name);
    mkdirSync(path);
    for (const [file, bytes] of files) writeFileSync(join(path, file), bytes);
    return path;
  };
  let files: BundleFiles = new Map();
  let clean = '';
  let key = '';
  beforeAll(async () => {
    files = await (await threePeople()).bundle();
    clean = put('clean', files);
    key = join(folder, 'key');
    writeFileSync(key, `${publicKeyText('first')}\n`);
  });

  test('clean: 0, and one JSON document on stdout', () => {
    const { status, stdout } = both(clean, '--key', key);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, ledgers: 3, problems: [] });
    expect(both(clean, '--key', key, '--seen', join(clean, 'checkpoint.txt')).status).toBe(0);
  });
  test('how much of what the checkpoint knows is there, in words; --all refuses a selection', async () => {
    const part = put('part', await (await threePeople()).bundle({ scope: 'selected' }));
    const told = `${part}: 3 of 3 ledgers known to the checkpoint; selected\n`;
    expect(both(part, '--key', key)).toMatchObject({ status: 0, stderr: told });
    expect(run('python3', [VERIFY_PY, part, '--key', key]).stderr).toBe(told);
    expect(both(clean, '--all', '--key', key).status).toBe(0);
    const refused = { status: 1, stderr: `${part}: manifest.json: scope_not_all\n${told}` };
    expect(both(part, '--all', '--key', key)).toMatchObject(refused);
    expect(run('python3', [VERIFY_PY, '--all', part, '--key', key])).toMatchObject(refused);
  });
  test('started through a link it still judges', () => {
    const link = join(folder, 'link.mjs');
    symlinkSync(VERIFY_MJS, link);
    expect(execFileSync(process.execPath, [link, clean, '--key', key], { encoding: 'utf8' })).toContain('"ok":true');
  });
  test('several bundles: the worst decides', () => {
    const bad = put('bad', changedTo(files, { 'checkpoint.txt': '' }));
    const { status, stdout } = both(clean, bad, '--key', key);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, bundles: [{ bundle: clean, ok: true }, { ok: false }] });
  });
  test('missing, or an empty folder: 3', () => {
    mkdirSync(join(folder, 'empty'));
    expect(both(join(folder, 'nowhere'), '--key', key).status).toBe(3);
    expect(both(join(folder, 'empty'), '--key', key).status).toBe(3);
  });
  test('a bundle of no ledgers: 3', () => {
    const none = withManifest(files, (manifest) => (manifest.ledgers = []));
    expect(both(put('none', changedTo(none, { 'events.ndjson': '' })), '--key', key).status).toBe(3);
  });
  test.each(['manifest.json', 'events.ndjson', 'checkpoint.txt', 'proofs.json'])(
    '%s missing, emptied, cut short anywhere: 1',
    (name) => {
      const bytes = files.get(name) ?? Buffer.alloc(0);
      const missing = new Map(files);
      missing.delete(name);
      const damaged = [put(`missing-${name}`, missing)];
      for (const length of [0, 1, Math.floor(bytes.length / 2), bytes.length - 1])
        damaged.push(put(`short-${length}-${name}`, new Map(files).set(name, bytes.subarray(0, length))));
      const { status, stdout } = both(...damaged, '--key', key);
      expect(status).toBe(1);
      const { bundles } = JSON.parse(stdout) as { bundles: { ok: boolean; problems: unknown[] }[] };
      expect(bundles).toHaveLength(damaged.length);
      for (const { ok, problems } of bundles) {
        expect(ok).toBe(false);
        expect(problems).not.toHaveLength(0);
      }
    },
  );
  test('a file that may not be read: 1', () => {
    const path = put('unreadable', files);
    // A folder in place of the file cannot be read by anybody, whatever their rights.
    rmSync(join(path, 'events.ndjson'));
    mkdirSync(join(path, 'events.ndjson'));
    chmodSync(path, 0o755);
    const { status, stdout } = both(path, '--key', key);
    expect(status).toBe(1);
    expect(stdout).toContain('file_unreadable');
  });
  test('wrong use: 2', () => {
    const notKey = join(folder, 'not-a-key');
    writeFileSync(notKey, 'local-ledger/test+00000000+AAAA\n');
    for (const argv of [
      [],
      [clean],
      ['--key', key],
      [clean, '--key', join(folder, 'no-key')],
      [clean, '--key', notKey],
      [clean, '--key', key, '--unknown'],
      [clean, '--key', key, '--seen', key],
      [key, '--key', key],
    ])
      expect(both(...argv).status).toBe(2);
  });
});
