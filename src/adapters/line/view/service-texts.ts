/**
 * The menu, the questions back, and the answers that say what LOCAL could not do.
 * @module
 */
import type { Answer } from '../../../commands/answers.ts';
import type { Diet } from '../../../commands/catalog.ts';
import type { Unanswered } from '../../../commands/tools.ts';
import {
  CHOOSE,
  EVENTS,
  INSPECT,
  LOOK_UP,
  MENU,
  OTHER,
  PLACES,
  RETRY,
  shortLabel,
  TYPING_MENU,
  valueButtons,
} from './buttons.ts';
import { plain } from './limits.ts';
import { inForceLine, valueLabel } from './memory-texts.ts';
import type { Button, Sheet } from './sheet.ts';

/** Township buttons on one page of the menu. */
const AREAS_ON_PAGE = 13;

const UNANSWERED_LINES: Readonly<Record<Unanswered, string>> = {
  opening_hours: '營業時間：名單有記錄的才寫得出來，其他是未知；現在營業與否，請另確認。',
  accessibility: '無障礙：沒寫到的是未知，不代表沒有，也不代表可以通行；請向店家或主辦單位另確認。',
  walking_distance: '步行距離：LOCAL 沒有步行路線資料，最多只能說直線距離。',
  parking: '停車：LOCAL 沒有停車資料。',
  transport: '交通與接駁：LOCAL 沒有班次或接駁資料。',
  booking: '預約：LOCAL 沒有預約功能，也沒有替你預約。',
};

/** The parts of a message that were not answered, each with what is so. */
export function unansweredLines(unanswered: readonly Unanswered[]): readonly string[] {
  return [...new Set(unanswered)].map((part) => UNANSWERED_LINES[part]);
}

function menuLike(title: string, lines: readonly string[], buttons: readonly Button[] = MENU): Sheet {
  return { title, lines, buttons, typing: TYPING_MENU };
}

/** The menu; the place where the running build can be read. */
export function menuSheet(status: 'menu' | 'welcome', buildId: string): Sheet {
  const build = `版本 ${plain(buildId, 40)}`;
  if (status === 'menu') {
    return menuLike('先選這次要做什麼', [
      '可以查活動、找蔬食店，也可以查看、更正或忘記你的飲食偏好。LOCAL 沒有預約功能。',
      build,
    ]);
  }
  return menuLike('你好，我是 LOCAL', [
    '我幫你查彰化的活動和蔬食店。',
    '只有你在卡片上按了同意，我才會記住飲食條件；隨時可以查看、更正、忘記。曾經同意過的，用「我的偏好」就看得到。',
    build,
  ]);
}

/** Outside what LOCAL does, with the parts that were asked for. */
export function unsupportedSheet(unanswered: readonly Unanswered[]): Sheet {
  const nothingOfTheKind = unanswered.some((part) => part === 'parking' || part === 'booking' || part === 'transport');
  return menuLike('這項需求超出 LOCAL 目前的服務範圍', [
    ...(nothingOfTheKind ? ['沒有停車查詢或預約功能。'] : []),
    ...unansweredLines(unanswered),
    '這些 LOCAL 做得到：',
  ]);
}

/** The search could not be made; says nothing about what it would have found. */
export function unavailableSheet(what: string): Sheet {
  return {
    title: '這次暫時查不了',
    lines: [`${what}這不代表沒有符合的資料。`, '你的偏好沒有改變，查看與忘記照常可用。'],
    buttons: [RETRY, LOOK_UP, ...MENU],
    typing: '也可以直接打字：重新輸入查詢條件、我的偏好、忘記我的飲食偏好',
  };
}

/** A button for each area that searches there. `said`: the condition of this turn, which the button carries on. */
export function areaButtons(areas: readonly string[], said: Diet | ''): readonly Button[] {
  return areas.map((area) => ({
    label: plain(area, 20),
    does: { entry: 'places', area, dietary_type: said, keyword: '', near: null, page: 0 },
    displayText: plain(`${area}的蔬食店`, 40),
  }));
}

