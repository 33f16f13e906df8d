import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { createAccessLog } from '../../src/adapters/audit/access-log.ts';
import type { Read } from '../../src/commands/access.ts';
import { canonicalText } from '../../src/events/canonical.ts';
import { genesisHash, sha256Hex } from '../../src/events/chain.ts';
import { accessLedger, type LedgerId, readerDayLedger, type TenantId } from '../../src/events/identity.ts';
import { personLedger, personOn, SUBJECT_KEY } from '../support/ledger-world.ts';
import { type BundleFiles, type WitnessedWorld, witnessedWorld } from '../support/witnessed-ledgers.ts';
import { causes, changedTo, type Json, judged, textOf, withManifest } from './changed-bundles.ts';

const TENANT = 'tenant-a' as TenantId;
const PERSON = personLedger('A');
const LOOKS = accessLedger(SUBJECT_KEY, PERSON);
const ONE: Read = {
  reader: { name: 'city-auditor', role: 'integrity' },
  channel: 'api',
  route: 'replay',
  ledger: PERSON,
  bound: { kind: 'through_position', position: 3 },
};

/** A person and somebody who looked: at their ledger, at the record of looking, and at all. */
async function lookedAt(): Promise<WitnessedWorld> {
  const world = witnessedWorld();
  await personOn(world.ledger, 'A', world.now).remember('cause', 'vegan');
  const log = createAccessLog({
    store: world.ledger,
    ofLedger: (audited) => accessLedger(SUBJECT_KEY, audited),
    ofReader: (reader, day) => readerDayLedger(SUBJECT_KEY, TENANT, reader, day),
    clock: world.now,
    newEventId: () => v7(),
    pause: () => Promise.resolve(),
  });
  await log.record(ONE);
  await log.record({ ...ONE, ledger: LOOKS, bound: { kind: 'at', time: '2026-01-05T02:00:00.000Z' } });
  await log.record({ ...ONE, reader: { name: 'other', role: 'content' }, bound: { kind: 'all' } });
  await log.record({ ...ONE, ledger: LOOKS, bound: { kind: 'through_revision', revision: 1 } });
  await log.record({ ...ONE, route: 'overview', ledger: null });
  await world.checkpoint();
  return world;
}

const linesOf = (files: BundleFiles, ledgerId: string): string[] =>
  textOf(files, 'events.ndjson')
    .split('\n')
    .filter((line) => line.includes(`"source":"/ledgers/${ledgerId}"`));

/** The bundle with one more event, chained and in the head, that no checkpoint covers. */
function withTail(files: BundleFiles, ledgerId: LedgerId, over: Json): BundleFiles {
  const lines = textOf(files, 'events.ndjson').split('\n');
  const newest = linesOf(files, ledgerId).at(-1) ?? '';
  const { hash, position, ...before } = JSON.parse(newest) as Json & { hash: string; position: number };
  const event: Json = { ...before, position: position + 1, previoushash: hash, ...over };
  const line = { ...event, hash: sha256Hex(canonicalText(event)) };
  lines.splice(lines.indexOf(newest) + 1, 0, canonicalText(line));
  const grown = changedTo(files, { 'events.ndjson': lines.join('\n') });
  return entryChanged(grown, ledgerId, { hash: line.hash, position: position + 1 });
}

function entryChanged(files: BundleFiles, ledgerId: LedgerId, over: Json): BundleFiles {
  return withManifest(files, (manifest) => {
    manifest.ledgers = manifest.ledgers.map((entry: Json) =>
      entry['ledgerId'] === ledgerId ? { ...entry, ...over } : entry,
    );
  });
}

const withoutContent = (files: BundleFiles): BundleFiles => changedTo(files, { 'content.ndjson': '' });

