/**
 * The forget scan: people live, forget in random order, and no byte of any file may tell about them, while another process
 * holds the file open. Its size is a parameter, so that it can be run deep.
 * @module
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startChild } from './child-processes.ts';
import { allOf, fillWithPeople, findTraces, forgetAll, type Hit } from './raw-scan.ts';
import { newFolder, openIn } from './store-files.ts';

/** What the scan found at each stage; kinds that were found while they were to be there prove that the scan can see. */
export type ForgetScan = {
  /** How many kinds of traces (of four) were found before anyone forgot. */
  readonly kindsBefore: number;
  /** Found while a reader keeps the log from being truncated: all that is left stands there. */
  readonly whilePending: readonly Hit[];
  /** Whether the store said so at that moment. */
  readonly saidPending: boolean;
  /** Found after erasure was no longer pending. Must be none. */
  readonly afterErasure: readonly Hit[];
  /** Found after every process let go of the file. Must be none. */
  readonly afterClose: readonly Hit[];
};

/** Runs the scan over `count` people. */
export async function scanForgets(count: number, seed: number): Promise<ForgetScan> {
  const folder = newFolder();
  try {
    const store = await openIn(folder);
    const holder = await startChild('hold', folder, 'holder');
    const { people, traces } = await fillWithPeople(store, count, seed);
    const kindsBefore = Object.values(traces).filter((kind) => findTraces(folder, kind).length > 0).length;
    const reader = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM events');
    await forgetAll(people);
    const whilePending = findTraces(folder, allOf(traces));
    const saidPending = store.health().erasurePending;
    reader.close();
    await store.erased();
    const afterErasure = findTraces(folder, allOf(traces));
    await store.close();
    await holder.finish();
    return { kindsBefore, whilePending, saidPending, afterErasure, afterClose: findTraces(folder, allOf(traces)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
