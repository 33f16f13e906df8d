/**
 * The facts of a turn's answers as LINE messages; pure, so that the same answer always looks the same.
 * @module
 */
import type { messagingApi } from '@line/bot-sdk';
import type { Answer, ConsentCard } from '../../../commands/answers.ts';
import { CARD_TOKEN_LENGTH_MAX } from '../../../commands/card.ts';
import { currentNotice, DIET_FOR_PLACE_SEARCH } from '../../../events/purposes.ts';
import { eventsSheet } from './event-texts.ts';
import { LIMITS, LineLimitExceeded, withinLimits } from './limits.ts';
import {
  consentSheet,
  explainedSheet,
  inspectedSheet,
  memorySheet,
  refusedCardSheet,
  undecidedSheet,
  updateSheet,
} from './memory-texts.ts';
import { placesSheet } from './place-texts.ts';
import { receiptSheet, recordsSheet, unreadableSheet } from './record-texts.ts';
import {
  chooseAreaSheet,
  clarifySheet,
  documentUnavailableSheet,
  menuSheet,
  plainSheet,
  rememberSeparatelySheet,
  unavailableSheet,
  unknownDietSheet,
  unsupportedSheet,
} from './service-texts.ts';
import { type Sheet, toMessages } from './sheet.ts';

export type ViewContext = {
  /** The running build, shown with the menu. */
  readonly buildId: string;
  /** Told of an answer that did not fit and was replaced; its message names the rule and holds no content. */
  readonly onOversized?: (error: Error) => void;
};

/**
 * The messages that tell the answers, in order: none for no answer, at most five. An answer that LINE would refuse is
 * replaced by a text that says so and how to go on; what no longer fits in five messages is named, not dropped in silence.
 */
export function view(answers: readonly Answer[], context: ViewContext): messagingApi.Message[] {
  const told = answers.map((answer) => messagesOf(answer, context));
  if (told.flat().length <= LIMITS.messages) return told.flat();
  context.onOversized?.(new LineLimitExceeded(`messages: at most ${LIMITS.messages} messages`));
  const kept: messagingApi.Message[] = [];
  let left = 0;
  for (const messages of told) {
    if (left === 0 && kept.length + messages.length < LIMITS.messages) kept.push(...messages);
    else left += 1;
  }
  return [...kept, { type: 'text', text: `還有 ${left} 個部分放不進這次的回覆，請分開再問一次。` }];
}

function messagesOf(answer: Answer, context: ViewContext): messagingApi.Message[] {
  try {
    return compose(answer, context);
  } catch (error) {
    if (!(error instanceof LineLimitExceeded || error instanceof RangeError)) throw error;
    context.onOversized?.(error);
    return [{ type: 'text', text: oversizedText(answer) }];
  }
}

function oversizedText(answer: Answer): string {
  return answer.status === 'awaiting_memory_consent'
    ? '這張確認卡這次做不出來，所以沒有顯示；沒有儲存或刪除任何東西。請過一會兒再說一次，或輸入「我的偏好」查看。'
    : '這次的回覆放不進 LINE 的訊息，所以沒有顯示。請輸入「我的偏好」看現在的狀態，或輸入「功能」重新開始。';
}

/**
 * The messages of one answer.
 * @throws LineLimitExceeded or RangeError when LINE would refuse them; {@link view} answers in their place then.
 */
export function compose(answer: Answer, context: Pick<ViewContext, 'buildId'>): messagingApi.Message[] {
  return withinLimits(toMessages(sheetOf(answer, context)));
}

function sheetOf(answer: Answer, { buildId }: Pick<ViewContext, 'buildId'>): Sheet {
  switch (answer.status) {
    case 'menu':
    case 'welcome':
      return menuSheet(answer.status, buildId);
    case 'unsupported':
      return unsupportedSheet(answer.unanswered);
    case 'choose_area':
      return chooseAreaSheet(answer);
    case 'memory_inspected':
      return inspectedSheet(answer);
    case 'memory_explained':
      return explainedSheet(answer.inForce);
    case 'memory_update_prompt':
      return updateSheet(answer.inForce);
    case 'my_records':
      return recordsSheet(answer);
    case 'my_receipt':
      return receiptSheet(answer);
    case 'records_unreadable':
      return unreadableSheet();
    case 'awaiting_memory_consent':
      return consentSheet(answer);
    case 'memory':
      return memorySheet(answer);
    case 'invalid_memory_card':
    case 'unreadable_memory_card':
      return refusedCardSheet(answer.status);
    case 'busy':
    case 'outcome_unknown':
      return undecidedSheet(answer.status);
    case 'places':
      return placesSheet(answer);
    case 'events':
      return eventsSheet(answer);
    case 'unknown_diet':
      return unknownDietSheet(answer.said);
    case 'clarify':
      return clarifySheet(answer);
    case 'remember_separately':
      return rememberSeparatelySheet(answer.value);
    case 'document_unavailable':
      return documentUnavailableSheet(answer.because);
    case 'query_unavailable':
      return unavailableSheet('這次沒有查成，');
    default:
      return plainSheet(answer.status);
  }
}

/**
 * Composes the longest card of every kind: to be called at start-up, so that a longer notice or token stops the start and
 * not a person's consent.
 * @throws LineLimitExceeded or RangeError when one does not fit.
 */
export function assertLongestCardFits(): void {
  const token = 'A'.repeat(CARD_TOKEN_LENGTH_MAX);
  const noticeText = currentNotice(DIET_FOR_PLACE_SEARCH).text;
  for (const { value } of DIET_FOR_PLACE_SEARCH.values) {
    for (const operation of ['save', 'correct', 'forget'] as const) {
      const card: ConsentCard = {
        operation,
        value: operation === 'forget' ? null : value,
        noticeText,
        expiresAt: 2 ** 48 - 1,
        token,
      };
      const inForce = { value, revision: 1_000_000_000, eventId: '0'.repeat(36) };
      compose({ status: 'awaiting_memory_consent', card, inForce }, { buildId: '' });
    }
  }
}
