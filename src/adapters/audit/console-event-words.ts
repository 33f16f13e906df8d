/**
 * Events, reasons and methods in words, in the console's two languages.
 * @module
 */
import type { ReadRoute } from '../../events/access-kinds.ts';
import type { RefusalReason } from '../../events/kinds.ts';
import type { CardEnd } from '../../projections/history.ts';
import type { RecordedEvent } from '../../events/envelope.ts';
import type { Language } from './console-words.ts';

type Both = Readonly<Record<Language, string>>;

/** What an event is drawn as. */
export type Mark = 'offered' | 'agreed' | 'corrected' | 'cancelled' | 'forgotten' | 'refused' | 'looked' | 'unknown';

/** The mark of an event's type. */
export function markOf(type: string): Mark {
  switch (type) {
    case 'preference.proposed':
      return 'offered';
    case 'preference.approved':
      return 'agreed';
    case 'preference.corrected':
      return 'corrected';
    case 'preference.cancelled':
      return 'cancelled';
    case 'preference.forgotten':
      return 'forgotten';
    case 'card.refused':
      return 'refused';
    case 'access.read':
      return 'looked';
    default:
      return 'unknown';
  }
}

const TITLES: Readonly<Record<Mark, Both>> = {
  offered: { 'zh-TW': '提出卡片', en: 'Card offered' },
  agreed: { 'zh-TW': '本人同意', en: 'Agreed' },
  corrected: { 'zh-TW': '本人更正', en: 'Corrected' },
  cancelled: { 'zh-TW': '卡片取消', en: 'Card cancelled' },
  forgotten: { 'zh-TW': '忘記', en: 'Forgotten' },
  refused: { 'zh-TW': '擋下卡片', en: 'Card refused' },
  looked: { 'zh-TW': '查看', en: 'Looked at' },
  unknown: { 'zh-TW': '不認得的事件', en: 'Unknown event' },
};

/** A short name of what happened. */
export function titleOf(type: string, language: Language): string {
  return TITLES[markOf(type)][language];
}

const OPERATIONS: Readonly<Record<'save' | 'correct' | 'forget', Both>> = {
  save: { 'zh-TW': '記住', en: 'remember' },
  correct: { 'zh-TW': '更正', en: 'correct' },
  forget: { 'zh-TW': '忘記', en: 'forget' },
};
/** What a card asks for. */
export function operationOf(operation: keyof typeof OPERATIONS, language: Language): string {
  return OPERATIONS[operation][language];
}

const REASONS: Readonly<Record<RefusalReason, Both>> = {
  expired: { 'zh-TW': '過了有效時間', en: 'it had expired' },
  superseded: { 'zh-TW': '已被新的卡片取代', en: 'a newer card had replaced it' },
  cancelled: { 'zh-TW': '已經取消', en: 'it had been cancelled' },
  forgotten: { 'zh-TW': '之後已經忘記', en: 'everything was forgotten since' },
  corrected: { 'zh-TW': '之後已經更正', en: 'it was corrected since' },
  revision_moved: { 'zh-TW': '帳本已經走到別的版本', en: 'the ledger had moved to another revision' },
};
/** Why a card was refused. */
export function reasonOf(reason: RefusalReason, language: Language): string {
  return REASONS[reason][language];
}

const ENDS: Readonly<Record<CardEnd['end'], Both>> = {
  approved: { 'zh-TW': '本人同意了', en: 'the person agreed' },
  cancelled: { 'zh-TW': '取消了', en: 'it was cancelled' },
  superseded: { 'zh-TW': '被新的卡片取代', en: 'a newer card replaced it' },
  forgotten: { 'zh-TW': '隨著忘記一起結束', en: 'it ended with a forget' },
  expired: { 'zh-TW': '沒有決定，時間到了', en: 'nobody decided in time' },
  open: { 'zh-TW': '還等著決定', en: 'still waiting for a decision' },
};
/** What became of a card. */
export function endOf(end: CardEnd['end'], language: Language): string {
  return ENDS[end][language];
}

const METHODS: Readonly<Record<string, Both>> = {
  card: { 'zh-TW': '在卡片上按', en: 'on the card' },
  message: { 'zh-TW': '說了一句話', en: 'by a message' },
  button: { 'zh-TW': '按了按鈕', en: 'by a button' },
  unsend: { 'zh-TW': '收回訊息', en: 'by taking the message back' },
  fixed_entry: { 'zh-TW': '直接說「忘記」', en: 'by asking to forget' },
  api: { 'zh-TW': '由程式介面', en: 'through the API' },
};
/** How it was done. */
export function methodOf(method: string, language: Language): string {
  return METHODS[method]?.[language] ?? method;
}

const ROUTES: Readonly<Record<ReadRoute, Both>> = {
  overview: { 'zh-TW': '總覽', en: 'overview' },
  ledgers: { 'zh-TW': '帳本清單', en: 'list of ledgers' },
  ledger: { 'zh-TW': '一本帳本', en: 'one ledger' },
  history: { 'zh-TW': '歷史', en: 'history' },
  replay: { 'zh-TW': '重播', en: 'replay' },
  verify: { 'zh-TW': '驗證', en: 'verification' },
  verify_all: { 'zh-TW': '全部驗證', en: 'verification of all' },
  download: { 'zh-TW': '下載', en: 'download' },
};
/** What was looked at. */
export function routeOf(route: ReadRoute, language: Language): string {
  return ROUTES[route][language];
}

/** One sentence about an event: what it did, without any value. */
export function sentenceOf(event: RecordedEvent, language: Language): string {
  const zh = language === 'zh-TW';
  switch (event.type) {
    case 'preference.proposed': {
      const operation = operationOf(event.data.operation, language);
      const { validitySeconds } = event.data;
      return zh
        ? `提出一張「${operation}」卡，${validitySeconds} 秒內有效；還沒有改變什麼`
        : `A card to ${operation} was shown, valid for ${validitySeconds} s; nothing changed yet`;
    }
    case 'preference.approved':
      return zh ? `同意記住，成為第 ${event.data.revision} 版` : `Remembered as revision ${event.data.revision}`;
    case 'preference.corrected':
      return zh
        ? `換成另一項，成為第 ${event.data.revision} 版；舊的當場抹除`
        : `Another value became revision ${event.data.revision}; the old one was erased at once`;
    case 'preference.cancelled':
      return zh ? '卡片收起來，原本的內容不變' : 'The card was closed; what was in force stayed';
    case 'preference.forgotten':
      return zh
        ? `內容抹除，成為第 ${event.data.revision} 版`
        : `The content was erased; revision ${event.data.revision}`;
    case 'card.refused':
      return zh
        ? `擋下了：${reasonOf(event.data.reason, language)}；沒有改變什麼`
        : `Nothing changed: ${reasonOf(event.data.reason, language)}`;
  }
}
