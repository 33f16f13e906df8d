/** The chat page at work: listens to the stream, draws what happens, sends what the person does. @module */
import { ask, byId, clockTime, h } from './dom.js';
import { drawItem, spokenItem } from './items.js';
import { addTraffic, drawLedger, drawTraffic } from './panels.js';

const TRAFFIC_MAX = 60;
const ITEMS_MAX = 200;
const state = {
  me: rememberedPerson(),
  people: [],
  items: new Map(),
  /** How many answers were seen in each chat. */
  seen: {},
  /** The simulator's time, and when the page heard of it. */
  now: { at: 0, heard: 0 },
  stream: null,
  typingTimer: 0,
};
const log = byId('log');
const words = byId('words');

function rememberedPerson() {
  return /^#[A-Z]$/.test(location.hash) ? location.hash.slice(1) : 'A';
}

// What the person does --------------------------------------------------------------------------------------------

function manner() {
  const form = new FormData(byId('composer'));
  return { source: form.get('source'), mode: form.get('mode'), hold: form.get('hold') === 'yes' };
}

/** Asks the simulator; a refusal is shown as it is worded. */
function run(path, body, after = () => {}) {
  ask(path, body)
    .then(after)
    .catch((error) => toast(error.message));
}

const on = {
  tap(item, pointer, { tampered = false, by = state.me } = {}) {
    run('tap', { person: by, owner: state.me, itemId: item.id, pointer, tampered, manner: manner() }, () => {
      if (by !== state.me) toast(`Person ${by} 按了；接下來的事在 Person ${by} 的聊天裡。`);
    });
  },
  deliver: (item, kind) => run('deliver', { person: state.me, itemId: item.id, kind }),
  unsend: (item) => run('unsend', { person: state.me, itemId: item.id, manner: manner() }),
  edit(item) {
    byId('edit-text').value = item.text;
    openDialog('edit-dialog', 'save', () => {
      const text = byId('edit-text').value.trim();
      if (text !== '') run('edit', { person: state.me, itemId: item.id, text, manner: manner() });
    });
  },
  showEvent: (item) =>
    run('event', { person: state.me, itemId: item.id }, ({ event }) =>
      showText('事件 JSON', JSON.stringify(event, null, 2)),
    ),
  copyFlex: (item) => showText('Flex Message Simulator JSON', JSON.stringify(item.message.contents, null, 2), true),
};

function say(text) {
  if (text.trim() === '') return;
  run('send', { what: 'text', person: state.me, text, manner: manner() });
}

function sendComposed() {
  const text = words.value.trim();
  words.value = '';
  fitWords();
  say(text);
}

byId('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  sendComposed();
});
words.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  sendComposed();
});
words.addEventListener('input', fitWords);
function fitWords() {
  words.style.height = 'auto';
  words.style.height = `${Math.min(words.scrollHeight + 2, 140)}px`;
}
byId('manner').addEventListener('change', () => {
  const { source, mode, hold } = manner();
  byId('manner-words').textContent = [source === 'group' ? '群組' : '一對一', mode, hold ? '先扣住' : '立刻送'].join(
    ' · ',
  );
  byId('manner').classList.toggle('unusual', source === 'group' || mode === 'standby' || hold);
});
byId('send-sticker').addEventListener('click', () =>
  run('send', { what: 'sticker', person: state.me, manner: manner() }),
);
byId('send-location').addEventListener('click', openLocation);
function openLocation() {
  openDialog('location-dialog', 'send', () => {
    const form = new FormData(byId('location-form'));
    const place = { title: form.get('title'), address: form.get('address') };
    const point = { latitude: Number(form.get('latitude')), longitude: Number(form.get('longitude')) };
    run('send', { what: 'location', person: state.me, location: { ...place, ...point }, manner: manner() });
  });
}
byId('follow').addEventListener('click', () => relate('follow'));
byId('relation').addEventListener('click', () => relate(me()?.relation === 'blocked' ? 'unblock' : 'block'));
const relate = (to) => run('relation', { person: state.me, to, manner: manner() });
for (const chip of document.querySelectorAll('[data-say]')) chip.addEventListener('click', () => say(chip.dataset.say));
byId('advance')?.addEventListener('click', () => run('clock', {}, () => toast('時間往前了 5 分鐘。')));
byId('add-person').addEventListener('click', () => run('people', {}, ({ letter }) => become(letter)));
byId('refresh').addEventListener('click', () => run('refresh', { person: state.me }));
byId('plain').addEventListener('change', redrawItems);

