/**
 * What is carried between turns on Firestore: one document for each person, replaced under compare-and-set.
 * @module
 */
import firestore from '@google-cloud/firestore';
import type { SubjectKey } from '../../events/identity.ts';
import { CONTEXT_BODY_BYTES, type Contexts } from '../../events/turn-ports.ts';
import type { Calls, Fill } from './calls.ts';
import { contextRef, fieldsOf, frame, jobRef, SHARDS, shardOf, unframe } from './documents.ts';
import { whileHeld } from './message-held.ts';

/** The port, and what a forget writes to it. */
export type FirestoreContexts = {
  readonly contexts: Contexts;
  readonly emptyContext: (subjectKey: SubjectKey) => Fill;
};

const EMPTY = { held: false, body: null };
/** How many bodies one commit of a purge empties. */
const PURGE_CHUNK = 300;

export function firestoreContexts(calls: Calls): FirestoreContexts {
  const { db } = calls;
  return {
    contexts: {
      async read(subjectKey) {
        const [context] = await calls.read(() => db.getAll(contextRef(db, subjectKey)));
        if (context === undefined || !context.exists) return { generation: 0, body: null };
        const fields = fieldsOf(context);
        const framed = fields.bytesOrNull('body');
        return { generation: fields.integer('generation'), body: framed === null ? null : unframe(framed) };
      },
      async put({ subjectKey, expectedGeneration, body, causationId, putAt }) {
        const framed = frame(body, CONTEXT_BODY_BYTES);
        const ref = contextRef(db, subjectKey);
        const [context, job] = await calls.read(() => db.getAll(ref, jobRef(db, causationId)));
        const generation = context?.exists ? fieldsOf(context).integer('generation') : 0;
        if (generation !== expectedGeneration) return 'conflict';
        const held = whileHeld(job);
        if (held === null) return 'emptied';
        const fields = { generation: generation + 1, shard: shardOf(subjectKey), putAt, held: true, body: framed };
        const sent = await calls.settle((writes) => {
          if (context?.updateTime === undefined) writes.create(ref, fields);
          else writes.update(ref, fields, { lastUpdateTime: context.updateTime });
          held(writes);
        });
        return sent === 'applied' ? 'kept' : 'conflict';
      },
      async purge(before) {
        const old = db
          .collection('contexts')
          .where('shard', 'in', SHARDS)
          .where('held', '==', true)
          .where('putAt', '<', before)
          .orderBy('putAt');
        for (let emptied = 0; ; ) {
          const { docs } = await calls.read(() => old.select('putAt').limit(PURGE_CHUNK).get());
          // One that was put anew since it was found stays.
          const sent = await Promise.all(
            docs.map(({ ref, updateTime }) =>
              calls.settle((writes) => void writes.update(ref, EMPTY, { lastUpdateTime: updateTime })),
            ),
          );
          emptied += sent.filter((each) => each === 'applied').length;
          if (docs.length < PURGE_CHUNK) return emptied;
        }
      },
    },
    // Also where nothing is kept: a turn that read that before the forget must not put anything after it.
    emptyContext: (subjectKey) => (writes) => {
      const generation = firestore.FieldValue.increment(1);
      writes.set(
        contextRef(db, subjectKey),
        { generation, shard: shardOf(subjectKey), putAt: 0, ...EMPTY },
        { merge: true },
      );
    },
  };
}
