/**
 * What LINE sent, read into a closed list of things to do. Called only with bytes whose signature held.
 * @module
 */
import type { webhook } from '@line/bot-sdk';
import * as v from 'valibot';
import type { Location } from '../../commands/catalog.ts';
import type { Entry } from '../../commands/entries.ts';
import { Identifier } from '../../events/envelope.ts';
import { decodePostback } from './postback.ts';
import type { IgnoredCount } from './signals.ts';

/** Events in one request; LINE sends fewer. */
const EVENTS_MAX = 100;
/** The longest text that is read, characters (code points). */
const TEXT_LENGTH_MAX = 1_200;

const Destination = v.object({ destination: v.string() });
const Events = v.object({ events: v.pipe(v.array(v.looseObject({ type: v.string() })), v.maxLength(EVENTS_MAX)) });
/** One event, of which no more is known than that it has a type. */
export type RawEvent = v.InferOutput<typeof Events>['events'][number];

const UserId = v.pipe(v.string(), v.regex(/^U[0-9a-f]{32}$/));
const ReplyToken = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,100}$/));
const EventBase = v.object({
  webhookEventId: Identifier,
  mode: v.string(),
  replyToken: v.fallback(v.nullable(ReplyToken), null),
  source: v.fallback(
    v.object({
      type: v.string(),
      userId: v.fallback(v.nullable(UserId), null),
      groupId: v.fallback(v.string(), ''),
      roomId: v.fallback(v.string(), ''),
    }),
    { type: '', userId: null, groupId: '', roomId: '' },
  ),
});
const WithMessage = v.object({ message: v.looseObject({ type: v.string(), id: Identifier }) });
const WithText = v.object({ text: v.string() });
const WithLocation = v.object({
  latitude: v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
  longitude: v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
});
const WithPostback = v.object({ postback: v.object({ data: v.string() }) });
const WithUnsend = v.object({ unsend: v.object({ messageId: Identifier }) });

/** Who sent an event in the one-to-one chat, and how to answer it. */
export type EventOrigin = {
  readonly eventId: string;
  readonly userId: string;
  /** Null for what is no message. */
  readonly messageId: string | null;
  readonly replyToken: string | null;
};

export type Incoming =
  | { readonly kind: 'ignored'; readonly count: IgnoredCount }
  | ({ readonly kind: 'text'; readonly text: string } & EventOrigin)
  | ({ readonly kind: 'entry'; readonly entry: Entry } & EventOrigin)
  /** A message was unsent or edited; `messageId` is that message's. */
  | ({
      readonly kind: 'withdraw';
      readonly method: 'unsend' | 'message';
    } & EventOrigin & { readonly messageId: string })
  | ({ readonly kind: 'unfollow' } & EventOrigin)
  /** Asked for something in a group or room, by a button (`pressed`) or by words. */
  | {
      readonly kind: 'in_group';
      readonly eventId: string;
      readonly groupId: string;
      readonly replyToken: string;
      readonly pressed: boolean;
    };

/** Reads a request's bytes; `destination` is compared before anything else in them is looked at. */
export function readCallback(
  bytes: Uint8Array,
  botUserId: string,
):
  | { readonly ok: true; readonly events: readonly RawEvent[] }
  | { readonly ok: false; readonly refusal: 'body_malformed' | 'destination_refused' } {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, refusal: 'body_malformed' };
  }
  const addressed = v.safeParse(Destination, body);
  if (!addressed.success) return { ok: false, refusal: 'body_malformed' };
  if (addressed.output.destination !== botUserId) return { ok: false, refusal: 'destination_refused' };
  const parsed = v.safeParse(Events, body);
  if (!parsed.success) return { ok: false, refusal: 'body_malformed' };
  return { ok: true, events: parsed.output.events };
}

const ignored = (count: IgnoredCount): Incoming => ({ kind: 'ignored', count });

/**
 * Reads one event. Types LINE has or will have beyond those LOCAL answers are ignored, not refused.
 * @param fixedEntry what a fixed typed text asks for, or null.
 */
