/**
 * What a person is told about their preference. 記住 in the past tense stands only where the ledger says so.
 * @module
 */
import type { Answer, ConsentCard, InForce } from '../../../commands/answers.ts';
import type { CardRefusal } from '../../../commands/card.ts';
import { PROPOSAL_VALIDITY_SECONDS } from '../../../commands/decide.ts';
import type { StaleCause, Undecided } from '../../../commands/outcomes.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../../events/purposes.ts';
import { CHOOSE, CORRECT, FORGET, INSPECT, memoryButtons, memoryTyping, OTHER, valueButtons } from './buttons.ts';
import { LineLimitExceeded, plain } from './limits.ts';
import type { Button, Sheet } from './sheet.ts';

type MemoryAnswer = Extract<Answer, { status: 'memory' }>;
type Inspected = Extract<Answer, { status: 'memory_inspected' }>;
type Operation = ConsentCard['operation'];

const REMEMBER_AGAIN = '想設定，請再說一次，例如「以後優先找蔬食，幫我記住」，會出現新的卡片。';
const FORGET_AGAIN = '想忘記，按「忘記偏好」或輸入「忘記我的飲食偏好」就好，不需要卡片。';
const TYPING_UNDECIDED = '也可以直接打字：我的偏好、忘記我的飲食偏好';
const NOTHING_CHANGED = '這次沒有改變任何東西。';

const taipei = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Asia/Taipei',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** A moment as date and time in Taipei, whatever zone the server stands in. `at` in Unix milliseconds. */
function inTaipei(at: number): { date: string; time: string } {
  const [date = '', time = ''] = taipei.format(at).split(' ');
  return { date, time };
}

/** A value in Chinese; one this version does not know is said to be so, never guessed. */
export function valueLabel(value: string): string {
  return labelOf(DIET_FOR_PLACE_SEARCH, value) ?? '這個版本無法顯示的條件';
}

/** The end of an event's id: its start is a time and alike for neighbours. */
export function shortEventId(eventId: string): string {
  return `…${plain(eventId, 36).slice(-8)}`;
}

/** What is in force, as one sentence. */
export function inForceLine(inForce: InForce): string {
  if (inForce === null) return '目前沒有記住任何飲食條件。';
  return `目前記住的條件：${valueLabel(inForce.value)}（第 ${inForce.revision} 版）。`;
}

function told(
  title: string,
  lines: readonly string[],
  inForce: InForce,
  buttons: readonly Button[] = memoryButtons(inForce),
): Sheet {
  return { title, lines, buttons, typing: memoryTyping(inForce) };
}

const CARD_TITLES: Readonly<Record<Operation, string>> = {
  save: '是否同意記住？',
  correct: '是否同意更正？',
  forget: '確認忘記飲食偏好',
};

const STILL: Readonly<Record<Operation, string>> = {
  save: '現在還沒有儲存，同意後才會。',
  correct: '新的條件還沒有儲存，同意前不會改變。',
  forget: '現在還沒有刪除，確認後才會。',
};

/**
 * The consent card: what it would do, the notice in the registry's words, until when, and the two buttons.
 * @throws LineLimitExceeded for a value without a label: nobody can agree to what is not shown.
 */
export function consentSheet({ card, inForce }: Extract<Answer, { status: 'awaiting_memory_consent' }>): Sheet {
  const label = card.value === null ? undefined : labelOf(DIET_FOR_PLACE_SEARCH, card.value);
  if (card.operation !== 'forget' && label === undefined) throw new LineLimitExceeded('card: a value with a label');
  const { date, time } = inTaipei(card.expiresAt);
  const offer = card.operation === 'forget' ? '要忘記的是：你的飲食條件' : `飲食條件：${label}`;
  const still = STILL[card.operation] + (card.operation === 'save' ? '' : inForceLine(inForce));
  const notice = card.operation === 'forget' ? `這項記憶的說明：「${card.noticeText}」` : card.noticeText;
  return {
    title: CARD_TITLES[card.operation],
    lines: [offer, still, notice, `這張卡 ${time} 前有效（${date}，臺灣時間）。`],
    buttons: [
      {
        label: card.operation === 'forget' ? '確認忘記' : '同意記住',
        does: { entry: 'approve', token: card.token },
        displayText: card.operation === 'forget' ? '確認忘記' : '同意記住',
      },
      { label: '先不要', does: { entry: 'cancel', token: card.token }, displayText: '先不要' },
    ],
    typing:
      card.operation === 'forget'
        ? '打「好」不會算數；也可以直接輸入「忘記我的飲食偏好」。'
        : '打「好」不會算同意，請按按鈕；不按就什麼都不會改變，到時自動失效。',
  };
}

