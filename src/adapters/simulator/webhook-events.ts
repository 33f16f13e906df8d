/**
 * Webhook events in LINE's shape, and the bytes and signature they travel with.
 *
 * The shape is that of LINE's reference; a type test holds it against the SDK's own types.
 * @module
 */
import { createHmac } from 'node:crypto';
import type { Ids } from './ids.ts';

export type EventSource =
  | { readonly type: 'user'; readonly userId: string }
  | { readonly type: 'group'; readonly groupId: string; readonly userId: string };

export type LocationContent = {
  readonly title: string;
  readonly address: string;
  readonly latitude: number;
  readonly longitude: number;
};

type Tokens = { readonly id: string; readonly quoteToken: string; readonly markAsReadToken: string };
export type PersonMessage =
  | (Tokens & { readonly type: 'text'; readonly text: string })
  | (Omit<Tokens, 'quoteToken'> & { readonly type: 'location' } & LocationContent)
  | (Tokens & {
      readonly type: 'sticker';
      readonly packageId: string;
      readonly stickerId: string;
      readonly stickerResourceType: 'STATIC';
    });

/** What happened, before it becomes an event. */
export type Happening =
  | { readonly type: 'message'; readonly message: PersonMessage }
  | { readonly type: 'messageEdited'; readonly message: PersonMessage }
  | { readonly type: 'postback'; readonly postback: { readonly data: string } }
  | { readonly type: 'follow'; readonly follow: { readonly isUnblocked: boolean } }
  | { readonly type: 'unfollow' }
  | { readonly type: 'unsend'; readonly unsend: { readonly messageId: string } };

export type EventMode = 'active' | 'standby';

export type LineEvent = Happening & {
  readonly replyToken?: string;
  readonly mode: EventMode;
  readonly timestamp: number;
  readonly source: EventSource;
  readonly webhookEventId: string;
  readonly deliveryContext: { readonly isRedelivery: boolean };
};

/** Events LINE sends without a reply token, whatever the mode. */
const UNANSWERABLE: readonly Happening['type'][] = ['unfollow', 'unsend'];

/**
 * Wraps what happened into an event. A standby event and one of {@link UNANSWERABLE} carry no reply token.
 * @param timestamp Unix milliseconds.
 */
export function lineEvent(
  happening: Happening,
  from: { readonly mode: EventMode; readonly source: EventSource },
  timestamp: number,
  ids: Ids,
): LineEvent {
  const answerable = from.mode === 'active' && !UNANSWERABLE.includes(happening.type);
  return {
    ...happening,
    ...(answerable ? { replyToken: ids.token() } : {}),
    mode: from.mode,
    timestamp,
    source: from.source,
    webhookEventId: ids.eventId(),
    deliveryContext: { isRedelivery: false },
  };
}

/** The tokens every message of a person has. */
export function messageTokens(ids: Ids): Tokens {
  return { id: ids.messageId(), quoteToken: ids.token(), markAsReadToken: ids.token() };
}

/** The request body for one event. Characters outside the BMP go as escapes, as LINE may send them. */
export function webhookBody(botUserId: string, event: LineEvent): string {
  return JSON.stringify({ destination: botUserId, events: [event] }).replace(
    /[\ud800-\udfff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  );
}

/** The value of `x-line-signature` for a body, base64. */
export function webhookSignature(channelSecret: string, body: string): string {
  return createHmac('sha256', channelSecret).update(body).digest('base64');
}

/** A signature of the right form that does not hold: one bit of the true one is turned. */
export function brokenSignature(channelSecret: string, body: string): string {
  const bytes = Buffer.from(webhookSignature(channelSecret, body), 'base64');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  return bytes.toString('base64');
}
