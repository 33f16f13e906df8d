/**
 * What the log of heads holds: four kinds of leaf, each in RFC 8785 bytes, none of them about a person.
 * @module
 */
import { type KeyObject, sign, verify } from 'node:crypto';
import * as v from 'valibot';
import { canonicalBytes } from '../../events/canonical.ts';
import { sha256Hex } from '../../events/chain.ts';
import type { WitnessedHead } from '../../events/checkpoint-ports.ts';
import { LedgerId } from '../../events/identity.ts';
import type { Purpose } from '../../events/purposes.ts';
import { readVerifierKey, type VerifierKey, verifierKey } from './checkpoint-note.ts';

const hexHash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const keyText = v.pipe(v.string(), v.maxLength(200));

/** A ledger stood here when the checkpoint after this leaf was made. */
export const HeadLeaf = v.strictObject({
  type: v.literal('head/1'),
  ledgerId: LedgerId,
  position: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(1_000_000_000)),
  hash: hexHash,
});
export type HeadLeaf = v.InferOutput<typeof HeadLeaf>;

/**
 * All heads at once: the Merkle root over the newest head leaf of every ledger, in order of ledgerId. It is the last leaf
 * under every checkpoint, so that a head can be shown to be the newest, and a ledger to be unknown.
 */
export const HeadsLeaf = v.strictObject({
  type: v.literal('heads/1'),
  root: hexHash,
  ledgers: count,
  /** The key whose signature the checkpoint carries. */
  key: keyText,
});
export type HeadsLeaf = v.InferOutput<typeof HeadsLeaf>;

/** The log's first key (old and new are the same), or its replacement, signed by the old key. */
export const KeyLeaf = v.strictObject({
  type: v.literal('key/1'),
  oldKey: keyText,
  newKey: keyText,
  /** Ed25519 by the old key over the canonical {newKey, oldKey, type}, base64. */
  signature: v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]{86}==$/)),
});
export type KeyLeaf = v.InferOutput<typeof KeyLeaf>;

/** The exact words of a notice, by their SHA-256: a version never gets other words. */
export const NoticeLeaf = v.strictObject({
  type: v.literal('notice/1'),
  version: v.pipe(v.string(), v.regex(/^[a-z_]{1,60}\/[0-9]{1,6}$/)),
  language: v.picklist(['zh-TW']),
  hash: hexHash,
});
export type NoticeLeaf = v.InferOutput<typeof NoticeLeaf>;

const Leaf = v.variant('type', [HeadLeaf, HeadsLeaf, KeyLeaf, NoticeLeaf]);
export type Leaf = v.InferOutput<typeof Leaf>;

/** A leaf as it is stored and hashed. */
export function encodeLeaf(leaf: Leaf): Uint8Array {
  return canonicalBytes(leaf);
}

/** Reads stored bytes back; null for what is not a leaf in its own encoding. */
export function decodeLeaf(bytes: Uint8Array): Leaf | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return null;
  }
  const leaf = v.safeParse(Leaf, value);
  return leaf.success && Buffer.compare(encodeLeaf(leaf.output), bytes) === 0 ? leaf.output : null;
}

/** The leaf of a head. */
export function headLeaf({ ledgerId, position, hash }: WitnessedHead): HeadLeaf {
  return { type: 'head/1', ledgerId, position, hash };
}

/** The leaf of a notice's words. */
export function noticeLeaf({ version, language, text }: Purpose['notices'][number]): NoticeLeaf {
  return v.parse(NoticeLeaf, { type: 'notice/1', version, language, hash: sha256Hex(text) });
}

/** The leaf by which the old key (or, for a first key, the key itself) vouches for the new one. */
export function keyLeaf(origin: string, oldKey: KeyObject, newKey: KeyObject): KeyLeaf {
  const says = {
    type: 'key/1',
    oldKey: verifierKey(origin, oldKey).text,
    newKey: verifierKey(origin, newKey).text,
  } as const;
  return { ...says, signature: sign(null, canonicalBytes(says), oldKey).toString('base64') };
}

/** The key that a leaf vouches for, if its old key is this one and signed it; else null. */
export function successor(leaf: KeyLeaf, trusted: VerifierKey): VerifierKey | null {
  const { type, oldKey, newKey, signature } = leaf;
  if (oldKey !== trusted.text) return null;
  const next = readVerifierKey(newKey);
  if (next === null || next.name !== trusted.name) return null;
  const says = canonicalBytes({ type, oldKey, newKey });
  return verify(null, says, trusted.key, Buffer.from(signature, 'base64')) ? next : null;
}