/** What a decision came to. */
export function memorySheet(answer: MemoryAnswer): Sheet {
  const { outcome, inForce, operation } = answer;
  const now = inForceLine(inForce);
  switch (outcome.outcome) {
    case 'memory_saved':
    case 'memory_corrected':
      return keptSheet(outcome.outcome, outcome.revision, inForce);
    case 'memory_forgotten':
      return outcome.forgetsRevision === null ? onlyCardClosedSheet(answer) : forgottenSheet(answer);
    case 'memory_proposal_cancelled':
      return told('這張卡已取消', ['沒有記住新的條件，也沒有刪除任何東西。', now], inForce);
    case 'already_applied':
      return told(
        '這張卡先前已經生效',
        [
          '重複按不會再改變任何東西。',
          now,
          ...(inForce === null ? [] : ['如果是想收回：生效後「先不要」不能收回，請按「忘記偏好」。']),
        ],
        inForce,
      );
    case 'already_cancelled':
      return told('這張卡先前已經取消', [NOTHING_CHANGED, now], inForce);
    case 'already_effective':
      return told(
        '這個條件已經在使用',
        [
          now,
          `不用再同意一次。${outcome.cancelledProposalId === null ? '' : '先前那張還沒決定的卡片，也一併取消了。'}`,
        ],
        inForce,
      );
    case 'proposal_closed':
      return told('這則訊息先前已經處理過', [`不會再開一張卡。${now}`, REMEMBER_AGAIN], inForce);
    case 'nothing_to_forget':
      return told('沒有東西需要忘記', [`${now}也沒有等你決定的卡片。`, ...scopeLine(answer.erasureScope)], inForce);
    case 'no_open_proposal':
      return told('沒有等你決定的卡片', [now], inForce);
    case 'expired_memory_card':
      return deadCardSheet(
        '這張卡過期了',
        `卡片只在 ${PROPOSAL_VALIDITY_SECONDS / 60} 分鐘內有效，這張已經超過。`,
        operation,
        inForce,
      );
    case 'stale_memory_card':
      return deadCardSheet('這張卡已失效', STALE_CAUSES[outcome.cause], operation, inForce);
  }
}

const STALE_CAUSES: Readonly<Record<StaleCause, string>> = {
  superseded: '後來又出了一張較新的卡片，取代了這張。',
  cancelled: '這張卡先前已經取消（按了「先不要」、收回了訊息，或重說了使用中的條件）。',
  forgotten: '這張卡之後，你要求過忘記，所以它不能再把條件加回來。',
  corrected: '這張卡同意過的條件，後來已經改成別的。',
  revision_moved: '這張卡發出之後，你的偏好又變動過。',
  history_differs: '這張卡和帳本的紀錄對不起來，所以不採用，並已向維運人員發出警示。',
};

function keptSheet(outcome: 'memory_saved' | 'memory_corrected', revision: number, inForce: InForce): Sheet {
  if (inForce?.revision !== revision) {
    return told('你的同意已經生效，之後又有變動', [`你同意的是第 ${revision} 版。`, inForceLine(inForce)], inForce);
  }
  const label = valueLabel(inForce.value);
  const erased = DIET_FOR_PLACE_SEARCH.correctedValue === 'erase_at_once' ? ['舊的條件已經刪除。'] : [];
  return told(
    outcome === 'memory_saved' ? `已記住：${label}` : `已改成：${label}`,
    [
      ...(outcome === 'memory_saved' ? [] : erased),
      '之後找店家，你沒說飲食條件時就用這一項；當次說的永遠優先。',
      `這是第 ${revision} 版。`,
    ],
    inForce,
  );
}

function scopeLine(scope: MemoryAnswer['erasureScope']): readonly string[] {
  return scope === 'all' ? ['這次是「忘記全部」：LOCAL 為了傳訊息給你而留的加密地址，也在刪除範圍內。'] : [];
}

const OUTSIDE_THE_PROMISE =
  '這個承諾管不到：已在 LINE 裡的訊息（包括舊卡片）；備份，要到期才消失；若用了模型，你打的字由模型提供者依它的期限保留；已經送出的服務詢問。';

/** Nothing was in force: a forget then only ends what was offered. */
function onlyCardClosedSheet({ inForce, erasureScope }: MemoryAnswer): Sheet {
  return told(
    '本來就沒有使用中的飲食條件',
    [
      '所以沒有條件可以刪除；還沒決定的卡片已經關閉，不能再用它同意。只留下一筆不含內容的紀錄，用來擋住舊卡。',
      ...scopeLine(erasureScope),
      inForce === null ? inForceLine(null) : `之後你又同意了新的條件。${inForceLine(inForce)}`,
      OUTSIDE_THE_PROMISE,
    ],
    inForce,
  );
}

