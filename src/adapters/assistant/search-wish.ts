/**
 * What a message wants searched: places, events, or both.
 * @module
 */
import type { ToolCall } from '../../commands/tools.ts';
import { BEYOND_WORDS } from './beyond-local.ts';
import { areasIn, oneArea, type SpokenArea } from './spoken-areas.ts';
import { dateIn, namesDay, withoutDates } from './spoken-date.ts';
import { type DietOf, dietsIn, oneDiet, type SpokenDiet } from './spoken-diets.ts';
import { type Clause, earliest, hasAny, masked, without, words } from './spoken-text.ts';

/** The searches asked for; `too_many`: two townships or two diets, which one search cannot serve. */
export type SearchWish = { readonly wish: 'none' } | { readonly wish: 'too_many' } | FoundSearches;
type FoundSearches = {
  readonly wish: 'search';
  readonly calls: readonly ToolCall[];
  /** Nothing but a dish is known of what is looked for: no township, no diet, no shop. */
  readonly dishOnly: boolean;
};

/** A clause and how much of it may be about searching. */
type SearchPart = { readonly clause: Clause; readonly until: number };

const EVENTS = words(`
  活動 場次 走讀 集合點 集合地點 集合時間 集合 市集 講座 展覽 縱走 健走 嘉年華 導覽 報名 參加 蔬食節
`);
const EVENT_NAMES = words('走讀 縱走 市集 講座 展覽 健走 導覽 嘉年華 夜行 古道');
const EVENT_NAME_ENDS = words('在 有 是 什麼時候 何時 幾點 哪天 的集合 的時間 的場次 集合 場次 報名 怎麼 活動 可以');
/** A meeting point or a venue only as the place to be near: that is about food, not about the event. */
const NEAR_EVENT = ['集合點附近', '集合地點附近', '活動附近', '會場附近'];

const FOOD = words(`
  吃 餐 店 飯 麵 小吃 便當 料理 食堂 美食 館子 火鍋 飲料 咖啡 點心 宵夜 餓 菜單 食物 好料 攤 喝
`);
const NOT_FOOD = words('書店 飯店 酒店 旅店 商店 藥店 花店 店員 吃藥 吃驚 吃虧 吃力 吃飽 飲食偏好 店長');
const LOOKING = words('有 找 查 哪 推薦 介紹 想 要 什麼 帶 去 在 看看 賣 幫我 ? 呢 餓 吃啥 列出');
/** Dishes that can stand in a shop's name. */
const DISHES = words(`
  爌肉飯 滷肉飯 肉圓 臭豆腐 豆花 貓鼠麵 蚵仔煎 圈仔肉 牛肉麵 義大利麵 米粉 碗粿 水餃 鍋貼 壽司 披薩 火鍋 滷味
  自助餐 便當 麵包 咖啡 豆漿 羊肉爐 拉麵 粽子 潤餅 漢堡
`);
const SHOP_ENDS = words(`
  素食 蔬食 食堂 餐廳 餐館 小館 館 店 坊 屋 園 廚房 咖啡 軒 居 齋 舖 鋪 自助餐 小吃 麵 飯 便當 火鍋 烘焙 豆花 素
`);
const AFTER_SHOP = words(`
  有 在哪 的電話 電話 的地址 地址 怎麼走 怎麼去 現在有開 有開 有沒有開 現在 今天 營業 幾點 能停車 可以停車 有停車
  好停車 可以訂位 能訂位 輪椅 有無障礙 好吃嗎 可以 能不能
`);
const BEFORE_SHOP = words(
  '請問 想問 我想去 我想找 我要找 我要去 想去 想找 要去 那家 那間 這家 這間 幫我查 幫我找 查 找',
);
/** With one of these it is a description, not a name. */
const NOT_IN_A_NAME = words('除 旁 邊 近 站 的 有 什麼 哪 我 你 這 那 最 很 比較 嗎 或 一');
/** "I eat vegetarian" says something about a person; "vegetarian" alone asks for it. */
const PRONOUNS = ['我', '你', '他', '她'];
/** Words that name nothing; longer ones before those they hold. */
const GENERIC = words(`
  有沒有 是不是 能不能 可不可以 有什麼 有哪些 哪一家 哪一間 哪裡 哪些 哪間 哪家 哪 什麼 怎麼 幫我 麻煩 請問 請
  推薦 介紹 可以 不限 不要 不用 不想 附近 好吃 便宜 平價 乾淨 人氣 有名 親子 寵物 中式 西式 日式 健康 養生 高級 新開
  吃到飽 合菜 連鎖 餐廳 餐館 小吃 料理 店家 素食 蔬食 自助餐 今天 明天 今晚 這次 這餐 這頓 中午 晚上 早上 午餐
  晚餐 早餐 宵夜 現在 目前 最近 一下 看看 知道 我們 有人 我 你 他 她 想 要 吃 找 查 去 在 到 有 沒 是 的 嗎 呢
  啊 吧 喔 了 店 家 間 那 這 裡 邊 都 也 就 和 跟 或 與 換成 改成 帶 好 大 小 新 老 賣 開 對 個 再 還
`);