/** One page of the townships; a page that is not there is the last. */
export function chooseAreaSheet({ areas, page }: Extract<Answer, { status: 'choose_area' }>): Sheet {
  const pages = Math.max(1, Math.ceil(areas.length / AREAS_ON_PAGE));
  const shown = Math.min(page, pages - 1);
  const next = (shown + 1) % pages;
  const more: Button = {
    label: '其他鄉鎮',
    does: { entry: 'choose_area', page: next },
    displayText: '其他鄉鎮',
  };
  return {
    title: '想找哪個鄉鎮？',
    lines: [pages === 1 ? '請選一個鄉鎮市。' : `請選一個鄉鎮市（第 ${shown + 1}／${pages} 頁）。`],
    buttons: [
      ...areaButtons(areas.slice(shown * AREAS_ON_PAGE, (shown + 1) * AREAS_ON_PAGE), ''),
      ...(pages === 1 ? [] : [more]),
    ],
    typing: '也可以直接打字，例如：花壇有什麼蔬食店？',
  };
}

/** A condition that is no diet LOCAL knows. */
export function unknownDietSheet(said: string): Sheet {
  return {
    title: '這個飲食條件 LOCAL 還不認得',
    lines: [
      `你說的是「${plain(said, 40)}」，所以這次沒有查，也沒有記住。`,
      `認得的有：${valueButtons(null)
        .map(({ label }) => label)
        .join('、')}、不限。過敏與健康狀況請直接向店家確認。`,
    ],
    buttons: [PLACES, CHOOSE, OTHER],
    typing: '也可以直接打字，例如：花壇有什麼全素的店？',
  };
}

/** A question back; nothing was done. */
export function clarifySheet({ question, inForce }: Extract<Answer, { status: 'clarify' }>): Sheet {
  const still = inForce === null ? '現在還沒有儲存。' : `新的條件還沒有儲存。${inForceLine(inForce)}`;
  const choices = valueButtons(inForce?.value ?? null);
  const typing = '也可以直接打字，例如：以後優先找蔬食，幫我記住';
  switch (question) {
    case 'which_diet_to_remember':
      return {
        title: '想記住哪一種飲食條件？',
        lines: [`${still}選一種，會先出現同意卡。`],
        buttons: choices,
        typing,
      };
    case 'this_time_or_always':
      return {
        title: '只有這次，還是以後都用？',
        lines: [
          still,
          '只有這次：直接說鄉鎮和條件，例如「花壇有什麼蔬食店？」，不會記下來。',
          '以後都用：選一種，會先出現同意卡。',
        ],
        buttons: [PLACES, ...choices],
        typing,
      };
    case 'one_thing_at_a_time':
      return menuLike('請一次說一件事', ['這則訊息有好幾件事，我怕弄錯，所以都還沒有做。', '請分開再說一次。']);
    case 'whose_diet':
      return {
        title: '這是要用在這個帳號的條件嗎？',
        lines: [
          `${still}LOCAL 只能替這個帳號記一項飲食條件，不記別人是誰，也不記長輩的姓名、年齡或健康狀況。`,
          '如果以後這個帳號找店家都要用，請選一種，會先出現同意卡；只用這一次，就直接查。',
        ],
        buttons: [...choices, PLACES],
        typing,
      };
    case 'what_to_do':
      return menuLike('想請我做什麼呢？', ['我還不確定你的意思，所以什麼都還沒有做。']);
  }
}

