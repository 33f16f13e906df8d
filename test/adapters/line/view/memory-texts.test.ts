import { createSecretKey, randomBytes } from 'node:crypto';
import type { messagingApi } from '@line/bot-sdk';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { LineLimitExceeded } from '../../../../src/adapters/line/view/limits.ts';
import { assertLongestCardFits, compose, view } from '../../../../src/adapters/line/view/view.ts';
import type { Answer } from '../../../../src/commands/answers.ts';
import { CARD_TOKEN_LENGTH_MAX, mintCard, openCard } from '../../../../src/commands/card.ts';
import { SubjectKey, TenantId } from '../../../../src/events/identity.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../../../src/events/purposes.ts';
import {
  allVisible,
  awaiting,
  cardTexts,
  consentCard,
  entries,
  EXPIRES_AT,
  IN_FORCE,
  labels,
  memory,
  NOTICE,
  readWithoutCards,
  STALE_CAUSES,
} from './answer-samples.ts';

const context = { buildId: 'build-1' };
const LONGEST_TOKEN = 'A'.repeat(CARD_TOKEN_LENGTH_MAX);

describe('A consent card', () => {
  const keys = [{ keyId: 'k1', key: createSecretKey(randomBytes(32)) }];
  const scope = {
    tenantId: v.parse(TenantId, 'test'),
    subjectKey: v.parse(SubjectKey, 'a'.repeat(43)),
    purpose: DIET_FOR_PLACE_SEARCH,
  };

  test.each(DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value))('shows what its token opens to: %s', (value) => {
    const token = mintCard(keys, scope, {
      proposalId: '5d9a1d5e-2a5f-5c0b-9c39-7f1b6a4f0c11',
      operation: 'save',
      value,
      baseRevision: 0,
      eventHashPrefix: '0'.repeat(16),
      expiresAt: EXPIRES_AT,
      blindingKey: randomBytes(32),
    });
    const messages = compose(awaiting(consentCard('save', value, token)), context);
    const [approve, cancel] = entries(messages);
    expect(approve).toStrictEqual({ entry: 'approve', token });
    expect(cancel).toStrictEqual({ entry: 'cancel', token });
    const opened = openCard(keys, scope, token);
    const shown = cardTexts(messages).map(({ text }) => text);
    expect(opened.ok && shown).toContain(
      `飲食條件：${labelOf(DIET_FOR_PLACE_SEARCH, (opened.ok && opened.card.value) || '')}`,
    );
  });

  test('says that nothing is stored yet, the notice word for word, and until when in Taipei', () => {
    const messages = compose(awaiting(consentCard('save', 'vegan')), context);
    const seen = allVisible(messages);
    expect(seen).toContain('還沒有儲存');
    expect(cardTexts(messages).map(({ text }) => text)).toContain(NOTICE);
    expect(seen).toContain('這張卡 11:36:10 前有效');
    expect(seen).toContain('2026-10-03');
    expect(seen).toContain('不記長輩的姓名、年齡或健康狀況');
    expect(labels(messages)).toStrictEqual(['同意記住', '先不要']);
  });

  test('to correct says what stays in force until then', () => {
    const seen = allVisible(compose(awaiting(consentCard('correct', 'vegan'), IN_FORCE), context));
    expect(seen).toContain('飲食條件：全素');
    expect(seen).toMatch(/還沒有儲存.*目前記住的條件：蔬食/);
  });

  test('to forget asks for 確認忘記 and says that nothing is deleted yet', () => {
    const messages = compose(awaiting(consentCard('forget', null), IN_FORCE), context);
    expect(labels(messages)).toStrictEqual(['確認忘記', '先不要']);
    expect(allVisible(messages)).toContain('還沒有刪除');
  });

  test('pushes neither choice: both buttons look alike', () => {
    const [flex] = compose(awaiting(consentCard('save', 'vegan')), context) as [messagingApi.FlexMessage];
    const buttons = (flex.contents as messagingApi.FlexBubble).footer?.contents as messagingApi.FlexButton[];
    expect(new Set(buttons.map(({ style, color, height }) => `${style} ${color} ${height}`)).size).toBe(1);
  });

  test.each([286, 300, 301, 320])(
    'whose token has %i characters becomes a text; no part of the token is sent',
    (length) => {
      const faults: Error[] = [];
      const answer = awaiting(consentCard('save', 'vegan', 'A'.repeat(length)));
      const messages = view([answer], { ...context, onOversized: (error) => faults.push(error) });
      expect(() => compose(answer, context)).toThrow(RangeError);
      expect(messages.map(({ type }) => type)).toStrictEqual(['text']);
      expect(JSON.stringify(messages)).not.toContain('AAA');
      expect(readWithoutCards(messages)).toContain('沒有儲存');
      expect(faults).toHaveLength(1);
    },
  );

  test('for a value nobody can read is not shown', () => {
    expect(() => compose(awaiting(consentCard('save', 'keto')), context)).toThrow(LineLimitExceeded);
  });

  test('of the longest kind fits, which the start checks', () => {
    expect(() => assertLongestCardFits()).not.toThrow();
    const messages = compose(awaiting(consentCard('save', 'vegetarian', LONGEST_TOKEN)), context);
    expect(entries(messages)).toContainEqual({ entry: 'approve', token: LONGEST_TOKEN });
  });
});

