/**
 * Taking one event: whatever must outlive this process is durable before the event counts as taken.
 *
 * Buttons that decide run their one transaction, everything else gets its inbox row first; then both are answered at once if
 * that is quick, and by the worker if it is not.
 * @module
 */
import type { Entry } from '../../commands/entries.ts';
import type { Person, Turn, Turns } from '../../commands/turns.ts';
import type { Inbox, Outbox } from '../../events/delivery-ports.ts';
import type { SubjectKey } from '../../events/identity.ts';
import type { AddressBook } from './addresses.ts';
import { type Timer, within } from './deadline.ts';
import type { Deliver } from './deliver.ts';
import type { EventOrigin, Incoming } from './events.ts';
import { encodeJobBody, type JobBody, queuedForm } from './job.ts';
import type { CountLine } from './signals.ts';

/** An answer may keep the request waiting for so long, milliseconds; then the request ends and the answer goes on. */
const ANSWER_WAIT_MS = 500;

/** `deferred`: LINE is to send it again, for it is not known to be durable. */
export type Taken = 'taken' | 'deferred';

export type IntakeParts = {
  readonly turns: Pick<Turns, 'entry' | 'withdraw'>;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly addresses: AddressBook;
  readonly deliver: Deliver;
  readonly personOf: (userId: string) => Person;
  /** Tells a group, by reply, that LOCAL is for the one-to-one chat. Never rejects. */
  readonly pointToChat: (event: Extract<Incoming, { kind: 'in_group' }>) => Promise<void>;
  /** A job is waiting. */
  readonly wakeWorker: () => void;
  /** Is given what goes on after the request ended; it never rejects. A stop of the service waits for it. */
  readonly background: (work: Promise<void>) => void;
  readonly timer: Timer;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly count: CountLine;
};

/** When the request came and until when it must be answered, Unix milliseconds. */
export type RequestTime = { readonly receivedAt: number; readonly deadline: number };
type Chat = Exclude<Incoming, { kind: 'ignored' | 'in_group' }>;
/** What is left to do for the person's address once everything about the event is done. */
type Rest = { readonly verdict: Taken; readonly address: 'keep' | 'release' | Promise<'keep' | 'release'> };

/** Entries whose transaction keeps a once row, which is both their mark and their claim to an answer. */
const DECIDING: ReadonlySet<Entry['entry']> = new Set(['approve', 'cancel', 'forget']);

/** Once what goes on has ended, the store knows whether it owes the person. */
function deferredUntil(ended: Promise<unknown>): Rest {
  return { verdict: 'deferred', address: ended.then(() => 'release' as const) };
}
const leftToWorker: Rest = { verdict: 'taken', address: 'keep' };
const done: Rest = { verdict: 'taken', address: 'release' };

