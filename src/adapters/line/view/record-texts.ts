/**
 * What a person is told of their own ledger: the last events, the newest receipt, and where to see more.
 * @module
 */
import type { Answer, InForce, OwnLink, ReceiptSummary } from '../../../commands/answers.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../events/purposes.ts';
import { ownWords, standingWords, taipeiTime } from '../../../projections/own-history.ts';
import { outsidePromise } from '../../../projections/record.ts';
import { FORGET, INSPECT, memoryButtons, OTHER, RECEIPT, RECORDS } from './buttons.ts';
import { inForceLine, shortEventId } from './memory-texts.ts';
import type { Button, Sheet } from './sheet.ts';

const TYPING = '也可以直接打字：我的偏好、我的紀錄、給我收據、忘記我的飲食偏好';
const NO_PAGE = '可以打開和下載的頁面這裡還沒有設定，所以只用文字告訴你。';

function pageButton(label: string, link: OwnLink): readonly Button[] {
  return link === null ? [] : [{ label, does: { open: link.url } }];
}

function pageLine(link: OwnLink): string {
  if (link === null) return NO_PAGE;
  return `按鈕會打開只有你看得到的頁面，10 分鐘內有效（到 ${taipeiTime(link.expiresAt)}）；請不要把連結轉給別人。頁面只能看和下載，要改請用這裡的按鈕。`;
}

function ways(inForce: InForce): readonly Button[] {
  return inForce === null ? memoryButtons(null) : [INSPECT, FORGET];
}

/** The last events, newest first, and the page. */
export function recordsSheet({ history, earlier, inForce, link }: Extract<Answer, { status: 'my_records' }>): Sheet {
  if (history.length === 0) {
    return {
      title: '我的紀錄',
      lines: ['這個帳號還沒有任何紀錄：沒有出現過同意卡，也沒有同意或拒絕過。'],
      buttons: memoryButtons(null),
      typing: TYPING,
    };
  }
  return {
    title: '我的紀錄',
    lines: [
      inForceLine(inForce),
      ...history.map((entry) => {
        const standing = standingWords(entry);
        return `${taipeiTime(entry.at)}　${ownWords(entry)}${standing === null ? '' : `現在：${standing}。`}`;
      }),
      earlier === 0 ? '以上是全部（臺灣時間，新的在前）。' : `更早還有 ${earlier} 筆（臺灣時間，新的在前）。`,
      pageLine(link),
    ],
    buttons: [...pageButton('打開我的紀錄頁', link), RECEIPT, ...ways(inForce)],
    typing: TYPING,
    summary: '完整內容在上面的文字訊息。',
  };
}

const KINDS: Readonly<Record<ReceiptSummary['kind'], string>> = {
  save: '同意記住',
  correct: '同意更正',
  cancel: '沒有同意',
  forget: '忘記',
};

function whatItProves({ kind, opens }: ReceiptSummary): readonly string[] {
  if (kind === 'forget') {
    return [
      '這張收據不含任何條件。這個承諾管不到：',
      ...outsidePromise(DIET_FOR_PLACE_SEARCH.purpose).map((each) => `・${each}`),
    ];
  }
  if (kind === 'cancel') return ['這張收據不含任何條件，只證明這張卡沒有生效。'];
  return opens
    ? [
        '完整收據含有你同意的條件，和證明用的鑰匙；等這裡刪除之後，你仍能用它證明當時同意了什麼。',
        'LOCAL 不留副本，請現在下載、自己保管；拿到收據的人也看得到你的條件。',
      ]
    : ['這一版的條件已經刪除，所以現在的收據不再含有條件；你先前下載的收據仍然可以驗證。'];
}

/** The newest decision's receipt in short, and where to download it. */
export function receiptSheet({ receipt, inForce, link }: Extract<Answer, { status: 'my_receipt' }>): Sheet {
  if (receipt === null) {
    return {
      title: '還沒有收據',
      lines: ['這個帳號還沒有同意、拒絕或忘記過任何東西，所以沒有可以開的收據。'],
      buttons: memoryButtons(null),
      typing: TYPING,
    };
  }
  const { kind, at, revision, position, eventId, noticeVersion } = receipt;
  const place = `${revision === null ? '' : `第 ${revision} 版，`}第 ${position} 筆紀錄，編號 ${shortEventId(eventId)}。`;
  return {
    title: `收據：${KINDS[kind]}`,
    lines: [
      `時間：${taipeiTime(at)}（臺灣時間）。`,
      '用途：找店家時的飲食條件。',
      place,
      ...(noticeVersion === null ? [] : [`當時看到的說明：${noticeVersion}。`]),
      ...whatItProves(receipt),
      inForceLine(inForce),
      pageLine(link),
    ],
    buttons: [...pageButton('打開頁面下載收據', link), RECORDS, ...ways(inForce)],
    typing: TYPING,
    summary: '收據的摘要在上面的文字訊息。',
  };
}

/** The ledger could not be read as it should be; nothing is told of it. */
export function unreadableSheet(): Sheet {
  return {
    title: '紀錄現在讀不出來',
    lines: [
      '帳本裡有一筆紀錄讀不出來，所以這次不顯示，免得說錯。這不代表沒有紀錄，也沒有改變任何東西。',
      '請告訴提供這項服務的人；忘記照常可用。',
    ],
    buttons: [INSPECT, FORGET, OTHER],
    typing: TYPING,
  };
}
