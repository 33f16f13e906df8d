/**
 * Writes a bundle (docs/bundle-format.md): ledgers as CloudEvents with the proofs that stand-alone verifiers check.
 * @module
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CanonicalValue, canonicalText } from '../../events/canonical.ts';
import type { CheckpointLogReader } from '../../events/checkpoint-ports.ts';
import { decodeContent } from '../../events/commitment.ts';
import type { StoredEvent, UnreadableCause } from '../../events/envelope.ts';
import type { LedgerRef } from '../../events/identity.ts';
import type { Head, LedgerReader, StoredContent } from '../../events/ports.ts';
import type { Purpose } from '../../events/purposes.ts';
import { type LedgerLaw, ledgerLaw } from '../../projections/ledger-law.ts';
import { olderCheckpoint, proveBundle, readProvableLog } from './bundle-proofs.ts';
import { eventPages } from './reading.ts';

export type ExportOptions = {
  readonly reader: LedgerReader;
  readonly log: CheckpointLogReader;
  readonly ledgers: AsyncIterable<LedgerRef>;
  /** `all`: every ledger there is, so that one that is missing is missed. */
  readonly scope: 'all' | 'selected';
  /** The folder to make; its parent must exist. */
  readonly out: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Whether values in force, with what opens their commitments, go along. */
  readonly content: boolean;
  /** A checkpoint the auditor kept; its growth into the newest one is proven. */
  readonly seen: string | null;
  /** All notices that events may name. */
  readonly notices: readonly Purpose['notices'][number][];
};

export type Exported =
  | {
      readonly outcome: 'written';
      readonly ledgers: number;
      readonly events: number;
      /** Events newer than the checkpoint. */
      readonly notYetWitnessed: number;
      readonly checkpointSize: number;
    }
  | { readonly outcome: 'folder_exists' | 'no_ledgers' | 'no_checkpoint' | 'seen_not_of_this_log' }
  /** The system's name of the cause, as `ENOENT` for a parent that is not there. */
  | { readonly outcome: 'folder_not_made'; readonly code: string }
  /** What is stored there does not open as an event of a ledger of this kind. */
  | {
      readonly outcome: 'unreadable_event';
      readonly ledgerId: string;
      readonly position: number;
      readonly cause: UnreadableCause;
    }
  | { readonly outcome: 'unknown_kind'; readonly ledgerId: string; readonly kind: string };

/** A file of the bundle, its length and digest kept while it is written. */
type Part = { readonly file: FileHandle; readonly digest: Hash; bytes: number };

/**
 * Writes a bundle. Nothing is left behind unless it was written whole.
 * @throws LogDamaged when the log of heads is not what was signed.
 */