describe('a ledger under another kind', () => {
  const changes: readonly (readonly [string, (files: BundleFiles) => BundleFiles])[] = [
    ['nothing else', (files) => files],
    ['its content line gone', withoutContent],
    ['another state', (files) => entryChanged(files, PERSON.ledgerId, { state: { x: 1 } })],
    [
      'an illegal unwitnessed event',
      (files) =>
        withTail(files, PERSON.ledgerId, {
          type: 'preference.forgotten',
          data: { revision: 77, forgetsRevision: null, method: 'api', erasureScope: 'all' },
        }),
    ],
    [
      'an unwitnessed event of no kind',
      (files) => withTail(files, PERSON.ledgerId, { type: 'request.confirmed', data: { x: 1 } }),
    ],
  ];
  test.each(changes)('a preference ledger called otherwise is found, with %s', async (_, change) => {
    const files = change(await (await lookedAt()).bundle({ content: true }));
    for (const kind of ['request', 'gate', 'foo', 'constructor', '__proto__', '']) {
      const { exit, report } = await judged(entryChanged(files, PERSON.ledgerId, { kind }));
      expect(exit).toBe(1);
      expect(report.problems).toStrictEqual([{ ledgerId: PERSON.ledgerId, position: 0, cause: 'unknown_kind' }]);
    }
    const { report } = await judged(entryChanged(files, PERSON.ledgerId, { kind: 'access' }));
    expect(report.problems).toStrictEqual([{ ledgerId: PERSON.ledgerId, position: 1, cause: 'not_an_event' }]);
  });

  test('an access ledger called preference has no event either', async () => {
    const files = await (await lookedAt()).bundle();
    const { report } = await judged(entryChanged(files, LOOKS.ledgerId, { kind: 'preference' }));
    expect(report.problems).toStrictEqual([{ ledgerId: LOOKS.ledgerId, position: 1, cause: 'not_an_event' }]);
  });
});

describe('an access ledger is judged as strictly as a preference ledger', () => {
  const read = { reader: 'city-auditor', role: 'integrity', channel: 'api', route: 'replay' };
  const rows: readonly (readonly [string, string, Json])[] = [
    [
      'a preference event',
      'not_an_event',
      { type: 'preference.cancelled', data: { proposalId: v7(), method: 'card' } },
    ],
    ['a refused card', 'not_an_event', { type: 'card.refused' }],
    [
      'a member more',
      'not_an_event',
      { data: { ...read, ledgerId: PERSON.ledgerId, bound: { kind: 'all' }, more: 1 } },
    ],
    [
      'another role',
      'not_an_event',
      { data: { ...read, role: 'x', ledgerId: PERSON.ledgerId, bound: { kind: 'all' } } },
    ],
    [
      'a reader without a name',
      'not_an_event',
      { data: { ...read, reader: '', ledgerId: null, bound: { kind: 'all' } } },
    ],
    [
      'another bound',
      'not_an_event',
      { data: { ...read, ledgerId: PERSON.ledgerId, bound: { kind: 'all', position: 1 } } },
    ],
    [
      'a bound without its number',
      'not_an_event',
      { data: { ...read, ledgerId: null, bound: { kind: 'through_revision' } } },
    ],
    [
      'a bound at no moment',
      'not_an_event',
      { data: { ...read, ledgerId: null, bound: { kind: 'at', time: '2026-02-30T00:00:00.000Z' } } },
    ],
    [
      'a read of another ledger',
      'read_of_another_ledger',
      { data: { ...read, ledgerId: 'x'.repeat(43), bound: { kind: 'all' } } },
    ],
    ['a read of several', 'read_of_another_ledger', { data: { ...read, ledgerId: null, bound: { kind: 'all' } } }],
    ['an earlier time', 'time_goes_back', { time: '2020-01-01T00:00:00.000Z' }],
    ['a read that the state does not count', 'head_state_differs', {}],
  ];
  test.each(rows)('%s: %s', async (_, cause, over) => {
    const { exit, report } = await judged(withTail(await (await lookedAt()).bundle(), LOOKS.ledgerId, over));
    expect(exit).toBe(1);
    expect(report.problems).toStrictEqual([{ ledgerId: LOOKS.ledgerId, position: 5, cause }]);
  });

  test('its state is the fold of its events', async () => {
    const files = await (await lookedAt()).bundle();
    expect(await judged(files)).toMatchObject({ exit: 0, report: { ok: true, ledgers: 3, events: 7 } });
    const changed = entryChanged(files, LOOKS.ledgerId, { state: { x: 1 } });
    expect(causes(await judged(changed))).toStrictEqual(['head_state_differs']);
  });

  test('it has no content', async () => {
    const files = await (await lookedAt()).bundle({ content: true });
    const own = textOf(files, 'content.ndjson');
    const stray = canonicalText({ ...(JSON.parse(own) as Json), ledgerId: LOOKS.ledgerId });
    const { report } = await judged(changedTo(files, { 'content.ndjson': `${own}${stray}\n` }));
    expect(report.problems).toMatchObject([{ ledgerId: LOOKS.ledgerId, cause: 'content_left_behind' }]);
  });

  test('a read in a preference ledger is no event', async () => {
    const data = { ...read, ledgerId: PERSON.ledgerId, bound: { kind: 'all' } };
    const files = withTail(await (await lookedAt()).bundle(), PERSON.ledgerId, { type: 'access.read', data });
    expect((await judged(files)).report.problems).toMatchObject([{ ledgerId: PERSON.ledgerId, cause: 'not_an_event' }]);
  });

  test('a chain of its own from the first event on', async () => {
    const [first = ''] = linesOf(await (await lookedAt()).bundle(), LOOKS.ledgerId);
    expect((JSON.parse(first) as Json)['previoushash']).toBe(genesisHash(LOOKS.ledgerId));
  });
});

