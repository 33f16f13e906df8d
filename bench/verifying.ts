/**
 * Verifying a long record, against the time of SHA-256 alone over the same bytes.
 * @module
 */
import { verifyLedger } from '../src/adapters/audit/reading.ts';
import { sha256Hex } from '../src/events/chain.ts';
import type { StoredEvent } from '../src/events/envelope.ts';
import type { LedgerRef } from '../src/events/identity.ts';
import type { Ledger, LedgerReader } from '../src/events/ports.ts';
import { someone } from './approvals.ts';
import { lengthen } from './long-ledger.ts';

export type VerifyFigure = {
  readonly events: number;
  /** Bare SHA-256 time ÷ verify time, median of the rounds. */
  readonly ratio: number;
  /** How much the heap grew while verifying, MiB. */
  readonly heapGrowthMiB: number;
  /** Faults planted in the timed input, one per check, that verify did not report. */
  readonly unreported: readonly string[];
};

/** Makes ledgers of 100 events, `events` in all. */
export async function manyLedgers(ledger: Ledger, events: number): Promise<readonly LedgerRef[]> {
  const refs: LedgerRef[] = [];
  for (let made = 0; made < events; made += 100) {
    const holder = someone();
    await lengthen(ledger, holder, 100);
    refs.push(holder.ledger);
  }
  return refs;
}

async function allBytes(reader: LedgerReader, refs: readonly LedgerRef[]): Promise<Uint8Array[]> {
  const bytes: Uint8Array[] = [];
  for (const { ledgerId } of refs)
    for (const stored of await reader.events(ledgerId, 1, 1_000)) bytes.push(stored.bytes);
  return bytes;
}

/** One fault per check, each in the middle of a ledger that is otherwise as it was. */
const FAULTS: Readonly<Record<string, (stored: StoredEvent) => StoredEvent>> = {
  hash: (stored) => ({ ...stored, hash: sha256Hex(stored.hash) }),
  bytes: (stored) => ({
    ...stored,
    bytes: Buffer.from(Buffer.from(stored.bytes).toString().replace('"message"', '"button"')),
  }),
  canonical: (stored) => rehashed(stored, (text) => text.replace(',"id"', ', "id"')),
  schema: (stored) => rehashed(stored, (text) => text.replace('"operation":"save"', '"operation":"take"')),
  link: (stored) => rehashed(stored, (text) => text.replace(/"previoushash":"./, '"previoushash":"0')),
  position: (stored) => rehashed(stored, (text) => text.replace(/"position":\d+/, '"position":7777')),
  time: (stored) => rehashed(stored, (text) => text.replace(/"time":"\d{4}/, '"time":"1999')),
  subject: (stored) => rehashed(stored, (text) => text.replace(/"subject":"[^"]+"/, `"subject":"${'A'.repeat(43)}"`)),
  ledger: (stored) => rehashed(stored, (text) => text.replace(/ledgers\/[^"]+"/, `ledgers/${'A'.repeat(43)}"`)),
  law: (stored) => rehashed(stored, (text) => text.replace('"baseRevision":0', '"baseRevision":3')),
};

function rehashed(stored: StoredEvent, change: (text: string) => string): StoredEvent {
  const bytes = Buffer.from(change(Buffer.from(stored.bytes).toString()));
  return { ...stored, bytes, hash: sha256Hex(bytes) };
}

/** A reader that shows one event of one ledger changed. */
function withFault(
  reader: LedgerReader,
  { ledgerId }: LedgerRef,
  fault: (stored: StoredEvent) => StoredEvent,
): LedgerReader {
  return {
    ...reader,
    async events(asked, from, through) {
      const events = await reader.events(asked, from, through);
      return asked === ledgerId ? events.map((stored) => (stored.position === 50 ? fault(stored) : stored)) : events;
    },
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Verifies everything `rounds` times, interleaved with hashing the same bytes, and once with each fault. */
export async function verifyFigure(
  reader: LedgerReader,
  refs: readonly LedgerRef[],
  rounds: number,
): Promise<VerifyFigure> {
  const bytes = await allBytes(reader, refs);
  const ratios: number[] = [];
  const heapBefore = process.memoryUsage().heapUsed;
  for (let round = 0; round < rounds; round += 1) {
    const hashing = performance.now();
    for (const each of bytes) sha256Hex(each);
    const verifying = performance.now();
    for (const ref of refs) {
      const { problem } = await verifyLedger(reader, ref);
      if (problem !== null) throw new Error(`Not as it should be: ${problem.cause}`);
    }
    ratios.push((verifying - hashing) / (performance.now() - verifying));
  }
  const heapGrowthMiB = Math.round((process.memoryUsage().heapUsed - heapBefore) / 2 ** 20);
  const unreported: string[] = [];
  const [middle] = refs.slice(Math.floor(refs.length / 2));
  for (const [name, fault] of Object.entries(FAULTS)) {
    if (middle === undefined) break;
    const { problem } = await verifyLedger(withFault(reader, middle, fault), middle);
    if (problem === null || problem.position !== 50) unreported.push(name);
  }
  return { events: bytes.length, ratio: median(ratios), heapGrowthMiB, unreported };
}
