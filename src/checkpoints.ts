/**
 * The signed checkpoints of a configuration: whose key signs, what the log is called, and the writer that runs each minute.
 * @module
 */
import { hkdfSync, type KeyObject } from 'node:crypto';
import { createCheckpointer, CHECKPOINT_INTERVAL_MS, type Checkpointer } from './adapters/audit/checkpointer.ts';
import {
  checkpointSigner,
  isSignedBy,
  logOrigin,
  readNote,
  type VerifierKey,
  verifierKey,
} from './adapters/audit/checkpoint-note.ts';
import type { Timer } from './adapters/line/deadline.ts';
import type { AuditConfig } from './adapters/system/config.ts';
import type { CheckpointLog, CheckpointLogReader } from './events/checkpoint-ports.ts';
import { subjectKeyFingerprint } from './events/identity.ts';
import { PURPOSES } from './events/purposes.ts';

export type CheckpointKeys = {
  readonly origin: string;
  readonly signer: KeyObject;
  /** The key before, while it is being replaced. */
  readonly retiring: KeyObject | null;
  readonly verifier: VerifierKey;
};

/**
 * The keys: CHECKPOINT_KEYS (first signs, second retires), else one that follows from SUBJECT_KEY. Whoever begins to name
 * keys retires that one by it, for nobody can name it.
 */
export function checkpointKeys(config: AuditConfig): CheckpointKeys {
  const [first, second] = config.checkpointSeeds;
  const derived = Buffer.from(hkdfSync('sha256', config.subjectKeySecret, '', 'local-checkpoint/v1', 32));
  const signer = checkpointSigner(first ?? derived);
  const before = second ?? (first === undefined ? null : derived);
  const origin = logOrigin(subjectKeyFingerprint(config.subjectKeySecret));
  return {
    origin,
    signer,
    retiring: before === null ? null : checkpointSigner(before),
    verifier: verifierKey(origin, signer),
  };
}

/** The key to judge the newest checkpoint with: the retiring one until the new one has signed. */
export async function verifierOfNewest(log: CheckpointLogReader, keys: CheckpointKeys): Promise<VerifierKey> {
  const note = readNote((await log.latest())?.note ?? '');
  if (note === null || keys.retiring === null || isSignedBy(note, keys.verifier)) return keys.verifier;
  const retiring = verifierKey(keys.origin, keys.retiring);
  return isSignedBy(note, retiring) ? retiring : keys.verifier;
}

/** The public keys of which one must have signed the newest checkpoint: the key that signs, and the one it replaces. */
export function checkpointVerifiers(config: AuditConfig): readonly VerifierKey[] {
  const { origin, retiring, verifier } = checkpointKeys(config);
  return retiring === null ? [verifier] : [verifier, verifierKey(origin, retiring)];
}

/** The writer of a store's log. */
export function checkpointerOf(config: AuditConfig, log: CheckpointLog, holder: string): Checkpointer {
  const { origin, signer, retiring } = checkpointKeys(config);
  const notices = [...PURPOSES.values()].flatMap((purpose) => purpose.notices);
  return createCheckpointer({ log, origin, signer, retiring, notices, holder });
}

/**
 * Signs at once and then each minute, if something changed; a fault is counted and the next minute tries again.
 * @returns what ends it; resolves when a run under way has ended.
 */
export function keepCheckpoints(
  checkpointer: Checkpointer,
  { clock, timer, count }: { clock: () => number; timer: Timer; count: (name: string) => void },
): () => Promise<void> {
  let stopped = false;
  let cancel = (): void => {};
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = checkpointer
      .run(clock())
      .then(({ outcome }) => count(`checkpoint_${outcome}`))
      .catch((error: unknown) =>
        count(error instanceof Error && error.name === 'LogDamaged' ? 'fault_checkpoint_log' : 'checkpoint_failed'),
      )
      .finally(() => {
        if (!stopped) cancel = timer(CHECKPOINT_INTERVAL_MS, run);
      });
  };
  run();
  return async () => {
    stopped = true;
    cancel();
    await running;
  };
}