describe('how much of what the checkpoint knows is in a bundle', () => {
  /** Somebody leaves a ledger out and calls the rest a selection. */
  function leftOut(files: BundleFiles, ledgerId: LedgerId): BundleFiles {
    const gone = new Set(linesOf(files, ledgerId));
    const lines = textOf(files, 'events.ndjson').split('\n');
    const fewer = changedTo(files, { 'events.ndjson': lines.filter((line) => !gone.has(line)).join('\n') });
    return withManifest(fewer, (manifest) => {
      manifest.ledgers = manifest.ledgers.filter((entry: Json) => entry['ledgerId'] !== ledgerId);
      manifest.scope = 'selected';
    });
  }

  test('all of them: told, and good for whoever asks for all', async () => {
    const { exit, report } = await judged(await (await lookedAt()).bundle(), null, 'first', true);
    expect(exit).toBe(0);
    expect(report.coverage).toStrictEqual({ scope: 'all', witnessed: 3, known: 3 });
  });

  test('a ledger left out of a bundle that says it is selected: told, and refused to whoever asks for all', async () => {
    const files = leftOut(await (await lookedAt()).bundle(), PERSON.ledgerId);
    const { exit, report } = await judged(files);
    expect(exit).toBe(0);
    expect(report.coverage).toStrictEqual({ scope: 'selected', witnessed: 2, known: 3 });
    expect(causes(await judged(files, null, 'first', true))).toStrictEqual(['ledger_missing', 'scope_not_all']);
  });

  test('every ledger, but called selected: refused to whoever asks for all', async () => {
    const files = await (await lookedAt()).bundle({ scope: 'selected' });
    expect(await judged(files)).toMatchObject({ exit: 0 });
    expect(causes(await judged(files, null, 'first', true))).toStrictEqual(['scope_not_all']);
  });

  test('a ledger the checkpoint does not know yet is in neither number', async () => {
    const world = await lookedAt();
    await personOn(world.ledger, 'B', world.now).remember('cause', 'lacto');
    const { report } = await judged(await world.bundle(), null, 'first', true);
    expect(report).toMatchObject({ ok: true, ledgers: 4, coverage: { scope: 'all', witnessed: 3, known: 3 } });
  });

  test('where no checkpoint holds nothing is known', async () => {
    const { report } = await judged(changedTo(await (await lookedAt()).bundle(), { 'checkpoint.txt': '' }));
    expect(report.coverage).toStrictEqual({ scope: 'all', witnessed: 0, known: null });
  });
});
