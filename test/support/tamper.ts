/**
 * Every way to lay hands on a bundle, at every event: what was done, and where a verifier must first see it.
 *
 * The one who tampers knows the format and repairs what can be repaired without the signing key: lengths and digests in
 * the manifest, and where it is said, hashes, links and the head as well.
 * @module
 */
import type { KeyObject } from 'node:crypto';
import { type CanonicalValue, canonicalText } from '../../src/events/canonical.ts';
import { genesisHash, sha256Hex } from '../../src/events/chain.ts';
import type { RecordedEvent } from '../../src/events/envelope.ts';
import type { LedgerId } from '../../src/events/identity.ts';
import { readNote, signCheckpoint } from '../../src/adapters/audit/checkpoint-note.ts';
import { encodeState, evolve, initialState } from '../../src/projections/preference-state.ts';
import type { BundleFiles } from './witnessed-ledgers.ts';

/** An event with its hash, as a line of the bundle holds it. */
type Line = RecordedEvent & { readonly hash: string };
type Entry = { ledgerId: string; kind: string; position: number; hash: string; time: string; state: CanonicalValue };
type Manifest = {
  content: string;
  ledgers: Entry[];
  counts: { ledgers: number; events: number };
  files: Record<string, { bytes: number; sha256: string }>;
  notices: { version: string; language: string; text: string }[];
};
type Proofs = { ledgers: { newest: unknown; witnessed: { leaf: { position: number } }[] }[] };
type Content = { blindingKey: string; value: string };

/** One tampered bundle. */
export type Tampered = {
  readonly kind: TamperKind;
  readonly position: number;
  readonly files: BundleFiles;
  /** The position of the first problem a verifier must name; null: it lies beyond the newest checkpoint and is not seen. */
  readonly firstBad: number | null;
  /** What the problem is about: one ledger, or the bundle as a whole. */
  readonly about: 'ledger' | 'bundle';
};

export const TAMPER_KINDS = [
  'edit',
  'edit_with_hash',
  'drop',
  'insert',
  'reorder',
  'truncate',
  'fork',
  'swap_subjects',
  'rehashed_rewrite',
  'replayed_old_head',
  'hidden_newest_proof',
  'foreign_signature',
  'changed_notice',
  'content_swapped',
  'kind',
] as const;
export type TamperKind = (typeof TAMPER_KINDS)[number];

/** What tampering starts from: a clean bundle of one ledger with content, and one of somebody else. */
export type TamperGround = {
  readonly clean: BundleFiles;
  readonly other: BundleFiles;
  /** Positions of the ledger that stand in the log, ascending. */
  readonly witnessed: readonly number[];
  /** A key that is not the log's. */
  readonly foreignKey: KeyObject;
};

type Parts = {
  readonly lines: Line[];
  readonly manifest: Manifest;
  readonly proofs: Proofs;
  /** Null: the bundle goes without content. */
  contents: Content[] | null;
  checkpoint: string;
};

function fileText(files: BundleFiles, name: string): string {
  return files.get(name)?.toString('utf8') ?? '';
}

