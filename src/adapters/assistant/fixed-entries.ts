/**
 * The fixed typed texts: what they ask for is plain, so no router and no model reads them.
 * @module
 */
import type { Entry } from '../../commands/entries.ts';
import { documentIn } from './document-command.ts';
import { folded, normalised } from './spoken-text.ts';

const MENU =
  '我要預約 預約 幫我預約 我想預約 功能 其他功能 你好 您好 哈囉 嗨 開始 使用說明 說明 選單 主選單 LOCAL LOCALping LOCAL測試';
const INSPECT =
  '我的偏好 我的飲食偏好 查看偏好 查看我的偏好 查看飲食偏好 我記住了什麼 你記住了什麼 你記得我什麼 你記得什麼 你有幫我記住嗎 你記住了嗎 有記住嗎';
const EXPLAIN =
  '為什麼你知道 你為什麼知道 為什麼知道 你怎麼知道 你怎麼會知道 怎麼知道的 為什麼你知道我吃素 你怎麼知道我吃素 為什麼這樣查';
const RECORDS = '我的紀錄 我的記錄 查看我的紀錄 查看我的記錄';
const RECEIPT = '給我收據 我的收據 我要收據 收據';
const FORGET =
  '忘記我的飲食偏好 刪除我的飲食偏好 撤回我的飲食偏好 忘記偏好 忘記我的偏好 刪除我的偏好 撤回我的偏好 撤回同意 撤回我的同意 我要撤回同意 我要撤回我的同意 收回同意 收回我的同意 我要收回同意 撤銷同意 撤銷我的同意 我要撤銷同意';
const FORGET_ALL = '忘記全部 全部忘記 我要忘記全部 刪除全部資料 刪除我的全部資料 刪除我的所有資料';
const UPDATE = '更正偏好 設定偏好 更正我的偏好 更正飲食偏好 更正我的飲食偏好';
const REQUEST =
  '查詢原單 查原本單據 剛才那單有成功嗎 我剛才送出的單進度如何 文字版 目前任務文字版 需要手語志工支援 留下服務詢問 需要協助 新需求';
/** Typed words approve and cancel nothing: they are answered with what is open and what is in force. */
const BARE =
  '好 好啊 好的 好喔 好呀 嗯 OK 可以 是 是的 對 要 確認 確定 同意 我同意 同意記住 確認送出 確認忘記 先不要 不同意 不要 不用 不用了 取消 算了';

const ENTRIES: ReadonlyMap<string, Entry> = new Map(
  (
    [
      [MENU, { entry: 'menu' }],
      [INSPECT, { entry: 'inspect' }],
      [EXPLAIN, { entry: 'explain' }],
      [RECORDS, { entry: 'my_records' }],
      [RECEIPT, { entry: 'my_receipt' }],
      [FORGET, { entry: 'forget', scope: 'purpose' }],
      [FORGET_ALL, { entry: 'forget', scope: 'all' }],
      [UPDATE, { entry: 'update' }],
      [REQUEST, { entry: 'service_request' }],
      [BARE, { entry: 'bare_yes' }],
      ['查活動', { entry: 'events' }],
      ['查蔬食 換個鄉鎮查詢 其他鄉鎮 選鄉鎮', { entry: 'choose_area', page: 0 }],
      ['重新輸入查詢條件 重新輸入條件 稍後重新查詢', { entry: 'retry_guide' }],
    ] satisfies readonly (readonly [string, Entry])[]
  ).flatMap(([texts, entry]) => texts.split(' ').map((text) => [text.toUpperCase(), entry] as const)),
);

const REQUEST_PREFIXES = ['需要協助:', '新需求:', '查詢原單:'];
const FIXED_LENGTH_MAX = 40;
/** A card's own words, typed or pasted: the title, the notice, the two buttons. */
const CARD_PASTED = ['是否同意記住', '同意後,LOCAL會替這個帳號記住', '尚未儲存', '確認忘記飲食偏好'];

/**
 * What a fixed text asks for, or null when it is none (then a router reads it). Full and half width, spaces, variant and
 * simplified characters are one; a closing mark is ignored, but a question mark never makes anything be forgotten.
 * Takes any text; looks at no more than its beginning.
 */
export function fixedEntry(text: string): Entry | null {
  // A document is nobody's wish, whatever it holds.
  if (documentIn(text) !== null) return null;
  const typed = folded(normalised(text.slice(0, 1_200))).replaceAll(' ', '');
  if (REQUEST_PREFIXES.some((prefix) => typed.startsWith(prefix))) return { entry: 'service_request' };
  if (isPastedCard(typed)) return { entry: 'bare_yes' };
  if (typed.length > FIXED_LENGTH_MAX) return null;
  const bare = withoutClosingMarks(typed);
  const entry = ENTRIES.get(bare.toUpperCase()) ?? null;
  return entry?.entry === 'forget' && typed.slice(bare.length).includes('?') ? null : entry;
}

/** A card's text holds the words 同意記住; as typed text it approves nothing, and it is no wish to remember either. */
function isPastedCard(typed: string): boolean {
  if (CARD_PASTED.some((words) => typed.startsWith(words))) return true;
  return typed.includes('同意記住') && typed.includes('先不要');
}

function withoutClosingMarks(text: string): string {
  let end = text.length;
  while (end > 0 && '。.!?~…'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