// What is shown ---------------------------------------------------------------------------------------------------

const me = () => state.people.find((person) => person.letter === state.me);

/** The simulator's time goes on between two words from it. */
function drawClock() {
  byId('clock').textContent = clockTime(state.now.at + performance.now() - state.now.heard);
}

function drawPeople({ now, people }) {
  state.people = people;
  state.now = { at: now, heard: performance.now() };
  drawClock();
  const focused = document.activeElement?.dataset?.person;
  state.seen[state.me] = me()?.answers ?? 0;
  byId('people').replaceChildren(
    ...people.map((person) => {
      const unread = person.answers > (state.seen[person.letter] ?? 0);
      return h(
        'button',
        {
          type: 'button',
          class: `person-chip tone-${person.letter}`,
          'aria-pressed': String(person.letter === state.me),
          data: { person: person.letter },
          onclick: () => become(person.letter),
        },
        h('span', { class: 'avatar', 'aria-hidden': 'true' }, person.letter),
        `Person ${person.letter}`,
        person.relation === 'blocked' ? h('span', { class: 'tag' }, '已封鎖') : null,
        unread ? h('span', { class: 'dot' }, h('span', { class: 'hidden' }, '有新訊息')) : null,
      );
    }),
  );
  if (focused) byId('people').querySelector(`[data-person="${focused}"]`)?.focus();
  byId('add-person').hidden = people.length >= 8;
  drawHead();
}

function drawHead() {
  const person = me();
  if (person === undefined) return;
  const blocked = person.relation === 'blocked';
  byId('chat-title').textContent = `Person ${person.letter}`;
  byId('chat-id').textContent = person.userId;
  byId('relation').textContent = blocked ? '解除封鎖' : '封鎖';
  byId('follow').hidden = person.relation !== 'new';
  byId('opening').hidden = state.items.size > 0;
  for (const control of byId('composer').querySelectorAll('.line button, textarea')) control.disabled = blocked;
  words.placeholder = blocked ? '已封鎖；解除後才能傳訊息' : '輸入訊息';
}

const view = () => ({
  plain: byId('plain').checked,
  others: state.people.map((person) => person.letter).filter((letter) => letter !== state.me),
});

function redrawItems() {
  log.replaceChildren(...[...state.items.values()].map((item) => drawItem(item, on, view())));
  drawQuickReplies();
}

function putItem(item) {
  const known = log.querySelector(`[data-item="${CSS.escape(item.id)}"]`);
  const focusKey = known?.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  state.items.set(item.id, item);
  const element = drawItem(item, on, view());
  if (known) {
    known.replaceWith(element);
    if (focusKey) element.querySelector(`[data-key="${CSS.escape(focusKey)}"]`)?.focus();
    return;
  }
  element.classList.add('arriving');
  log.append(element);
  if (state.items.size > ITEMS_MAX) {
    state.items.delete(state.items.keys().next().value);
    log.firstElementChild.remove();
  }
  byId('live').textContent = spokenItem(item);
  if (item.from === 'bot') showTyping(0);
  drawHead();
  drawQuickReplies();
  toBottom();
}

function toBottom() {
  const scroll = byId('scroll');
  scroll.scrollTop = scroll.scrollHeight;
}

/** LINE offers the quick replies of the newest message only. */
function drawQuickReplies() {
  const newest = [...state.items.values()].at(-1);
  const items = newest?.from === 'bot' ? (newest.message.quickReply?.items ?? []) : [];
  byId('quick').replaceChildren(
    ...items.map(({ action }, index) =>
      h(
        'button',
        {
          type: 'button',
          class: 'chip',
          onclick: () => {
            if (action.type === 'location') openLocation();
            else on.tap(newest, `/quickReply/items/${index}/action`);
          },
        },
        action.label,
      ),
    ),
  );
  byId('quick').hidden = items.length === 0;
}