function linesOf<T>(files: BundleFiles, name: string): T[] {
  return fileText(files, name)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/** Lines are never changed in place, so their text is made once. */
const texts = new WeakMap<object, string>();
const parsed = new WeakMap<BundleFiles, { lines: Line[]; proofs: Proofs }>();

function text(value: object): string {
  const known = texts.get(value) ?? `${canonicalText(value as CanonicalValue)}\n`;
  texts.set(value, known);
  return known;
}

function open(files: BundleFiles): Parts {
  const base = parsed.get(files) ?? {
    lines: linesOf<Line>(files, 'events.ndjson'),
    proofs: JSON.parse(fileText(files, 'proofs.json')) as Proofs,
  };
  parsed.set(files, base);
  return {
    lines: [...base.lines],
    manifest: JSON.parse(fileText(files, 'manifest.json')) as Manifest,
    proofs: { ...base.proofs },
    contents: linesOf<Content>(files, 'content.ndjson'),
    checkpoint: fileText(files, 'checkpoint.txt'),
  };
}

/** Writes the parts down with digests, lengths and counts as they now are. */
function close({ lines, manifest, proofs, contents, checkpoint }: Parts, clean: BundleFiles): BundleFiles {
  const isSameProofs = proofs.ledgers === parsed.get(clean)?.proofs.ledgers;
  const files = new Map([
    ['events.ndjson', Buffer.from(lines.map(text).join(''))],
    ['proofs.json', isSameProofs ? Buffer.from(fileText(clean, 'proofs.json')) : Buffer.from(text(proofs))],
    ['checkpoint.txt', Buffer.from(checkpoint)],
  ]);
  if (contents !== null) files.set('content.ndjson', Buffer.from(contents.map(text).join('')));
  manifest.content = contents === null ? 'none' : 'in_force';
  manifest.files = {};
  manifest.counts.events = lines.length;
  for (const [name, bytes] of files) manifest.files[name] = { bytes: bytes.length, sha256: sha256Hex(bytes) };
  files.set('manifest.json', Buffer.from(text(manifest)));
  return files;
}

function rehash(line: Line): Line {
  const { hash: _, ...event } = line;
  return { ...event, hash: sha256Hex(canonicalText(event)) };
}

/** Links and hashes the lines from an index on, so that the chain holds again. */
function relink(lines: Line[], from: number): void {
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) return;
    const previoushash = lines[index - 1]?.hash ?? genesisHash(line.source.slice('/ledgers/'.length) as LedgerId);
    lines[index] = rehash({ ...line, previoushash });
  }
}

/** The head the first `position` lines come to. */
function setHead({ lines, manifest }: Parts, position: number): void {
  const [entry] = manifest.ledgers;
  const last = lines[position - 1];
  if (entry === undefined || last === undefined) return;
  const state = lines.slice(0, position).reduce((so, line) => evolve(so, line, line.hash), initialState);
  entry.position = position;
  entry.hash = last.hash;
  entry.time = last.time;
  entry.state = JSON.parse(encodeState(state)) as CanonicalValue;
}

const changed = (line: Line, name: string): Line => ({ ...line, correlationid: name });

/** Kinds a preference ledger is not; the others are names that an object has without being given them. */
const OTHER_KINDS = ['access', 'request', 'gate', 'foo', 'constructor', '__proto__', ''];

