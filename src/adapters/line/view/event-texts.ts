/**
 * What a search for events found: the venue is not the meeting point, and a past event is called one.
 * @module
 */
import type { Answer } from '../../../commands/answers.ts';
import type { LocalEvent } from '../../../commands/catalog.ts';
import { ENQUIRY, EVENTS, OTHER, PLACES, RETYPE } from './buttons.ts';
import { accessibilityLine, sourceLines, unknownLine } from './field-labels.ts';
import { plain } from './limits.ts';
import { unansweredLines, unavailableSheet } from './service-texts.ts';
import type { Sheet } from './sheet.ts';

/** Events told in one answer. */
const EVENTS_TOLD_MAX = 10;

const SNAPSHOTS: Readonly<Record<LocalEvent['snapshot'], string>> = {
  historical_teaching_snapshot: '教學快照：已經過去的活動，不是現在的場次',
  current: '目前的活動資料',
};

/** The answer of a search for events. */
export function eventsSheet({ answer, unanswered }: Extract<Answer, { status: 'events' }>): Sheet {
  const parts = unansweredLines(unanswered);
  switch (answer.status) {
    case 'ok': {
      const told = answer.events.slice(0, EVENTS_TOLD_MAX);
      const more = answer.events.length - told.length;
      return {
        title: `名單上有 ${answer.events.length} 場活動`,
        lines: [
          ...told.map(eventParagraph),
          ...(more === 0 ? [] : [`還有 ${more} 場沒有列出；請加上日期或名稱再查一次。`]),
          ...parts,
          '出發前請向主辦單位確認。',
          ...(answer.sources.length === 0 ? [] : [['資料來源', ...sourceLines(answer.sources)].join('\n')]),
        ],
        buttons: [PLACES, ENQUIRY, OTHER],
        typing: '也可以直接打字：查蔬食、留下服務詢問、功能',
        summary: '活動資料在上面的文字訊息。',
      };
    }
    case 'no_data':
      return {
        title: '這份快照沒有符合資料',
        lines: ['查完了，活動名單裡沒有符合的；這不代表當地沒有活動。', ...parts],
        buttons: [EVENTS, RETYPE, OTHER],
        typing: '也可以直接打字：查活動、重新輸入查詢條件、功能',
      };
    case 'unavailable': {
      const sheet = unavailableSheet('活動資料暫時讀不到，');
      return { ...sheet, lines: [...sheet.lines, ...parts] };
    }
  }
}

function eventParagraph(event: LocalEvent, index: number): string {
  const meeting = (label: string, value: string | null) =>
    `${label}：${value === null ? '這份資料沒有提供' : plain(value, 80)}`;
  return [
    `${index + 1}. ${plain(event.name, 80) || '（名稱無法顯示）'}｜${plain(event.area, 40)}`,
    SNAPSHOTS[event.snapshot],
    `日期：${plain(event.date, 20)}`,
    ...(event.time === null ? [] : [`時間：${plain(event.time, 40)}`]),
    ...(event.venue === null ? [] : [`活動地點：${plain(event.venue, 80)}`]),
    meeting('集合時間', event.meetingTime),
    meeting('集合地點', event.meetingPoint),
    ...accessibilityLine(event.accessibility),
    ...unknownLine(
      '未提供（未知）',
      event.unknownFields.filter((field) => field !== 'meetingTime' && field !== 'meetingPoint'),
    ),
  ].join('\n');
}