describe('A decision', () => {
  test.each<[Answer, RegExp]>([
    [memory({ outcome: 'memory_saved', revision: 3 }, IN_FORCE), /已記住：蔬食/],
    [memory({ outcome: 'memory_corrected', revision: 3 }, IN_FORCE), /已改成：蔬食.*舊的條件已經刪除/s],
    [memory({ outcome: 'memory_forgotten', revision: 4, forgetsRevision: 3 }), /已忘記/],
    [memory({ outcome: 'memory_proposal_cancelled', revision: 3 }, IN_FORCE), /已取消.*目前記住的條件：蔬食/s],
    [memory({ outcome: 'already_applied', revision: 3 }, IN_FORCE), /先前已經生效.*忘記偏好/s],
    [memory({ outcome: 'already_cancelled', revision: 3 }, IN_FORCE), /先前已經取消/],
    [
      memory({ outcome: 'already_effective', revision: 3, cancelledProposalId: 'a-proposal' }, IN_FORCE),
      /已經在使用.*一併取消/s,
    ],
    [memory({ outcome: 'proposal_closed', revision: 3 }, IN_FORCE), /先前已經處理過.*再說一次/s],
    [memory({ outcome: 'nothing_to_forget', revision: 0 }), /沒有東西需要忘記/],
    [memory({ outcome: 'expired_memory_card', revision: 0 }, null, 'save'), /過期.*5 分鐘.*再說一次/s],
    [{ status: 'invalid_memory_card' }, /無法確認.*沒有改變/s],
    [{ status: 'unreadable_memory_card' }, /這張卡太舊了/],
    [{ status: 'busy' }, /沒有完成，也沒有改變/],
    [{ status: 'outcome_unknown' }, /還不確定.*可能完成了，也可能沒有.*我的偏好/s],
  ])('is told as it is: %#', (answer, words) => {
    expect(readWithoutCards(compose(answer, context))).toMatch(words);
  });

  test('overtaken by a later one claims nothing that is no longer so', () => {
    const seen = allVisible(compose(memory({ outcome: 'memory_saved', revision: 2 }, IN_FORCE), context));
    expect(seen).not.toContain('已記住');
    expect(seen).toMatch(/之後又有變動.*目前記住的條件：蔬食（未指定細類）（第 3 版）/s);
  });

  test('to forget names what is outside the promise', () => {
    const seen = readWithoutCards(
      compose(memory({ outcome: 'memory_forgotten', revision: 4, forgetsRevision: 3 }), context),
    );
    for (const outside of ['LINE 裡的訊息（包括舊卡片）', '備份', '模型提供者', '已經送出的服務詢問']) {
      expect(seen).toContain(outside);
    }
  });

  test('to forget when nothing was in force says that only the card was closed', () => {
    const seen = readWithoutCards(
      compose(memory({ outcome: 'memory_forgotten', revision: 1, forgetsRevision: null }), context),
    );
    expect(seen).not.toMatch(/已忘記|忘記已完成/);
    expect(seen).toMatch(/沒有條件可以刪除；還沒決定的卡片已經關閉/);
  });

  test('already so names a cancelled card only when one was cancelled', () => {
    const seen = readWithoutCards(
      compose(memory({ outcome: 'already_effective', revision: 3, cancelledProposalId: null }, IN_FORCE), context),
    );
    expect(seen).toContain('目前記住的條件：蔬食');
    expect(seen).not.toMatch(/取消|先前/);
  });

  test('about a stale card says its true cause, what is in force now, and what to do next', () => {
    const causes = STALE_CAUSES.map((cause) => {
      const answer = memory({ outcome: 'stale_memory_card', cause, revision: 3 }, IN_FORCE, 'save');
      const seen = readWithoutCards(compose(answer, context));
      expect(seen).toContain('目前記住的條件：蔬食（未指定細類）（第 3 版）');
      expect(seen).toContain('沒有改變任何東西');
      expect(seen).toContain('請再說一次');
      return seen;
    });
    expect(new Set(causes).size).toBe(STALE_CAUSES.length);
    expect(causes[0]).toContain('較新的卡片');
  });

  test.each(['stale_memory_card', 'expired_memory_card'] as const)(
    'about a dead forget card offers 忘記 at one tap: %s',
    (outcome) => {
      const decided =
        outcome === 'stale_memory_card'
          ? { outcome, cause: 'superseded' as const, revision: 3 }
          : { outcome, revision: 3 };
      const [first] = entries(compose(memory(decided, IN_FORCE, 'forget'), context));
      expect(first).toStrictEqual({ entry: 'forget', scope: 'purpose' });
    },
  );

  test('on 先不要 of a card already in force offers 忘記', () => {
    const messages = compose(memory({ outcome: 'already_applied', revision: 3 }, IN_FORCE, 'save'), context);
    expect(entries(messages)).toContainEqual({ entry: 'forget', scope: 'purpose' });
  });
});

