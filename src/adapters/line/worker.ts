/**
 * The worker: runs what the inbox holds, and gives the answers that are still owed. Several may run over one store.
 * @module
 */
import type { Person, Turn, Turns } from '../../commands/turns.ts';
import type { Inbox, InboxJob, Outbox, OwedAnswer } from '../../events/delivery-ports.ts';
import type { AddressBook } from './addresses.ts';
import type { LineClient } from './client.ts';
import { type Timer, within } from './deadline.ts';
import { createDeliver } from './deliver.ts';
import { decodeJobBody, type JobBody } from './job.ts';
import type { CountLine, LogTurn } from './signals.ts';

/** How long a job or an owed answer is ours, milliseconds; longer than turn and sends together may take. */
const LEASE_MS = 30_000;
/** People served side by side. */
const CONCURRENCY = 4;
/**
 * A turn that takes longer is answered with "not now" and the menu, milliseconds; longer than a router's own budget of 8,000, so
 * that a model that hangs is given up by the router, whose turn then still has its trail.
 */
const TURN_MS_MAX = 8_500;
/** While a webhook request may still answer by itself, the worker leaves the answer to it, milliseconds. */
const REQUEST_HEADSTART_MS = 5_000;
/** How often a job is tried, and until which age a further try is made. */
const ATTEMPTS_MAX = 8;
const AGE_MAX_MS = 15 * 60_000;
/** Waits between tries: doubling from the first to the last, milliseconds. */
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_LAST_MS = 60_000;
/** The pause between two looks at the inbox, milliseconds. */
const POLL_MS = 1_000;
/** For so long a redelivery is known again, milliseconds; and how often older names are cleared away. */
const NAMES_KEPT_MS = 7 * 86_400_000;
const PURGE_EVERY_MS = 3_600_000;

export type InboxWorkerParts = {
  readonly turns: Turns;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: AddressBook;
  readonly client: LineClient;
  readonly personOf: (userId: string) => Person;
  readonly buildId: string;
  readonly timer: Timer;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly count: CountLine;
  readonly log: LogTurn;
  /** Clears away what is old beside the inbox's and outbox's names; called once an hour with the time, Unix milliseconds. */
  readonly purgeTurns?: (now: number) => Promise<void>;
};

export type InboxWorker = {
  /** Does all that is due now. Never rejects. */
  drain(): Promise<void>;
  /** Looks at once, without waiting for the next poll; only between start and stop. */
  wake(): void;
  start(): void;
  /** Takes nothing new; resolves when what was begun has ended. */
  stop(): Promise<void>;
};

type Work = JobBody | { readonly kind: 'emptied' };
/** `later`: nothing was given; `dueAt` null leaves the time to the backoff. */
type Worked = { readonly end: 'done' } | { readonly end: 'later'; readonly dueAt: number | null };
const done: Worked = { end: 'done' };
const later: Worked = { end: 'later', dueAt: null };

function turnOf(status: 'query_unavailable' | 'say_again'): Turn {
  return { answers: [{ status }], onceKey: null, restsOnRevision: null };
}

