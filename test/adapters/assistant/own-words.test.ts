/**
 * A model's calls against the person's own words: no offer, change or forget without a wish (C114–C117), no condition and no
 * township that was not said.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createOwnWords } from '../../../src/adapters/assistant/own-words.ts';
import { loadCatalog } from '../../../src/adapters/catalog/catalog.ts';
import { rememberSeparatelySheet } from '../../../src/adapters/line/view/service-texts.ts';
import type { PublicContext, Routed, ToolCall } from '../../../src/commands/tools.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../src/events/purposes.ts';

const ownWords = createOwnWords(loadCatalog(fileURLToPath(new URL('../../../data', import.meta.url))));
const call = (...calls: ToolCall[]): Routed => ({ outcome: 'call', calls, unanswered: [] });
const places = (area: string, dietary_type = '', keyword = ''): ToolCall => ({
  tool: 'search_local_places',
  area,
  dietary_type,
  keyword,
});
const events = (area: string): ToolCall => ({ tool: 'search_local_events', date: '', area, keyword: '' });
const remember = (dietary_type: string): ToolCall => ({ tool: 'propose_dietary_memory', dietary_type });
const manage = (action: 'inspect' | 'update' | 'forget' | 'explain', dietary_type = ''): ToolCall => ({
  tool: 'request_memory_management',
  action,
  dietary_type,
});
const heard = (routed: Routed, said: string, context: PublicContext | null = null) => ownWords(routed, said, context);

describe('a card is only for who asks for it in words of their own:', () => {
  const unwished: readonly (readonly [string, string, ToolCall])[] = [
    ['no word about remembering', '今天天氣真好', remember('全素')],
    ['a diet and no wish', '我吃全素', remember('全素')],
    ['a refusal in another clause', '請記得，我不要你存這個', remember('全素')],
    ['a refusal', '不用幫我記住', remember('全素')],
    ['a stop', '別再記了', remember('全素')],
    ['a refusal with the diet', '我吃全素，不要幫我記住', remember('全素')],
    ['this time only', '這次吃全素就好', remember('全素')],
    ['a condition', '如果我吃素的話，花壇有哪些店？', remember('素食')],
    ['a condition with a wish', '如果我吃素的話幫我記住', remember('素食')],
    ['reported words', '我媽說她吃素', remember('素食')],
    ['a reported wish', '朋友說他以後都吃全素，要你記住', remember('全素')],
    ['later, perhaps', '以後也許會改吃素，到時候再說', remember('素食')],
    ['another value than the one said', '以後都找蛋奶素，幫我記住', remember('全素')],
    ['a change nobody asked for', '花壇有什麼全素店', manage('update', '全素')],
    ['choices nobody asked for', '今天天氣真好', manage('update')],
    ['a forget nobody asked for', '花壇有什麼吃的', manage('forget')],
    ['a forget of who forgot something', '我忘了帶傘', manage('forget')],
    ['a forget where a save was asked for', '以後都找蛋奶素，幫我記住', manage('forget')],
  ];
  it.each(unwished)('%s — 「%s」 is a question back', async (_title, said, one) => {
    expect(await heard(call(one), said)).toMatchObject({ outcome: 'clarify' });
  });

  const wished: readonly (readonly [string, ToolCall])[] = [
    ['長輩吃素，以後優先找蔬食，幫我記住', remember('蔬食')],
    ['長輩吃素，以後優先找蔬食，幫我記住', remember('素食')],
    ['請幫我記住，以後都找蛋奶素', remember('蛋奶素')],
    ['請幫我記住，以後都找蛋奶素', remember('奶蛋素')],
    ['改成全素', manage('update', '純素')],
    ['改成全素', remember('全素')],
    ['忘記我的飲食偏好', manage('forget')],
    ['你記得我什麼', manage('inspect')],
    ['今天天氣真好', manage('inspect')],
  ];
  it.each(wished)('「%s」 keeps %o', async (said, one) => {
    expect(await heard(call(one), said)).toEqual(call(one));
  });

  it.each(DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value))(
    'the sentence a button sends for %s is a wish',
    async (value) => {
      const { buttons } = rememberSeparatelySheet(value);
      const [does] = buttons.flatMap((button) => ('say' in button.does ? [button.does.say] : []));
      expect(await heard(call(remember(value)), does ?? '')).toEqual(call(remember(value)));
    },
  );

  it('a refusal is answered as one', async () => {
    expect(await heard(call(remember('全素')), '不用幫我記住')).toEqual({
      outcome: 'clarify',
      question: 'not_remembered',
    });
  });

  it('a search beside an offer nobody asked for runs alone', async () => {
    const said = '這次想吃全素，花壇有什麼店？不用幫我記住';
    expect(await heard(call(places('花壇', '全素'), remember('全素')), said)).toEqual(call(places('花壇', '全素')));
  });

  it('a forged call and an answer without calls are left to who refuses them', async () => {
    const forged = call({ tool: 'approve', token: 'x' } as unknown as ToolCall);
    for (const routed of [forged, call(), { outcome: 'blocked' } as const])
      expect(await heard(routed, '花壇')).toEqual(routed);
  });
});

describe('the condition of a search is the one said now:', () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    ['not said: blank, so that memory may fill it', '花壇有什麼店', '五辛素', ''],
    ['no limit, not said', '花壇有什麼店', '不限', ''],
    ['no limit, said', '花壇有什麼吃的，不限', '不限', '不限'],
    ['said by another word', '花壇有什麼吃素的店', '蔬食', '蔬食'],
    ['a code for the word said', '花壇有純素的店嗎', 'vegan', 'vegan'],
    ['in English', '花壇 Vegan 餐廳', 'vegan', 'vegan'],
    ['another than the one said', '花壇有全素的店嗎', '蔬食', 'vegan'],
    ['a part of the word said', '花壇有全素的店嗎', '素', 'vegan'],
    ['left out by the model', '花壇有全素的店嗎', '', 'vegan'],
    ['denied', '花壇有什麼店，不要全素', '全素', 'any'],
    ['a word no list has', '花壇有鍋邊素嗎', '鍋邊素', '鍋邊素'],
    ['to be remembered from now on', '花壇有什麼店？以後都找全素，幫我記住', '', 'vegan'],
    ['only in words about remembering', '花壇有什麼店？不用幫我記住全素', '', ''],
  ];
  it.each(rows)('%s', async (_title, said, word, diet) => {
    expect(await heard(call(places('花壇', word)), said)).toEqual(call(places('花壇', diet)));
  });

  it('a diet in the name of the shop is none', async () => {
    const said = '花壇的和米素食在哪';
    expect(await heard(call(places('花壇', '', '和米素食')), said)).toEqual(call(places('花壇', '', '和米素食')));
  });

  it('two are asked about, unless the model took one of them', async () => {
    const said = '花壇有全素或蛋奶素的店嗎';
    expect(await heard(call(places('花壇')), said)).toMatchObject({ outcome: 'clarify' });
    expect(await heard(call(places('花壇', '蛋奶素')), said)).toEqual(call(places('花壇', '蛋奶素')));
  });
});

describe('the township of a search is the one said:', () => {
  const turn = { topic: 'places', area: '鹿港鎮' } as const;
  const context: PublicContext = { goal: turn, turns: [turn] };
  const rows: readonly (readonly [string, string, string, string, PublicContext | null])[] = [
    ['never said: blank', '有什麼好吃的', '鹿港鎮', '', null],
    ['another was said', '花壇有什麼好吃的', '鹿港鎮', '花壇鄉', null],
    ['by its short name', '花壇有什麼好吃的', '花壇鄉', '花壇鄉', null],
    ['outside, as said', '臺中有什麼店', '台中', '台中', null],
    ['the county alone names none', '彰化有什麼店', '彰化市', '彰化', null],
    ['near, although nobody said so', '花壇有什麼好吃的', '附近', '花壇鄉', null],
    ['near', '附近有什麼好吃的', '附近', '附近', null],
    ['to be left out', '不要花壇，有什麼店', '花壇', '', null],
    ['carried over', '那全素的呢', '鹿港', '鹿港鎮', context],
    ['not the one carried over', '那全素的呢', '員林市', '', context],
    ['said now, not the one carried over', '那花壇呢', '鹿港鎮', '花壇鄉', context],
  ];
  it.each(rows)('%s', async (_title, said, word, area, carried) => {
    expect(await heard(call(events(word)), said, carried)).toEqual(call(events(area)));
    const routed = await heard(call(places(word)), said, carried);
    expect(routed).toMatchObject({ calls: [{ area }] });
  });
});
