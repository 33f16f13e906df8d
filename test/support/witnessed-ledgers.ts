/**
 * People with a long history, witnessed as it grew, and the bundles exported from it.
 * @module
 */
import { createHash, type KeyObject } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportBundle, type ExportOptions } from '../../src/adapters/audit/bundle-export.ts';
import { checkpointSigner, logOrigin, verifierKey } from '../../src/adapters/audit/checkpoint-note.ts';
import {
  CHECKPOINT_INTERVAL_MS,
  type Checkpointer,
  createCheckpointer,
} from '../../src/adapters/audit/checkpointer.ts';
import { allLedgers } from '../../src/adapters/audit/reading.ts';
import type { LedgerRef } from '../../src/events/identity.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { BEGINNING, type Offered, personOn } from './ledger-world.ts';
import { type MemoryCheckpointLog, memoryCheckpointLog } from './memory-checkpoint-log.ts';
import { type MemoryLedger, memoryLedger } from './memory-ledger.ts';

/** The name of every test log. */
export const ORIGIN = logOrigin('test');

/** An Ed25519 private key that follows from a name. */
export function signingKey(name: string): KeyObject {
  return checkpointSigner(createHash('sha256').update(`signing ${name}`).digest());
}

/** The public key of a name as an auditor holds it. */
export function publicKeyText(name: string): string {
  return verifierKey(ORIGIN, signingKey(name)).text;
}

/** The files of a bundle by name. */
export type BundleFiles = ReadonlyMap<string, Buffer>;

export type WitnessedWorld = {
  readonly ledger: MemoryLedger;
  readonly log: MemoryCheckpointLog;
  /** A minute passes and the checkpointer runs. */
  readonly checkpoint: (signer?: string, retiring?: string | null) => ReturnType<Checkpointer['run']>;
  /** Some seconds pass. */
  readonly pass: (milliseconds: number) => void;
  readonly now: () => number;
  /** Exports into a folder that is gone again afterwards. */
  readonly bundle: (options?: Partial<ExportOptions>) => Promise<BundleFiles>;
};

/** An empty world with a log of heads signed by the key `first`. */
export function witnessedWorld(): WitnessedWorld {
  const ledger = memoryLedger();
  const log = memoryCheckpointLog(ledger);
  const { notices } = DIET_FOR_PLACE_SEARCH;
  const writers = new Map<string, Checkpointer>();
  let now = BEGINNING;
  const world: WitnessedWorld = {
    ledger,
    log,
    now: () => now,
    pass(milliseconds) {
      now += milliseconds;
    },
    checkpoint(signer = 'first', retiring = null) {
      now += CHECKPOINT_INTERVAL_MS;
      const name = `${signer} ${retiring}`;
      const writer =
        writers.get(name) ??
        createCheckpointer({
          log,
          origin: ORIGIN,
          signer: signingKey(signer),
          retiring: retiring === null ? null : signingKey(retiring),
          notices,
          holder: 'writer',
        });
      writers.set(name, writer);
      return writer.run(now);
    },
    async bundle(options = {}) {
      const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
      try {
        const out = join(folder, 'out');
        const exported = await exportBundle({
          reader: ledger,
          log,
          ledgers: allLedgers(ledger),
          scope: 'all',
          out,
          now,
          content: false,
          seen: null,
          notices,
          ...options,
        });
        if (exported.outcome !== 'written') throw new Error(`Not exported: ${exported.outcome}`);
        return new Map(readdirSync(out).map((name) => [name, readFileSync(join(out, name))]));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
  return world;
}

const VALUES = ['vegetarian', 'vegan', 'ovo_lacto', 'lacto', 'allium', 'friendly'];

/**
 * Lets a person decide until their ledger has exactly `events` events: savings, corrections, cancellations, late and
 * replaced cards, forgetting.
 * @param witness runs after each event, with its position.
 */
export async function liveThrough(
  world: WitnessedWorld,
  name: string,
  events: number,
  witness: (position: number) => Promise<void>,
): Promise<LedgerRef> {
  const person = personOn(world.ledger, name, world.now);
  const length = async (): Promise<number> => (await world.ledger.head(person.ref.ledgerId)).position;
  let old: Offered | null = null;
  let round = 0;
  const steps: (() => Promise<Offered | null>)[] = [];
  const offer = (): Promise<Offered> => person.propose(`offer-${round}`, VALUES[round % VALUES.length] ?? '');
  let open: Offered | null = null;
  const propose = async (): Promise<null> => {
    round += 1;
    old = open;
    open = await offer();
    return null;
  };
  const approve = async (): Promise<null> => {
    if (open !== null) await person.approve(open);
    return null;
  };
  const cancel = async (): Promise<null> => {
    if (open !== null) await person.cancel(open);
    return null;
  };
  const late = async (): Promise<null> => {
    if (old !== null) await person.approve(old);
    return null;
  };
  const forget = async (): Promise<null> => {
    await person.forget();
    return null;
  };
  steps.push(propose, approve, propose, propose, late, approve, propose, cancel, propose, approve, forget);
  for (let step = 0; (await length()) < events; step += 1) {
    const before = await length();
    await steps[step % steps.length]?.();
    const after = await length();
    world.pass(1_000);
    if (after > before) await witness(after);
  }
  return person.ref;
}
