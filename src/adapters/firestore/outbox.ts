/**
 * The outbox port on Firestore: the once rows whose person was not answered yet. It holds no message body.
 * @module
 */
import type firestore from '@google-cloud/firestore';
import type { Outbox, OwedAnswer } from '../../events/delivery-ports.ts';
import type { LedgerId, SubjectKey } from '../../events/identity.ts';
import type { Calls } from './calls.ts';
import { fieldsOf, onceRef, SHARDS } from './documents.ts';
import { deletePages, eachPage } from './pages.ts';

/** How many due rows one lease looks through at most; those of the last moments are passed by. */
const DUE_LOOKED_AT_MAX = 1_000;

export function firestoreOutbox(calls: Calls): Outbox {
  const { db } = calls;
  const rows = db.collection('once').where('shard', 'in', SHARDS);

  async function take(row: firestore.QueryDocumentSnapshot, until: number): Promise<OwedAnswer | null> {
    const owed = toOwed(row);
    const taken = { dueAt: until, attempts: owed.attempts + 1 };
    const sent = await calls.send((writes) => {
      writes.update(row.ref, taken, { lastUpdateTime: row.updateTime });
    });
    return sent === 'applied' ? owed : null;
  }

  return {
    async answered(key) {
      // A row that is not there was never owed: the refusal is fine.
      await calls.settle((writes) => writes.update(onceRef(db, key), { answered: true, dueAt: null }));
    },
    async leaseOwed(now, before, leaseMs, limit) {
      const leased: OwedAnswer[] = [];
      const due = rows.where('dueAt', '<=', now).orderBy('dueAt');
      await eachPage(calls, due, DUE_LOOKED_AT_MAX, async (page) => {
        const old = page.filter((row) => fieldsOf(row).integer('madeAt') < before);
        while (old.length > 0 && leased.length < limit) {
          const asked = old.splice(0, limit - leased.length);
          const taken = await Promise.all(asked.map((row) => take(row, now + leaseMs)));
          leased.push(...taken.filter((owed) => owed !== null));
        }
        return leased.length < limit;
      });
      return leased;
    },
    purgeAnswered: (before) =>
      deletePages(calls, rows.where('answered', '==', true).where('madeAt', '<', before).orderBy('madeAt')),
  };
}

function toOwed(row: firestore.QueryDocumentSnapshot): OwedAnswer {
  const fields = fieldsOf(row);
  return {
    key: fields.text('key'),
    subjectKey: fields.text('subjectKey') as SubjectKey,
    ledgerId: fields.text('ledgerId') as LedgerId,
    outcome: fields.text('outcome'),
    attempts: fields.integer('attempts'),
  };
}
