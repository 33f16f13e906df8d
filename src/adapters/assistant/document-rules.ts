/**
 * The router of documents that needs no model: a township and a topic are looked for, and every sentence is only data.
 * @module
 */
import type { Router, ToolCall } from '../../commands/tools.ts';
import { areasIn } from './spoken-areas.ts';
import { earliest, folded, normalised, words } from './spoken-text.ts';

const EVENTS = words('活動 場次 走讀 散步 集合 市集 講座 展覽 縱走 健走 嘉年華 導覽 報名 報到');
const PLACES = words('店 餐 飯 麵 小吃 便當 蔬食 素食 料理 食堂 美食 咖啡 菜單');

/** Builds it. The first township of the document is searched, for events or places by which word comes first. */
export function createDocumentRules(): Router {
  return {
    name: 'rules',
    route(document, { areas }) {
      const text = folded(normalised(document));
      const area = areasIn(text, areas).find((found) => areas.includes(found.area))?.area;
      if (area === undefined) return Promise.resolve({ outcome: 'unsupported', unanswered: [] });
      const events = earliest(text, EVENTS);
      const places = earliest(text, PLACES);
      const call: ToolCall =
        events !== null && (places === null || events.at < places.at)
          ? { tool: 'search_local_events', date: '', area, keyword: '' }
          : { tool: 'search_local_places', area, dietary_type: '', keyword: '' };
      return Promise.resolve({ outcome: 'call', calls: [call], unanswered: [] });
    },
  };
}