export async function exportBundle(options: ExportOptions): Promise<Exported> {
  const refs: LedgerRef[] = [];
  for await (const ledger of options.ledgers) refs.push(ledger);
  if (refs.length === 0) return { outcome: 'no_ledgers' };
  refs.sort((one, other) => (one.ledgerId < other.ledgerId ? -1 : 1));
  // Before any head is read, so that no head is older than what was witnessed of it.
  const provable = await readProvableLog(options.log, new Set(refs.map(({ ledgerId }) => ledgerId)));
  if (provable === null) return { outcome: 'no_checkpoint' };
  const older = options.seen === null ? null : olderCheckpoint(provable, options.seen);
  if (options.seen !== null && older === null) return { outcome: 'seen_not_of_this_log' };
  try {
    await mkdir(options.out, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === 'EEXIST' ? { outcome: 'folder_exists' } : { outcome: 'folder_not_made', code };
  }
  let written = false;
  try {
    const witnessed = (ledgerId: LedgerRef['ledgerId']): number => provable.log.heads.get(ledgerId)?.leaf.position ?? 0;
    const proofs = proveBundle(
      provable,
      refs.map(({ ledgerId }) => ledgerId),
      older === null || older.size === 0 ? [] : [older.size],
    );
    const exported = await writeFiles(options, refs, witnessed, {
      'checkpoint.txt': provable.checkpoint.note,
      'proofs.json': `${canonicalText(proofs)}\n`,
    });
    written = exported.outcome === 'written';
    return exported.outcome === 'written' ? { ...exported, checkpointSize: provable.checkpoint.size } : exported;
  } finally {
    if (!written) await rm(options.out, { recursive: true, force: true });
  }
}

type Written =
  | Omit<Extract<Exported, { outcome: 'written' }>, 'checkpointSize'>
  | Extract<Exported, { outcome: 'unreadable_event' | 'unknown_kind' }>;

async function writeFiles(
  options: ExportOptions,
  refs: readonly LedgerRef[],
  witnessed: (ledgerId: LedgerRef['ledgerId']) => number,
  texts: Readonly<Record<string, string>>,
): Promise<Written> {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  const entries: CanonicalValue[] = [];
  const used = new Set<string>();
  let [events, notYetWitnessed] = [0, 0];
  const lines = await begin(options.out, 'events.ndjson');
  const contents = options.content ? await begin(options.out, 'content.ndjson') : null;
  try {
    for (const ref of refs) {
      const { ledgerId, kind } = ref;
      const law = ledgerLaw(kind);
      if (law === null) return { outcome: 'unknown_kind', ledgerId, kind };
      const { head, content } = await options.reader.headWithContent(ledgerId);
      const read = await writeEvents(options.reader, { ledgerId, law }, head, lines, used);
      if (read.unreadable !== null) return { outcome: 'unreadable_event', ledgerId, ...read.unreadable };
      if (contents !== null && content !== null) await write(contents, contentLine(content));
      events += read.events;
      notYetWitnessed += Math.max(0, read.events - witnessed(ledgerId));
      entries.push(manifestEntry(ref, head));
    }
    files['events.ndjson'] = { bytes: lines.bytes, sha256: lines.digest.digest('hex') };
    if (contents !== null) files['content.ndjson'] = { bytes: contents.bytes, sha256: contents.digest.digest('hex') };
  } finally {
    await lines.file.close();
    await contents?.file.close();
  }
  for (const [name, text] of Object.entries(texts)) files[name] = await writeWhole(options.out, name, text);
  const manifest = {
    formatVersion: 1,
    generatedAt: new Date(options.now).toISOString(),
    scope: options.scope,
    content: options.content ? 'in_force' : 'none',
    counts: { ledgers: refs.length, events },
    files,
    ledgers: entries,
    notices: options.notices
      .filter(({ version, language }) => used.has(`${version} ${language}`))
      .map(({ version, language, text }) => ({ version, language, text })),
  };
  await writeWhole(options.out, 'manifest.json', `${canonicalText(manifest)}\n`);
  return { outcome: 'written', ledgers: refs.length, events, notYetWitnessed };
}

/** Writes a ledger's events through its head as they are stored, each with the hash that stands beside it. */
async function writeEvents(
  reader: LedgerReader,
  { ledgerId, law }: { ledgerId: LedgerRef['ledgerId']; law: LedgerLaw },
  head: Head,
  lines: Part,
  used: Set<string>,
): Promise<{ events: number; unreadable: { position: number; cause: UnreadableCause } | null }> {
  let events = 0;
  for await (const page of eventPages(reader, ledgerId)) {
    const within = page.filter(({ position }) => position <= head.position);
    const texts: string[] = [];
    for (const stored of within) {
      const opened = law.open(stored.bytes);
      if (!opened.ok) return { events, unreadable: { position: stored.position, cause: opened.cause } };
      texts.push(eventLine(stored, used));
    }
    await write(lines, texts.join(''));
    events += within.length;
    if (within.length < page.length) break;
  }
  return { events, unreadable: null };
}

/** The line of an event that opened, so its bytes are JSON. @param used takes the notice it names. */
function eventLine({ bytes, hash }: StoredEvent, used: Set<string>): string {
  const event = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, CanonicalValue>;
  const data = event['data'];
  if (typeof data === 'object' && data !== null && 'noticeVersion' in data && 'language' in data) {
    const { noticeVersion, language } = data;
    if (typeof noticeVersion === 'string' && typeof language === 'string') used.add(`${noticeVersion} ${language}`);
  }
  return `${canonicalText({ ...event, hash })}\n`;
}

/** Content that cannot be read is left out: a verifier then says that it is missing. */
function contentLine({ revision, bytes }: StoredContent): string {
  try {
    return `${canonicalText({ ...decodeContent(bytes), revision })}\n`;
  } catch {
    return '';
  }
}

function manifestEntry(
  { ledgerId, kind, purpose, subjectKey }: LedgerRef,
  { position, hash, time, state }: Head,
): CanonicalValue {
  return { ledgerId, kind, purpose, subjectKey, position, hash, time, state: stateOf(state) };
}

/** The head's state as it stands; null when it is not JSON, which a verifier reports as `head_state_differs`. */
function stateOf(text: string | null): CanonicalValue {
  try {
    return text === null ? null : (JSON.parse(text) as CanonicalValue);
  } catch {
    return null;
  }
}

async function begin(folder: string, name: string): Promise<Part> {
  return { file: await open(join(folder, name), 'wx', 0o600), digest: createHash('sha256'), bytes: 0 };
}

async function write(part: Part, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  await part.file.writeFile(bytes);
  part.digest.update(bytes);
  part.bytes += bytes.length;
}

async function writeWhole(folder: string, name: string, text: string): Promise<{ bytes: number; sha256: string }> {
  const part = await begin(folder, name);
  try {
    await write(part, text);
  } finally {
    await part.file.close();
  }
  return { bytes: part.bytes, sha256: part.digest.digest('hex') };
}
