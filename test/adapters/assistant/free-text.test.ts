/**
 * Free text: what of a router's calls runs, under which condition, and what is said when memory moved meanwhile.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { createFreeText, planOf } from '../../../src/adapters/assistant/free-text.ts';
import { createSearches } from '../../../src/adapters/assistant/search.ts';
import type { Answer, InForce } from '../../../src/commands/answers.ts';
import type { Catalog, Diet, PlaceQuery } from '../../../src/commands/catalog.ts';
import type { Routed, Router, ToolCall } from '../../../src/commands/tools.ts';
import type { Delivery, Offers, Person } from '../../../src/commands/turns.ts';

const person = {} as Person;
const delivery: Delivery = { causationId: '01J0000000000000000000000A', turnId: '1001', messageId: '1001' };
const words: Record<string, Diet> = { 蔬食: 'vegetarian', 全素: 'vegan', 蛋奶素: 'ovo_lacto', 不限: 'any' };
const saved = (value: string, revision = 1): InForce => ({ value, revision, eventId: 'event-of-the-consent' });

/** A catalog that only records what it was asked. */
function catalogDouble() {
  const asked: PlaceQuery[] = [];
  const catalog: Catalog = {
    version: 'test',
    areas: ['花壇鄉'],
    dietOf: (word) => words[word] ?? Object.values(words).find((diet) => diet === word) ?? null,
    searchPlaces(query) {
      asked.push(query);
      return { status: 'no_data', area: query.area, diet: query.diet, keyword: query.keyword, catalogVersion: 'test' };
    },
    searchEvents: () => ({ status: 'no_data', catalogVersion: 'test' }),
  };
  return { catalog, asked };
}

/** Offers over a sequence of remembered states: each look takes the next, the last one stays. */
function offersDouble(...states: InForce[]) {
  const proposed: (string | null)[] = [];
  let look = 0;
  const offers: Offers = {
    async remembered() {
      const inForce = states[Math.min(look, states.length - 1)] ?? null;
      look += 1;
      return { revision: inForce?.revision ?? 0, inForce };
    },
    inspect: async (_person, because) => ({ status: 'memory_inspected', inForce: null, open: null, because }),
    async propose(_person, value) {
      proposed.push(value);
      return { status: 'busy' };
    },
  };
  return { offers, proposed };
}

function routerOf(routed: Routed, name: Router['name'] = 'rules'): Router {
  return { name, route: async () => routed };
}

const places = (dietary_type = '', area = '花壇'): ToolCall => ({
  tool: 'search_local_places',
  area,
  dietary_type,
  keyword: '',
});
const remember = (dietary_type: string): ToolCall => ({ tool: 'propose_dietary_memory', dietary_type });
const call = (...calls: ToolCall[]): Routed => ({ outcome: 'call', calls, unanswered: [] });

async function ask(
  routed: Routed,
  states: InForce[] = [null],
  name: Router['name'] = 'rules',
  said = 'whatever was typed',
) {
  const { catalog, asked } = catalogDouble();
  const { offers, proposed } = offersDouble(...states);
  const { text } = createFreeText({ router: routerOf(routed, name), catalog, offers, clock: () => 0 });
  const turn = await text(person, said, delivery);
  return { turn, asked, proposed, statuses: turn.answers.map(({ status }) => status) };
}

