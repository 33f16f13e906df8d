/**
 * What a person typed, brought to one form and cut into clauses, so that rules can read it without patterns that backtrack.
 * @module
 */

/** LINE lets a person type more; LOCAL reads this many UTF-16 units and asks again for the rest. */
const SPOKEN_LENGTH_MAX = 1_200;

/** One clause. `said` keeps the person's characters, `folded` has one form for each; both have the same length. */
export type Clause = {
  readonly said: string;
  readonly folded: string;
  /** It ends as a question or holds a question word. */
  readonly asks: boolean;
};

export type Spoken = {
  readonly clauses: readonly Clause[];
  /** Words about remembering stood inside quotation marks: someone's words, not a wish of this person. They are taken out. */
  readonly quotesWish: boolean;
};

/** Simplified and variant characters of the words LOCAL reads, each before the form it is folded to. */
const FOLDED: ReadonlyMap<string, string> = new Map(
  words(`
    臺台 帮幫 记記 录錄 后後 优優 饮飲 为為 么麼 园園 坛壇 乡鄉 镇鎮 县縣 员員 线線 兴興 盐鹽 头頭 无無 碍礙
    轮輪 没沒 过過 删刪 现現 开開 吗嗎 营營 业業 车車 预預 约約 订訂 远遠 这這 纯純 长長 辈輩 说說 妈媽 爷爺
    动動 场場 点點 读讀 询詢 问問 荐薦 厅廳 饭飯 换換 别別 给給 还還 习習 惯慣 设設 储儲 谁誰 时時 间間 几幾
    话話 电電 单單 让讓 请請 实實 变變 关關 门門 华華 馆館 谢謝 边邊 锅鍋 爱愛 听聽 讲講 认認 觉覺 应應 该該
    总總 从從 来來 对對 会會 个個 们們 样樣 块塊 钟鐘 着著 里裡 您你 妳你 导導 览覽 务務 选選 项項 类類 条條
    带帶 报報 参參 离離 号號 网網 闻聞 诉訴 医醫 师師 够夠 楼樓 儿兒 东東 鲜鮮 鱼魚 猪豬 麸麩 质質 义義 汤湯
    给給 据據 历歷 纪紀 云雲 兰蘭 莲蓮 马馬 湾灣 桥橋 处處 邻鄰 亲親 国國
  `).map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
);

const QUESTION_WORDS = ['嗎', '什麼', '哪', '幾', '多少', '怎麼', '為何', '有沒有', '是不是', '會不會', '誰'];
const WISH_WORDS = ['記', '忘', '存', '改成', '換成', '刪', '同意'];
const CLOSING: Readonly<Record<string, string>> = { '「': '」', '『': '』', '“': '”', '"': '"', '《': '》', '<': '>' };

/** NFKC, invisible characters out, control characters to spaces, trimmed. Takes and gives any text. */
export function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}]/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .trim();
}

/** Folds variant and simplified characters one by one; the length stays. */
export function folded(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at += 1) out += FOLDED.get(text.charAt(at)) ?? text.charAt(at);
  return out;
}

/** Reads one message. Null: nothing readable in it, or longer than SPOKEN_LENGTH_MAX. */
export function readSpoken(text: string): Spoken | null {
  // What begins like code was pasted, not said.
  if (text.length > SPOKEN_LENGTH_MAX || text.trimStart().startsWith('{')) return null;
  // Lines are clauses, so they become marks before control characters become spaces.
  const lines = normalised(text.replace(/[\r\n]/g, '\u3002'));
  // One compatibility character can become eighteen.
  if (lines.length > 2 * SPOKEN_LENGTH_MAX) return null;
  const own = withoutQuotedWishes(lines);
  const clauses = cut(own.text);
  if (clauses.length === 0) return null;
  return { clauses, quotesWish: own.quotesWish };
}

/** The words of a list written with spaces between them. */
export function words(list: string): readonly string[] {
  return list.trim().split(/\s+/);
}

/** Whether any of the words stands in the text. */
export function hasAny(text: string, ofWords: readonly string[]): boolean {
  return ofWords.some((word) => text.includes(word));
}

/** Where the first of the words stands, the longest at that place; null when none does. */
export function earliest(
  text: string,
  ofWords: readonly string[],
): { readonly at: number; readonly word: string } | null {
  let found: { at: number; word: string } | null = null;
  for (const word of ofWords) {
    const at = text.indexOf(word);
    if (at < 0) continue;
    if (found === null || at < found.at || (at === found.at && word.length > found.word.length)) found = { at, word };
  }
  return found;
}

/** Replaces each of the words by a filler of the same length, so that places in the text stay what they are. */
export function masked(text: string, ofWords: readonly string[]): string {
  return ofWords.reduce((kept, word) => kept.replaceAll(word, '·'.repeat(word.length)), text);
}

/** Takes the words out; longer ones must stand first. */
export function without(text: string, ofWords: readonly string[]): string {
  return ofWords.reduce((kept, word) => kept.replaceAll(word, ''), text);
}

/** Quotation marks go; what they hold goes too when it speaks of remembering, unless they hold the whole message. */
function withoutQuotedWishes(text: string): { text: string; quotesWish: boolean } {
  const whole = CLOSING[text.charAt(0)];
  const inner = text.slice(1, -1);
  if (whole !== undefined && text.length > 2 && text.endsWith(whole) && !inner.includes(whole)) {
    return { text: inner, quotesWish: false };
  }
  let kept = '';
  let quotesWish = false;
  for (let at = 0; at < text.length; at += 1) {
    const closing = CLOSING[text.charAt(at)];
    if (closing === undefined) {
      kept += text.charAt(at);
      continue;
    }
    const end = text.indexOf(closing, at + 1);
    const quoted = text.slice(at + 1, end < 0 ? text.length : end);
    if (hasAny(folded(quoted), WISH_WORDS)) quotesWish = true;
    else kept += quoted;
    at = end < 0 ? text.length : end;
  }
  return { text: kept, quotesWish };
}

const MARK = /[\p{P}\p{S}]/u;
// These belong to words and dates and end no clause.
const INNER_MARKS = '-/_&·○';

function endsClause(text: string, at: number): boolean {
  const character = text.charAt(at);
  return MARK.test(character) && !INNER_MARKS.includes(character);
}

/** Spaces are taken out and end nothing: they hide neither a wish nor a "do not". */
function cut(text: string): Clause[] {
  const clauses: Clause[] = [];
  let said = '';
  const close = (mark: string): void => {
    const form = folded(said);
    if (form !== '') clauses.push({ said, folded: form, asks: mark === '?' || hasAny(form, QUESTION_WORDS) });
    said = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    if (endsClause(text, at)) close(text.charAt(at));
    else if (text.charAt(at) !== ' ') said += text.charAt(at);
  }
  close('');
  return clauses;
}
