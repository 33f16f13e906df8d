/**
 * The inbox port on Firestore: accepted work, leased in the order of each person's messages.
 * @module
 */
import firestore from '@google-cloud/firestore';
import { droppedKey, INBOX_BODY_BYTES, type Inbox, type InboxJob } from '../../events/delivery-ports.ts';
import type { SubjectKey } from '../../events/identity.ts';
import { StoreUnavailable } from '../../events/ports.ts';
import type { Calls, Fill } from './calls.ts';
import { fieldsOf, frame, jobRef, rowId, SHARDS, shardOf, subjectRef, unframe } from './documents.ts';
import { deletePages, eachPage } from './pages.ts';

/** How long Firestore's TTL policy leaves the name of a finished job, milliseconds, where nobody purges: 30 days. */
const NAME_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** How many due jobs one lease looks through at most: those behind an unfinished older one of their person are passed by. */
const DUE_LOOKED_AT_MAX = 1_000;
/** The most bodies one forget empties in its own commit; what is beyond was emptied before it. */
const EMPTIED_PER_COMMIT_MAX = 300;
/** How often a change of one job is tried while others change it too. */
const CHANGE_TRIES = 5;

/** The port, and what a forget does to it. */
export type FirestoreInbox = {
  readonly inbox: Inbox;
  /**
   * What empties a subject's bodies, keeping the rows. The fence `subjects/{subjectKey}` is read before the jobs and
   * compared in the commit, and accepting a job changes it: a job that came in between refuses the commit.
   */
  readonly emptyBodies: (subjectKey: SubjectKey) => Promise<Fill>;
};

type Job = firestore.QueryDocumentSnapshot;
type Change = firestore.UpdateData<firestore.DocumentData>;

const EMPTY = { held: false, body: null };