describe('the condition of a search', () => {
  const rows: readonly (readonly [string, string, InForce, Diet, string])[] = [
    ['left blank, nothing remembered', '', null, 'any', 'none'],
    ['left blank, 蔬食 remembered', '', saved('vegetarian'), 'vegetarian', 'consented_memory'],
    ['one space, 全素 remembered: blank is blank after trimming', ' ', saved('vegan'), 'vegan', 'consented_memory'],
    ['said now, nothing remembered', '蛋奶素', null, 'ovo_lacto', 'this_turn'],
    ['said now, another remembered', '蛋奶素', saved('vegan'), 'ovo_lacto', 'this_turn'],
    ['不限 said now (D08): memory is not touched', '不限', saved('vegan'), 'any', 'this_turn'],
  ];
  it.each(rows)('%s', async (_title, said, inForce, diet, origin) => {
    const { turn, asked, proposed } = await ask(call(places(said)), [inForce]);
    expect(asked).toMatchObject([{ diet }]);
    expect(turn.answers).toMatchObject([{ status: 'places', origin }]);
    expect(proposed).toEqual([]);
  });

  it('carries revision and event when memory was used, and only then', async () => {
    const used = await ask(call(places()), [saved('vegetarian', 7)]);
    expect(used.turn.answers[0]).toMatchObject({ memory: { revision: 7, eventId: 'event-of-the-consent' } });
    const said = await ask(call(places('蔬食')), [saved('vegetarian', 7)]);
    expect(said.turn.answers[0]).toMatchObject({ memory: null });
  });

  it('is not guessed from a word that is no diet', async () => {
    const { statuses, asked } = await ask(call(places('鍋邊素')));
    expect(statuses).toEqual(['unknown_diet']);
    expect(asked).toEqual([]);
  });
});

describe('the guard of a turn', () => {
  it('stops when memory moved before the tool', async () => {
    const { statuses, asked } = await ask(call(places()), [saved('vegetarian', 1), saved('vegan', 2)]);
    expect(statuses).toEqual(['preference_changed']);
    expect(asked).toEqual([]);
  });

  it('shows no result when memory moved after the tool (D09)', async () => {
    const { statuses, asked } = await ask(call(places()), [saved('vegetarian', 1), saved('vegetarian', 1), null]);
    expect(statuses).toEqual(['preference_changed']);
    expect(asked).toHaveLength(1);
  });

  it('names the revision the answer rests on, so that the sender can compare it once more', async () => {
    expect((await ask(call(places()), [saved('vegetarian', 4)])).turn.restsOnRevision).toBe(4);
  });

  it('holds for the buttons as well', async () => {
    const { catalog } = catalogDouble();
    const { offers } = offersDouble(saved('vegetarian', 1), null);
    const turn = await createSearches(catalog, offers, () => 0).places(person, {
      area: '花壇',
      dietary_type: '',
      keyword: '',
      near: null,
      page: 0,
    });
    expect(turn.answers).toEqual([{ status: 'preference_changed' }]);
  });
});

describe('two calls in one turn', () => {
  it('rules do both: the search first, then the offer', async () => {
    const { statuses, proposed } = await ask(call(remember('蔬食'), places('蔬食')));
    expect(statuses).toEqual(['places', 'busy']);
    expect(proposed).toEqual(['vegetarian']);
  });

  it("a model's search runs, its offer does not, and a button sends the wish again", async () => {
    const { turn, statuses, proposed } = await ask(
      call(places('蔬食'), remember('蔬食')),
      [null],
      'gemini',
      '花壇有什麼蔬食店？以後都找蔬食，幫我記住',
    );
    expect(statuses).toEqual(['places', 'remember_separately']);
    expect(turn.answers[1]).toEqual({ status: 'remember_separately', value: 'vegetarian' });
    expect(proposed).toEqual([]);
  });

  it("a model's offer nobody asked for is not even named beside its search", async () => {
    const { statuses, proposed } = await ask(
      call(places('全素'), remember('全素')),
      [null],
      'gemini',
      '這次想吃全素，花壇有什麼店？不用幫我記住',
    );
    expect([statuses, proposed]).toEqual([['places'], []]);
  });

  it('the same call three times is one call (C76)', async () => {
    const thrice = call(remember('蔬食'), remember('蔬食'), remember('蔬食'));
    const { proposed } = await ask(thrice, [null], 'gemini', '以後都找蔬食，幫我記住');
    expect(proposed).toEqual(['vegetarian']);
  });

  const inspect: ToolCall = { tool: 'request_memory_management', action: 'inspect', dietary_type: '' };
  const help: ToolCall = { tool: 'show_local_help', reason: '' };
  const refused: readonly (readonly [string, readonly ToolCall[], Router['name']])[] = [
    ['two offers', [remember('蔬食'), remember('全素')], 'rules'],
    ['two offers of a model', [remember('蔬食'), remember('全素')], 'gemini'],
    ['two searches and an offer', [places('蔬食'), places('全素'), remember('蔬食')], 'rules'],
    ['a model that searches and manages', [places('蔬食'), inspect], 'gemini'],
    ['help and an offer of a model', [help, remember('蔬食')], 'gemini'],
    ['nothing at all', [], 'rules'],
  ];
  it.each(refused)('%s lead to a question back', (_title, calls, name) => {
    expect(planOf(calls, name)).toBeNull();
  });
});

