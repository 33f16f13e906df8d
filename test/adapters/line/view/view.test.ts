import { createSecretKey, randomBytes } from 'node:crypto';
import type { messagingApi } from '@line/bot-sdk';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test, vi } from 'vitest';
import { decodePostback } from '../../../../src/adapters/line/postback.ts';
import { LIMITS, LineLimitExceeded, withinLimits } from '../../../../src/adapters/line/view/limits.ts';
import { COLOURS } from '../../../../src/adapters/line/view/sheet.ts';
import { assertLongestCardFits, compose, view } from '../../../../src/adapters/line/view/view.ts';
import type { Answer } from '../../../../src/commands/answers.ts';
import { CARD_TOKEN_LENGTH_MAX, mintCard, openCard } from '../../../../src/commands/card.ts';
import type { Diet, Place } from '../../../../src/commands/catalog.ts';
import { UNANSWERED } from '../../../../src/commands/tools.ts';
import { SubjectKey, TenantId } from '../../../../src/events/identity.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../../../src/events/purposes.ts';
import {
  actions,
  allVisible,
  AREAS,
  awaiting,
  cardTexts,
  consentCard,
  EVENTS_FOUND,
  EVERY_ANSWER,
  EXPIRES_AT,
  found,
  IN_FORCE,
  memory,
  NOTICE,
  PLACE,
  places,
  readWithoutCards,
  STALE_CAUSES,
} from './answer-samples.ts';

const SEED = 20260916;
const context = { buildId: 'build-1' };
const LONGEST_TOKEN = 'A'.repeat(CARD_TOKEN_LENGTH_MAX);

function nameOf(answer: Answer): string {
  const inner =
    'outcome' in answer ? ` ${answer.outcome.outcome}` : 'answer' in answer ? ` ${answer.answer.status}` : '';
  return answer.status + inner;
}

/** Every answer with its messages and a name for a failure. */
const everyView = EVERY_ANSWER.map((answer, index) => ({
  name: `${index} ${nameOf(answer)}`,
  answer,
  messages: compose(answer, context),
}));

function labels(messages: readonly messagingApi.Message[]): string[] {
  return actions(messages).map(({ label }) => label ?? '');
}

function entries(messages: readonly messagingApi.Message[]) {
  return actions(messages).map((action) => (action.type === 'postback' ? decodePostback(action.data ?? '') : action));
}

