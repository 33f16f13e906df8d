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
  /** Folded text between two punctuation marks, spaces taken out: a space must not hide a "do not". */
  readonly sentences: readonly string[];
  /** Words about remembering stood inside quotation marks: someone's words, not a wish of this person. They are taken out. */
  readonly quotesWish: boolean;
};

/** Simplified and variant characters of the words LOCAL reads, each before the form it is folded to. */
const FOLDED_PAIRS =
  '臺台帮幫记記录錄后後优優饮飲为為么麼园園坛壇乡鄉镇鎮县縣员員线線兴興盐鹽头頭芗鄉无無碍礙轮輪没沒过過删刪现現开開吗嗎营營业業' +
  '车車预預约約订訂远遠这這纯純长長辈輩说說妈媽爷爺动動场場点點读讀询詢问問荐薦餐餐厅廳饭飯换換忘忘别別给給还還习習惯慣设設储儲' +
  '谁誰时時间間几幾话話电電号號单單让讓请請么麼实實变變关關门門华華馆館谢謝边邊锅鍋鸡雞爱愛听聽讲講叫叫认認觉覺应應该該总總从從' +
  '来來对對会會个個们們样樣块塊钟鐘着著裡裡里裡喔哦妳你您你';

const FOLDED = new Map<string, string>();
for (let at = 0; at + 1 < FOLDED_PAIRS.length; at += 2)
  FOLDED.set(FOLDED_PAIRS.charAt(at), FOLDED_PAIRS.charAt(at + 1));

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
  return { clauses, sentences: sentencesOf(own.text), quotesWish: own.quotesWish };
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

function isHan(character: string): boolean {
  return /^\p{Script=Han}$/u.test(character);
}

const MARK = /[\p{P}\p{S}]/u;
// These belong to words and dates and end no clause.
const INNER_MARKS = '-/_&·○';

function endsClause(text: string, at: number): boolean {
  const character = text.charAt(at);
  if (character === ' ') return isHan(text.charAt(at - 1)) && isHan(text.charAt(at + 1));
  return MARK.test(character) && !INNER_MARKS.includes(character);
}

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

function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let sentence = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === ' ') continue;
    if (endsClause(text, at)) {
      if (sentence !== '') sentences.push(folded(sentence));
      sentence = '';
    } else sentence += character;
  }
  if (sentence !== '') sentences.push(folded(sentence));
  return sentences;
}
