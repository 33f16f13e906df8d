/**
 * The buttons that more than one answer offers, each with its fixed label.
 * @module
 */
import type { InForce } from '../../../commands/answers.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../events/purposes.ts';
import type { Button } from './sheet.ts';

export const INSPECT: Button = { label: '我的偏好', does: { entry: 'inspect' }, displayText: '我的偏好' };
export const CORRECT: Button = { label: '更正偏好', does: { entry: 'update' }, displayText: '更正偏好' };
export const CHOOSE: Button = { label: '設定偏好', does: { entry: 'update' }, displayText: '設定偏好' };
export const FORGET: Button = {
  label: '忘記偏好',
  does: { entry: 'forget', scope: 'purpose' },
  displayText: '忘記我的飲食偏好',
};
export const RECORDS: Button = { label: '我的紀錄', does: { entry: 'my_records' }, displayText: '我的紀錄' };
export const RECEIPT: Button = { label: '給我收據', does: { entry: 'my_receipt' }, displayText: '給我收據' };
export const EXPLAIN: Button = {
  label: '為什麼這樣查',
  does: { entry: 'explain' },
  displayText: '為什麼這樣查',
};
export const OTHER: Button = { label: '其他功能', does: { entry: 'menu' }, displayText: '功能' };
export const EVENTS: Button = { label: '查活動', does: { entry: 'events' }, displayText: '查活動' };
export const PLACES: Button = { label: '查蔬食', does: { entry: 'choose_area', page: 0 }, displayText: '查蔬食' };
export const OTHER_AREA: Button = { ...PLACES, label: '換個鄉鎮查詢', displayText: '換個鄉鎮查詢' };
export const ENQUIRY: Button = {
  label: '留下服務詢問',
  does: { entry: 'service_request' },
  displayText: '留下服務詢問',
};
export const LOOK_UP: Button = { ...ENQUIRY, label: '查原本單據', displayText: '查原本單據' };
/** Both send the fixed text that asks for the conditions again; nothing typed before is sent a second time. */
export const RETRY: Button = { label: '稍後重新查詢', does: { say: '重新輸入查詢條件' } };
export const RETYPE: Button = { label: '重新輸入條件', does: { say: '重新輸入查詢條件' } };

export const MENU: readonly Button[] = [EVENTS, PLACES, ENQUIRY];

/** What can be typed in place of the menu's buttons. */
export const TYPING_MENU = '也可以直接打字：查活動、查蔬食、留下服務詢問、我的偏好、忘記我的飲食偏好、功能';
const TYPING_IN_FORCE = '也可以直接打字：我的偏好、我的紀錄、給我收據、改成蛋奶素、忘記我的飲食偏好';
const TYPING_NOTHING = '也可以直接打字：我的偏好、我的紀錄、以後優先找蔬食，幫我記住';

/** What can be typed in place of the memory card's buttons. */
export function memoryTyping(inForce: InForce): string {
  return inForce === null ? TYPING_NOTHING : TYPING_IN_FORCE;
}

/** Look, correct and forget; while nothing is in force, look and choose. */
export function memoryButtons(inForce: InForce): readonly Button[] {
  return inForce === null ? [INSPECT, CHOOSE, OTHER] : [INSPECT, CORRECT, FORGET];
}

/** A button for each value but the one in force; each leads to a card and stores nothing. */
export function valueButtons(except: string | null): readonly Button[] {
  return DIET_FOR_PLACE_SEARCH.values
    .filter(({ value }) => value !== except)
    .map(({ value, label }) => ({
      label: shortLabel(label['zh-TW']),
      does: { entry: 'choose_value', value },
      displayText: `我想選${shortLabel(label['zh-TW'])}`,
    }));
}

/** A label without its bracketed note, as it is said in a sentence. */
export function shortLabel(label: string): string {
  return label.replace(/（.*）$/u, '');
}
