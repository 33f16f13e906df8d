import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { LIMITS, withinLimits } from '../../../../src/adapters/line/view/limits.ts';
import { compose, view } from '../../../../src/adapters/line/view/view.ts';
import type { Answer } from '../../../../src/commands/answers.ts';
import type { Diet, Place } from '../../../../src/commands/catalog.ts';
import {
  actions,
  allVisible,
  AREAS,
  awaiting,
  cardTexts,
  consentCard,
  entries,
  EVENTS_FOUND,
  EVERY_ANSWER,
  EVERY_STATUS,
  found,
  IN_FORCE,
  labels,
  memory,
  OWN_HISTORY,
  OWN_LINK,
  OWN_RECEIPT,
  PLACE,
  places,
  readWithoutCards,
} from './answer-samples.ts';

const SEED = 20260916;
const context = { buildId: 'build-1' };

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

describe('The view of every answer', () => {
  test('is asked for below: no status is without a sample', () => {
    expect(new Set(EVERY_ANSWER.map(({ status }) => status))).toStrictEqual(new Set(Object.keys(EVERY_STATUS)));
  });

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

  test("has no button that opens a page but the person's own, and no token but in postback data", () => {
    for (const { name, answer, messages } of everyView) {
      const opened = actions(messages).flatMap((action) => (action.type === 'uri' ? [action.uri] : []));
      const offersPage =
        (answer.status === 'my_records' && answer.history.length > 0) ||
        (answer.status === 'my_receipt' && answer.receipt !== null);
      expect(opened, name).toStrictEqual(offersPage && answer.link !== null ? [OWN_LINK.url] : []);
      expect(allVisible(messages), name).not.toContain(OWN_LINK.url);
      for (const action of actions(messages)) {
        expect(['postback', 'message', 'uri'], name).toContain(action.type);
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
      const isForgotten =
        answer.status === 'memory' &&
        answer.outcome.outcome === 'memory_forgotten' &&
        answer.outcome.forgetsRevision !== null;
      if (!isForgotten) expect(allVisible(messages), name).not.toMatch(/已忘記|忘記已完成/);
    }
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

  test.each(['which_diet_to_remember', 'whose_diet', 'this_time_or_always'] as const)(
    'ask %s without saying that nothing is stored while something is',
    (question) => {
      const kept = compose({ status: 'clarify', question, inForce: IN_FORCE }, context);
      expect(readWithoutCards(kept)).toMatch(/新的條件還沒有儲存。目前記住的條件：蔬食/);
      expect(readWithoutCards(kept)).not.toContain('現在還沒有儲存');
      expect(entries(kept)).not.toContainEqual({ entry: 'choose_value', value: IN_FORCE?.value });
      expect(see({ status: 'clarify', question, inForce: null })).toContain('現在還沒有儲存');
    },
  );

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

describe('What may be typed in place of a tap', () => {
  test('is named in full for the card in force, the menu and the places', () => {
    const seen = [
      memory({ outcome: 'memory_saved', revision: 3 }, IN_FORCE),
      { status: 'menu' } as const,
      places(found({ pages: 2 })),
    ].map((answer) => readWithoutCards(compose(answer, context)));
    expect(seen[0]).toMatch(/直接打字：我的偏好、我的紀錄、給我收據、改成蛋奶素、忘記我的飲食偏好/);
    expect(seen[1]).toMatch(/直接打字：查活動、查蔬食、留下服務詢問/);
    expect(seen[2]).toMatch(/加上店名或路名再查/);
  });
});

describe("A person's own record", () => {
  const see = (answer: Answer) => readWithoutCards(compose(answer, context));
  const records = { status: 'my_records', history: OWN_HISTORY, earlier: 3, inForce: IN_FORCE } as const;

  test('tells each event with its time in Taipei, the reason of a refusal, and what came before', () => {
    const seen = see({ ...records, link: OWN_LINK });
    expect(seen).toMatch(/2026-10-03 11:31:10.*沒有改變任何東西：那張卡同意過的條件，後來改成別的/s);
    expect(seen).toMatch(/更早還有 3 筆/);
    expect(seen).toMatch(/10 分鐘內有效（到 2026-10-03 11:36:10）/);
    expect(seen).toMatch(/頁面只能看和下載/);
  });

  test('is told as text, and says that the page is not set up, where there is no public address', () => {
    for (const answer of [
      { ...records, link: null },
      { status: 'my_receipt', receipt: OWN_RECEIPT, inForce: IN_FORCE, link: null },
    ] satisfies Answer[]) {
      expect(see(answer)).toMatch(/頁面這裡還沒有設定/);
      expect(labels(compose(answer, context)).join()).not.toMatch(/頁/);
    }
  });

  test('the receipt says that it is to be kept, or that it no longer holds the condition', () => {
    const receipt = { status: 'my_receipt', inForce: IN_FORCE, link: OWN_LINK } as const;
    expect(see({ ...receipt, receipt: OWN_RECEIPT })).toMatch(/LOCAL 不留副本/);
    expect(see({ ...receipt, receipt: { ...OWN_RECEIPT, opens: false } })).toMatch(
      /已經刪除.*先前下載的收據仍然可以驗證/,
    );
    const forgotten = see({ ...receipt, inForce: null, receipt: { ...OWN_RECEIPT, kind: 'forget', opens: false } });
    expect(forgotten).toMatch(/LINE.*備份.*模型提供者.*服務詢問/s);
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