/** Makes a worker; it does nothing before `start` or `drain`. */
export function createInboxWorker(parts: InboxWorkerParts): InboxWorker {
  const { turns, inbox, outbox, addresses, client, personOf, timer, clock, count, log } = parts;
  const deliver = createDeliver({
    client,
    stillCurrent: turns.stillCurrent,
    buildId: parts.buildId,
    clock,
    count,
    log,
  });
  let started = false;
  let stopping = false;
  let askedAgain = false;
  let woken = Promise.withResolvers<void>();
  let running: Promise<void> | null = null;
  let cancelPoll = (): void => {};
  let purgedAt = Number.NEGATIVE_INFINITY;

  /** The person behind a job, or null when no address of theirs is kept (they left, or it is not written yet). */
  async function recipientOf({ subjectKey }: InboxJob | OwedAnswer) {
    const userId = await addresses.userOf(subjectKey);
    const person = userId === null ? null : personOf(userId);
    if (userId !== null && person !== null && person.subjectKey === subjectKey) return { userId, person };
    count('answer_without_address');
    return null;
  }

  function workIn({ body }: InboxJob): Work {
    if (body === null) return { kind: 'emptied' };
    const decoded = decodeJobBody(body);
    if (decoded !== null) return decoded;
    count('job_unreadable');
    return { kind: 'emptied' };
  }

  async function turnFor(job: InboxJob, person: Person, asked: Exclude<Work, { kind: 'withdraw' }>): Promise<Turn> {
    if (asked.kind === 'emptied') {
      count('text_emptied');
      return turnOf('say_again');
    }
    const delivery = { causationId: job.key, turnId: job.messageId ?? job.key, messageId: job.messageId };
    const turn =
      asked.kind === 'text' ? turns.text(person, asked.text, delivery) : turns.entry(person, asked.entry, delivery);
    const waited = await within(turn, TURN_MS_MAX, timer);
    if (waited.ended === 'in_time') return waited.value;
    count(waited.ended === 'late' ? 'turn_too_slow' : 'turn_failed');
    if (waited.ended === 'failed' && !isLastTry(job)) throw waited.error;
    return turnOf('query_unavailable');
  }

  function isLastTry({ attempts, receivedAt }: InboxJob): boolean {
    return attempts >= ATTEMPTS_MAX - 1 || (attempts > 0 && clock() - receivedAt >= AGE_MAX_MS);
  }

  async function tryJob(job: InboxJob): Promise<Worked> {
    const asked = workIn(job);
    if (asked.kind === 'entry' && clock() - job.receivedAt < REQUEST_HEADSTART_MS)
      return { end: 'later', dueAt: job.receivedAt + REQUEST_HEADSTART_MS };
    // What was no message holds no words to say again.
    if (asked.kind === 'emptied' && job.messageId === null) return done;
    const recipient = await recipientOf(job);
    if (recipient === null) return later;
    const turnId = job.messageId ?? job.key;
    if (asked.kind === 'withdraw') {
      const delivery = { causationId: job.key, turnId, messageId: null };
      await turns.withdraw(recipient.person, asked.messageId, asked.method, delivery);
      return done;
    }
    const turn = await turnFor(job, recipient.person, asked);
    if (turn.answers.length === 0) {
      count('answer_silent');
      return done;
    }
    const token = asked.kind === 'emptied' ? null : asked.replyToken;
    const reply = token === null ? null : ({ token, receivedAt: job.receivedAt, ifUsed: 'push' } as const);
    // The request tried an entry before it was left to the worker.
    const attempt = job.attempts + (asked.kind === 'entry' ? 1 : 0);
    const given = await deliver(turn, { turnId, key: job.key, ...recipient, reply, attempt });
    if (given === 'owed') return later;
    if (turn.onceKey !== null) await outbox.answered(turn.onceKey);
    return done;
  }

  function jobFailed(): Worked {
    count('job_failed');
    return later;
  }

  async function workOn(job: InboxJob): Promise<void> {
    addresses.hold(job.subjectKey);
    try {
      const worked = job.attempts >= ATTEMPTS_MAX ? later : await tryJob(job).catch(jobFailed);
      if (worked.end === 'later' && !isLastTry(job)) {
        const dueAt = worked.dueAt ?? clock() + Math.min(BACKOFF_FIRST_MS * 2 ** job.attempts, BACKOFF_LAST_MS);
        await inbox.postpone(job.key, dueAt);
        await addresses.letGo(job.subjectKey, 'keep');
        return;
      }
      if (worked.end === 'later') giveUp(job.messageId ?? job.key);
      await inbox.finish(job.key);
      await addresses.letGo(job.subjectKey, 'release');
    } catch {
      // The lease runs out and the job is due again.
      count('store_failed');
      await addresses.letGo(job.subjectKey, 'keep');
    }
  }

  function giveUp(turnId: string): void {
    count('answer_given_up');
    log({ turnId, tools: [], origin: null, statuses: [], outcome: 'given_up', revision: null });
  }

  async function giveOwed(owed: OwedAnswer): Promise<void> {
    const { key, subjectKey, outcome, attempts } = owed;
    addresses.hold(subjectKey);
    let address: 'keep' | 'release' = 'keep';
    try {
      const given = await tellAgain(owed).catch((): 'owed' => 'owed');
      if (given === 'owed' && attempts >= ATTEMPTS_MAX - 1) giveUp(key);
      if (given !== 'owed' || attempts >= ATTEMPTS_MAX - 1) {
        await outbox.answered(key);
        address = 'release';
      }
    } catch {
      count('store_failed');
    }
    await addresses.letGo(subjectKey, address).catch(() => count('store_failed'));

    async function tellAgain(answer: OwedAnswer) {
      const recipient = await recipientOf(answer);
      if (recipient === null) return 'owed';
      const turn = await turns.again(recipient.person, { key, outcome, answered: false });
      if (turn.answers.length === 0) return 'silent';
      return deliver(turn, { turnId: key, key, ...recipient, reply: null, attempt: attempts });
    }
  }

  /** Begins what is due, as far as there is room beside what is under way. */
  async function begin<T>(
    underWay: Set<Promise<void>>,
    lease: (limit: number) => Promise<readonly T[]>,
    workOne: (item: T) => Promise<void>,
  ): Promise<void> {
    const room = CONCURRENCY - underWay.size;
    if (room === 0 || stopping) return;
    for (const item of await lease(room)) {
      const one = workOne(item).finally(() => underWay.delete(one));
      underWay.add(one);
    }
  }

  /** Works until nothing is due; a wake lets new people in while a slow turn of somebody else goes on. */
  async function work(): Promise<void> {
    const jobs = new Set<Promise<void>>();
    const owed = new Set<Promise<void>>();
    for (;;) {
      woken = Promise.withResolvers<void>();
      askedAgain = false;
      await begin(jobs, (limit) => inbox.lease(clock(), LEASE_MS, limit), workOn).catch(() => count('store_failed'));
      const before = clock() - REQUEST_HEADSTART_MS;
      await begin(owed, (limit) => outbox.leaseOwed(clock(), before, LEASE_MS, limit), giveOwed).catch(() =>
        count('store_failed'),
      );
      const underWay = [...jobs, ...owed];
      if (underWay.length > 0) {
        await Promise.race([...underWay, woken.promise]);
        continue;
      }
      await purgeNames().catch(() => count('store_failed'));
      if (stopping || !askedAgain) return;
    }
  }

  async function purgeNames(): Promise<void> {
    const now = clock();
    if (now - purgedAt < PURGE_EVERY_MS) return;
    purgedAt = now;
    await inbox.purge(now - NAMES_KEPT_MS);
    await outbox.purgeAnswered(now - NAMES_KEPT_MS);
    await parts.purgeTurns?.(now);
  }

  function drain(): Promise<void> {
    askedAgain = true;
    woken.resolve();
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  }

  function poll(): void {
    void drain();
    cancelPoll = timer(POLL_MS, poll);
  }

  return {
    drain,
    wake() {
      if (started) void drain();
    },
    start() {
      if (started) return;
      started = true;
      stopping = false;
      poll();
    },
    async stop() {
      started = false;
      stopping = true;
      cancelPoll();
      await running;
      stopping = false;
    },
  };
}
