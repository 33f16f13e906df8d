import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { witnessOffer } from '../../../src/adapters/audit/witness.ts';
import { createCheckpointer } from '../../../src/adapters/audit/checkpointer.ts';
import type { SqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../src/events/purposes.ts';
import { BEGINNING, personOn } from '../../support/ledger-world.ts';
import { ORIGIN, signingKey } from '../../support/witnessed-ledgers.ts';
import { newFolder, openIn } from './store-files.ts';

let folder = '';
let store: SqliteStore;
beforeEach(async () => {
  folder = newFolder();
  store = await openIn(folder);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const leaf = (text: string) => Buffer.from(text);
const checkpointerOn = (over: SqliteStore, holder: string) =>
  createCheckpointer({
    log: over.checkpointLog,
    origin: ORIGIN,
    signer: signingKey('first'),
    retiring: null,
    notices: DIET_FOR_PLACE_SEARCH.notices,
    holder,
  });

test('heads that moved are due once, as they stand now, and again only when they move again', async () => {
  const { ledger, checkpointLog: log } = store;
  const one = personOn(ledger, 'A');
  const two = personOn(ledger, 'B');
  await one.remember('cause', 'vegan');
  await two.remember('cause', 'lacto');
  await one.forget();
  const due = await log.due(0, 10);
  const positions = Object.fromEntries(due.heads.map(({ ledgerId, position }) => [ledgerId, position]));
  expect(positions).toStrictEqual({ [one.ref.ledgerId]: 3, [two.ref.ledgerId]: 2 });
  await two.forget();
  expect(
    await log.append(
      0,
      due.heads.map(() => leaf('x')),
      { shard: 0, mark: due.mark },
    ),
  ).toBe('appended');
  expect((await log.due(0, 10)).heads).toMatchObject([{ ledgerId: two.ref.ledgerId, position: 3 }]);
});

test('all due heads are reached through small pages, whatever is written meanwhile', async () => {
  const { ledger, checkpointLog: log } = store;
  for (let each = 0; each < 12; each += 1) await personOn(ledger, `P${each}`).remember('cause', 'vegan');
  const reached = new Map<string, number>();
  for (let page = 0; ; page += 1) {
    const { heads, mark } = await log.due(0, 3);
    if (heads.length === 0) break;
    for (const { ledgerId, position } of heads) reached.set(ledgerId, position);
    const size = (await log.leaves(0)).length;
    await log.append(
      size,
      heads.map(() => leaf('x')),
      { shard: 0, mark },
    );
    if (page < 4) await personOn(ledger, `P${page}`).forget();
  }
  const stored = await ledger.ledgers(null, 100);
  expect(reached.size).toBe(12);
  for (const { ledgerId } of stored) expect(reached.get(ledgerId)).toBe((await ledger.head(ledgerId)).position);
});

test('leaves are appended at the end only, and kept byte for byte over a restart', async () => {
  const { checkpointLog: log } = store;
  expect(await log.append(0, [leaf('a'), leaf('b')], null)).toBe('appended');
  expect(await log.append(0, [leaf('c')], null)).toBe('conflict');
  expect(await log.append(3, [leaf('c')], null)).toBe('conflict');
  expect(await log.publish(0, { size: 2, note: 'note', signedAt: 5 })).toBe('published');
  expect(await log.publish(0, { size: 2, note: 'other', signedAt: 6 })).toBe('conflict');
  await store.close();
  store = await openIn(folder);
  expect((await store.checkpointLog.leaves(0)).map((bytes) => Buffer.from(bytes).toString())).toStrictEqual(['a', 'b']);
  expect(await store.checkpointLog.leaves(2)).toStrictEqual([]);
  expect(await store.checkpointLog.latest()).toStrictEqual({ size: 2, note: 'note', signedAt: 5 });
});

test('the lease is one writer at a time, renewed by its holder and free again when it ran out', async () => {
  const { checkpointLog: log } = store;
  expect(await log.lease('a', 1_000, 500)).toBe(true);
  expect(await log.lease('b', 1_400, 500)).toBe(false);
  expect(await log.lease('a', 1_400, 500)).toBe(true);
  expect(await log.lease('b', 1_899, 500)).toBe(false);
  expect(await log.lease('b', 1_900, 500)).toBe(true);
});

test('two processes take turns on one file: a restarted writer reads the log again and goes on', async () => {
  await personOn(store.ledger, 'A').remember('cause', 'vegan');
  expect(await checkpointerOn(store, 'one').run(BEGINNING)).toMatchObject({ outcome: 'signed', heads: 1 });
  const other = await openIn(folder);
  try {
    await personOn(other.ledger, 'B').remember('cause', 'vegan');
    expect(await checkpointerOn(other, 'two').run(BEGINNING + 60_000)).toStrictEqual({ outcome: 'busy' });
    expect(await checkpointerOn(other, 'two').run(BEGINNING + 180_000)).toMatchObject({ outcome: 'signed', heads: 1 });
  } finally {
    await other.close();
  }
  const offer = await witnessOffer(store.checkpointLog, 4);
  expect(offer?.consistency).toMatchObject([{ size: 4 }]);
});