function showTyping(seconds) {
  clearTimeout(state.typingTimer);
  byId('typing').hidden = seconds === 0;
  if (seconds === 0) return;
  state.typingTimer = setTimeout(() => showTyping(0), seconds * 1000);
  toBottom();
}

function toast(message) {
  const element = byId('toast');
  element.textContent = message;
  element.classList.add('on');
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => element.classList.remove('on'), 4500);
}

function openDialog(id, value, then) {
  const dialog = byId(id);
  dialog.returnValue = '';
  dialog.addEventListener('close', () => dialog.returnValue === value && then(), { once: true });
  dialog.showModal();
}

function showText(title, text, copyNow = false) {
  byId('text-dialog-title').textContent = title;
  byId('text-dialog-text').value = text;
  byId('text-dialog').showModal();
  if (copyNow) copyText();
}
function copyText() {
  const area = byId('text-dialog-text');
  area.select();
  navigator.clipboard
    .writeText(area.value)
    .then(() => toast('已複製。'))
    .catch(() => toast('瀏覽器不讓頁面複製；文字已選取，請按 Ctrl+C。'));
}
byId('text-dialog-copy').addEventListener('click', copyText);

// Tabs on a phone, menus, and the stream ----------------------------------------------------------------------------

const tabs = [...document.querySelectorAll('[role=tab]')];
for (const tab of tabs) {
  tab.addEventListener('click', () => showView(tab));
  tab.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
    showView(next);
    next.focus();
  });
}
function showView(tab) {
  for (const other of tabs) {
    other.setAttribute('aria-selected', String(other === tab));
    other.tabIndex = other === tab ? 0 : -1;
  }
  document.querySelector('.columns').dataset.view = tab.getAttribute('aria-controls');
  if (tab.id === 'tab-chat') toBottom();
}
document.addEventListener('click', (event) => closeMenus(event.target));
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  const open = event.target.closest?.('details.menu[open]');
  closeMenus(null);
  open?.querySelector('summary').focus();
});
/** A menu opens in the window, not in the scrolling chat, which would cut it off. */
function placeMenu(menu) {
  const body = menu.querySelector('.menu-body');
  const opener = menu.querySelector('summary').getBoundingClientRect();
  const { width, height } = body.getBoundingClientRect();
  const above = opener.top - height - 4;
  const left = opener.left > innerWidth / 2 ? opener.right - width : opener.left;
  body.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  body.style.top = `${above > 8 ? above : Math.max(8, Math.min(opener.bottom + 4, innerHeight - height - 8))}px`;
}
log.addEventListener('toggle', (event) => event.target.open && placeMenu(event.target), { capture: true });
byId('scroll').addEventListener('scroll', () => {
  const open = log.querySelector('details.menu[open]');
  if (open) placeMenu(open);
});
function closeMenus(except) {
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(except)) menu.open = false;
}

function become(letter) {
  state.me = letter;
  history.replaceState(null, '', `#${letter}`);
  showTyping(0);
  listen();
}

function listen() {
  state.stream?.close();
  const stream = new EventSource(`/chat/stream?person=${state.me}`);
  state.stream = stream;
  const onEvent = (name, handle) => stream.addEventListener(name, (event) => handle(JSON.parse(event.data)));
  onEvent('people', drawPeople);
  onEvent('chat', ({ items, traffic }) => {
    state.items = new Map(items.map((item) => [item.id, item]));
    redrawItems();
    drawTraffic(traffic);
    drawHead();
    toBottom();
    document.body.dataset.person = state.me;
  });
  onEvent('item', putItem);
  onEvent('ledger', drawLedger);
  onEvent('loading', ({ seconds }) => showTyping(seconds));
  onEvent('traffic', (line) => addTraffic(line, TRAFFIC_MAX));
  stream.onopen = () => connected('');
  stream.onerror = () => {
    connected('連線中斷，正在重新連線…');
    // The browser comes back by itself, but not when it was refused: then the person may be gone after a restart.
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => state.stream === stream && become('A'), 3_000);
  };
}

function connected(message) {
  byId('connection').textContent = message;
}

setInterval(() => state.now.at > 0 && drawClock(), 1_000);
listen();