function forgottenSheet({ inForce, erasureScope }: MemoryAnswer): Sheet {
  return told(
    inForce === null ? '已忘記你的飲食偏好' : '忘記已完成，之後你又同意了新的條件',
    [
      '從現在起不再使用被忘記的條件，舊卡片也不能把它加回來。只留下一筆不含內容的紀錄，用來擋住舊卡。',
      ...scopeLine(erasureScope),
      ...(inForce === null ? [] : [inForceLine(inForce)]),
      OUTSIDE_THE_PROMISE,
    ],
    inForce,
  );
}

function deadCardSheet(title: string, cause: string, operation: Operation | null, inForce: InForce): Sheet {
  const next =
    operation === 'forget'
      ? [FORGET_AGAIN]
      : operation === null && inForce !== null
        ? [REMEMBER_AGAIN, FORGET_AGAIN]
        : [REMEMBER_AGAIN];
  const change = inForce === null ? CHOOSE : CORRECT;
  const buttons = operation === 'forget' ? [FORGET, INSPECT] : [INSPECT, change, ...(inForce === null ? [] : [FORGET])];
  return told(title, [cause, NOTHING_CHANGED, inForceLine(inForce), ...next], inForce, buttons);
}

const OPEN_CARDS: Readonly<Record<Operation, string>> = { save: '記住', correct: '更正', forget: '忘記' };

const INSPECTED: Readonly<Record<Inspected['because'], readonly [title: string, lines: readonly string[]]>> = {
  asked: ['你的飲食偏好', []],
  bare_yes: ['你的飲食偏好', ['打「好」或「確認」不會同意任何卡片，也沒有改變任何東西。']],
  refused: ['好，沒有記住任何新的條件', []],
};

/** What is in force and what is open. */
export function inspectedSheet({ inForce, open, because }: Inspected): Sheet {
  const [title, first] = INSPECTED[because];
  const lines = [
    ...first,
    inForceLine(inForce),
    ...(inForce === null ? [] : ['只用在之後幫你找店家；直到你更正或忘記為止。']),
  ];
  if (open === null) {
    return told(title, [...lines, '沒有等你決定的卡片。'], inForce);
  }
  const { date, time } = inTaipei(open.expiresAt);
  return told(
    title,
    [...lines, `有一張「${OPEN_CARDS[open.operation]}」的卡片等你按，${time} 前有效（${date}，臺灣時間）。`],
    inForce,
    [INSPECT, inForce === null ? CHOOSE : CORRECT, FORGET],
  );
}

/** Why a condition was used without being said. */
export function explainedSheet(inForce: InForce): Sheet {
  if (inForce === null) {
    return told(
      '為什麼知道你的條件',
      [inForceLine(null), '所以 LOCAL 不會自己加上條件；你當次說的條件，只用在那一次。'],
      null,
    );
  }
  return told(
    '為什麼知道你的條件',
    [
      inForceLine(inForce),
      '來源：你按過卡片上的同意，不是從聊天猜的。',
      `依據：第 ${inForce.revision} 版，紀錄編號 ${shortEventId(inForce.eventId)}。`,
      '只在找店家、而你沒說飲食條件時使用。',
    ],
    inForce,
  );
}

/** Which condition instead. */
export function updateSheet(inForce: InForce): Sheet {
  return {
    title: inForce === null ? '想設定哪一種飲食條件？' : '想改成哪一種？',
    lines: [inForceLine(inForce), '選了之後會先出現同意卡；按同意之前不會改變。'],
    buttons: [...valueButtons(inForce?.value ?? null), ...(inForce === null ? [] : [FORGET])],
    typing: '也可以直接打字：改成蛋奶素、忘記我的飲食偏好',
  };
}

const REFUSED_CARDS: Readonly<Record<CardRefusal, readonly [title: string, cause: string]>> = {
  invalid_memory_card: ['這張卡不能使用', '這張卡無法確認，所以沒有採用。'],
  unreadable_memory_card: ['這張卡太舊了', '這張卡的格式已經不再使用，讀不出來。'],
};

/** A card that was not opened; says nothing about anybody's preference. */
export function refusedCardSheet(status: CardRefusal): Sheet {
  const [title, cause] = REFUSED_CARDS[status];
  return {
    title,
    lines: [cause, NOTHING_CHANGED, REMEMBER_AGAIN, FORGET_AGAIN],
    buttons: [INSPECT, FORGET],
    typing: TYPING_UNDECIDED,
  };
}

/** Not decided: nothing is promised either way. */
export function undecidedSheet(status: Undecided['outcome']): Sheet {
  const [title, lines]: [string, string[]] =
    status === 'busy'
      ? ['現在有點忙', ['這次沒有完成，也沒有改變任何東西。', '請過一會兒再試一次。']]
      : [
          '還不確定',
          ['這次的操作可能完成了，也可能沒有，現在還查不出來。', '請過一會兒按「我的偏好」，以那時看到的為準。'],
        ];
  return { title, lines, buttons: [INSPECT, OTHER], typing: TYPING_UNDECIDED };
}
