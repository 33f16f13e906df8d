/**
 * What a message wants done with what is remembered. A save is only ever offered to a person who asks for it now, in words of
 * their own; anything else is asked about or left alone.
 * @module
 */
import { earliest, hasAny, masked, type Spoken, without, words } from './spoken-text.ts';

export type MemoryWish =
  /** Nothing about remembering. */
  | 'none'
  /** Said not to save, or not now. It wins over every wish to save. */
  | 'refused'
  /** Words about saving that are no plain request of this person: asked about, never acted on. */
  | 'reported'
  | 'conditional'
  | 'unclear'
  /** Both "this meal" and "remember": which of the two? */
  | 'this_meal_or_always'
  | 'someone_else'
  /** Asks whether LOCAL can remember: which diet would it be? */
  | 'could_you'
  /** A habit without a request to remember it. */
  | 'habit'
  | 'remember'
  | 'update'
  | 'forget'
  | 'inspect'
  | 'explain';

/** The wish, and for each clause where its words about remembering begin (the clause's length when it has none). */
export type ReadWish = { readonly wish: MemoryWish; readonly memoryFrom: readonly number[] };

const SAVE = words(`
  幫我記 幫忙記 替我記 請你記 給我記 記一下 請記 請記得 要記得 記得我 記得長輩 記住 記起來 記下來 記下 記著 記錄 紀錄
  幫我存 存起來 存下來 儲存 保存 設成 設為 設定成 設定為 當成我的偏好 列入偏好 加入偏好
`);
/** 記得 before one of these is a reminder, not a wish to be remembered. */
const REMINDER = words('記得幫我找 記得幫我查 記得帶 記得要 記得去 記得先 忘記帶 登記 標記 筆記 日記');
const ANY_SAVE = words('記 存 儲 保留 紀錄 設成 設為');

/** Words that hold 不, 別 or 忘 and refuse nothing. */
const NO_REFUSAL = words(`
  別忘了 別忘記 別忘 不要忘記 不要忘了 不要忘 不能忘 要不要 是不是 能不能 可不可以 會不會 有沒有 特別 別人 別的
  個別 分別 免費 難免 不知道 不確定 不好意思 不是嗎
`);
const REFUSALS = words(`
  不用 不要 不必 不需 不想 不准 不許 不可 不能 不是 不希望 不同意 不願 不該 不讓 不給 不再 不記 不存 不幫 不替
  不打算 別 勿 無須 無需 毋 甭 沒要 沒有要 沒叫 沒請 拒絕 禁止 停止 免記 先不
`);
const EATING = words('吃 喝 加 放 含 太 葷 肉 辣 蔥 蒜 香 牛 豬 有 找 去');
const REFUSED_AFTER = words('不用 不必 不需 免了 算了 就不 不要了 不好');
const TAKEN_BACK = words('算了 不用 不要 不必 不用了 不要了 免了 當我沒說 還是不要 還是不用 先不要 先不用 取消 都不要');

const ONLY_THIS_TIME = words('只要這次 只有這次 這次就好 一次就好 只要這一次 這一次就好');
/** "I do not remember" refuses nothing. */
const NO_RECALL = words('不記得 沒記 不能存 記者');
const ABOUT_EATING = words('吃 素 食 餐 葷 肉 辣 喝 味 菜 偏好 條件 設定 習慣 過敏');
/** What stands around a request to remember and names nothing that is to be remembered; longer ones first. */
const AROUND_SAVING = words(`
  別忘了 別忘記 不要忘記 LOCAL local 方便的話 可以的話 麻煩你 拜託你 謝謝你 可不可以 能不能 要不要 以後都 從現在 幫我把 麻煩 拜託 謝謝 感謝 可以 以後 之後
  今後 永遠 幫我 幫忙 替我 給我 請你 請問 現在 一下 下來 起來 這個 那個 這件 那件 這項 那項 這樣 這些 剛才 剛剛 說的 長輩
  媽媽 爸爸 家人 阿嬤 阿公 好嗎 好啊 好了 行嗎 還有 然後 事情 東西 你好 我們 他們 我 你 他 她 請 要 想 把 就 也 都 能 會 得
  住 的 了 著 喔 哦 吧 啦 囉 嗎 呢 呀 啊 嘛 耶 欸 事 嗨 好 再 先 下 起 來 給 跟 對 上 面 那 這
`);

