/**
 * Reads an exported bundle (docs/bundle-format.md) back, a ledger at a time, and judges each before anything is written.
 * @module
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { canonicalBytes, canonicalText, type CanonicalValue } from '../../events/canonical.ts';
import { encodeContent } from '../../events/commitment.ts';
import type { EventBody, SealedEvent } from '../../events/envelope.ts';
import { LedgerId, LedgerKind, type LedgerRef, SubjectKey, type TenantId } from '../../events/identity.ts';
import type { StoredContent } from '../../events/ports.ts';
import { ledgerLaw } from '../../projections/ledger-law.ts';
import { finishVerification, type Problem, startVerification, verifyEvent } from '../../projections/verify.ts';

/** The longest line of events.ndjson, characters. */
const LINE_LENGTH_MAX = 65_536;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const hexHash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

const Entry = v.strictObject({
  ledgerId: LedgerId,
  kind: LedgerKind,
  purpose: v.string(),
  subjectKey: SubjectKey,
  position: v.pipe(count, v.minValue(1)),
  hash: hexHash,
  time: v.string(),
  state: v.unknown(),
});
type Entry = v.InferOutput<typeof Entry>;

const Manifest = v.looseObject({
  formatVersion: v.literal(1),
  content: v.picklist(['none', 'in_force']),
  files: v.record(v.string(), v.strictObject({ bytes: count, sha256: hexHash })),
  ledgers: v.array(Entry),
});

const ContentLine = v.looseObject({ ledgerId: LedgerId, revision: count });

/** One ledger as the bundle holds it, verified. */
export type BundledLedger = {
  readonly ref: LedgerRef;
  readonly events: readonly SealedEvent<EventBody>[];
  /** After each event, the folded state as canonical text. */
  readonly states: readonly string[];
  readonly content: StoredContent | null;
  /** At which position the revision in force was made; null where nothing is in force. */
  readonly inForceSince: number | null;
};

/** Why a bundle as a whole is not taken. */
export type BundleFault = 'not_a_bundle' | 'newer_format' | 'file_differs' | 'content_unreadable' | 'other_order';

/** A bundle cannot be used as a whole; nothing was written. */
export class BundleRefused extends Error {
  override readonly name = 'BundleRefused';
  override readonly cause: BundleFault;
  constructor(cause: BundleFault, message: string) {
    super(message);
    this.cause = cause;
  }
}

export type Bundle = {
  readonly ledgers: number;
  /** Each ledger in order, or the first problem with it. Reads the file anew at each call. */
  each(): AsyncGenerator<BundledLedger | Problem>;
};

/**
 * Opens a bundle and compares its files with its manifest.
 * @param tenantId the tenant the ledgers belong to; a bundle does not name it.
 * @throws BundleRefused
 */
export async function openBundle(folder: string, tenantId: TenantId): Promise<Bundle> {
  const manifest = await readManifest(folder);
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    if (!/^[a-z]+\.[a-z]+$/.test(name)) throw new BundleRefused('not_a_bundle', 'The manifest names an odd file');
    const found = await digestOf(join(folder, name));
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new BundleRefused('file_differs', `${name} is not as the manifest says`);
  }
  const contents = manifest.content === 'none' ? new Map() : await readContents(join(folder, 'content.ndjson'));
  return {
    ledgers: manifest.ledgers.length,
    async *each() {
      const lines = linesOf(join(folder, 'events.ndjson'));
      for (const entry of manifest.ledgers) {
        const read: string[] = [];
        while (read.length < entry.position) {
          const next = await lines.next();
          if (next.done === true) break;
          read.push(next.value);
        }
        yield judged(entry, tenantId, read, contents.get(entry.ledgerId) ?? null);
      }
      if ((await lines.next()).done !== true)
        throw new BundleRefused('other_order', 'events.ndjson holds more than the manifest says');
    },
  };
}

async function readManifest(folder: string): Promise<v.InferOutput<typeof Manifest>> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  } catch {
    throw new BundleRefused('not_a_bundle', 'There is no readable manifest.json');
  }
  const manifest = v.safeParse(Manifest, value);
  if (manifest.success) return manifest.output;
  const { formatVersion } = Object(value) as { formatVersion?: unknown };
  if (typeof formatVersion === 'number' && formatVersion > 1)
    throw new BundleRefused('newer_format', 'The bundle was written by a later version');
  throw new BundleRefused('not_a_bundle', 'The manifest is not one of a bundle');
}

async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const digest = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      digest.update(chunk);
      bytes += chunk.length;
    }
  } catch {
    throw new BundleRefused('file_differs', 'A file that the manifest names cannot be read');
  }
  return { bytes, sha256: digest.digest('hex') };
}

/** Lines end with a line feed and nothing else: other characters that end lines elsewhere may stand in a text. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function readContents(path: string): Promise<Map<LedgerId, StoredContent>> {
  const contents = new Map<LedgerId, StoredContent>();
  try {
    for await (const line of linesOf(path)) {
      const { revision, ...content } = v.parse(ContentLine, JSON.parse(line));
      const bytes = encodeContent(content as Parameters<typeof encodeContent>[0]);
      contents.set(content.ledgerId, { revision, bytes });
    }
  } catch {
    throw new BundleRefused('content_unreadable', 'content.ndjson cannot be read');
  }
  return contents;
}

function judged(
  { state, position, hash, time, ...naming }: Entry,
  tenantId: TenantId,
  lines: readonly string[],
  content: StoredContent | null,
): BundledLedger | Problem {
  const ref: LedgerRef = { ...naming, tenantId };
  const law = ledgerLaw(ref.kind);
  const events: SealedEvent<EventBody>[] = [];
  const states: string[] = [];
  let inForceSince: number | null = null;
  let commitment: string | null = null;
  let so = startVerification(ref);
  for (const line of lines) {
    const stored = storedIn(line, events.length + 1);
    if (stored === null) return { ledgerId: ref.ledgerId, position: events.length + 1, cause: 'not_canonical' };
    so = verifyEvent(so, stored);
    if (so.problem !== null || law === null || so.state === null) break;
    const opened = law.open(stored.bytes);
    if (!opened.ok) break;
    const inForce = law.inForce(so.state).commitment;
    if (inForce !== commitment) inForceSince = inForce === null ? null : stored.position;
    commitment = inForce;
    events.push({ ...stored, event: opened.event });
    states.push(law.encode(so.state));
  }
  const head = { position, hash, time, state: textOf(state) };
  const problem = finishVerification(so, head, content);
  return problem ?? { ref, events, states, content, inForceSince };
}

/** The event of a line as it was stored: its canonical text without the hash that stands beside it. */
function storedIn(line: string, position: number): { position: number; bytes: Uint8Array; hash: string } | null {
  if (line.length > LINE_LENGTH_MAX) return null;
  try {
    const record = JSON.parse(line) as Record<string, CanonicalValue>;
    const { hash, ...event } = record;
    if (typeof hash !== 'string' || canonicalText(record) !== line) return null;
    return { position, bytes: canonicalBytes(event), hash };
  } catch {
    return null;
  }
}

function textOf(state: unknown): string | null {
  try {
    return canonicalText(state as CanonicalValue);
  } catch {
    return null;
  }
}
