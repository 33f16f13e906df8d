/**
 * Delivering a person's event to the product's webhook: first, again, as the same bytes, or with a wrong signature.
 * @module
 */
import type { Chats, DeliveryKind, Person, PersonItem } from './chats.ts';
import type { ReplyTokens } from './reply-tokens.ts';
import { brokenSignature, type LineEvent, webhookBody, webhookSignature } from './webhook-events.ts';

/** How long an answer is waited for. LINE counts 2 s as a timeout already; the page says so from there on. */
export const WEBHOOK_WAIT_MS = 10_000;

export type DeliveryDeps = {
  readonly webhookUrl: () => string;
  readonly channelSecret: string;
  readonly botUserId: string;
  readonly clock: () => number;
  readonly chats: Chats;
  readonly replyTokens: ReplyTokens;
};

const WORDS: Readonly<Record<DeliveryKind, string>> = {
  first: '投遞',
  redelivery: '重新投遞',
  replay: '原樣重播',
  wrong_signature: '錯誤簽章',
};

/** Delivers an item's event and records the HTTP status with it. Never throws for what the webhook does. */
export async function deliverEvent(
  deps: DeliveryDeps,
  person: Person,
  item: PersonItem,
  kind: DeliveryKind,
): Promise<void> {
  const { body, signature } = envelope(deps, item, kind);
  if (kind !== 'wrong_signature') item.last = { body, signature };
  const { replyToken, timestamp } = item.event;
  if (replyToken !== undefined && (kind === 'first' || kind === 'redelivery'))
    deps.replyTokens.delivered(replyToken, [person.letter], timestamp);
  item.held = false;
  const startedAt = deps.clock();
  const status = await send(deps.webhookUrl(), body, signature);
  const milliseconds = deps.clock() - startedAt;
  item.deliveries.push({ kind, at: startedAt, status, milliseconds });
  if (item.deliveries.length > 12) item.deliveries.shift();
  deps.chats.addTraffic({
    at: startedAt,
    direction: 'to_product',
    what: `${WORDS[kind]} ${item.event.type}`,
    status,
    note: note(person, item.event, milliseconds),
  });
  deps.chats.changed({ kind: 'item', letter: person.letter, item });
  deps.chats.changed({ kind: 'ledger', letter: person.letter });
}

function envelope(deps: DeliveryDeps, item: PersonItem, kind: DeliveryKind): { body: string; signature: string } {
  if (kind === 'replay' && item.last !== null) return item.last;
  const event: LineEvent =
    kind === 'redelivery' ? { ...item.event, deliveryContext: { isRedelivery: true } } : item.event;
  const body = webhookBody(deps.botUserId, event);
  const sign = kind === 'wrong_signature' ? brokenSignature : webhookSignature;
  return { body, signature: sign(deps.channelSecret, body) };
}

async function send(url: string, body: string, signature: string): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'LineBotWebhook/2.0',
        'x-line-signature': signature,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(WEBHOOK_WAIT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

function note(person: Person, event: LineEvent, milliseconds: number): string {
  const parts = [`Person ${person.letter}`];
  if (event.mode === 'standby') parts.push('standby');
  if (event.source.type === 'group') parts.push('群組');
  if (milliseconds > 2_000) parts.push('超過 2 秒，LINE 會記為逾時');
  return parts.join('，');
}