const THIS_MEAL = words('今天 今日 今晚 今早 這次 這一次 這餐 這一餐 這頓 這回 暫時 明天 這一頓');
const ONLY = words('只 就好 而已 僅 限 就可以 就行');
const ONCE = ['一次就好', '一次性', '單次', '下不為例'];
const FROM_NOW_ON = words('以後 之後 往後 從此 今後 今天起 今天開始 未來 永遠 每次 一律 下次也 下次都');
const HABIT_VERBS = words('優先 都 只 預設 一律 改 要 吃 找 給我');
const LATER = words(`
  以後再說 以後再 之後再 下次再 改天 改日 也許 或許 可能 說不定 搞不好 考慮 再想想 再看看 再決定 再說 晚點
  過幾天 等一下再 有空再 還沒決定 還不確定
`);
const NOT_LATER = ['再也', '再說一次'];
const CONDITIONS = words('如果 要是 假如 假設 假使 萬一 倘若 若是 若我 的話 除非 等到 等我 哪天');
const POLITE_BEFORE = words('可以請你 麻煩你 拜託你 我要你 幫我 替我 請你 麻煩 拜託 請 你');
const POLITE_AFTER = words('好不好 可以嗎 好嗎 謝謝 吧 啦 喔 了');
const POLITE = words('方便的話 可以的話 不麻煩的話 沒問題的話 可能的話 行的話 如果可以 如果方便 要是方便 要是可以');

const OTHERS = words(`
  他 她 媽 爸 爺 奶奶 阿嬤 阿公 外婆 外公 朋友 同事 同學 老師 老公 老婆 先生 太太 女友 男友 女兒 兒子 小孩 孩子
  家人 長輩 人家 有人 大家 醫生 師父 客人 老闆 店家 店員 姐 姊 妹 哥 弟 阿姨 叔 鄰居 親戚 網路 新聞 公告 上面
`);
const SAYING = words('說 講 叫 要求 交代 吩咐 提到 寫 表示');
const WANTING = words('希望 覺得 建議 要你 請你 拜託你 要我 叫我 認為 想要你');
const NOT_SAYING = words('再說 說明 來說 說不定 小說 請說 說真的 老實說 說一下 說錯 叫做 好說');
const SPEAKER_LINKS = words('剛剛 剛才 剛 是 就 上次 再 還 想 要 已經 跟你 有 也 都');

/** Before words about remembering, these ask for a search. */
const SEARCHING = words('有什麼 有哪 哪 有沒有 有嗎 推薦 附近 找 查');

const FORGETTING = words('忘記 忘掉 忘了 刪掉 刪除 刪了 刪 移除 清除 清掉 清空 撤回 撤銷 拿掉 抹掉 取消');
const FORGETTABLE = words('偏好 吃素 飲食 記憶 記住 記錄 紀錄 記得 條件 設定 習慣 素 個資 我的資料 同意');
/** The person asks to be forgotten, with nothing named. */
const FORGET_ME = words(
  '忘記我 忘掉我 忘了我 刪除我 我要忘記 我想忘記 我要被忘記 我想被忘記 把我忘記 把我忘掉 把我忘了',
);
/** Before 忘記 these make it a request; without one, "I forgot" and "did you forget" are none. */
const FORGET_REQUESTED = words('幫我 替我 給我 幫忙 請 請你 麻煩 麻煩你 拜託 拜託你 要你 可以 可不可以 能不能 能');
const AGAIN = ['再', '繼續', '一直'];

const CHANGING = words('改成 換成 改為 換為 更正成 更正為 更新成 更新為 變成 變更為 改吃 改記');
const CHANGE_OF = words('更正 修改 更改 變更 調整 更新 改');
const WRONG = ['記錯', '記的不對', '記得不對'];
const KEPT = ['偏好', '飲食', '素別', '記住的', '記憶', '記得的'];

