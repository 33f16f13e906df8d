/**
 * What another machine does that keeps checkpoints: it accepts only what grew out of what it has seen.
 * @module
 */
import * as v from 'valibot';
import { type ProvableLog, proveGrowth } from './bundle-proofs.ts';
import { encodeLeaf, HeadsLeaf, KeyLeaf, successor } from './checkpoint-leaves.ts';
import { isSignedBy, type ReadNote, readNote, readVerifierKey, type VerifierKey } from './checkpoint-note.ts';
import { extendsTree, includes, leafHash } from './merkle-tree.ts';

const path = v.pipe(v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))), v.maxLength(64));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A checkpoint with what shows that it grew out of an older one, as a service hands it to a witness. */
export const WitnessOffer = v.object({
  checkpoint: v.pipe(v.string(), v.maxLength(4_096)),
  heads: v.strictObject({ index: count, leaf: HeadsLeaf, path }),
  keys: v.pipe(v.array(v.strictObject({ index: count, leaf: KeyLeaf, path })), v.maxLength(1_000)),
  consistency: v.pipe(v.array(v.strictObject({ size: count, path })), v.maxLength(1_000)),
});
export type WitnessOffer = v.InferOutput<typeof WitnessOffer>;

/** What a witness keeps between two looks. */
export const Kept = v.strictObject({
  /** The key it trusts, `<name>+<key id>+<base64>`; it moves on with a recorded change. */
  key: v.pipe(v.string(), v.maxLength(200)),
  /** The newest checkpoint it accepted, or null before the first. */
  checkpoint: v.nullable(v.pipe(v.string(), v.maxLength(4_096))),
});
export type Kept = v.InferOutput<typeof Kept>;

/** Why an offer is refused. `rolled_back`, `forked` and `not_consistent` are evidence against whoever signed. */
export type WitnessRefusal =
  | 'unreadable'
  | 'other_log'
  | 'key_not_trusted'
  | 'heads_not_proven'
  | 'rolled_back'
  | 'forked'
  | 'consistency_missing'
  | 'not_consistent';

export type WitnessVerdict =
  | { readonly outcome: 'first' | 'unchanged' | 'advanced'; readonly kept: Kept; readonly size: number }
  | { readonly outcome: 'refused'; readonly cause: WitnessRefusal };

/**
 * The offer for a witness that has seen `from` leaves (0: nothing yet). A size the log never had a checkpoint for is still
 * proven; for one beyond the log there is no proof, by which the witness knows that it was rolled back.
 */
export function witnessOffer(provable: ProvableLog, from: number): WitnessOffer {
  const older = from > 0 && from < provable.checkpoint.size ? [from] : [];
  const { heads, keys, consistency } = proveGrowth(provable, older);
  return v.parse(WitnessOffer, { checkpoint: provable.checkpoint.note, heads, keys, consistency });
}

/** Judges an offer against what was kept. Pure: nothing is written down here. @throws when `kept` is not readable. */
export function judgeOffer(kept: Kept, offered: unknown): WitnessVerdict {
  const refused = (cause: WitnessRefusal): WitnessVerdict => ({ outcome: 'refused', cause });
  const key = readVerifierKey(kept.key);
  const before = kept.checkpoint === null ? null : readNote(kept.checkpoint);
  if (key === null || (kept.checkpoint !== null && before === null)) throw new Error('What was kept cannot be read');
  const parsed = v.safeParse(WitnessOffer, offered);
  const note = parsed.success ? readNote(parsed.output.checkpoint) : null;
  if (!parsed.success || note === null) return refused('unreadable');
  const { origin, size, root } = note.checkpoint;
  if (origin !== key.name) return refused('other_log');
  const { heads, keys, consistency } = parsed.output;
  if (heads.index !== size - 1 || !isIn(note, heads)) return refused('heads_not_proven');
  const signer = trustedSigner(key, heads.leaf.key, keys, note);
  if (signer === null || !isSignedBy(note, signer)) return refused('key_not_trusted');
  const next: Kept = { key: signer.text, checkpoint: parsed.output.checkpoint };
  if (before === null) return { outcome: 'first', kept: next, size };
  const old = before.checkpoint;
  if (size < old.size) return refused('rolled_back');
  if (size === old.size) {
    if (Buffer.compare(root, old.root) !== 0) return refused('forked');
    return { outcome: 'unchanged', kept, size };
  }
  const proof = consistency.find((each) => each.size === old.size);
  if (proof === undefined) return refused('consistency_missing');
  const grew = extendsTree(old, { size, root }, proof.path.map(fromHex));
  return grew ? { outcome: 'advanced', kept: next, size } : refused('not_consistent');
}

const fromHex = (node: string): Buffer => Buffer.from(node, 'hex');

function isIn(
  { checkpoint: { size, root } }: ReadNote,
  proof: { index: number; leaf: HeadsLeaf | KeyLeaf; path: readonly string[] },
): boolean {
  const leaf = leafHash(encodeLeaf(proof.leaf));
  return includes(leaf, { index: proof.index, size, root, path: proof.path.map(fromHex) });
}

/** The key that should have signed, if recorded changes lead from the trusted key to it. */
function trustedSigner(
  key: VerifierKey,
  signer: string,
  changes: WitnessOffer['keys'],
  note: ReadNote,
): VerifierKey | null {
  const trusted = new Map([[key.text, key]]);
  for (const change of changes) {
    if (!isIn(note, change)) return null;
    const old = trusted.get(change.leaf.oldKey);
    const next = old === undefined ? null : successor(change.leaf, old);
    if (next !== null) trusted.set(next.text, next);
  }
  return trusted.get(signer) ?? null;
}
