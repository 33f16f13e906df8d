/**
 * The ledger port on Firestore: a head read, then one atomic commit that holds only if the head is still the one read.
 *
 * Not a transaction that reads the head: it costs the same two requests, but its locks make two writers of one ledger wait
 * for seconds (bench/firestore-commit.ts has both ways and their figures), and the client sends it again by itself.
 * @module
 */
import firestore from '@google-cloud/firestore';
import type { StoredEvent } from '../../events/envelope.ts';
import type { LedgerId, LedgerKind, LedgerRef, SubjectKey, TenantId } from '../../events/identity.ts';
import type { Head, Ledger, StoredContent } from '../../events/ports.ts';
import type { Calls } from './calls.ts';
import { type CommitParts, committing, toOnce } from './commit.ts';
import { contentRef, fieldsOf, headRef, onceRef, positionId } from './documents.ts';
import type { KnownHead, KnownHeads } from './known-heads.ts';

/** The most events one call of `events` gives. */
const EVENTS_PER_CALL_MAX = 1_000;
const NO_HEAD: Head = { position: 0, hash: null, time: null, state: null };
const NAMING = ['kind', 'tenantId', 'subjectKey', 'purpose'];

/** Makes the port. A damaged ledger can be read as far as its documents go, so that it can be judged. */
export function firestoreLedger(calls: Calls, heads: KnownHeads, parts: CommitParts): Ledger {
  async function readHead(ledgerId: LedgerId): Promise<KnownHead | null> {
    const [snapshot] = await calls.read((db) => db.getAll(headRef(db, ledgerId)));
    const known = toKnown(snapshot);
    heads.read(ledgerId, known);
    return known;
  }
  return {
    async head(ledgerId) {
      const [snapshot] = await calls.read((db) => db.getAll(headRef(db, ledgerId)));
      heads.read(ledgerId, toKnown(snapshot));
      return toHead(snapshot);
    },
    async ledger(ledgerId) {
      return (await readHead(ledgerId))?.ledger ?? null;
    },
    async headWithContent(ledgerId) {
      // One request: Firestore answers for documents that did not change between the first and the last it gives.
      const [head, content] = await calls.read((db) => db.getAll(headRef(db, ledgerId), contentRef(db, ledgerId)));
      heads.read(ledgerId, toKnown(head));
      return { head: toHead(head), content: toContent(content) };
    },
    async events(ledgerId, fromPosition, throughPosition) {
      if (throughPosition < fromPosition) return [];
      const page = await calls.read((db) =>
        headRef(db, ledgerId)
          .collection('events')
          .orderBy(firestore.FieldPath.documentId())
          .startAt(positionId(fromPosition))
          .endAt(positionId(throughPosition))
          .limit(EVENTS_PER_CALL_MAX)
          .get(),
      );
      return page.docs.map(toEvent);
    },
    async ledgers(after, limit) {
      const page = await calls.read((db) => {
        const ordered = db
          .collection('ledgers')
          .orderBy(firestore.FieldPath.documentId())
          .select(...NAMING);
        return (after === null ? ordered : ordered.startAfter(after)).limit(limit).get();
      });
      return page.docs.map(toRef);
    },
    async once(key) {
      const [snapshot] = await calls.read((db) => db.getAll(onceRef(db, key)));
      return snapshot?.exists ? toOnce(snapshot) : null;
    },
    commit: committing(calls, heads, readHead, parts),
  };
}

type Snapshot = firestore.DocumentSnapshot;

function toHead(snapshot: Snapshot | undefined): Head {
  if (!snapshot?.exists) return NO_HEAD;
  const fields = fieldsOf(snapshot);
  return {
    position: fields.integer('position'),
    hash: fields.text('hash'),
    time: fields.text('time'),
    state: fields.text('state'),
  };
}

function toKnown(snapshot: Snapshot | undefined): KnownHead | null {
  if (!snapshot?.exists || snapshot.updateTime === undefined) return null;
  const fields = fieldsOf(snapshot);
  return {
    position: fields.integer('position'),
    hash: fields.text('hash'),
    ledger: toRef(snapshot),
    updateTime: snapshot.updateTime,
  };
}

function toRef(snapshot: Snapshot): LedgerRef {
  const fields = fieldsOf(snapshot);
  return {
    ledgerId: snapshot.id as LedgerId,
    kind: fields.text('kind') as LedgerKind,
    tenantId: fields.text('tenantId') as TenantId,
    subjectKey: fields.text('subjectKey') as SubjectKey,
    purpose: fields.text('purpose'),
  };
}

function toContent(snapshot: Snapshot | undefined): StoredContent | null {
  if (!snapshot?.exists) return null;
  const fields = fieldsOf(snapshot);
  return { revision: fields.integer('revision'), bytes: fields.bytes('bytes') };
}

function toEvent(snapshot: Snapshot): StoredEvent {
  const fields = fieldsOf(snapshot);
  return { position: fields.integer('position'), bytes: fields.bytes('bytes'), hash: fields.text('hash') };
}