const ASKED_OF_MEMORY = words('知道我 記得我 我設定 我設了 我的飲食 我的條件 我的設定 忘了我 忘記我 我忘');
const KEPT_WORDS = ['偏好', '記憶', '記我', '記住', '知道我', '停止'];
const ASKING = words('嗎 什麼 哪 有沒有 是不是 會不會 沒有 多少 誰 怎麼 為什麼');
const DONE_BEFORE = words('有 會 已經 真的 剛 剛剛 剛才 上次 之前 還 你 能 可以 是 了');
const REQUESTING = words('幫我 幫忙 替我 請 麻煩 給我 拜託');

/** Reads the wish. First that applies wins; what refuses stands before what saves. */
export function readMemoryWish(spoken: Spoken, hasDiet: (clause: string) => boolean): ReadWish {
  const clauses = spoken.clauses.map((clause) => clause.folded);
  const memoryFrom = clauses.map((clause) => memoryStart(clause, hasDiet));
  return { wish: wishOf(spoken, clauses, hasDiet), memoryFrom };
}

function wishOf(spoken: Spoken, clauses: readonly string[], hasDiet: (clause: string) => boolean): MemoryWish {
  const all = clauses.join(',');
  const saves = clauses.some(asksToSave);
  const changes = clauses.some((clause) => changesMemory(clause, hasDiet));
  const forgets = clauses.some(asksToForget);
  const acts = saves || changes || forgets || spoken.quotesWish;

  if (clauses.some(asksWhy)) return 'explain';
  if (acts && (spoken.quotesWish || isReported(clauses))) return 'reported';
  if (acts && hasAny(without(all, POLITE), CONDITIONS)) return 'conditional';
  if (forgets) {
    const alsoSaves = clauses.some((clause) => asksToSave(clause) && !asksToForget(clause));
    return alsoSaves || changes ? 'unclear' : 'forget';
  }
  if (spoken.clauses.some(({ folded: clause, asks }) => asksWhatIsKept(clause, asks))) return 'inspect';
  if (isRefused(clauses)) return 'refused';
  if (acts && hasAny(without(all, NOT_LATER), LATER)) return 'refused';
  if (acts && clauses.some(isUnclear)) return 'unclear';
  if (saves && clauses.some(isForSomeoneElse)) return 'someone_else';
  if ((saves || changes) && hasAny(all, THIS_MEAL) && !hasAny(all, FROM_NOW_ON)) {
    return saves ? 'this_meal_or_always' : 'none';
  }
  if (changes) return 'update';
  if (saves) return spoken.clauses.some(({ folded: clause }) => onlyAsksWhether(clause)) ? 'could_you' : 'remember';
  if (isReported(clauses) || hasAny(all, [...CONDITIONS, ...LATER])) return 'none';
  return clauses.some((clause) => isHabit(clause, hasDiet)) ? 'habit' : 'none';
}

function saveIn(clause: string): { readonly at: number; readonly word: string } | null {
  return earliest(masked(clause, REMINDER), SAVE);
}

function asksToSave(clause: string): boolean {
  return saveIn(clause) !== null;
}

/** A change of memory names the new diet after the verb, or names what is kept. */
function changesMemory(clause: string, hasDiet: (clause: string) => boolean): boolean {
  const verb = earliest(clause, CHANGING);
  if (verb !== null && hasDiet(clause.slice(verb.at + verb.word.length))) return true;
  return hasAny(clause, WRONG) || (hasAny(clause, CHANGE_OF) && hasAny(clause, KEPT));
}

function asksToForget(clause: string): boolean {
  const stops = refusalBefore(clause, [...ANY_SAVE, '偏好']);
  if (stops !== null && hasAny(stops.between, AGAIN)) return true;
  if (hasAny(clause, ['停止記', '停止使用', '停止套用', '停止用'])) return true;
  const readable = masked(clause, NO_REFUSAL);
  const verb = earliest(readable, FORGETTING);
  if (verb !== null && FORGET_ME.includes(plainly(readable))) return true;
  if (verb === null || !hasAny(readable, FORGETTABLE)) return false;
  const before = readable.slice(0, verb.at);
  if (hasAny(before, REFUSALS)) return false;
  if (FORGET_REQUESTED.some((word) => before.endsWith(word))) return true;
  // "I forgot …" and "did you forget …?" ask for nothing to be forgotten.
  return !(verb.word.startsWith('忘') && (before.endsWith('我') || before.endsWith('你') || clause.endsWith('嗎')));
}

