/**
 * Whether a ledger still says what the newest signed checkpoint says it said.
 * @module
 */
import type { CheckpointLogReader } from '../../events/checkpoint-ports.ts';
import type { LedgerId, LedgerRef } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { type ProvableLog, readProvableLog } from './bundle-proofs.ts';
import { LogDamaged } from './checkpoint-log.ts';
import { isSignedBy, readNote, type VerifierKey } from './checkpoint-note.ts';

/** What witnessing says of one ledger. */
export type WitnessedVerdict = {
  readonly problem: {
    readonly ledgerId: LedgerId;
    readonly position: number;
    readonly cause: 'cut_off' | 'witnessed_hash_differs';
  } | null;
  /** Events newer than the newest checkpoint. */
  readonly notYetWitnessed: number;
};

/**
 * Reads the log for verifying.
 * @param ledgerIds the ledgers that will be compared.
 * @returns null before the first checkpoint.
 * @throws LogDamaged when leaves and checkpoint do not belong together or the signature is not of this key.
 */
export async function readWitnessed(
  log: CheckpointLogReader,
  key: VerifierKey,
  ledgerIds: ReadonlySet<LedgerId>,
): Promise<ProvableLog | null> {
  const provable = await readProvableLog(log, ledgerIds);
  if (provable === null) return null;
  const note = readNote(provable.checkpoint.note);
  if (note === null || !isSignedBy(note, key)) throw new LogDamaged('The newest checkpoint is not signed by this key');
  return provable;
}

/** What a verifier asks of the newest checkpoint about the ledgers it judges. */
export type Witnessing = {
  readonly compare: (ledger: LedgerRef) => Promise<WitnessedVerdict>;
  /** Ledgers the checkpoint knows and that were not among those named: gone, if all there are were named. */
  readonly unnamed: readonly LedgerId[];
};

/** Reads the log and makes the comparisons. @throws as {@link readWitnessed}. */
export async function witnessingOf(
  log: CheckpointLogReader,
  key: VerifierKey,
  reader: LedgerReader,
  named: ReadonlySet<LedgerId>,
): Promise<Witnessing> {
  const provable = await readWitnessed(log, key, named);
  return {
    compare: (ledger) => compareWithWitnessed(reader, provable, ledger),
    unnamed: [...(provable?.log.heads.keys() ?? [])].filter((ledgerId) => !named.has(ledgerId)),
  };
}

/** Compares one ledger with the log: one read when all is well, a search for the first difference when not. */
export async function compareWithWitnessed(
  reader: LedgerReader,
  provable: ProvableLog | null,
  { ledgerId }: Pick<LedgerRef, 'ledgerId'>,
): Promise<WitnessedVerdict> {
  const { position } = await reader.head(ledgerId);
  const places = (provable?.witnessed.get(ledgerId) ?? []).map(({ leaf }) => leaf);
  const newest = places.at(-1);
  if (newest === undefined) return { problem: null, notYetWitnessed: position };
  const notYetWitnessed = Math.max(0, position - newest.position);
  const differs = async (leaf: { position: number; hash: string }): Promise<boolean> => {
    const [stored] = await reader.events(ledgerId, leaf.position, leaf.position);
    return stored === undefined || stored.hash !== leaf.hash;
  };
  if (!(await differs(newest))) return { problem: null, notYetWitnessed };
  // Hashes are chained: after the first that differs all differ.
  let [good, bad] = [-1, places.length - 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    const place = places[middle];
    if (place !== undefined && (await differs(place))) bad = middle;
    else good = middle;
  }
  const first = places[bad] ?? newest;
  const cause = first.position > position ? 'cut_off' : 'witnessed_hash_differs';
  const at = cause === 'cut_off' ? position + 1 : first.position;
  return { problem: { ledgerId, position: at, cause }, notYetWitnessed };
}