/** Reads what is to be searched in the given parts. `today`: `YYYY-MM-DD` in Taipei, or null. */
export function readSearchWish(
  parts: readonly SearchPart[],
  spareDiets: readonly SpokenDiet[],
  townships: readonly string[],
  dietOf: DietOf,
  today: string | null,
): SearchWish {
  const read = parts.map(({ clause, until }) => readPart(clause, until, townships, dietOf));
  const text = parts.map(({ clause, until }) => clause.folded.slice(0, until)).join(',');
  const wantsPlaces = read.some((part) => part.wantsPlaces);
  const wantsEvents = read.some((part) => part.aboutEvents);
  if (!wantsPlaces && !wantsEvents) return { wish: 'none' };

  const area = oneArea(
    read.flatMap((part) => part.areas),
    text,
  );
  const said = read.flatMap((part) => part.diets);
  const diet = oneDiet(said.length > 0 ? said : spareDiets);
  if (area === null || diet === null) return { wish: 'too_many' };
  const shop = read.find((part) => part.shop !== '')?.shop ?? '';
  const keyword = shop === '' ? (read.find((part) => part.dish !== '')?.dish ?? '') : shop;
  const calls: ToolCall[] = [];
  if (wantsEvents) {
    calls.push({
      tool: 'search_local_events',
      date: dateIn(text, today),
      area: area === '附近' ? '' : area,
      keyword: read.find((part) => part.event !== '')?.event ?? '',
    });
  }
  if (wantsPlaces) calls.push({ tool: 'search_local_places', area, dietary_type: diet, keyword });
  const dishOnly = wantsPlaces && !wantsEvents && keyword !== '' && shop === '' && diet === '' && area === '';
  return { wish: 'search', calls, dishOnly };
}

type ReadPart = {
  readonly areas: readonly SpokenArea[];
  readonly diets: readonly SpokenDiet[];
  readonly shop: string;
  readonly dish: string;
  readonly event: string;
  readonly wantsPlaces: boolean;
  readonly aboutEvents: boolean;
};

function readPart(clause: Clause, until: number, townships: readonly string[], dietOf: DietOf): ReadPart {
  const text = clause.folded.slice(0, until);
  const areas = areasIn(text, townships);
  const shopAt = shopIn(text, areas, dietOf);
  const inShop = (at: number): boolean => shopAt !== null && at >= shopAt.from && at < shopAt.to;
  const diets = dietsIn(text, dietOf).filter((diet) => !inShop(diet.at));
  const shop = shopAt === null ? '' : clause.said.slice(shopAt.from, shopAt.to);
  const dish =
    DISHES.filter((word) => text.includes(word)).toSorted((one, other) => other.length - one.length)[0] ?? '';
  const onADay = clause.asks && namesDay(text) && diets.length === 0 && !hasAny(text, FOOD);
  const aboutEvents = onADay || hasAny(masked(text, NEAR_EVENT), EVENTS);
  const bare = blankedOut(text, areas, diets);
  const rest = without(withoutDates(without(bare, BEYOND_WORDS)), GENERIC).replaceAll('·', '');
  const looking = clause.asks || hasAny(text, LOOKING);
  const food = dish !== '' || hasAny(masked(bare, NOT_FOOD), FOOD);
  const named = areas.some((area) => area.area !== '附近');
  const plain = rest === '' && !(text.length > 0 && bare === text);
  const onlyBeyond = plain && !named && diets.length === 0 && hasAny(text, BEYOND_WORDS);
  const wants =
    shop !== '' ||
    (food && (looking || named)) ||
    (diets.length > 0 && (looking || named || (plain && !hasAny(text, PRONOUNS)))) ||
    (plain && !onlyBeyond && areas.length > 0);
  return {
    areas,
    diets,
    shop,
    dish: dish !== '' && looking ? dish : '',
    event: aboutEvents ? eventIn(clause.said.slice(0, until), areas) : '',
    wantsPlaces: wants && !(aboutEvents && !food && diets.length === 0),
    aboutEvents,
  };
}

function blankedOut(text: string, areas: readonly SpokenArea[], diets: readonly SpokenDiet[]): string {
  let left = text;
  for (const { at, length } of [...areas, ...diets]) {
    left = left.slice(0, at) + '·'.repeat(length) + left.slice(at + length);
  }
  return left;
}

const NAME_LENGTH_MAX = 20;

/** A shop is named where a name that ends like one stands before a question about one shop, and is more than ordinary words. */
function shopIn(text: string, areas: readonly SpokenArea[], dietOf: DietOf): { from: number; to: number } | null {
  const after = earliest(text, AFTER_SHOP);
  const before = BEFORE_SHOP.find((word) => text.startsWith(word)) ?? '';
  if (after === null) return null;
  let from = before.length;
  for (const area of areas) if (area.at <= from) from = Math.max(from, area.at + area.length);
  if (text.startsWith('的', from)) from += 1;
  const name = text.slice(from, after.at);
  if (name.length < 3 || name.length > NAME_LENGTH_MAX || !SHOP_ENDS.some((end) => name.endsWith(end))) return null;
  if (DISHES.includes(name)) return null;
  const inName = dietsIn(name, dietOf);
  if (hasAny(name, NOT_IN_A_NAME)) return null;
  const ordinary = [...GENERIC.filter((word) => word.length > 1), ...SHOP_ENDS];
  const own = without(blankedOut(name, [], inName), ordinary).replaceAll('·', '');
  return own.length >= 2 ? { from, to: after.at } : null;
}

/** The name of an event: what stands before the question, when it holds a word for an event and more than that word. */
function eventIn(said: string, areas: readonly SpokenArea[]): string {
  const end = earliest(said.slice(1), EVENT_NAME_ENDS);
  let name = said.slice(0, end === null ? said.length : end.at + 1);
  for (const area of areas) {
    const text = said.slice(area.at, area.at + area.length);
    if (name.startsWith(text)) name = name.slice(text.length);
  }
  name = without(name, ['請問', '想問', '那個', '的']);
  const noun = EVENT_NAMES.find((word) => name.includes(word));
  if (noun === undefined || name.length > NAME_LENGTH_MAX || without(name, [noun, ...GENERIC]).length < 2) return '';
  return name;
}