/** A clause without the politeness around what it asks for. */
function plainly(clause: string): string {
  const begin = POLITE_BEFORE.find((word) => clause.startsWith(word)) ?? '';
  const end = POLITE_AFTER.find((word) => clause.endsWith(word)) ?? '';
  return clause.slice(begin.length, clause.length - end.length);
}

function asksWhy(clause: string): boolean {
  return (
    hasAny(clause, ['為什麼', '怎麼', '為何', '憑什麼']) &&
    hasAny(clause, ['知道我', '你知道', '會知道', '只找', '只有素', '都是素', '套用', '用蔬食', '用素食'])
  );
}

function asksWhatIsKept(clause: string, asks: boolean): boolean {
  if (hasAny(clause, CHANGE_OF)) return false;
  if (hasAny(clause, ['我的偏好', '飲食偏好', '我的記憶']) && !asksToSave(clause)) return true;
  if (asks && hasAny(clause, ASKED_OF_MEMORY)) return true;
  const save = earliest(clause, [...SAVE, '記得', '記了']);
  if (save === null) return false;
  const before = clause.slice(0, save.at).replace(/還有$/, '');
  const done = DONE_BEFORE.find((word) => before.endsWith(word));
  if (done === '有' || done === '已經' || done === '上次' || done === '之前' || done === '真的') return true;
  // A question about what is, unless it is the polite form of a request.
  if (!asks || !hasAny(clause.slice(save.at), [...ASKING, '了沒'])) return done === '會' && asks;
  if (hasAny(clause, REQUESTING) || done === '能' || done === '可以') return false;
  return true;
}

/** "Could you remember …?" without asking for it to be done. */
function onlyAsksWhether(clause: string): boolean {
  const save = saveIn(clause);
  if (save === null || hasAny(clause, REQUESTING)) return false;
  return hasAny(clause.slice(0, save.at), ['可以', '能', '可不可以', '能不能', '要不要', '該不該']);
}

/** What stands between a refusal and the next of the words after it, where that is shortest; null when none follows one. */
function refusalBefore(clause: string, ofWords: readonly string[]): { readonly between: string } | null {
  const readable = masked(masked(clause, NO_REFUSAL), REMINDER);
  let best: string | null = null;
  let next = -1;
  for (let at = readable.length - 1; at >= 0; at -= 1) {
    if (ofWords.some((word) => readable.startsWith(word, at))) next = at;
    const refusal = REFUSALS.find((word) => readable.startsWith(word, at));
    if (refusal === undefined || next < 0) continue;
    // 不記 and 免記 hold the verb themselves.
    const between = readable.slice(Math.min(at + refusal.length, next), next);
    if (best === null || between.length < best.length) best = between;
  }
  return best === null ? null : { between: best };
}

const REFUSAL_GAP_MAX = 8;

function isRefused(clauses: readonly string[]): boolean {
  const oneTime = (clause: string): boolean =>
    hasAny(clause, ONCE) ||
    (hasAny(clause, THIS_MEAL) && hasAny(without(clause, ['不限', '只有']), ONLY)) ||
    clause.includes('只有這次');
  const close = (clause: string): boolean => {
    const refusal = refusalBefore(clause, ANY_SAVE);
    return (
      refusal !== null &&
      refusal.between.length <= REFUSAL_GAP_MAX &&
      !EATING.some((word) => refusal.between.startsWith(word))
    );
  };
  const refusedAfter = (clause: string): boolean => {
    const save = saveIn(clause);
    if (save === null) return false;
    const after = clause.slice(save.at + save.word.length);
    return hasAny(after, REFUSED_AFTER) || after.endsWith('不要');
  };
  const changeRefused = (clause: string): boolean => {
    const verb = earliest(clause, CHANGING);
    return verb !== null && REFUSALS.some((word) => masked(clause.slice(0, verb.at), NO_REFUSAL).endsWith(word));
  };
  return (
    clauses.some((clause) => oneTime(clause) || close(clause) || refusedAfter(clause) || changeRefused(clause)) ||
    clauses.some((clause) => TAKEN_BACK.includes(clause))
  );
}

