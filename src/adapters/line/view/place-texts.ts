/**
 * What a search for places found, under which condition, from which list, and what nobody recorded.
 * @module
 */
import type { Answer } from '../../../commands/answers.ts';
import type { Diet, Location, Place, PlaceAnswer, Source } from '../../../commands/catalog.ts';
import type { Entry } from '../../../commands/entries.ts';
import { fitsPostback } from '../postback.ts';
import { CORRECT, EXPLAIN, INSPECT, OTHER, OTHER_AREA, PLACES, RETYPE } from './buttons.ts';
import { accessibilityLine, sourceLines, sourceNumbers, unknownLine } from './field-labels.ts';
import { plain } from './limits.ts';
import { shortEventId, valueLabel } from './memory-texts.ts';
import { areaButtons, unansweredLines, unavailableSheet } from './service-texts.ts';
import type { Button, Sheet } from './sheet.ts';

type PlacesAnswer = Extract<Answer, { status: 'places' }>;
type Found = Extract<PlaceAnswer, { status: 'ok' }>;

const TYPING_PLACES = '也可以直接打字：查蔬食、我的偏好、更正偏好、為什麼這樣查、功能';
const COMMUNITY_LABEL = '社群名單 2020，未經店家確認，出發前請先確認';
const COMMUNITY_NOTICE =
  '社群名單整理自「台灣蔬食餐廳地圖」（2020 年，MIT 授權，© 2020 Shinren Pan）：只表示當時有蔬食，可能也有葷食；沒有細分素別、營業時間或電話，店家可能已搬遷或歇業。';

const CAMPAIGN_LINES: Readonly<Record<Found['campaign'], string>> = {
  not_started: '蔬食節集章依公告還沒開始；店家名單現在就能查。',
  active_by_announcement: '蔬食節集章依公告進行中；集章截止後，店家名單不會刪除。',
  ended: '蔬食節集章依公告已經截止；店家名單照常能查，截止不代表店家歇業。',
};

function dietLabel(diet: Diet): string {
  return diet === 'any' ? '不限' : valueLabel(diet);
}

/** Which condition was used and why; a value that was not said is never used without saying where it came from. */
function conditionLine(diet: Diet, { origin, memory }: PlacesAnswer): string {
  switch (origin) {
    case 'consented_memory': {
      const basis = memory === null ? '' : `（第 ${memory.revision} 版，紀錄編號 ${shortEventId(memory.eventId)}）`;
      return `依你同意記住的飲食條件「${dietLabel(diet)}」${basis}。`;
    }
    case 'this_turn':
      return diet === 'any'
        ? '這次的條件：不限飲食。只用在這一次，沒有改變你的偏好。'
        : `這次的條件：${dietLabel(diet)}。只用在這一次，沒有記下來。`;
    case 'none':
      return '這次沒有套用飲食條件。';
  }
}

/** The answer of a search for places: five different answers, one for each state of it. */
export function placesSheet(told: PlacesAnswer): Sheet {
  const { answer, said, unanswered } = told;
  const parts = unansweredLines(unanswered);
  switch (answer.status) {
    case 'ok':
      return foundSheet(told, answer);
    case 'no_data':
      return noDataSheet(told, answer);
    case 'needs_area':
      return {
        title: '想找哪個鄉鎮？',
        lines: ['還沒有查：需要先知道鄉鎮市。也可以傳位置訊息，只用在這一次，不會儲存。', ...parts],
        buttons: areaButtons(answer.areas, said),
        typing: '也可以直接打字，例如：花壇有什麼蔬食店？',
      };
    case 'location_outside':
      return {
        title: '這個位置不在彰化縣附近',
        lines: [
          `最近的店家也在 60 公里以外，所以沒有列出。LOCAL 只有彰化縣 ${answer.areas.length} 個鄉鎮市的店家；位置只用在這一次，不會儲存。請選一個：`,
          ...parts,
        ],
        buttons: areaButtons(answer.areas, said),
        typing: '也可以直接打字，例如：花壇有什麼蔬食店？',
      };
    case 'unknown_area':
      return {
        title: '這個地名 LOCAL 查不到',
        lines: [
          `「${plain(answer.said, 40)}」不在彰化縣的 ${answer.areas.length} 個鄉鎮市裡，所以沒有查，也沒有改查別的地方。請選一個：`,
          ...parts,
        ],
        buttons: areaButtons(answer.areas, said),
        typing: '也可以直接打字，例如：花壇有什麼蔬食店？',
      };
    case 'unavailable': {
      const sheet = unavailableSheet('店家資料暫時讀不到，');
      return { ...sheet, lines: [...sheet.lines, ...parts] };
    }
  }
}

function noDataSheet(told: PlacesAnswer, answer: Extract<PlaceAnswer, { status: 'no_data' }>): Sheet {
  const { origin, near, unanswered } = told;
  const anyDiet = moreEntry(told, answer, 'any', 0);
  const wider: Button = { label: '這次不限飲食再查', does: anyDiet, displayText: '這次不限飲食再查' };
  const asked = [plain(answer.area, 40), plain(answer.keyword, 40)].filter((part) => part !== '').join('、');
  return {
    title: '這份快照沒有符合資料',
    lines: [
      ...(asked === '' ? [] : [`查的是：${asked}。`]),
      conditionLine(answer.diet, told),
      `查完了，名單裡沒有符合的；這不代表${near === null ? '當地' : '附近'}沒有店。`,
      ...unansweredLines(unanswered),
    ],
    buttons: [
      OTHER_AREA,
      ...(answer.diet !== 'any' && fitsPostback(anyDiet) ? [wider] : []),
      RETYPE,
      ...(origin === 'consented_memory' ? [EXPLAIN] : []),
    ],
    typing: '也可以直接打字：重新輸入查詢條件、我的偏好、功能',
  };
}

