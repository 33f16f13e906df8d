/**
 * One commit: what is written together, and what a refused one turns out to have been.
 * @module
 */
import { genesisHash, sha256Hex } from '../../events/chain.ts';
import { CONTENT_BYTES } from '../../events/commitment.ts';
import type { LedgerId, SubjectKey } from '../../events/identity.ts';
import { type Commit, type CommitResult, type Once, StoreUnavailable } from '../../events/ports.ts';
import type { Calls, Fill, Writes } from './calls.ts';
import { contentRef, eventRef, fieldsOf, headRef, jobRef, movedRef, onceRef, shardOf } from './documents.ts';
import type { KnownHead, KnownHeads } from './known-heads.ts';
import { whileHeld } from './message-held.ts';

/** How often a commit is put together again when what moved was neither the head nor `once`. */
const TRIES = 4;

/** What a commit needs of the rest of the store. */
export type CommitParts = {
  /** What empties inbox, turns and context of a subject, read now; the commit then holds only if nothing came in between. */
  readonly emptySubject: (subjectKey: SubjectKey) => Promise<Fill>;
  /** Unix milliseconds; the age of once rows. */
  readonly clock: () => number;
};

type ReadHead = (ledgerId: LedgerId) => Promise<KnownHead | null>;

/**
 * The commit of the ledger port. Documents written, of which each counts as one write: head, event, its mark for the
 * log of heads, and where they apply content, once, the job of `whileHeld` (compared only), and for a forget the subject's fence and
 * context with each job and turn it empties.
 */
export function committing(
  calls: Calls,
  heads: KnownHeads,
  readHead: ReadHead,
  { emptySubject, clock }: CommitParts,
): (commit: Commit) => Promise<CommitResult> {
  /** The head the decision was made on, or `moved` where the ledger is known to be elsewhere. */
  async function baseOf({ ledger: { ledgerId }, expectedPosition }: Commit): Promise<KnownHead | null | 'moved'> {
    if (heads.isBeyond(ledgerId, expectedPosition)) return 'moved';
    if (expectedPosition === 0) return null;
    const known = heads.at(ledgerId, expectedPosition) ?? (await readHead(ledgerId));
    return known?.position === expectedPosition ? known : 'moved';
  }
  /** What keeps the commit from going through once its message is emptied; null where that is so already. */
  async function guardOf({ whileHeld: key }: Commit): Promise<Fill | null> {
    if (key === undefined) return () => {};
    const [job] = await calls.read((db) => db.getAll(jobRef(db, key)));
    return whileHeld(job);
  }
  async function sendIfUnmoved(commit: Commit, madeAt: number): Promise<'applied' | 'refused' | 'taken_back'> {
    const { ledger, content, events } = commit;
    const base = await baseOf(commit);
    if (base === 'moved') return 'refused';
    assertFits(base, commit);
    const guard = await guardOf(commit);
    if (guard === null) return 'taken_back';
    const emptying = content.kind === 'forget' ? await emptySubject(ledger.subjectKey) : null;
    const sent = await calls.send((writes) => {
      fill(calls, writes, commit, base, madeAt);
      emptying?.(writes);
      guard(writes);
    });
    if (sent === 'applied') heads.moved(ledger.ledgerId, commit.expectedPosition + events.length);
    return sent;
  }

  return async (commit) => {
    assertWellFormed(commit);
    const { ledgerId } = commit.ledger;
    const madeAt = clock();
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const sent = await sendIfUnmoved(commit, madeAt);
      if (sent === 'applied') return { status: 'committed' };
      const result = await afterRefusal(calls, commit);
      if (result !== 'nothing_moved') return result;
      if (sent === 'taken_back') return { status: 'taken_back' };
      heads.forget(ledgerId);
    }
    throw new StoreUnavailable('The commit was refused although the ledger had not moved');
  };
}

/** What is wrong with a commit whatever the ledger says. @throws RangeError; nothing was written. */
function assertWellFormed({ ledger, events, expectedPosition, content }: Commit): void {
  if (content.kind === 'put' && (events.length === 0 || content.bytes.length !== CONTENT_BYTES))
    throw new RangeError(`Content comes with an event and has exactly ${CONTENT_BYTES} bytes`);
  let previousHash: string | null = null;
  for (const [index, { position, bytes, hash, event }] of events.entries()) {
    if (position !== expectedPosition + 1 + index || event.position !== position)
      throw new RangeError('The events do not follow the expected position');
    if (event.source !== `/ledgers/${ledger.ledgerId}` || event.subject !== ledger.subjectKey)
      throw new RangeError('The event belongs to another ledger');
    if (previousHash !== null && event.previoushash !== previousHash)
      throw new RangeError('The events do not chain to each other');
    if (sha256Hex(bytes) !== hash) throw new RangeError('The hash is not of the bytes');
    previousHash = hash;
  }
}

