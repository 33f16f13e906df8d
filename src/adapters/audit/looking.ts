/**
 * Every look of an auditor goes through here: the ledger is found, the look is recorded, and only then is anything read.
 * @module
 */
import type { AccessLog, Read, Reader } from '../../commands/access.ts';
import { EventTime } from '../../events/envelope.ts';
import type { ReadBound, ReadRoute } from '../../events/access-kinds.ts';
import type { StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import { LedgerId, type LedgerRef } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import type { Bound } from '../../projections/replay.ts';
import type { Problem } from '../../projections/verify.ts';
import * as v from 'valibot';

/** A ledger with more events is not shown whole; the command line reads it. */
export const EVENTS_SHOWN_MAX = 5_000;

/** What signed checkpoints say, for whoever looks. */
export interface CheckpointView {
  /** The newest signed checkpoint, or null before the first; `damaged`: the log is not what was signed. */
  latest(): Promise<StoredCheckpoint | null | 'damaged'>;
  /** The newest position of a ledger that a checkpoint covers, with its hash and the place of its leaf; null: none. */
  witnessed(ledgerId: LedgerId): Promise<Witnessed | null | 'damaged'>;
  /** What is needed to compare several ledgers with the newest checkpoint. */
  comparison(): Promise<Comparison | 'damaged'>;
}
export interface Comparison {
  /** The first position of each ledger, among those named, that is not what was signed. */
  differing(asked: readonly LedgerId[]): Promise<readonly FoundProblem[]>;
  /** Ledgers the checkpoint knows after a cursor (exclusive) through another (inclusive), in no order. */
  ledgerIds(after: LedgerId | null, through: LedgerId | null): readonly LedgerId[];
}
/** How a ledger differs from what was signed. */
export type Difference = 'cut_off' | 'witnessed_hash_differs';
/** Something that is not as it should be: by a ledger itself, or by the newest signed checkpoint. */
export type FoundProblem = {
  /** A ledger, or `checkpoints` for the log of heads. */
  readonly ledgerId: string;
  readonly position: number;
  readonly cause: Problem['cause'] | Difference | 'checkpoint_log_damaged';
};
export type Witnessed = {
  readonly position: number;
  readonly hash: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  /** The audit path, nearest first, 64 hex digits each. */
  readonly path: readonly string[];
  /** Null: the ledger still holds that hash at that position. */
  readonly difference: Difference | null;
};

/** What an auditor's program holds: nothing here can write a preference. */
export type AuditParts = {
  readonly reader: LedgerReader;
  readonly accessLog: AccessLog;
  /** The access ledger in which reads of a ledger are recorded. */
  readonly accessLedgerOf: (audited: LedgerRef) => LedgerRef;
  readonly checkpoints: CheckpointView | null;
  /** Unix milliseconds. */
  readonly clock: () => number;
};

/** Who looks, and through what. */
export type Looker = Pick<Read, 'reader' | 'channel'>;

/** A way to look that is about one ledger, or about several. */
type ManyRoute = Extract<ReadRoute, 'overview' | 'ledgers' | 'verify_all'>;
type OneRoute = Exclude<ReadRoute, ManyRoute>;

/**
 * Records a look at one ledger.
 * @returns the ledger, or null when there is none: then nothing was looked at and nothing is recorded.
 * @throws AccessNotRecorded; then nothing may be shown.
 */
export async function lookAtOne(
  { reader, accessLog }: AuditParts,
  looker: Looker,
  route: OneRoute,
  ledgerId: LedgerId,
  bound: Bound = { kind: 'all' },
): Promise<LedgerRef | null> {
  const ledger = await reader.ledger(ledgerId);
  if (ledger === null) return null;
  await accessLog.record({ ...looker, route, ledger, bound: readBound(bound) });
  return ledger;
}

/**
 * What is said of a ledger that is not here: `ledger_gone` when a signed checkpoint knows it; that look is recorded.
 * @throws AccessNotRecorded; then nothing may be shown.
 */
export async function absence(
  parts: AuditParts,
  looker: Looker,
  ledgerId: LedgerId,
): Promise<'not_found' | 'ledger_gone'> {
  const witnessed = (await parts.checkpoints?.witnessed(ledgerId)) ?? null;
  if (witnessed === null || witnessed === 'damaged') return 'not_found';
  await lookAtMany(parts, looker, 'verify_all');
  return 'ledger_gone';
}

/** Records a look at several ledgers. @throws AccessNotRecorded; then nothing may be shown. */
export async function lookAtMany({ accessLog }: AuditParts, looker: Looker, route: ManyRoute): Promise<void> {
  await accessLog.record({ ...looker, route, ledger: null, bound: { kind: 'all' } });
}

function readBound(bound: Bound): ReadBound {
  return bound.kind === 'at' ? { kind: 'at', time: v.parse(EventTime, new Date(bound.at).toISOString()) } : bound;
}

/** A ledgerId from outside, or null for anything else. */
export function ledgerIdFrom(text: string | undefined): LedgerId | null {
  const read = v.safeParse(LedgerId, text);
  return read.success ? read.output : null;
}

/** Whether this reader may see what is in force. */
export function maySeeContent({ role }: Reader): boolean {
  return role === 'content';
}
