/**
 * Reads every byte of a store's files and looks for what was to be gone.
 * @module
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../src/events/purposes.ts';
import { BEGINNING, type Person, personOn, sentenceFor } from '../../support/ledger-world.ts';
import { seededRandom } from './store-files.ts';

const PREFIX_BYTES = 4;

/** A trace that was found: in which file, and which one it was. */
export type Hit = { readonly file: string; readonly trace: string };

/** Everything a set of people left behind, by kind. */
export type Traces = {
  readonly labels: readonly Uint8Array[];
  readonly sentences: readonly Uint8Array[];
  readonly contents: readonly Uint8Array[];
  readonly blindingKeys: readonly Uint8Array[];
};

/**
 * Looks for every trace at every byte of every file of a folder, in one pass over the bytes.
 *
 * The files are copied by another process first: reading an SQLite file with node:fs drops the locks this process holds on it.
 */
export function findTraces(folder: string, traces: readonly Uint8Array[]): readonly Hit[] {
  const byPrefix = new Map<number, Buffer[]>();
  for (const trace of traces) {
    const needle = Buffer.from(trace);
    if (needle.length < PREFIX_BYTES) throw new RangeError('A trace is too short to look for');
    const prefix = needle.readUInt32BE();
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), needle]);
  }
  // Most places are ruled out by the top half of the prefix alone.
  const likely = new Uint8Array(65_536);
  for (const prefix of byPrefix.keys()) likely[prefix >>> 16] = 1;
  const copy = mkdtempSync(join(tmpdir(), 'local-scan-'));
  try {
    const { status } = spawnSync('cp', ['-r', `${folder}/.`, copy]);
    if (status !== 0) throw new Error('The files could not be copied');
    return readdirSync(copy).flatMap((file) => findIn(readFileSync(join(copy, file)), file, byPrefix, likely));
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function findIn(bytes: Buffer, file: string, byPrefix: ReadonlyMap<number, Buffer[]>, likely: Uint8Array): Hit[] {
  const hits: Hit[] = [];
  let window = 0;
  for (let end = 0; end < bytes.length; end += 1) {
    window = ((window << 8) | (bytes[end] ?? 0)) >>> 0;
    if (likely[window >>> 16] === 0) continue;
    const start = end - PREFIX_BYTES + 1;
    for (const needle of byPrefix.get(window) ?? [])
      if (start >= 0 && bytes.subarray(start, start + needle.length).equals(needle))
        hits.push({ file, trace: needle.toString('hex') });
  }
  return hits;
}

/** All kinds of traces in one list. */
export function allOf({ labels, sentences, contents, blindingKeys }: Traces): readonly Uint8Array[] {
  return [...labels, ...sentences, ...contents, ...blindingKeys];
}

/**
 * Lets `count` people say, agree, correct themselves and go on talking, in an order that follows from the seed.
 * @returns the people, and what is now written about them.
 */
export async function fillWithPeople(
  store: SqliteStore,
  count: number,
  seed: number,
): Promise<{ people: readonly Person[]; traces: Traces }> {
  const random = seededRandom(seed);
  const values = DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value);
  const anyValue = (): string => values[Math.floor(random() * values.length)] ?? '';
  const contents: Uint8Array[] = [];
  const blindingKeys: Uint8Array[] = [];
  const people = Array.from({ length: count }, (_, index) => personOn(store.ledger, `Person ${seed}-${index}`));

  async function live(person: Person, index: number): Promise<void> {
    const { subjectKey } = person;
    for (const round of random() < 0.4 ? [1, 2] : [1]) {
      const value = anyValue();
      const key = `w-${index}-${round}`;
      const said = `${sentenceFor(value)}${'．'.repeat(Math.floor(random() * 1_000))}`;
      await store.inbox.accept({ key, subjectKey, messageId: key, body: Buffer.from(said), receivedAt: BEGINNING });
      const ids = { turnId: key, causationId: key, subjectKey, ledgerId: person.ref.ledgerId, usedRevision: null };
      await store.turnRecords.record({ ...ids, recordedAt: BEGINNING, body: Buffer.from(said) });
      const [execution] = await Promise.allSettled([person.remember(key, value)]);
      // The same value again is `already_effective`: nothing more was written.
      if (execution.status === 'fulfilled') {
        const [, , content, keyText, keyBytes] = execution.value.traces;
        contents.push(content ?? new Uint8Array());
        blindingKeys.push(keyText ?? new Uint8Array(), keyBytes ?? new Uint8Array());
      }
      if (random() < 0.6) await store.inbox.finish(key);
    }
  }
  // Many at once, so that pages fill in no order at all.
  const order = shuffled(people, random);
  for (let start = 0; start < order.length; start += 50)
    await Promise.all(order.slice(start, start + 50).map((person, offset) => live(person, start + offset)));
  return {
    people: shuffled(people, random),
    traces: {
      labels: DIET_FOR_PLACE_SEARCH.values.map(({ label }) => Buffer.from(label['zh-TW'])),
      sentences: values.map((value) => Buffer.from(sentenceFor(value))),
      contents,
      blindingKeys,
    },
  };
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((one, two) => one.rank - two.rank)
    .map(({ item }) => item);
}

/** Lets all of them forget, many at once. */
export async function forgetAll(people: readonly Person[]): Promise<void> {
  for (let start = 0; start < people.length; start += 50)
    await Promise.all(people.slice(start, start + 50).map((person) => person.forget()));
}
