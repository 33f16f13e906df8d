/**
 * The log of heads on Firestore: leaves in order, signed checkpoints, and the heads that are not witnessed yet.
 *
 * A commit leaves one document `moved` of its own beside the head, which only the append that witnesses it takes away: the
 * log's one writer and the people whose ledgers it witnesses never write the same document. Their names begin with the
 * ledgerId, a keyed digest, so what is due is spread over all of them and needs no shard.
 * @module
 */
import firestore from '@google-cloud/firestore';
import { type CheckpointLog, LEAVES_PER_READ_MAX, type StoredCheckpoint } from '../../events/checkpoint-ports.ts';
import type { LedgerId } from '../../events/identity.ts';
import type { Calls } from './calls.ts';
import { DamagedDocument, fieldsOf, positionId } from './documents.ts';

/** How many pieces of the log one read takes; a piece is what one append wrote. */
const PIECES_PER_READ = 10;

type Snapshot = firestore.DocumentSnapshot;

/** Makes the port. */
export function firestoreCheckpointLog(calls: Calls): CheckpointLog {
  const { db } = calls;
  const [end, writer, newest] = [db.doc('log/end'), db.doc('log/writer'), db.doc('log/newest')];
  const pieceRef = (last: number): firestore.DocumentReference => db.doc(`logLeaves/${positionId(last)}`);
  const one = async (ref: firestore.DocumentReference): Promise<Snapshot | null> => {
    const [snapshot] = await calls.read(() => db.getAll(ref));
    return snapshot?.exists ? snapshot : null;
  };

  async function isOurs(firstIndex: number, leaves: readonly Uint8Array[]): Promise<boolean> {
    if (leaves.length === 0) return false;
    const piece = await one(pieceRef(firstIndex + leaves.length - 1));
    if (piece === null || fieldsOf(piece).integer('first') !== firstIndex) return false;
    return leavesOf(piece).every((bytes, index) => Buffer.compare(bytes, leaves[index] ?? Buffer.alloc(0)) === 0);
  }

  return {
    shards: 1,
    async latest() {
      const found = await one(newest);
      return found === null ? null : toCheckpoint(found);
    },
    async leaves(fromIndex) {
      const { docs } = await calls.read(() =>
        db
          .collection('logLeaves')
          .orderBy(firestore.FieldPath.documentId())
          .startAt(positionId(fromIndex))
          .limit(PIECES_PER_READ)
          .get(),
      );
      const [first] = docs;
      if (first === undefined) return [];
      const skipped = fromIndex - fieldsOf(first).integer('first');
      return docs.flatMap(leavesOf).slice(skipped, skipped + LEAVES_PER_READ_MAX);
    },
    async lease(holder, now, leaseMs) {
      const held = await one(writer);
      if (held !== null && fieldsOf(held).text('holder') !== holder && fieldsOf(held).integer('leasedUntil') > now)
        return false;
      const sent = await calls.settle((writes) => {
        const lease = { holder, leasedUntil: now + leaseMs };
        if (held?.updateTime === undefined) writes.create(writer, lease);
        else writes.update(writer, lease, { lastUpdateTime: held.updateTime });
      });
      if (sent === 'applied') return true;
      // Sent twice with its first answer lost, a lease of ours refuses its own second sending.
      const after = await one(writer);
      if (after === null) return false;
      return fieldsOf(after).text('holder') === holder && fieldsOf(after).integer('leasedUntil') === now + leaseMs;
    },
    async due(_shard, limit) {
      const moved = db.collection('moved').orderBy(firestore.FieldPath.documentId());
      const { docs } = await calls.read(() => moved.limit(limit).get());
      // A ledger's documents stand together in order of position: the last one stands for it.
      const heads = new Map<LedgerId, { ledgerId: LedgerId; position: number; hash: string }>();
      for (const { ledgerId, position, hash } of docs.map(toMoved)) heads.set(ledgerId, { ledgerId, position, hash });
      return { heads: [...heads.values()], mark: docs.map(({ id }) => id).join(',') };
    },
    async append(firstIndex, leaves, done) {
      const before = await one(end);
      const size = before === null ? 0 : fieldsOf(before).integer('size');
      if (size !== firstIndex) return 'conflict';
      const after = { size: firstIndex + leaves.length };
      const sent = await calls.settle((writes) => {
        if (before?.updateTime === undefined) writes.create(end, after);
        else writes.update(end, after, { lastUpdateTime: before.updateTime });
        if (leaves.length > 0) {
          const kept = leaves.map((bytes) => Buffer.from(bytes));
          writes.create(pieceRef(after.size - 1), { first: firstIndex, leaves: kept });
        }
        for (const id of done?.mark.split(',') ?? []) if (id !== '') writes.delete(db.collection('moved').doc(id));
      });
      return sent === 'applied' || (await isOurs(firstIndex, leaves)) ? 'appended' : 'conflict';
    },
    async publish(previousSize, checkpoint) {
      const before = await one(newest);
      if ((before === null ? 0 : toCheckpoint(before).size) !== previousSize) return 'conflict';
      const sent = await calls.settle((writes) => {
        if (before?.updateTime === undefined) writes.create(newest, { ...checkpoint });
        else writes.update(newest, { ...checkpoint }, { lastUpdateTime: before.updateTime });
        writes.create(db.doc(`checkpoints/${positionId(checkpoint.size)}`), { ...checkpoint });
      });
      if (sent === 'applied') return 'published';
      const after = await one(newest);
      return after !== null && toCheckpoint(after).note === checkpoint.note ? 'published' : 'conflict';
    },
  };
}

function toMoved(snapshot: Snapshot): { ledgerId: LedgerId; position: number; hash: string } {
  const fields = fieldsOf(snapshot);
  return {
    ledgerId: fields.text('ledgerId') as LedgerId,
    position: fields.integer('position'),
    hash: fields.text('hash'),
  };
}

function toCheckpoint(snapshot: Snapshot): StoredCheckpoint {
  const fields = fieldsOf(snapshot);
  return { size: fields.integer('size'), note: fields.text('note'), signedAt: fields.integer('signedAt') };
}

function leavesOf(piece: Snapshot): readonly Uint8Array[] {
  const leaves: unknown = piece.get('leaves');
  if (Array.isArray(leaves) && leaves.every((leaf) => leaf instanceof Uint8Array)) return leaves;
  throw new DamagedDocument('A document of logLeaves has no readable leaves');
}
