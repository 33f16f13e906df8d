import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { BEGINNING, personOn } from '../../support/ledger-world.ts';
import { newFolder, openIn } from './store-files.ts';

describe('erasing from the write-ahead log', () => {
  let folder: string;
  let store: SqliteStore;
  beforeEach(async () => {
    folder = newFolder();
    store = await openIn(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  /** A reader that keeps the log from being truncated until it is closed. */
  function openReader(): DatabaseSync {
    const reader = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM events');
    return reader;
  }

  it('is not pending in a store in which nobody forgot', async () => {
    await personOn(store.ledger, 'Person A').remember('cause', 'vegan');
    expect(store.health()).toEqual({ reachable: true, erasurePending: false, writesWaiting: 0 });
  });

  it.each([
    { what: 'a forget', act: () => personOn(store.ledger, 'Person A').forget() },
    { what: 'a correction', act: () => personOn(store.ledger, 'Person A').remember('cause-2', 'lacto') },
    { what: 'an unsent message', act: () => store.inbox.drop(personOn(store.ledger, 'Person A').subjectKey, 'm1') },
    { what: 'a removed address', act: () => store.addresses.remove(personOn(store.ledger, 'Person A').subjectKey) },
  ])('is pending after $what until no reader is in the way', async ({ act }) => {
    const person = personOn(store.ledger, 'Person A');
    const { subjectKey } = person;
    await person.remember('cause-1', 'vegan');
    await store.inbox.accept({ key: 'w1', subjectKey, messageId: 'm1', body: Buffer.from('x'), receivedAt: BEGINNING });
    await store.addresses.put(subjectKey, Buffer.from('sealed'));
    const reader = openReader();
    await act();
    expect(store.health().erasurePending).toBe(true);
    reader.close();
    await store.erased();
    expect(store.health().erasurePending).toBe(false);
  });

  it('shares one truncation among many forgets', async () => {
    const people = Array.from({ length: 20 }, (_, index) => personOn(store.ledger, `Person ${index}`));
    for (const person of people) await person.remember('cause', 'vegan');
    const reader = openReader();
    await Promise.all(people.map((person) => person.forget()));
    reader.close();
    await store.erased();
    const file = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true });
    expect({ ...file.prepare('SELECT requested, done FROM erasures').get() }).toEqual({ requested: 20, done: 20 });
    file.close();
  });

  it('is remembered across a restart that came before the log could be truncated', async () => {
    const person = personOn(store.ledger, 'Person A');
    await person.remember('cause', 'vegan');
    const reader = openReader();
    await person.forget();
    await store.close();
    store = await openIn(folder);
    expect(store.health().erasurePending).toBe(true);
    reader.close();
    await store.erased();
    expect(store.health().erasurePending).toBe(false);
    expect(statSync(join(folder, 'ledger.sqlite-wal')).size).toBeLessThan(3 * 4_200);
  });

  it('is seen by another instance on the same file, which may do it too', async () => {
    const other = await openIn(folder);
    const person = personOn(store.ledger, 'Person A');
    await person.remember('cause', 'vegan');
    const reader = openReader();
    await person.forget();
    expect(other.health().erasurePending).toBe(true);
    reader.close();
    await other.erased();
    expect(store.health().erasurePending).toBe(false);
    await other.close();
  });

  it('is tried once more by close', async () => {
    const person = personOn(store.ledger, 'Person A');
    await person.remember('cause', 'vegan');
    const reader = openReader();
    await person.forget();
    reader.close();
    await store.close();
    store = await openIn(folder);
    expect(store.health().erasurePending).toBe(false);
  });
});
