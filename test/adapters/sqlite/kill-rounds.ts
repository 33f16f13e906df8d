/**
 * Kills writers in the middle of their work and looks for every event they had been told is durable. The number of rounds is
 * a parameter, so that it can be run deep.
 * @module
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LedgerId } from '../../../src/events/identity.ts';
import { startChild } from './child-processes.ts';
import { newFolder, openIn, seededRandom } from './store-files.ts';

/** What was seen over all rounds. */
export type KillRounds = {
  readonly acknowledged: number;
  /** Ledgers whose approval was acknowledged and is not there. Must be none. */
  readonly missing: readonly string[];
  /** `ok`, or the first complaint of SQLite about the file. */
  readonly integrity: string;
};

/** Runs `rounds` writers on one file one after the other, each killed after a number of answers that follows from the seed. */
export async function killWriters(rounds: number, seed: number): Promise<KillRounds> {
  const folder = newFolder();
  const random = seededRandom(seed);
  const acknowledged: string[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const child = await startChild('approve_until_killed', folder, `round ${round}`);
      const answers = 1 + Math.floor(random() * 30);
      for (let answer = 0; answer < answers; answer += 1) acknowledged.push((await child.nextLine()) ?? '');
      const exited = once(child.process, 'exit');
      child.process.kill('SIGKILL');
      await exited;
    }
    const store = await openIn(folder);
    const missing: string[] = [];
    for (const ledgerId of acknowledged) {
      const { head, content } = await store.ledger.headWithContent(ledgerId as LedgerId);
      if (head.position !== 2 || content?.revision !== 1) missing.push(ledgerId);
    }
    await store.close();
    const db = new DatabaseSync(join(folder, 'ledger.sqlite'));
    const integrity = String(db.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
    db.close();
    return { acknowledged: acknowledged.length, missing, integrity };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
