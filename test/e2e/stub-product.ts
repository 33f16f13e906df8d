/**
 * A product just real enough to chat with: offers a card for a text, records taps in a ledger of its own.
 * @module
 */
import { createHash } from 'node:crypto';
import type { messagingApi, webhook } from '@line/bot-sdk';
import type { LedgerEntry, LedgerView } from '../../src/adapters/simulator/ledger-words.ts';
import type { HostOptions } from '../adapters/simulator/host.ts';

const PROPOSAL = '3f6e2a1c-7b54-5d19-9a60-0c1d2e3f4a5b';
const COMMITMENT = 'c'.repeat(64);

/** The card the stub offers; `token` is what its buttons carry. */
export function consentCard(token: string): messagingApi.FlexMessage {
  const button = (label: string, data: string, style: 'primary' | 'secondary'): messagingApi.FlexButton => ({
    type: 'button',
    style,
    height: 'sm',
    action: { type: 'postback', label, data, displayText: label },
    ...(style === 'primary' ? { color: '#0F6B52' } : {}),
  });
  return {
    type: 'flex',
    altText: '是否同意記住「蔬食」？按同意記住或先不要。',
    contents: {
      type: 'bubble',
      size: 'kilo',
      body: {
        type: 'box',
        layout: 'vertical',
        spacing: 'md',
        contents: [
          { type: 'text', text: '是否同意記住？', weight: 'bold', size: 'lg', wrap: true, color: '#1B2420' },
          {
            type: 'box',
            layout: 'baseline',
            spacing: 'sm',
            contents: [
              { type: 'text', text: '飲食偏好', size: 'sm', color: '#58655E', flex: 2 },
              { type: 'text', text: '蔬食', size: 'md', weight: 'bold', flex: 5, wrap: true },
            ],
          },
          { type: 'separator' },
          {
            type: 'text',
            text: '還沒有記住任何事。同意後，找地方時會先看蔬食；隨時可以說「忘記我的飲食偏好」。',
            size: 'sm',
            color: '#58655E',
            wrap: true,
          },
        ],
      },
      footer: {
        type: 'box',
        layout: 'vertical',
        spacing: 'sm',
        contents: [button('同意記住', `approve:${token}`, 'primary'), button('先不要', `cancel:${token}`, 'secondary')],
      },
    },
  };
}

/** The webhook handler and the ledgers behind it, one per person. */
export function stubProduct(): Required<Pick<HostOptions, 'onEvent' | 'ledgerEvents'>> {
  const ledgers = new Map<string, { revision: number; value: string | null; events: LedgerEntry[] }>();
  const ledgerOf = (userId: string) => {
    const ledger = ledgers.get(userId) ?? { revision: 0, value: null, events: [] };
    ledgers.set(userId, ledger);
    return ledger;
  };
  const append = (userId: string, type: string, data: object, at: number) => {
    const { events } = ledgerOf(userId);
    const hash = createHash('sha256').update(`${userId}${events.length}${type}`).digest('hex');
    events.push({ position: events.length + 1, type, time: new Date(at).toISOString(), hash, data });
  };

  async function answer(event: webhook.Event, userId: string, client: messagingApi.MessagingApiClient) {
    const ledger = ledgerOf(userId);
    const say = (message: messagingApi.Message) =>
      'replyToken' in event && event.replyToken !== undefined
        ? client.replyMessage({ replyToken: event.replyToken, messages: [message] })
        : Promise.resolve();
    if (event.type === 'follow') return say({ type: 'text', text: '你好，我是 LOCAL。' });
    if (event.type === 'message' && event.message.type === 'text') {
      const proposed = {
        operation: 'save',
        proposalId: PROPOSAL,
        commitment: COMMITMENT,
        noticeVersion: 'diet_for_place_search/1',
        language: 'zh-TW',
        validitySeconds: 300,
        baseRevision: ledger.revision,
        collectionMethod: 'message',
      };
      append(userId, 'preference.proposed', proposed, event.timestamp);
      return say(consentCard(`${userId.slice(1, 9)}.${'x'.repeat(24)}`));
    }
    if (event.type !== 'postback') return say({ type: 'text', text: `收到 ${event.type}。` });
    const [verb, token] = event.postback.data.split(':');
    if (token !== `${userId.slice(1, 9)}.${'x'.repeat(24)}`)
      return say({ type: 'text', text: '這張卡不是你的，或被改過。' });
    if (verb === 'approve' && ledger.value === null) {
      ledger.revision += 1;
      ledger.value = '蔬食';
      const approved = { proposalId: PROPOSAL, revision: ledger.revision, commitment: COMMITMENT, method: 'card' };
      append(userId, 'preference.approved', approved, event.timestamp);
      return say({ type: 'text', text: '記住了：蔬食。' });
    }
    const refused = {
      proposalId: PROPOSAL,
      reason: 'superseded',
      presentedRevision: 0,
      headRevision: ledger.revision,
    };
    append(userId, 'card.refused', refused, event.timestamp);
    return say({
      type: 'text',
      text: '這張卡已經不算數了。',
      quickReply: {
        items: [
          { type: 'action', action: { type: 'message', label: '我的偏好', text: '我的偏好' } },
          { type: 'action', action: { type: 'location', label: '傳位置' } },
        ],
      },
    });
  }

  const seen = new Set<string>();
  return {
    async onEvent(event, client) {
      if (seen.has(event.webhookEventId)) return;
      seen.add(event.webhookEventId);
      const userId = event.source?.type === 'user' ? event.source.userId : undefined;
      if (userId !== undefined) await answer(event, userId, client);
    },
    ledgerEvents: async (userId): Promise<LedgerView> => ({
      ledgerId: createHash('sha256').update(userId).digest('base64url'),
      ...ledgerOf(userId),
    }),
  };
}
