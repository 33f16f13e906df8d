/** Draws the panels beside the chat: the ledger of the person, and what went between platform and product. @module */
import { byId, clockTime, h } from './dom.js';

let shownLedger = null;
let shownPositions = new Set();

/** Draws a ledger as the stream gives it. Entries that are new since the last drawing are marked for a moment. */
export function drawLedger(ledger) {
  const now = byId('ledger-now');
  const list = byId('ledger-events');
  if (!ledger.ok) {
    now.replaceChildren(
      h('p', { class: 'now-value none' }, '現在讀不到帳本'),
      h('p', { class: 'quiet' }, '聊天仍可繼續；稍後按「重新整理」。'),
    );
    return;
  }
  if (shownLedger !== ledger.ledgerId) shownPositions = null;
  shownLedger = ledger.ledgerId;
  now.replaceChildren(
    h('p', { class: 'quiet' }, '現在記住的'),
    h('p', { class: ledger.value === null ? 'now-value none' : 'now-value' }, ledger.value ?? '沒有記住任何偏好'),
    h(
      'dl',
      {},
      h('div', {}, h('dt', {}, '版本'), h('dd', { data: { revision: ledger.revision } }, `第 ${ledger.revision} 版`)),
      h('div', {}, h('dt', {}, '事件'), h('dd', {}, `${ledger.events.length}`)),
      h(
        'div',
        {},
        h('dt', {}, '帳本'),
        h('dd', { class: 'mono', title: ledger.ledgerId }, `${ledger.ledgerId.slice(0, 10)}…`),
      ),
    ),
  );
  list.replaceChildren(...ledger.events.map(ledgerLine));
  if (ledger.events.length === 0)
    list.append(
      h(
        'li',
        { class: 'empty' },
        '還沒有事件。只是聊天不會寫進帳本；提出卡片、同意、更正、取消、忘記和被拒絕的舊卡才會。',
      ),
    );
  shownPositions = new Set(ledger.events.map((event) => event.position));
  list.lastElementChild?.scrollIntoView({ block: 'nearest' });
}

function ledgerLine(event) {
  const fresh = shownPositions !== null && !shownPositions.has(event.position);
  return h(
    'li',
    { class: `event ${event.tone}${fresh ? ' fresh' : ''}`, data: { position: event.position, type: event.type } },
    h('span', { class: 'position' }, `${event.position}`),
    h(
      'div',
      {},
      h('p', { class: 'words' }, event.words),
      h(
        'p',
        { class: 'facts mono' },
        h('span', {}, event.type),
        h('time', { datetime: event.time }, clockTime(Date.parse(event.time))),
        h('span', { title: event.hash }, `#${event.hash.slice(0, 8)}`),
      ),
    ),
  );
}

/** Draws all lines of the traffic panel, the newest first. */
export function drawTraffic(lines) {
  byId('traffic-lines').replaceChildren(...lines.map(trafficLine).reverse());
  if (lines.length === 0) byId('traffic-lines').append(h('li', { class: 'empty' }, '還沒有往來。'));
}

/** Adds one line on top. */
export function addTraffic(line, most) {
  const list = byId('traffic-lines');
  list.querySelector('.empty')?.remove();
  list.prepend(trafficLine(line));
  while (list.children.length > most) list.lastElementChild.remove();
}

function trafficLine(line) {
  const outwards = line.direction === 'to_product';
  return h(
    'li',
    { class: `exchange ${goodStatus(line.status) ? 'good' : 'bad'}` },
    h('span', { class: 'way', 'aria-label': outwards ? '平台送給程式' : '程式呼叫平台' }, outwards ? '→' : '←'),
    h(
      'div',
      {},
      h('p', { class: 'mono what' }, line.what),
      h('p', { class: 'quiet' }, h('time', {}, clockTime(line.at)), line.note ? `　${line.note}` : null),
    ),
    h('span', { class: 'status mono' }, statusWords(line.status)),
  );
}

/** Whether an HTTP status says that the request was taken. */
export const goodStatus = (status) => status !== null && ((status >= 200 && status < 300) || status === 409);

/** An HTTP status for a person; no answer has its own word. */
export const statusWords = (status) => (status === null ? '沒回應' : String(status));
