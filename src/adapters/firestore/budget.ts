/**
 * The model budget on Firestore: one counter for a person and a day, raised under compare-and-set.
 * @module
 */
import { StoreUnavailable } from '../../events/ports.ts';
import type { ModelBudget } from '../../events/turn-ports.ts';
import type { Calls } from './calls.ts';
import { fieldsOf, modelCallsRef, SHARDS, shardOf } from './documents.ts';
import { deletePages } from './pages.ts';

/** How often a call is tried to be taken while other instances take one of the same person. */
const TAKE_TRIES = 30;

export function firestoreModelBudget(calls: Calls): ModelBudget {
  const { db } = calls;
  return {
    async take(subjectKey, day, limit) {
      const ref = modelCallsRef(db, subjectKey, day);
      for (let attempt = 1; attempt <= TAKE_TRIES; attempt += 1) {
        const [counter] = await calls.read(() => db.getAll(ref));
        const taken = counter?.exists ? fieldsOf(counter).integer('calls') : 0;
        if (taken >= limit) return 'exhausted';
        // Of unknown outcome it is sent again, and may then count twice: too few calls harm less than too many.
        const sent = await calls.settle((writes) => {
          const fields = { subjectKey, day, shard: shardOf(subjectKey), calls: taken + 1 };
          if (counter?.updateTime === undefined) writes.create(ref, fields);
          else writes.update(ref, fields, { lastUpdateTime: counter.updateTime });
        });
        if (sent === 'applied') return 'taken';
      }
      throw new StoreUnavailable('Others kept taking model calls');
    },
    purge: (day) =>
      deletePages(
        calls,
        db.collection('modelCalls').where('shard', 'in', SHARDS).where('day', '<', day).orderBy('day'),
      ),
  };
}