/** Tampers in one way at one event. Null where that is not possible there (an end cannot be reordered). */
export function tamper(ground: TamperGround, kind: TamperKind, position: number): Tampered | null {
  const parts = open(ground.clean);
  const { lines, manifest } = parts;
  const index = position - 1;
  const line = lines[index];
  if (line === undefined) return null;
  const last = lines.length;
  const witnessedFrom = (from: number): number | null => ground.witnessed.find((each) => each >= from) ?? null;
  const done = (firstBad: number | null, about: Tampered['about'] = 'ledger'): Tampered => ({
    kind,
    position,
    files: close(parts, ground.clean),
    firstBad,
    about,
  });
  switch (kind) {
    case 'edit':
      lines[index] = changed(line, 'edited');
      return done(position);
    case 'edit_with_hash':
      lines[index] = rehash(changed(line, 'edited'));
      setHead(parts, last);
      if (ground.witnessed.includes(position)) return done(position);
      return done(position < last ? position + 1 : null);
    case 'drop':
      lines.splice(index, 1);
      return done(position);
    case 'insert':
      lines.splice(
        position,
        0,
        rehash({ ...line, id: '00000000-0000-7000-8000-000000000000', previoushash: line.hash }),
      );
      return done(position + 1);
    case 'reorder': {
      const next = lines[position];
      if (next === undefined) return null;
      lines.splice(index, 2, next, line);
      return done(position);
    }
    case 'truncate':
      // Everything from this event on is cut off; where something is left, the head says so.
      lines.splice(index);
      parts.contents = null;
      setHead(parts, position - 1);
      if (position > 1 && witnessedFrom(position) === null) return null;
      return done(position);
    case 'fork':
      for (let at = index; at < last; at += 1) lines[at] = changed(lines[at] ?? line, `fork-${at}`);
      relink(lines, index);
      setHead(parts, last);
      return done(witnessedFrom(position));
    case 'rehashed_rewrite':
      lines[index] = changed(line, 'rewritten');
      relink(lines, index);
      setHead(parts, last);
      return done(witnessedFrom(position));
    case 'swap_subjects':
      lines[index] = linesOf<Line>(ground.other, 'events.ndjson')[index] ?? line;
      return done(position);
    case 'replayed_old_head':
      setHead(parts, position);
      return position === last ? null : done(position + 1);
    case 'hidden_newest_proof': {
      const [whole] = parts.proofs.ledgers;
      if (whole === undefined) return null;
      const proof = { ...whole };
      parts.proofs.ledgers = [proof];
      const kept = proof.witnessed.filter(({ leaf }) => leaf.position <= position);
      if (kept.length === 0 || kept.length === proof.witnessed.length) return null;
      // An old head is offered as the newest, and the events after it are gone.
      proof.newest = kept.at(-1);
      proof.witnessed = kept;
      lines.splice(position);
      parts.contents = null;
      setHead(parts, position);
      return done(0);
    }
    case 'foreign_signature': {
      const note = readNote(parts.checkpoint);
      if (note === null) return null;
      if (position % 2 === 0) parts.checkpoint = signCheckpoint(note.checkpoint, [ground.foreignKey]);
      else parts.checkpoint = flipSignature(parts.checkpoint, position);
      return done(0, 'bundle');
    }
    case 'changed_notice': {
      const [notice] = manifest.notices;
      if (notice === undefined) return null;
      const at = position % notice.text.length;
      notice.text = `${notice.text.slice(0, at)}不${notice.text.slice(at)}`;
      return done(1);
    }
    case 'content_swapped': {
      const [content] = parts.contents ?? [];
      if (content === undefined) return null;
      if (position % 2 === 0) content.value = content.value === 'vegan' ? 'lacto' : 'vegan';
      else {
        const at = position % 42;
        const swapped = content.blindingKey[at] === 'A' ? 'B' : 'A';
        content.blindingKey = content.blindingKey.slice(0, at) + swapped + content.blindingKey.slice(at + 1);
      }
      return done(last);
    }
    case 'kind': {
      const [entry] = manifest.ledgers;
      if (entry === undefined) return null;
      // Under another kind the content, the state and the newest event might go unlooked at.
      entry.kind = OTHER_KINDS[position % OTHER_KINDS.length] ?? '';
      if (position % 2 === 0) parts.contents = [];
      const newest = lines[last - 1];
      if (position % 3 === 0 && newest !== undefined) {
        const other = rehash({ ...newest, type: 'request.confirmed', data: { anything: 1 } } as unknown as Line);
        lines[last - 1] = other;
        entry.hash = other.hash;
      }
      if (position % 5 === 0) entry.state = { x: 1 };
      return done(entry.kind === 'access' ? 1 : 0);
    }
  }
}

/** Flips one bit of the signature's 64 bytes; the text stays well-formed. */
function flipSignature(note: string, which: number): string {
  const at = note.lastIndexOf(' ') + 1;
  const bytes = Buffer.from(note.slice(at, -1), 'base64');
  const byte = 4 + (which % 64);
  bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (which % 8));
  return `${note.slice(0, at)}${bytes.toString('base64')}\n`;
}

/** All ways at all positions from 1, every `step`th. */
export function* tamperings(ground: TamperGround, step: number): Generator<Tampered> {
  const events = linesOf(ground.clean, 'events.ndjson').length;
  for (const kind of TAMPER_KINDS) {
    for (let position = 1; position <= events; position += step) {
      const tampered = tamper(ground, kind, position);
      if (tampered !== null) yield tampered;
    }
  }
}