export function readEvent(raw: RawEvent, fixedEntry: (text: string) => Entry | null): Incoming {
  const base = v.safeParse(EventBase, raw);
  if (!base.success) return ignored('event_malformed');
  const { webhookEventId, mode, replyToken, source } = base.output;
  if (mode !== 'active') return ignored('event_standby');
  const { type } = raw;
  if (!isAnswered(type)) return ignored('event_of_other_type');
  if (source.type !== 'user') return readGroupEvent(raw, base.output, fixedEntry);
  if (source.userId === null) return ignored('event_without_user');
  if (isVerification(replyToken, source.userId)) return ignored('event_verification');
  const origin = { eventId: webhookEventId, userId: source.userId, messageId: null, replyToken };
  switch (type) {
    case 'message':
      return readMessage(raw, origin, fixedEntry);
    case 'postback':
      return readPostback(raw, origin);
    case 'follow':
      return { kind: 'entry', entry: { entry: 'welcome' }, ...origin };
    case 'unfollow':
      return { kind: 'unfollow', ...origin };
    case 'unsend': {
      const parsed = v.safeParse(WithUnsend, raw);
      if (!parsed.success) return ignored('event_malformed');
      return { kind: 'withdraw', method: 'unsend', ...origin, messageId: parsed.output.unsend.messageId };
    }
    case 'messageEdited': {
      const parsed = v.safeParse(WithMessage, raw);
      if (!parsed.success) return ignored('event_malformed');
      return { kind: 'withdraw', method: 'message', ...origin, messageId: parsed.output.message.id };
    }
  }
}

const ANSWERED = [
  'message',
  'postback',
  'follow',
  'unfollow',
  'unsend',
  'messageEdited',
] as const satisfies readonly webhook.Event['type'][];
type AnsweredType = (typeof ANSWERED)[number];

function isAnswered(type: string): type is AnsweredType {
  return (ANSWERED as readonly string[]).includes(type);
}

/** The console's Verify button of former years sent dummy events: made-up tokens and people that nobody can answer. */
function isVerification(replyToken: string | null, userId: string): boolean {
  return /^U(deadbeef){4}$/.test(userId) || (replyToken !== null && /^(0{32}|f{32})$/.test(replyToken));
}

function readMessage(raw: RawEvent, origin: EventOrigin, fixedEntry: (text: string) => Entry | null): Incoming {
  const parsed = v.safeParse(WithMessage, raw);
  if (!parsed.success) return ignored('event_malformed');
  const { message } = parsed.output;
  const from = { ...origin, messageId: message.id };
  const unsupported = { kind: 'entry', entry: { entry: 'unsupported_message' }, ...from } as const;
  if (message.type === 'location') {
    const location = v.safeParse(WithLocation, message);
    return location.success ? { kind: 'entry', entry: placesNear(location.output), ...from } : unsupported;
  }
  if (message.type !== 'text') return unsupported;
  const typed = v.safeParse(WithText, message);
  if (!typed.success) return ignored('event_malformed');
  if (isTooLong(typed.output.text)) return unsupported;
  const text = typed.output.text.toWellFormed();
  if (text.trim() === '') return unsupported;
  const entry = fixedEntry(text);
  return entry === null ? { kind: 'text', text, ...from } : { kind: 'entry', entry, ...from };
}

function isTooLong(text: string): boolean {
  if (text.length <= TEXT_LENGTH_MAX) return false;
  return text.length > 2 * TEXT_LENGTH_MAX || [...text].length > TEXT_LENGTH_MAX;
}

function placesNear(near: Location): Entry {
  return { entry: 'places', area: '', dietary_type: '', keyword: '', near, page: 0 };
}

function readPostback(raw: RawEvent, origin: EventOrigin): Incoming {
  const parsed = v.safeParse(WithPostback, raw);
  if (!parsed.success) return ignored('event_malformed');
  const { data } = parsed.output.postback;
  return { kind: 'entry', entry: decodePostback(data) ?? { entry: 'unsupported_message' }, ...origin };
}

/** In a group only what asks LOCAL for something is heard, and never answered with anything about a person. */
function readGroupEvent(
  raw: RawEvent,
  { webhookEventId, replyToken, source }: v.InferOutput<typeof EventBase>,
  fixedEntry: (text: string) => Entry | null,
): Incoming {
  const groupId = source.groupId || source.roomId;
  if (groupId === '' || replyToken === null) return ignored('event_in_group');
  const asked = { kind: 'in_group', eventId: webhookEventId, groupId, replyToken } as const;
  if (raw.type === 'postback') return { ...asked, pressed: true };
  const parsed = raw.type === 'message' ? v.safeParse(v.object({ message: WithText }), raw) : null;
  if (parsed === null || !parsed.success) return ignored('event_in_group');
  const { text } = parsed.output.message;
  const entry = isTooLong(text) ? null : fixedEntry(text);
  // 好 and 嗯 are what people say to each other.
  return entry === null || entry.entry === 'bare_yes' ? ignored('event_in_group') : { ...asked, pressed: false };
}