/** Makes the intake; what it returns takes one event and never rejects. */
export function createIntake(parts: IntakeParts): (incoming: Incoming, time: RequestTime) => Promise<Taken> {
  const { turns, inbox, outbox, addresses, deliver, personOf, timer, clock, count } = parts;
  const left = ({ deadline }: RequestTime): number => deadline - clock();

  function enqueue(event: EventOrigin, person: Person, body: JobBody, time: RequestTime) {
    return inbox.accept({
      key: event.eventId,
      subjectKey: person.subjectKey,
      messageId: body.kind === 'withdraw' ? null : event.messageId,
      body: encodeJobBody(body),
      receivedAt: time.receivedAt,
    });
  }

  /** Makes job and address durable, side by side. A `Rest` ends the taking. */
  async function makeDurable(event: EventOrigin, person: Person, body: JobBody, time: RequestTime) {
    const job = enqueue(event, person, body, time);
    const address = addresses.put(person.subjectKey, event.userId);
    const waited = await within(Promise.all([job, address]), left(time), timer);
    if (waited.ended === 'failed') count('store_failed');
    if (waited.ended !== 'in_time') return deferredUntil(Promise.allSettled([job, address]));
    if (waited.value[0] === 'accepted') return 'accepted';
    count('event_duplicate');
    return done;
  }

  async function takeText(event: Extract<Chat, { kind: 'text' }>, person: Person, time: RequestTime): Promise<Rest> {
    const { text, replyToken } = event;
    const accepted = await makeDurable(event, person, { kind: 'text', text, replyToken }, time);
    if (accepted !== 'accepted') return accepted;
    count('event_queued');
    parts.wakeWorker();
    return leftToWorker;
  }

  async function takeDeciding(
    event: Extract<Chat, { kind: 'entry' }>,
    person: Person,
    time: RequestTime,
  ): Promise<Rest> {
    const addressed = addresses.put(person.subjectKey, event.userId).catch(() => count('store_failed'));
    const decided = turns.entry(person, event.entry, deliveryOf(event));
    const waited = await within(Promise.all([decided, addressed]), left(time), timer);
    if (waited.ended !== 'in_time') {
      count(waited.ended === 'late' ? 'turn_too_slow' : 'turn_failed');
      return deferredUntil(Promise.allSettled([decided, addressed]));
    }
    const [turn] = waited.value;
    if (turn.answers.length === 0) {
      count('answer_silent');
      return done;
    }
    if (turn.onceKey === null) {
      const body = { kind: 'entry', entry: queuedForm(event.entry), replyToken: event.replyToken } as const;
      const accepted = await makeDurable(event, person, body, time);
      if (accepted !== 'accepted') return accepted;
    }
    return answer(turn, event, person, time);
  }

  async function takeAsking(event: Extract<Chat, { kind: 'entry' }>, person: Person, time: RequestTime): Promise<Rest> {
    const body = { kind: 'entry', entry: queuedForm(event.entry), replyToken: event.replyToken } as const;
    const accepted = await makeDurable(event, person, body, time);
    if (accepted !== 'accepted') return accepted;
    const waited = await within(turns.entry(person, event.entry, deliveryOf(event)), left(time), timer);
    if (waited.ended === 'in_time') return answer(waited.value, event, person, time);
    count(waited.ended === 'late' ? 'turn_too_slow' : 'turn_failed');
    return leftToWorker;
  }

  /** Answers, waiting only as long as the request may; the rest goes on by itself. The store keeps the address of whom it owes. */
  async function answer(turn: Turn, event: EventOrigin, person: Person, time: RequestTime): Promise<Rest> {
    const address = giveAndClose(turn, event, person, time);
    await within(address, Math.min(ANSWER_WAIT_MS, left(time)), timer);
    return { verdict: 'taken', address };
  }

  async function giveAndClose(turn: Turn, event: EventOrigin, person: Person, time: RequestTime) {
    const { eventId, userId, replyToken } = event;
    const { turnId } = deliveryOf(event);
    const ifUsed = turn.onceKey === null ? 'push' : 'owe';
    const reply = replyToken === null ? null : ({ token: replyToken, receivedAt: time.receivedAt, ifUsed } as const);
    const key = turn.onceKey ?? eventId;
    try {
      if ((await deliver(turn, { turnId, key, person, userId, reply, attempt: 0 })) === 'owed') {
        // Another turn of the person may have released it before this one was owed.
        await addresses.put(person.subjectKey, userId);
        return 'release';
      }
      await (turn.onceKey === null ? inbox.finish(eventId) : outbox.answered(turn.onceKey));
      return 'release';
    } catch {
      count('store_failed');
      return 'keep';
    }
  }

  /**
   * Drops what is unread and closes the card it led to. A turn of that message may be running, so the same is done once more
   * after it: the job waits behind it.
   */
  async function takeWithdraw(
    event: Extract<Chat, { kind: 'withdraw' }>,
    person: Person,
    time: RequestTime,
  ): Promise<Rest> {
    const { messageId, method } = event;
    const accepted = await makeDurable(event, person, { kind: 'withdraw', messageId, method }, time);
    if (accepted !== 'accepted') return accepted;
    count('event_withdrawn');
    const withdrawn = dropAndWithdraw(person, messageId, method, event);
    const waited = await within(withdrawn, left(time), timer);
    parts.wakeWorker();
    if (waited.ended !== 'in_time') {
      count(waited.ended === 'late' ? 'turn_too_slow' : 'turn_failed');
      return leftToWorker;
    }
    if (!waited.value) return leftToWorker;
    if (method === 'unsend' || event.replyToken === null) {
      await within(inbox.finish(event.eventId), left(time), timer);
      return done;
    }
    // An edited message that was not read yet would wait for an answer for ever.
    return answer({ answers: [{ status: 'say_again' }], onceKey: null, restsOnRevision: null }, event, person, time);
  }

  async function dropAndWithdraw(
    person: Person,
    messageId: string,
    method: 'unsend' | 'message',
    event: EventOrigin,
  ): Promise<boolean> {
    const { dropped } = await inbox.drop(person.subjectKey, messageId);
    await turns.withdraw(person, messageId, method, deliveryOf(event));
    return dropped;
  }

  /** Stops sending: whoever left cannot be answered, so what still waits of them ends too. Memory is not touched. */
  async function takeUnfollow(subjectKey: SubjectKey, time: RequestTime): Promise<Rest> {
    const ended = Promise.all([addresses.remove(subjectKey), inbox.dropAll(subjectKey)]);
    const waited = await within(ended, left(time), timer);
    if (waited.ended !== 'in_time') return { verdict: 'deferred', address: 'keep' };
    count('event_unfollowed');
    return leftToWorker;
  }

  function take(event: Chat, person: Person, time: RequestTime): Promise<Rest> {
    switch (event.kind) {
      case 'text':
        return takeText(event, person, time);
      case 'entry':
        return DECIDING.has(event.entry.entry) ? takeDeciding(event, person, time) : takeAsking(event, person, time);
      case 'withdraw':
        return takeWithdraw(event, person, time);
      case 'unfollow':
        return takeUnfollow(person.subjectKey, time);
    }
  }

  async function letGo(subjectKey: SubjectKey, address: Rest['address']): Promise<void> {
    try {
      await addresses.letGo(subjectKey, await address);
    } catch {
      count('store_failed');
    }
  }

  return async function takeEvent(incoming, time) {
    if (incoming.kind === 'ignored') {
      count(incoming.count);
      return 'taken';
    }
    if (incoming.kind === 'in_group') {
      await within(parts.pointToChat(incoming), Math.min(ANSWER_WAIT_MS, left(time)), timer);
      return 'taken';
    }
    const person = personOf(incoming.userId);
    addresses.hold(person.subjectKey);
    const rest = await take(incoming, person, time).catch((): Rest => ({ verdict: 'deferred', address: 'keep' }));
    if (rest.verdict === 'deferred') count('event_deferred');
    parts.background(letGo(person.subjectKey, rest.address));
    return rest.verdict;
  };
}

function deliveryOf({ eventId, messageId }: EventOrigin) {
  return { causationId: eventId, turnId: messageId ?? eventId, messageId };
}