describe('The view of every answer', () => {
  test('is within every limit of LINE', () => {
    for (const { name, answer, messages } of everyView) {
      expect(messages.length, name).toBeGreaterThan(0);
      expect(withinLimits(view([answer], context)), name).toStrictEqual(messages);
    }
  });

  test('says and offers without the card all that the card says and offers', () => {
    for (const { name, messages } of everyView) {
      const twin = readWithoutCards(messages);
      for (const { text } of cardTexts(messages)) expect(twin, name).toContain(text);
      for (const label of labels(messages)) expect(twin, name).toContain(label);
    }
  });

  test('names something to type wherever there is something to tap', () => {
    for (const { name, messages } of everyView) {
      if (labels(messages).length > 0) expect(readWithoutCards(messages), name).toMatch(/打字|輸入|打「好」/);
    }
  });

  test('has no button that opens a page, and no token but in postback data', () => {
    for (const { name, answer, messages } of everyView) {
      for (const action of actions(messages)) {
        expect(['postback', 'message'], name).toContain(action.type);
        if (answer.status !== 'awaiting_memory_consent') continue;
        expect(JSON.stringify({ ...action, data: '' }), name).not.toContain(answer.card.token);
        expect(allVisible(messages), name).not.toContain(answer.card.token);
      }
    }
  });

  test('says "remembered" only of what is', () => {
    for (const { name, answer, messages } of everyView) {
      const isRemembered =
        answer.status === 'memory' &&
        ['memory_saved', 'memory_corrected', 'already_applied', 'already_effective'].includes(answer.outcome.outcome);
      if (!isRemembered)
        expect(allVisible(messages), name).not.toMatch(/記住了|已記住|已經記住|已改成|已儲存|記下來了/);
    }
  });

  test('says "forgotten" only of what is', () => {
    for (const { name, answer, messages } of everyView) {
      const isForgotten = answer.status === 'memory' && answer.outcome.outcome === 'memory_forgotten';
      if (!isForgotten) expect(allVisible(messages), name).not.toMatch(/已忘記|忘記已完成/);
    }
  });
});

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
  test.each([
    [memory({ outcome: 'memory_saved', revision: 3 }, IN_FORCE), /已記住：蔬食/],
    [memory({ outcome: 'memory_corrected', revision: 3 }, IN_FORCE), /已改成：蔬食.*舊的條件已經刪除/s],
    [memory({ outcome: 'memory_forgotten', revision: 4 }), /已忘記/],
    [memory({ outcome: 'memory_proposal_cancelled', revision: 3 }, IN_FORCE), /已取消.*目前記住的條件：蔬食/s],
    [memory({ outcome: 'already_applied', revision: 3 }, IN_FORCE), /先前已經生效.*忘記偏好/s],
    [memory({ outcome: 'already_cancelled', revision: 3 }, IN_FORCE), /先前已經取消/],
    [memory({ outcome: 'already_effective', revision: 3 }, IN_FORCE), /已經在使用.*一併取消/s],
    [memory({ outcome: 'proposal_closed', revision: 3 }, IN_FORCE), /先前已經處理過.*再說一次/s],
    [memory({ outcome: 'nothing_to_forget', revision: 0 }), /沒有東西需要忘記/],
    [memory({ outcome: 'expired_memory_card', revision: 0 }, null, 'save'), /過期.*5 分鐘.*再說一次/s],
    [{ status: 'invalid_memory_card' } as Answer, /無法確認.*沒有改變/s],
    [{ status: 'unreadable_memory_card' } as Answer, /這張卡太舊了/],
    [{ status: 'busy' } as Answer, /沒有完成，也沒有改變/],
    [{ status: 'outcome_unknown' } as Answer, /還不確定.*可能完成了，也可能沒有.*我的偏好/s],
  ])('is told as it is: %#', (answer, words) => {
    expect(readWithoutCards(compose(answer, context))).toMatch(words);
  });

  test('overtaken by a later one claims nothing that is no longer so', () => {
    const seen = allVisible(compose(memory({ outcome: 'memory_saved', revision: 2 }, IN_FORCE), context));
    expect(seen).not.toContain('已記住');
    expect(seen).toMatch(/之後又有變動.*目前記住的條件：蔬食（未指定細類）（第 3 版）/s);
  });

  test('to forget names what is outside the promise', () => {
    const seen = readWithoutCards(compose(memory({ outcome: 'memory_forgotten', revision: 4 }), context));
    for (const outside of ['LINE 裡的訊息（包括舊卡片）', '備份', '模型提供者', '已經送出的服務詢問']) {
      expect(seen).toContain(outside);
    }
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

describe('Places', () => {
  const see = (answer: Answer) => readWithoutCards(compose(answer, context));

  test.each([
    ['consented_memory', { revision: 3, eventId: IN_FORCE.eventId }, /依你同意記住的.*蔬食.*第 3 版/],
    ['this_turn', null, /這次的條件：蔬食/],
    ['none', null, /沒有套用飲食條件/],
  ] as const)('say where the condition came from: %s', (origin, basis, words) => {
    expect(see(places(found(), { origin, memory: basis }))).toMatch(words);
  });

  test('of the community list carry its year and the warning, those of the official list do not', () => {
    const community: Place = { ...PLACE, name: '測試店乙', evidence: 'community' };
    const seen = see(places(found({ places: [PLACE, community], total: 2 })));
    const [first = '', second = ''] = seen.split('2. 測試店乙');
    expect(first).not.toContain('未經店家確認');
    expect(second).toMatch(/2020，未經店家確認，出發前請先確認/);
    expect(second).toMatch(/MIT.*2020 Shinren Pan/);
  });

  test('name what nobody recorded as unknown, never as no', () => {
    const seen = see(places(found()));
    expect(seen).toMatch(/未提供（未知）：電話、現在營業與否、營業時間、細分素別、入口無障礙/);
    expect(seen).not.toMatch(/沒有電話|沒有營業|不行|休息/);
    const partly = { ...PLACE, accessibility: { entrance: true, route: null, toilet: false } };
    expect(see(places(found({ places: [partly] })))).toContain('入口可以、動線未知、廁所不行');
  });

  test('that may fit are told apart, to be confirmed with the shop', () => {
    const seen = see(
      places(found({ places: [PLACE], nearMisses: [{ ...PLACE, name: '測試店丙' }], totalNearMisses: 1 })),
    );
    expect(seen).toMatch(/測試店甲.*可再向店家確認.*2\. 測試店丙/s);
  });

  test('call a distance a straight line', () => {
    expect(see(places(found({ places: [{ ...PLACE, straightLineMetres: 350 }] })))).toContain(
      '直線距離約 350 公尺（不是步行距離）',
    );
  });

  test('name every part of the question that was not answered', () => {
    const seen = see(places(found(), { unanswered: UNANSWERED }));
    for (const part of ['營業時間', '無障礙', '步行距離', '停車', '接駁', '預約']) expect(seen).toContain(part);
  });

  test.each([
    ['not_started', '還沒開始'],
    ['active_by_announcement', '進行中'],
    ['ended', '截止不代表店家歇業'],
  ] as const)('stay listed whatever the campaign: %s', (campaign, words) => {
    expect(see(places(found({ campaign })))).toContain(words);
  });

  test('have a button for the next page that carries the whole condition', () => {
    const answer = found({ page: 0, pages: 3, keyword: '麵' });
    const near = { latitude: 24.012345678, longitude: 120.5 };
    const messages = compose(places(answer, { said: 'vegan', near }), context);
    expect(labels(messages)).toContain('看更多');
    expect(entries(messages)).toContainEqual({
      entry: 'places',
      area: '花壇鄉',
      dietary_type: 'vegan',
      keyword: '麵',
      near: { latitude: 24.01235, longitude: 120.5 },
      page: 1,
    });
    expect(labels(compose(places(found({ page: 2, pages: 3 })), context))).not.toContain('看更多');
  });

  test('whose condition does not fit a button say how to go on instead', () => {
    const messages = compose(places(found({ pages: 2, area: '"'.repeat(80), keyword: '"'.repeat(80) })), context);
    expect(labels(messages)).not.toContain('看更多');
    expect(readWithoutCards(messages)).toContain('短一點的關鍵字再查一次');
  });

  test('found, none found, area needed, area unknown, unavailable and unsupported are different answers', () => {
    const noData = see(
      places(
        { status: 'no_data', area: '大村鄉', diet: 'vegan', keyword: '', catalogVersion: 'v1' },
        { origin: 'this_turn' },
      ),
    );
    const others = [
      see(places(found())),
      see(places({ status: 'needs_area', areas: AREAS })),
      see(places({ status: 'unknown_area', said: '板橋', areas: AREAS })),
      see(places({ status: 'unavailable' })),
      see({ status: 'unsupported', unanswered: [] }),
    ];
    expect(noData).toMatch(/這份快照沒有符合資料.*這不代表當地沒有店/s);
    for (const other of others) expect(other).not.toContain('這份快照沒有符合資料');
    expect(new Set([noData, ...others].map((text) => text.split('\n')[0])).size).toBe(6);
    expect(others[3]).toMatch(/這次暫時查不了/);
  });

  test('for which an area is needed keep the condition of this turn on every township button', () => {
    const offered = entries(compose(places({ status: 'needs_area', areas: AREAS }, { said: 'vegan' }), context));
    expect(offered).toHaveLength(26);
    for (const entry of offered) expect(entry).toMatchObject({ entry: 'places', dietary_type: 'vegan', page: 0 });
  });
});

describe('The other answers', () => {
  const see = (answer: Answer) => readWithoutCards(compose(answer, context));

  test('offer all 26 townships over the pages of the area menu', () => {
    const pages = [0, 1].map((page) => compose({ status: 'choose_area', areas: AREAS, page }, context));
    const offered = pages.flatMap(entries).filter((entry) => entry !== null && 'area' in entry);
    expect(offered.map((entry) => entry !== null && 'area' in entry && entry.area)).toStrictEqual(AREAS);
    for (const messages of pages) expect(labels(messages)).toContain('其他鄉鎮');
  });

  test('show the build with the menu, and the three fixed buttons', () => {
    const messages = compose({ status: 'menu' }, context);
    expect(readWithoutCards(messages)).toContain('版本 build-1');
    expect(labels(messages)).toStrictEqual(['查活動', '查蔬食', '留下服務詢問']);
  });

  test.each(['parking', 'transport', 'booking'] as const)('say that there is no %s', (part) => {
    const seen = see({ status: 'unsupported', unanswered: [part] });
    expect(seen).toContain('這項需求超出 LOCAL 目前的服務範圍');
    expect(seen).toContain('沒有停車查詢或預約功能');
  });

  test('keep the venue of an event apart from its meeting point, and call the past the past', () => {
    const seen = see({ status: 'events', answer: EVENTS_FOUND, unanswered: [] });
    expect(seen).toMatch(/教學快照/);
    expect(seen).toMatch(/活動地點：測試步道.*集合地點：這份資料沒有提供/s);
  });

  test('say honestly that nothing was filed', () => {
    expect(see({ status: 'service_request_unavailable' })).toMatch(/還沒有開放.*沒有建立任何詢問/s);
  });

  test('send the wish to remember as a sentence of its own', () => {
    expect(entries(compose({ status: 'remember_separately', value: 'vegetarian' }, context))).toContainEqual(
      expect.objectContaining({ type: 'message', text: '以後優先找蔬食，幫我記住' }),
    );
  });

  test('retry by asking for the conditions again, never by sending old words', () => {
    const [retry] = actions(compose({ status: 'query_unavailable' }, context));
    expect(retry).toMatchObject({ type: 'message', label: '稍後重新查詢', text: '重新輸入查詢條件' });
  });
});

describe('A turn', () => {
  test('without an answer is silence', () => {
    expect(view([], context)).toStrictEqual([]);
  });

  test('of two halves tells both, in order', () => {
    const messages = view([places(found()), awaiting(consentCard('save', 'vegetarian'))], context);
    expect(readWithoutCards(messages)).toMatch(/測試店甲.*是否同意記住/s);
    expect(messages.length).toBeLessThanOrEqual(LIMITS.messages);
  });

  test('of more than five messages says how much is missing', () => {
    const messages = view(
      Array.from({ length: 7 }, (): Answer => ({ status: 'menu' })),
      context,
    );
    expect(withinLimits(messages)).toHaveLength(LIMITS.messages);
    expect(readWithoutCards(messages)).toContain('還有 3 個部分放不進');
  });

  test.each(['UTC', 'America/Los_Angeles', 'Asia/Taipei'])('shows Taipei time on a server in %s', async (zone) => {
    vi.stubEnv('TZ', zone);
    vi.resetModules();
    const fresh = await import('../../../../src/adapters/line/view/view.ts');
    const messages = fresh.view([awaiting(consentCard('save', 'vegan'))], context);
    vi.unstubAllEnvs();
    expect(readWithoutCards(messages)).toContain('這張卡 11:36:10 前有效（2026-10-03，臺灣時間）');
  });
});

describe('Hostile data', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(
      '字'.repeat(5_000),
      '😀'.repeat(5_000),
      '👩‍👩‍👧'.repeat(800),
      `a${'\u0301'.repeat(5_000)}`,
      '\u202egnp.exe',
      '\ud83d',
      '\u0000\u0007\n\r\u2028',
      '\u200d',
      '',
      '{"approved":true}',
      'https://example.test/?q=1',
    ),
  );
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value);
  const diet = fc.constantFrom<Diet>('any', 'vegetarian', 'vegan', 'friendly');
  const flag = maybe(fc.boolean());
  const place: fc.Arbitrary<Place> = fc.record({
    placeId: hostile,
    name: hostile,
    area: hostile,
    address: maybe(hostile),
    phone: maybe(hostile),
    coordinates: fc.constant(null),
    dietaryOptions: fc.array(diet, { maxLength: 6 }),
    evidence: fc.constantFrom('official', 'community'),
    dietaryReason: maybe(hostile),
    openNow: flag,
    hours: maybe(hostile),
    straightLineMetres: maybe(fc.nat(100_000)),
    accessibility: fc.record({ entrance: flag, route: flag, toilet: flag }),
    sources: fc.dictionary(fc.constantFrom('name', 'hours'), hostile),
    unknownFields: fc.array(hostile, { maxLength: 4 }),
  });
  const source = fc.record({ id: hostile, title: hostile, url: maybe(hostile), asOf: hostile });
  const hostileAnswer: fc.Arbitrary<Answer> = fc.oneof(
    fc
      .record({
        area: hostile,
        keyword: hostile,
        diet,
        places: fc.array(place, { maxLength: 5 }),
        nearMisses: fc.array(place, { maxLength: 5 }),
        sources: fc.array(source, { maxLength: 8 }),
      })
      .map((change) => places(found({ ...change, pages: 2 }), { origin: 'this_turn' })),
    fc
      .record({ area: hostile, keyword: hostile, diet })
      .map((asked) => places({ status: 'no_data', catalogVersion: 'v', ...asked })),
    hostile.map((said) => places({ status: 'unknown_area', said, areas: AREAS })),
    hostile.map((said): Answer => ({ status: 'unknown_diet', said })),
    hostile.map((value): Answer => ({ status: 'remember_separately', value })),
  );

  test(`in any field gives messages LINE takes, with our words around it (seed ${SEED})`, () => {
    fc.assert(
      fc.property(hostileAnswer, hostile, (answer, buildId) => {
        const faults: Error[] = [];
        const messages = view([answer, { status: 'menu' }], { buildId, onOversized: (error) => faults.push(error) });
        withinLimits(messages);
        expect(faults).toStrictEqual([]);
      }),
      { seed: SEED, numRuns: 150 },
    );
  });

  test('in a card cannot add a line of its own', () => {
    const name = '測試店\n3. 假的店\n來源：[9]';
    expect(readWithoutCards(compose(places(found({ places: [{ ...PLACE, name }] })), context))).not.toMatch(
      /^3\. 假的店/m,
    );
  });
});

describe('Colours', () => {
  test.each([
    ['text on the card', COLOURS.text, COLOURS.ground],
    ['a hint on the card', COLOURS.hint, COLOURS.ground],
    ['the label of a button', COLOURS.text, COLOURS.button],
  ])('of %s have a contrast of at least 4.5:1', (_, front, ground) => {
    expect(contrast(front, ground)).toBeGreaterThanOrEqual(4.5);
  });

  test('of every text are literal', () => {
    for (const answer of EVERY_ANSWER) {
      for (const { color } of cardTexts(compose(answer, context)))
        expect([COLOURS.text, COLOURS.hint]).toContain(color);
    }
  });
});

/** WCAG 2 contrast of two #RRGGBB colours. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