/** The search ran; the wish to remember needs a sentence of its own. */
export function rememberSeparatelySheet(value: string): Sheet {
  const word = shortLabel(valueLabel(value));
  const sentence = `以後優先找${word}，幫我記住`;
  return {
    title: '要記住的部分，請再說一次',
    lines: ['這次只做了查詢；記住的部分還沒有處理，也沒有儲存。', `按按鈕會送出「${sentence}」，接著出現同意卡。`],
    buttons: [{ label: `提出記住${word}`, does: { say: sentence } }, OTHER],
    typing: `也可以直接打字：${sentence}`,
  };
}

const DOCUMENT_LINES: Readonly<Record<Extract<Answer, { status: 'document_unavailable' }>['because'], string>> = {
  too_long: '文件最多 800 個字，這份太長，所以整份都沒有讀，也沒有截短。請只貼需要查的段落。',
  empty: '「讀文件：」後面沒有內容。',
  nothing_found: '這份文件裡沒有讀到彰化的鄉鎮市，所以不知道要查哪裡。',
  not_read: '這次沒有讀成，請過一會兒再試。',
};

/** A document was not searched from; what it says was neither followed nor kept for later. */
export function documentUnavailableSheet(
  because: Extract<Answer, { status: 'document_unavailable' }>['because'],
): Sheet {
  return menuLike('這份文件沒有查成', [
    DOCUMENT_LINES[because],
    '文件只會拿來查活動和店家；沒有改變你的偏好，也沒有替你做任何事。',
  ]);
}

/** The short answers that carry no facts of their own. */
export function plainSheet(
  status:
    | 'search_separately'
    | 'model_budget_exhausted'
    | 'document_action_denied'
    | 'unsupported_message'
    | 'retry_guide'
    | 'service_request_unavailable'
    | 'preference_changed'
    | 'say_again'
    | 'one_to_one_only',
): Sheet {
  switch (status) {
    case 'unsupported_message':
      return menuLike('這則訊息我沒辦法處理', ['可能是貼圖、圖片、太長的文字，或舊版的按鈕。什麼都沒有改變。']);
    case 'search_separately':
      return menuLike('查詢的部分，請再說一次', ['這次只處理了要記住的部分；查店家或活動的部分還沒有查。']);
    case 'model_budget_exhausted':
      return menuLike('今天的自由提問次數用完了', [
        '剛才那則訊息沒有讀，也沒有做任何事；台北時間午夜過後可以再直接打字問。',
        '按鈕和固定文字不算次數，現在照常可用：',
      ]);
    case 'document_action_denied':
      return menuLike('這份文件要求了查詢以外的事，所以沒有照做', [
        '文件裡的要求不算你的要求：沒有改變你的偏好，沒有出示同意卡，也沒有建立任何詢問。',
        '想查什麼，請用自己的話再說一次。',
      ]);
    case 'retry_guide':
      return menuLike(
        '請重新輸入查詢條件',
        ['請說鄉鎮和想找什麼，例如「花壇有什麼蔬食店？」。先前打的內容不會自動重送。'],
        [EVENTS, PLACES, OTHER],
      );
    case 'service_request_unavailable':
      return menuLike(
        '這裡還沒有開放服務詢問',
        ['沒有建立任何詢問，也沒有通知任何人，所以也沒有單據可以查。', '目前可以查活動、找蔬食店、管理你的飲食偏好。'],
        [EVENTS, PLACES, INSPECT],
      );
    case 'preference_changed':
      return menuLike(
        '你的偏好剛剛有變動',
        ['為了不用到舊的條件，這次的結果沒有採用。', '請再查一次。'],
        [INSPECT, PLACES, OTHER],
      );
    case 'say_again':
      return menuLike('請再說一次', [
        '剛才那則訊息在處理之前就清掉了（中間有一次忘記或收回），所以沒有讀到，也沒有做任何事。',
      ]);
    case 'one_to_one_only':
      return {
        title: '請到和 LOCAL 的一對一聊天室使用',
        lines: ['群組裡不處理個人的偏好，也不會顯示同意卡。這裡沒有改變任何東西。'],
        buttons: [],
        typing: null,
      };
  }
}