describe('Looking at the preference', () => {
  test('after a bare yes approves nothing and shows what is open and what is in force', () => {
    const seen = readWithoutCards(
      compose(
        {
          status: 'memory_inspected',
          inForce: IN_FORCE,
          open: { operation: 'correct', expiresAt: EXPIRES_AT },
          because: 'bare_yes',
        },
        context,
      ),
    );
    expect(seen).toMatch(/不會同意任何卡片/);
    expect(seen).toMatch(/目前記住的條件：蔬食/);
    expect(seen).toMatch(/「更正」的卡片等你按，11:36:10 前有效/);
  });

  test('after a refusal says that nothing new is remembered, what is in force, and what waits', () => {
    const see = (answer: Answer) => readWithoutCards(compose(answer, context));
    const refused = { status: 'memory_inspected', because: 'refused' } as const;
    expect(see({ ...refused, inForce: null, open: null })).toMatch(/沒有記住任何新的條件.*目前沒有記住任何飲食條件/s);
    const kept: Answer = { ...refused, inForce: IN_FORCE, open: { operation: 'correct', expiresAt: EXPIRES_AT } };
    expect(see(kept)).toMatch(/沒有記住任何新的條件.*目前記住的條件：蔬食.*「更正」的卡片等你按/s);
    expect(entries(compose(kept, context))).toContainEqual({ entry: 'forget', scope: 'purpose' });
  });

  test('explains from the ledger: consent, revision, end of the event id', () => {
    const seen = readWithoutCards(compose({ status: 'memory_explained', inForce: IN_FORCE }, context));
    expect(seen).toMatch(/按過卡片上的同意.*第 3 版，紀錄編號 …000000ab/s);
  });

  test('offers every other value to change to, and forgetting', () => {
    const offered = entries(compose({ status: 'memory_update_prompt', inForce: IN_FORCE }, context));
    const others = DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value).filter((value) => value !== IN_FORCE.value);
    expect(offered).toStrictEqual([
      ...others.map((value) => ({ entry: 'choose_value', value })),
      { entry: 'forget', scope: 'purpose' },
    ]);
  });
});
