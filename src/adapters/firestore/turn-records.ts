/**
 * The trail of turns on Firestore: one document for a turn, whose body can be emptied while its ids stay.
 * @module
 */
import type firestore from '@google-cloud/firestore';
import type { LedgerId, SubjectKey } from '../../events/identity.ts';
import { StoreUnavailable } from '../../events/ports.ts';
import { TURN_BODY_BYTES, type TurnIds, type TurnRecords } from '../../events/turn-ports.ts';
import type { Calls, Fill } from './calls.ts';
import { fieldsOf, frame, jobRef, rowId, SHARDS, shardOf, subjectRef, turnRef, unframe } from './documents.ts';
import { whileHeld } from './message-held.ts';
import { deletePages } from './pages.ts';

/** How often a row is written while its message or an earlier run of the turn changes. */
const RECORD_TRIES = 5;
/** The most bodies one forget empties in its own commit; what is beyond was emptied before it. */
const EMPTIED_PER_COMMIT_MAX = 150;

const EMPTY = { held: false, body: null };

/** The port, and what a forget does to it; its fence (inbox.ts) must have been read before. */
export type FirestoreTurnRecords = {
  readonly turnRecords: TurnRecords;
  readonly emptyTurns: (subjectKey: SubjectKey) => Promise<Fill>;
};

export function firestoreTurnRecords(calls: Calls): FirestoreTurnRecords {
  const { db } = calls;
  const turns = db.collection('turns');
  const heldOf = (subjectKey: SubjectKey): firestore.Query =>
    turns.where('subjectKey', '==', subjectKey).where('held', '==', true);

  /** One try; `again` when something changed between reading and writing. */
  async function tryRecord(row: Parameters<TurnRecords['record']>[0]): Promise<'kept' | 'kept_without_body' | 'again'> {
    const { turnId, causationId, subjectKey, body } = row;
    const framed = frame(body, TURN_BODY_BYTES);
    const ref = turnRef(db, turnId);
    const [known, job] = await calls.read(() => db.getAll(ref, jobRef(db, causationId)));
    if (known?.exists && fieldsOf(known).text('subjectKey') !== subjectKey)
      throw new RangeError('The turn belongs to another subject');
    const held = whileHeld(job);
    const { body: _body, ...ids } = row;
    const fields = { ...ids, shard: shardOf(turnId), ...(held === null ? EMPTY : { held: true, body: framed }) };
    const sent = await calls.settle((writes) => {
      if (known?.updateTime === undefined) writes.create(ref, fields);
      else writes.update(ref, fields, { lastUpdateTime: known.updateTime });
      held?.(writes);
      // The fence: a forget that looked for turns before this one was there does not go through.
      if (held !== null) writes.set(subjectRef(db, subjectKey), { newestTurn: fenceOf(row) }, { merge: true });
    });
    if (sent === 'refused') return 'again';
    return held === null ? 'kept_without_body' : 'kept';
  }

  const turnRecords: TurnRecords = {
    async read(turnId) {
      const [turn] = await calls.read(() => db.getAll(turnRef(db, turnId)));
      if (turn === undefined || !turn.exists) return null;
      const framed = fieldsOf(turn).bytesOrNull('body');
      return { ...idsOf(turn), body: framed === null ? null : unframe(framed) };
    },
    async using(ledgerId, revision, limit) {
      const asked = turns.where('ledgerId', '==', ledgerId).where('usedRevision', '==', revision);
      const { docs } = await calls.read(() => asked.orderBy('recordedAt').limit(limit).get());
      return docs.map(idsOf);
    },
    async record(row) {
      for (let attempt = 1; attempt <= RECORD_TRIES; attempt += 1) {
        const recorded = await tryRecord(row);
        if (recorded !== 'again') return recorded;
      }
      throw new StoreUnavailable('Others kept changing the turn');
    },
    async empty(subjectKey, turnId) {
      const ref = turnRef(db, turnId);
      const [turn] = await calls.read(() => db.getAll(ref, { fieldMask: ['subjectKey'] }));
      if (turn === undefined || !turn.exists || fieldsOf(turn).text('subjectKey') !== subjectKey) return;
      await calls.settle((writes) => void writes.update(ref, EMPTY));
    },
    purge: (before) =>
      deletePages(calls, turns.where('shard', 'in', SHARDS).where('recordedAt', '<', before).orderBy('recordedAt')),
  };
  return { turnRecords, emptyTurns: (subjectKey) => emptying(calls, heldOf(subjectKey)) };
}

async function emptying(calls: Calls, held: firestore.Query): Promise<Fill> {
  const found = async () => (await calls.read(() => held.select().get())).docs;
  let turns = await found();
  while (turns.length > EMPTIED_PER_COMMIT_MAX) {
    const surplus = turns.slice(0, EMPTIED_PER_COMMIT_MAX);
    await calls.settle((writes) => surplus.forEach(({ ref }) => void writes.update(ref, EMPTY)));
    turns = await found();
  }
  const last = turns;
  return (writes) => last.forEach(({ ref }) => void writes.update(ref, EMPTY));
}

/** Another value for every run of every turn, so that the fence moves. */
function fenceOf({ turnId, recordedAt }: TurnIds): string {
  return `${rowId(turnId)}|${recordedAt}`;
}

function idsOf(turn: firestore.DocumentSnapshot): TurnIds {
  const fields = fieldsOf(turn);
  const used: unknown = turn.get('usedRevision');
  return {
    turnId: fields.text('turnId'),
    causationId: fields.text('causationId'),
    subjectKey: fields.text('subjectKey') as SubjectKey,
    ledgerId: fields.text('ledgerId') as LedgerId,
    usedRevision: used === null ? null : fields.integer('usedRevision'),
    recordedAt: fields.integer('recordedAt'),
  };
}