/** Whether a refused clause speaks of remembering, or says that it is for this time only; "I do not remember" does neither. */
export function refusesInWords(clause: string): boolean {
  if (ONLY_THIS_TIME.includes(clause)) return true;
  return hasAny(masked(masked(clause, REMINDER), NO_RECALL), [...ANY_SAVE, ...CHANGING]);
}

/** Whether a clause asks for something to be remembered that is neither left open nor about eating. */
export function keepsSomethingElse(clause: string): boolean {
  if (saveIn(clause) === null || hasAny(clause, ABOUT_EATING)) return false;
  return without(clause, [...SAVE, ...AROUND_SAVING]).length >= 2;
}

/** A refusal stands somewhere before the saving in the same clause, but it may be about the food. */
function isUnclear(clause: string): boolean {
  return asksToSave(clause) && refusalBefore(clause, ANY_SAVE) !== null;
}

function isForSomeoneElse(clause: string): boolean {
  const save = saveIn(clause);
  if (save === null) return false;
  const before = clause.slice(Math.max(0, save.at - 8), save.at);
  const helped = earliest(before, ['幫', '替']);
  return helped !== null && hasAny(before.slice(helped.at), OTHERS);
}

/** Whether somebody else's words are told. */
export function isReported(clauses: readonly string[]): boolean {
  return clauses.some((clause) => {
    const readable = masked(clause, NOT_SAYING);
    const saying = earliest(readable, SAYING);
    if (saying !== null && !isOwnSpeech(readable.slice(0, saying.at))) return true;
    const wanting = earliest(readable, WANTING);
    return wanting !== null && hasAny(readable.slice(0, wanting.at), OTHERS);
  });
}

function isOwnSpeech(before: string): boolean {
  let left = before;
  for (;;) {
    const link = SPEAKER_LINKS.find((word) => left.endsWith(word));
    if (link === undefined) break;
    left = left.slice(0, -link.length);
  }
  return left.endsWith('我');
}

function isHabit(clause: string, hasDiet: (clause: string) => boolean): boolean {
  const from = earliest(clause, FROM_NOW_ON);
  if (from === null || !hasDiet(clause.slice(from.at))) return false;
  const asks = hasAny(without(clause, ['可以嗎', '好嗎', '行嗎']), ['嗎', '什麼', '哪', '有沒有']);
  return !asks && hasAny(clause.slice(from.at), HABIT_VERBS);
}

/** Where the words about remembering begin. What stands before them is theirs too, unless it asks for a search. */
function memoryStart(clause: string, hasDiet: (clause: string) => boolean): number {
  const starts: number[] = [clause.length];
  const save = saveIn(clause);
  if (save !== null) starts.push(save.at);
  const from = earliest(clause, FROM_NOW_ON);
  if (from !== null && (save !== null || isHabit(clause, hasDiet))) starts.push(from.at);
  const change = changesMemory(clause, hasDiet) ? earliest(clause, [...CHANGING, ...CHANGE_OF]) : null;
  if (change !== null) starts.push(change.at);
  const start = Math.min(...starts);
  return start === clause.length || hasAny(clause.slice(0, start), SEARCHING) ? start : 0;
}

/** Whether a clause is about what is remembered, whoever asks and whatever for. */
export function speaksOfMemory(clause: string): boolean {
  if (hasAny(clause, CHANGING) && !hasAny(clause, THIS_MEAL)) return true;
  return asksToSave(clause) || asksWhy(clause) || hasAny(clause, [...KEPT_WORDS, ...FORGETTING]);
}

/** Whether a clause names another person. */
export function namesOthers(clause: string): boolean {
  return hasAny(clause, OTHERS);
}

/** The part of a clause after the verb of a change; the clause itself when it has none. */
export function afterChange(clause: string): string {
  const verb = earliest(clause, CHANGING);
  return verb === null ? clause : clause.slice(verb.at + verb.word.length);
}