/** Pair assertion: the naming and the link must agree with the head that is built on. @throws RangeError */
function assertFits(base: KnownHead | null, { ledger, events: [first] }: Commit): void {
  if (base !== null) {
    const { kind, tenantId, subjectKey, purpose } = base.ledger;
    if (kind !== ledger.kind || tenantId !== ledger.tenantId || purpose !== ledger.purpose)
      throw new RangeError('The ledger has another naming');
    if (subjectKey !== ledger.subjectKey) throw new RangeError('The ledger belongs to another subject');
  }
  if (first !== undefined && first.event.previoushash !== (base?.hash ?? genesisHash(ledger.ledgerId)))
    throw new RangeError('The event does not chain to the head');
}

function fill(calls: Calls, writes: Writes, commit: Commit, base: KnownHead | null, madeAt: number): void {
  const { db } = calls;
  const { ledger, events, content, once } = commit;
  const { ledgerId, subjectKey } = ledger;
  moveHead(writes, headRef(db, ledgerId), commit, base);
  for (const { position, hash, bytes } of events)
    writes.create(eventRef(db, ledgerId, position), { position, hash, bytes: Buffer.from(bytes) });
  const last = events.at(-1);
  if (last !== undefined) {
    const { position, hash } = last;
    writes.create(movedRef(db, ledgerId, position), { ledgerId, position, hash });
  }
  if (content.kind === 'put')
    writes.set(contentRef(db, ledgerId), { revision: content.revision, bytes: Buffer.from(content.bytes) });
  if (content.kind === 'forget') writes.delete(contentRef(db, ledgerId));
  if (once === null) return;
  const { key, outcome } = once;
  const row = { key, shard: shardOf(key), ledgerId, subjectKey, outcome };
  writes.create(onceRef(db, key), { ...row, answered: false, madeAt, dueAt: madeAt, attempts: 0 });
}

/** The compare-and-set: it fails if the head is another one than `base`. */
function moveHead(writes: Writes, ref: ReturnType<typeof headRef>, commit: Commit, base: KnownHead | null): void {
  const { ledger, events, state } = commit;
  const last = events.at(-1);
  if (last === undefined) {
    // Writes that change nothing: they only compare, and leave the update time as it is.
    if (base === null) writes.delete(ref, { exists: false });
    else writes.update(ref, { position: base.position }, { lastUpdateTime: base.updateTime });
    return;
  }
  const end = { position: last.position, hash: last.hash, time: last.event.time, state };
  const { kind, tenantId, subjectKey, purpose } = ledger;
  if (base === null) writes.create(ref, { ...end, kind, tenantId, subjectKey, purpose });
  else writes.update(ref, end, { lastUpdateTime: base.updateTime });
}

/**
 * What a commit whose sending was refused comes to, read in one request. `once` is looked at first: a delivery that was
 * handled is a duplicate wherever the ledger stands.
 * @returns `nothing_moved` when the refusal was about something else and the commit can be put together again.
 */
async function afterRefusal(calls: Calls, commit: Commit): Promise<CommitResult | 'nothing_moved'> {
  const { ledger, expectedPosition, events, once } = commit;
  const { ledgerId } = ledger;
  const [head, next, row] = await calls.read((db) =>
    db.getAll(
      headRef(db, ledgerId),
      eventRef(db, ledgerId, expectedPosition + 1),
      ...(once === null ? [] : [onceRef(db, once.key)]),
    ),
  );
  if (row?.exists) return { status: 'duplicate', once: toOnce(row) };
  const [first] = events;
  const stored = next?.exists ? fieldsOf(next).bytes('bytes') : null;
  if (first !== undefined && stored !== null && storedId(stored) === first.event.id)
    return { status: 'already_committed' };
  const position = head?.exists ? fieldsOf(head).integer('position') : 0;
  if (position !== expectedPosition) return { status: 'conflict' };
  if (stored !== null) throw new Error(`Ledger ${ledgerId} is damaged: it has an event beyond its head`);
  return 'nothing_moved';
}

/** A once row as the port gives it. */
export function toOnce(snapshot: Parameters<typeof fieldsOf>[0]): Once {
  const fields = fieldsOf(snapshot);
  return { key: fields.text('key'), outcome: fields.text('outcome'), answered: fields.flag('answered') };
}

/** The id in stored bytes, found where it counts: in what was hashed. */
function storedId(bytes: Uint8Array): unknown {
  const record: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return typeof record === 'object' && record !== null && 'id' in record ? record.id : undefined;
}