export function firestoreInbox(calls: Calls, clock: () => number): FirestoreInbox {
  const { db } = calls;
  const jobs = db.collection('inbox');
  const unfinishedOf = (subjectKey: SubjectKey): firestore.Query =>
    jobs.where('subjectKey', '==', subjectKey).where('open', '==', true);
  const firstOf = (subjectKey: SubjectKey): firestore.Query =>
    unfinishedOf(subjectKey).orderBy('receivedAt').orderBy('acceptedAt').limit(1);

  function finished(): Change {
    const finishedAt = clock();
    const expireAt = firestore.Timestamp.fromMillis(finishedAt + NAME_KEPT_MS);
    return { open: false, dueAt: null, finishedAt, expireAt, ...EMPTY };
  }
  /** Changes a job that is unfinished, whatever else happens to it meanwhile. @returns whether it was unfinished. */
  async function change(ref: firestore.DocumentReference, made: Change): Promise<boolean> {
    for (let attempt = 1; attempt <= CHANGE_TRIES; attempt += 1) {
      const [job] = await calls.read(() => db.getAll(ref, { fieldMask: ['open'] }));
      if (job?.updateTime === undefined || !fieldsOf(job).flag('open')) return false;
      const { updateTime } = job;
      const sent = await calls.settle((writes) => writes.update(ref, made, { lastUpdateTime: updateTime }));
      if (sent === 'applied') return true;
    }
    throw new StoreUnavailable('Others kept changing the job');
  }
  async function leaseOldest(subjectKey: SubjectKey, now: number, leaseMs: number): Promise<InboxJob | null> {
    const { docs } = await calls.read(() => firstOf(subjectKey).get());
    const [oldest] = docs;
    if (oldest === undefined || fieldsOf(oldest).integer('dueAt') > now) return null;
    const job = toJob(oldest);
    const taken = { dueAt: now + leaseMs, attempts: job.attempts + 1 };
    const sent = await calls.send((writes) => {
      writes.update(oldest.ref, taken, { lastUpdateTime: oldest.updateTime });
    });
    return sent === 'applied' ? job : null;
  }

  async function finishAll(unfinished: firestore.Query): Promise<number> {
    const { docs } = await calls.read(() => unfinished.select().get());
    const ended = await Promise.all(docs.map(({ ref }) => change(ref, finished())));
    return ended.filter((was) => was).length;
  }
  /** Of what is due longest the first that nothing of its person stands before. */
  async function dueSince(): Promise<number | null> {
    let since: number | null = null;
    const byDue = jobs
      .where('shard', 'in', SHARDS)
      .where('dueAt', '>', 0)
      .orderBy('dueAt')
      .select('subjectKey', 'dueAt');
    const seen = new Set<SubjectKey>();
    await eachPage(calls, byDue, DUE_LOOKED_AT_MAX, async (page) => {
      for (const job of page) {
        const subjectKey = fieldsOf(job).text('subjectKey') as SubjectKey;
        if (seen.has(subjectKey)) continue;
        seen.add(subjectKey);
        const dueAt = await oldestDueAt(subjectKey);
        if (dueAt !== null && (since === null || dueAt < since)) since = dueAt;
        if (dueAt === fieldsOf(job).integer('dueAt')) return false;
      }
      return true;
    });
    return since;
  }
  async function oldestDueAt(subjectKey: SubjectKey): Promise<number | null> {
    const { docs } = await calls.read(() => firstOf(subjectKey).get());
    const [oldest] = docs;
    return oldest === undefined ? null : fieldsOf(oldest).integer('dueAt');
  }

  const inbox: Inbox = {
    async accept({ key, subjectKey, messageId, body, receivedAt }) {
      const row = { key, shard: shardOf(key), subjectKey, messageId, receivedAt, dueAt: receivedAt, attempts: 0 };
      const framed = frame(body, INBOX_BODY_BYTES);
      const sent = await calls.settle((writes) => {
        // The server's own time tells apart what was received in the same millisecond.
        const acceptedAt = firestore.FieldValue.serverTimestamp();
        const state = { open: true, held: true, body: framed, finishedAt: null, expireAt: null };
        writes.create(jobRef(db, key), { ...row, acceptedAt, ...state });
        // Writes nothing: it only compares that the message was not dropped before it came.
        if (messageId !== null) writes.delete(jobRef(db, droppedKey(subjectKey, messageId)), { exists: false });
        writes.set(subjectRef(db, subjectKey), { newestJob: rowId(key) });
      });
      return sent === 'applied' ? 'accepted' : 'duplicate';
    },
    async lease(now, leaseMs, limit) {
      const leased: InboxJob[] = [];
      const seen = new Set<SubjectKey>();
      const due = jobs.where('shard', 'in', SHARDS).where('dueAt', '<=', now).orderBy('dueAt').select('subjectKey');
      await eachPage(calls, due, DUE_LOOKED_AT_MAX, async (page) => {
        const subjects = page.map((job) => fieldsOf(job).text('subjectKey') as SubjectKey);
        const fresh = [...new Set(subjects)].filter((subject) => !seen.has(subject));
        while (fresh.length > 0 && leased.length < limit) {
          const asked = fresh.splice(0, limit - leased.length);
          for (const subject of asked) seen.add(subject);
          const taken = await Promise.all(asked.map((subject) => leaseOldest(subject, now, leaseMs)));
          leased.push(...taken.filter((job) => job !== null));
        }
        return leased.length < limit;
      });
      return leased.sort((one, two) => one.receivedAt - two.receivedAt);
    },
    async finish(key) {
      await change(jobRef(db, key), finished());
    },
    async postpone(key, dueAt) {
      await change(jobRef(db, key), { dueAt });
    },
    async drop(subjectKey, messageId) {
      // Marked first and looked for then: a message that is accepted meanwhile meets one or the other.
      const key = droppedKey(subjectKey, messageId);
      const at = clock();
      const row = { key, shard: shardOf(key), subjectKey, messageId, receivedAt: at, attempts: 0, acceptedAt: null };
      const mark = { ...row, ...finished() };
      await calls.settle((writes) => void writes.create(jobRef(db, key), mark));
      return { dropped: (await finishAll(unfinishedOf(subjectKey).where('messageId', '==', messageId))) > 0 };
    },
    dropAll: (subjectKey) => finishAll(unfinishedOf(subjectKey)),
    async waiting() {
      const open = jobs.where('open', '==', true);
      const [count, oldest, since] = await Promise.all([
        calls.read(() => open.count().get()),
        calls.read(() => open.where('shard', 'in', SHARDS).orderBy('receivedAt').limit(1).select('receivedAt').get()),
        dueSince(),
      ]);
      const [first] = oldest.docs;
      const oldestReceivedAt = first === undefined ? null : fieldsOf(first).integer('receivedAt');
      return { jobs: count.data().count, oldestReceivedAt, dueSince: since };
    },
    purge: (before) =>
      deletePages(calls, jobs.where('shard', 'in', SHARDS).where('finishedAt', '<', before).orderBy('finishedAt')),
  };

  return { inbox, emptyBodies: (subjectKey) => emptying(calls, unfinishedOf(subjectKey), subjectKey) };
}

async function emptying(calls: Calls, unfinished: firestore.Query, subjectKey: SubjectKey): Promise<Fill> {
  const fenceRef = subjectRef(calls.db, subjectKey);
  const [fence] = await calls.read((db) => db.getAll(fenceRef));
  let held = await heldBodies(calls, unfinished);
  // A flood of texts does not fit into one commit: the surplus goes first, which harms nobody who asked to be forgotten.
  while (held.length > EMPTIED_PER_COMMIT_MAX) {
    const surplus = held.slice(0, EMPTIED_PER_COMMIT_MAX);
    await calls.settle((writes) => surplus.forEach(({ ref }) => void writes.update(ref, EMPTY)));
    held = await heldBodies(calls, unfinished);
  }
  const last = held;
  return (writes) => {
    if (fence?.updateTime === undefined) writes.delete(fenceRef, { exists: false });
    else writes.update(fenceRef, { newestJob: null }, { lastUpdateTime: fence.updateTime });
    for (const { ref } of last) writes.update(ref, EMPTY);
  };
}

async function heldBodies(calls: Calls, unfinished: firestore.Query): Promise<Job[]> {
  const { docs } = await calls.read(() => unfinished.where('held', '==', true).select().get());
  return docs;
}

function toJob(snapshot: Job): InboxJob {
  const fields = fieldsOf(snapshot);
  const framed = fields.bytesOrNull('body');
  return {
    key: fields.text('key'),
    subjectKey: fields.text('subjectKey') as SubjectKey,
    messageId: fields.textOrNull('messageId'),
    body: framed === null ? null : unframe(framed),
    receivedAt: fields.integer('receivedAt'),
    attempts: fields.integer('attempts'),
  };
}