/** The same search on another page or with another condition. The location goes along rounded to about a metre. */
function moreEntry(
  { near }: PlacesAnswer,
  { area, keyword }: { readonly area: string; readonly keyword: string },
  dietary_type: Diet | '',
  page: number,
): Extract<Entry, { entry: 'places' }> {
  return { entry: 'places', area, dietary_type, keyword, near: near === null ? null : roundedOff(near), page };
}

function roundedOff({ latitude, longitude }: Location): Location {
  return { latitude: Number(latitude.toFixed(5)) + 0, longitude: Number(longitude.toFixed(5)) + 0 };
}

function foundSheet(told: PlacesAnswer, answer: Found): Sheet {
  const { places, nearMisses, total, totalNearMisses, page, pages, sources } = answer;
  const where = [plain(answer.area, 40) || '彰化縣', plain(answer.keyword, 40)]
    .filter((part) => part !== '')
    .join('、');
  const counted =
    totalNearMisses === 0 ? `名單上有 ${total} 家` : `符合的 ${total} 家，可再向店家確認的 ${totalNearMisses} 家`;
  const next = moreEntry(told, answer, told.said, page + 1);
  const hasMore = page + 1 < pages;
  const more: Button = { label: '看更多', does: next, displayText: '看更多' };
  const fits = hasMore && fitsPostback(next);
  const shown = [...places, ...nearMisses];
  const community = shown.some(({ evidence }) => evidence === 'community');
  const unknownOfAll = (shown[0]?.unknownFields ?? []).filter((field) =>
    shown.every(({ unknownFields }) => unknownFields.includes(field)),
  );
  const paragraph = (place: Place, number: number) => placeParagraph(place, number, unknownOfAll, sources);
  return {
    title: `${where}：${counted}`,
    lines: [
      conditionLine(answer.diet, told),
      ...(places.length === 0 && total === 0 ? ['沒有一家的紀錄完全符合條件。'] : []),
      ...places.map((place, index) => paragraph(place, index + 1)),
      ...(nearMisses.length === 0 ? [] : ['以下的紀錄不足以判斷是否符合，可再向店家確認：']),
      ...nearMisses.map((place, index) => paragraph(place, places.length + index + 1)),
      ...unknownLine('以上店家都未提供（未知）', unknownOfAll),
      ...(pages > 1
        ? [`這是第 ${page + 1}／${pages} 頁，一頁五家；沒有按鈕可按時，加上店名或路名再查，也找得到其他家。`]
        : []),
      ...(hasMore && !fits ? ['條件太長，放不進「看更多」按鈕；要看下一頁，請用短一點的關鍵字再查一次。'] : []),
      ...unansweredLines(told.unanswered),
      CAMPAIGN_LINES[answer.campaign],
      ...(community ? [COMMUNITY_NOTICE] : []),
      '這是精選公開快照，不是即時資料；現在營業、餐點與步行距離請另確認。',
      ...(sources.length === 0 ? [] : [['資料來源', ...sourceLines(sources)].join('\n')]),
    ],
    buttons: [
      ...(fits ? [more] : []),
      INSPECT,
      CORRECT,
      ...(told.origin === 'consented_memory' ? [EXPLAIN] : [PLACES]),
      OTHER,
    ],
    typing: TYPING_PLACES,
    summary: `店家資料在上面的文字訊息${pages > 1 ? `（第 ${page + 1}／${pages} 頁）` : ''}。${conditionLine(answer.diet, told)}`,
  };
}

function placeParagraph(
  place: Place,
  number: number,
  unknownOfAll: readonly string[],
  sources: readonly Source[],
): string {
  const name = plain(place.name, 80) || '（名稱無法顯示）';
  return [
    `${number}. ${name}｜${plain(place.area, 40)}`,
    ...(place.evidence === 'community' ? [COMMUNITY_LABEL] : []),
    ...(place.address === null ? [] : [`地址：${plain(place.address, 120)}`]),
    ...(place.phone === null ? [] : [`電話：${plain(place.phone, 40)}`]),
    ...(place.dietaryOptions.length === 0 ? [] : [`素別：${place.dietaryOptions.map(dietLabel).join('、')}`]),
    ...(place.dietaryReason === null ? [] : [`說明：${plain(place.dietaryReason, 120)}`]),
    ...(place.hours === null ? [] : [`營業時間：${plain(place.hours, 160)}`]),
    ...(place.openNow === null ? [] : [`現在：依名單的時間${place.openNow ? '在營業時間內' : '不在營業時間內'}`]),
    ...distanceLine(place.straightLineMetres),
    ...accessibilityLine(place.accessibility),
    ...unknownLine(
      '未提供（未知）',
      place.unknownFields.filter((field) => !unknownOfAll.includes(field)),
    ),
    ...sourceNumbers(place.sources, sources),
  ].join('\n');
}

function distanceLine(metres: number | null): readonly string[] {
  if (metres === null) return [];
  const length = metres < 1_000 ? `${Math.round(metres)} 公尺` : `${(metres / 1_000).toFixed(1)} 公里`;
  return [`直線距離約 ${length}（不是步行距離）`];
}
