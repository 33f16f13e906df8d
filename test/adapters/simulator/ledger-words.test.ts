import { describe, expect, test } from 'vitest';
import { inWords } from '../../../src/adapters/simulator/ledger-words.ts';

const proposalId = '3f6e2a1c-7b54-5d19-9a60-0c1d2e3f4a5b';
const commitment = 'c'.repeat(64);
const entry = (type: string, data: object) => ({
  position: 1,
  type,
  time: '2026-11-30T04:00:00.000Z',
  hash: 'f'.repeat(64),
  data,
});
const offer = {
  proposalId,
  noticeVersion: 'diet/1',
  language: 'zh-TW',
  validitySeconds: 300,
  baseRevision: 0,
  collectionMethod: 'message',
};

describe('an event in words', () => {
  const table: [string, object, string, string][] = [
    [
      'preference.proposed',
      { ...offer, operation: 'save', commitment },
      'offered',
      '提出一張「記住」卡；還沒有改變什麼，300 秒內有效',
    ],
    [
      'preference.proposed',
      { ...offer, operation: 'forget' },
      'offered',
      '提出一張「忘記」卡；還沒有改變什麼，300 秒內有效',
    ],
    [
      'preference.approved',
      { proposalId, revision: 1, commitment, method: 'card' },
      'in_force',
      '本人同意，成為第 1 版',
    ],
    [
      'preference.corrected',
      { proposalId, revision: 2, commitment, correctsRevision: 1, method: 'card' },
      'in_force',
      '本人同意更正，第 2 版取代第 1 版',
    ],
    ['preference.cancelled', { proposalId, method: 'unsend' }, 'closed', '卡片取消：引起它的訊息被收回或編輯'],
    [
      'preference.forgotten',
      { revision: 3, forgetsRevision: 2, method: 'fixed_entry', erasureScope: 'purpose' },
      'forgotten',
      '本人說忘記，內容已刪除（第 3 版）',
    ],
    [
      'card.refused',
      { proposalId, reason: 'expired', presentedRevision: 0, headRevision: 1 },
      'refused',
      '拒絕一張舊卡：已過期（卡片看到第 0 版，帳本在第 1 版）',
    ],
    ['request.confirmed', {}, 'unknown', '這個頁面不認得的事件'],
    ['preference.approved', { revision: 'one' }, 'unknown', '這個頁面不認得的事件'],
  ];
  test.each(table)('%s', (type, data, tone, words) => {
    expect(inWords(entry(type, data))).toMatchObject({ type, tone, words });
  });

  test('leaves the event data behind: the page shows no commitment', () => {
    const worded = inWords(entry('preference.approved', { proposalId, revision: 1, commitment, method: 'card' }));
    expect(JSON.stringify(worded)).not.toContain(commitment);
  });
});