describe('a second request to a model', () => {
  const again = (left: number) => {
    const taken: string[] = [];
    const { catalog } = catalogDouble();
    const { offers } = offersDouble(null);
    const router: Router = {
      name: 'gemini',
      async route(_text, _facts, _record, mayAskAgain) {
        taken.push(String(await mayAskAgain?.()));
        return { outcome: 'unavailable' };
      },
    };
    const allowance = { take: async (_person: Person, name: Router['name']) => (taken.push(name), (left -= 1) >= 0) };
    const keeping = {
      trail: { record: async () => {} },
      journal: { recall: async () => ({ context: null, generation: null }), keep: async () => {} },
      allowance,
    };
    return { taken, ...createFreeText({ router, catalog, offers, clock: () => 0, keeping }) };
  };

  it.each([
    [2, 'true'],
    [1, 'false'],
  ])('with %i calls left may be made: %s, and is taken from what is left', async (left, may) => {
    const { text, taken } = again(left);
    await text(person, '花壇有什麼店', delivery);
    expect(taken).toEqual(['gemini', 'gemini', may]);
  });
});

describe('what a router may not bring about', () => {
  it('a call that is not of the closed list runs nothing', async () => {
    const forged = { tool: 'approve', token: 'x' } as unknown as ToolCall;
    const extra = { ...places(), owner: 'somebody' } as unknown as ToolCall;
    for (const bad of [forged, extra]) {
      const { statuses, asked, proposed } = await ask(call(bad));
      expect(statuses).toEqual(['query_unavailable']);
      expect([asked, proposed]).toEqual([[], []]);
    }
  });

  it('不限 cannot be remembered', async () => {
    const { turn, proposed } = await ask(call(remember('不限')));
    expect(turn.answers).toEqual([{ status: 'clarify', question: 'which_diet_to_remember', inForce: null }]);
    expect(proposed).toEqual([]);
  });

  it('a question about remembering knows what is in force', async () => {
    const { turn } = await ask({ outcome: 'clarify', question: 'which_diet_to_remember' }, [saved('vegetarian', 4)]);
    expect(turn.answers).toEqual([
      { status: 'clarify', question: 'which_diet_to_remember', inForce: saved('vegetarian', 4) },
    ]);
  });

  it('a refusal is answered with what is in force, and nothing is offered', async () => {
    const { turn, proposed } = await ask({ outcome: 'clarify', question: 'not_remembered' });
    expect(turn.answers).toMatchObject([{ status: 'memory_inspected', because: 'refused' }]);
    expect(proposed).toEqual([]);
  });

  const others: readonly (readonly [Routed, Answer['status']])[] = [
    [{ outcome: 'clarify', question: 'whose_diet' }, 'clarify'],
    [{ outcome: 'unsupported', unanswered: ['parking'] }, 'unsupported'],
    [{ outcome: 'blocked' }, 'unsupported'],
    [{ outcome: 'unavailable' }, 'query_unavailable'],
    [{ outcome: 'invalid' }, 'query_unavailable'],
  ];
  it.each(others)('%o is told as %s', async (routed, status) => {
    expect((await ask(routed)).statuses).toEqual([status]);
  });
});

it('names the half nobody could answer, on the search or on its own', async () => {
  const withSearch = await ask({ outcome: 'call', calls: [places()], unanswered: ['opening_hours'] });
  expect(withSearch.turn.answers).toMatchObject([{ status: 'places', unanswered: ['opening_hours'] }]);
  const withOffer = await ask({ outcome: 'call', calls: [remember('蔬食')], unanswered: ['parking'] });
  expect(withOffer.turn.answers).toMatchObject([
    { status: 'busy' },
    { status: 'unsupported', unanswered: ['parking'] },
  ]);
});
