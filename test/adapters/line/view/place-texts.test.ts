import { describe, expect, test } from 'vitest';
import { compose } from '../../../../src/adapters/line/view/view.ts';
import type { Answer } from '../../../../src/commands/answers.ts';
import type { Place } from '../../../../src/commands/catalog.ts';
import { UNANSWERED } from '../../../../src/commands/tools.ts';
import { AREAS, entries, found, IN_FORCE, labels, PLACE, places, readWithoutCards } from './answer-samples.ts';

const context = { buildId: 'build-1' };

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

  test('say that a location is outside, list no place, and offer the townships', () => {
    const outside = places(
      { status: 'location_outside', areas: AREAS },
      { near: { latitude: 35.68, longitude: 139.77 } },
    );
    expect(see(outside)).toMatch(/這個位置不在彰化縣附近.*60 公里以外/s);
    expect(see(outside)).not.toMatch(/直線距離|139|35\.68/);
    const [first] = entries(compose(outside, context));
    expect(first).toMatchObject({ entry: 'places', area: AREAS[0], near: null });
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
