/**
 * Which parts of a message ask for what LOCAL has no data or service for.
 * @module
 */
import { UNANSWERED, type Unanswered } from '../../commands/tools.ts';
import { hasAny, masked } from './spoken-text.ts';

const ASKED_BY: Readonly<Record<Unanswered, readonly string[]>> = {
  opening_hours: [
    '有開',
    '沒開',
    '還開',
    '開著',
    '開門',
    '營業',
    '打烊',
    '公休',
    '店休',
    '幾點開',
    '幾點關',
    '開到',
    '有沒有開',
    '開了嗎',
    '關門',
  ],
  accessibility: [
    '輪椅',
    '無障礙',
    '推車',
    '坡道',
    '斜坡',
    '電梯',
    '行動不便',
    '娃娃車',
    '嬰兒車',
    '助行器',
    '拐杖',
    '階梯',
    '樓梯',
  ],
  walking_distance: [
    '走多久',
    '走多遠',
    '少走',
    '走路',
    '步行',
    '最近的',
    '最近那',
    '最近在',
    '家最近',
    '間最近',
    '比較近',
    '多遠',
    '距離',
    '幾公里',
    '走幾分',
  ],
  parking: ['停車', '車位', '停哪'],
  transport: ['接駁', '公車', '客運', '火車', '高鐵', '捷運', '計程車', '搭車', '怎麼去', '怎麼走', '搭什麼', '怎麼到'],
  booking: [
    '預約',
    '訂位',
    '預訂',
    '訂餐',
    '訂便當',
    '外帶',
    '帶走',
    '外送',
    '點餐',
    '幫我報名',
    '要報名',
    '想報名',
    '幫我訂',
    '幫我買',
    '幫我點',
    '代訂',
  ],
};
/** Words in which the above means something else. */
const SOMETHING_ELSE = ['開始', '有開放', '開放報名', '最近的活動', '最近的場次', '有開辦', '有開課'];

/** The parts, in the order of the closed list. Takes folded text. */
export function unansweredIn(text: string): Unanswered[] {
  const readable = masked(text, SOMETHING_ELSE);
  return UNANSWERED.filter((part) => hasAny(readable, ASKED_BY[part]));
}

/** The words that ask for one of the parts, for taking them out of a text. */
export const BEYOND_WORDS: readonly string[] = Object.values(ASKED_BY).flat();
