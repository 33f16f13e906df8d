/** Draws what stands in a chat: a person's bubbles with their deliveries, and the product's messages. @module */
import { clockTime, h } from './dom.js';
import { actionsOf, drawFlex } from './flex.js';
import { goodStatus, statusWords } from './panels.js';

const KINDS = { first: '已投遞', redelivery: '重新投遞', replay: '重播', wrong_signature: '錯誤簽章' };

/**
 * Draws one item.
 * @param on what the controls do: tap, deliver, unsend, edit, showEvent, copyFlex, deliverTo.
 * @param view `plain`: all cards as text; `others`: letters of the other people.
 */
export function drawItem(item, on, view) {
  if (item.from === 'bot') return drawBotItem(item, on, view);
  const content =
    item.shown === 'said'
      ? h('div', { class: item.unsent ? 'bubble-said unsent' : 'bubble-said' }, item.unsent ? '（已收回）' : item.text)
      : h('div', { class: 'happened' }, item.text);
  return h(
    'li',
    { class: `item person ${item.shown}`, data: { item: item.id, type: item.type } },
    h('div', { class: 'with-menu' }, personMenu(item, on), content),
    personFacts(item, on),
  );
}

function personFacts(item, on) {
  const marks = [
    item.edited ? '已編輯' : null,
    item.source === 'group' ? '群組' : null,
    item.mode === 'standby' ? 'standby' : null,
    item.read ? '已讀' : null,
  ].filter((mark) => mark !== null);
  return h(
    'p',
    { class: 'facts' },
    marks.map((mark) => h('span', { class: 'mark' }, mark)),
    item.deliveries.map((delivery) =>
      h(
        'span',
        { class: `delivery ${goodStatus(delivery.status) ? 'good' : 'bad'}`, data: { kind: delivery.kind } },
        `${KINDS[delivery.kind]} ${statusWords(delivery.status)}`,
      ),
    ),
    item.held
      ? h(
          'button',
          { type: 'button', class: 'small held', data: { key: 'held' }, onclick: () => on.deliver(item, 'first') },
          '扣住中，現在送出',
        )
      : null,
    h('time', {}, clockTime(item.at)),
  );
}

function personMenu(item, on) {
  const entries = [
    item.held ? null : ['重新投遞（isRedelivery）', () => on.deliver(item, 'redelivery')],
    item.held ? null : ['原樣重播同一包', () => on.deliver(item, 'replay')],
    ['用錯誤的簽章投遞', () => on.deliver(item, 'wrong_signature')],
    item.can.unsend ? ['收回訊息', () => on.unsend(item)] : null,
    item.can.edit ? ['編輯訊息', () => on.edit(item)] : null,
    ['看事件 JSON', () => on.showEvent(item)],
  ].filter((entry) => entry !== null);
  return menu(
    `「${item.text.slice(0, 20)}」的動作`,
    entries.map(([label, act]) => menuButton(label, act)),
  );
}

function drawBotItem(item, on, view) {
  const { message } = item;
  const actions = message.type === 'flex' ? actionsOf({ contents: message.contents }) : [];
  const plain = view.plain;
  const shown = h('div', { class: 'shown' });
  if (message.type === 'text') shown.append(h('div', { class: 'bubble-said' }, message.text));
  else if (message.type === 'flex' && !plain)
    shown.append(drawFlex(message.contents, (at, action) => press(item, at, action, on)));
  else shown.append(plainTwin(message, actions, item, on));
  return h(
    'li',
    { class: 'item bot', data: { item: item.id, type: message.type } },
    h('div', { class: 'with-menu' }, shown, message.type === 'flex' ? cardMenu(item, actions, on, view) : null),
    h(
      'p',
      { class: 'facts' },
      h('span', { class: 'mark' }, item.via === 'push' ? '主動推播' : '回覆'),
      h('time', {}, clockTime(item.at)),
    ),
  );
}

/** LINE opens an address itself and tells the product nothing; here that is a new tab. */
function press(item, pointer, action, on) {
  if (action.type === 'uri') window.open(action.uri, '_blank', 'noopener,noreferrer');
  else on.tap(item, pointer);
}

/** What a screen without cards shows: the alternative text, and the same buttons as plain ones. */
function plainTwin(message, actions, item, on) {
  return h(
    'div',
    { class: 'bubble-said twin' },
    h('p', {}, message.altText ?? message.text ?? `〔${message.type}〕`),
    actions.map(({ pointer, action }) =>
      h(
        'button',
        { type: 'button', class: 'small', data: { key: pointer }, onclick: () => press(item, pointer, action, on) },
        action.label,
      ),
    ),
  );
}

function cardMenu(item, actions, on, view) {
  const postbacks = actions.filter(({ action }) => action.type === 'postback');
  return menu('這張卡的動作', [
    menuButton('複製 Flex Simulator JSON', () => on.copyFlex(item)),
    postbacks.length > 0 ? h('p', { class: 'menu-title' }, '改動一個字元再按') : null,
    postbacks.map(({ pointer, action }) =>
      menuButton(action.label, () => on.tap(item, pointer, { tampered: true }), `竄改後按${action.label}`),
    ),
    view.others.map((letter) => [
      postbacks.length > 0 ? h('p', { class: 'menu-title' }, `由 Person ${letter} 來按`) : null,
      postbacks.map(({ pointer, action }) =>
        menuButton(action.label, () => on.tap(item, pointer, { by: letter }), `由 Person ${letter} 按${action.label}`),
      ),
    ]),
  ]);
}

function menu(label, entries) {
  return h(
    'details',
    { class: 'menu' },
    h('summary', { 'aria-label': label, title: label, data: { key: 'menu' } }, '⋯'),
    h('div', { class: 'menu-body' }, entries),
  );
}

function menuButton(label, act, spoken) {
  return h(
    'button',
    {
      type: 'button',
      'aria-label': spoken,
      onclick: (event) => {
        const details = event.currentTarget.closest('details');
        details.open = false;
        details.querySelector('summary').focus();
        act();
      },
    },
    label,
  );
}

/** What a new item is read out as. */
export function spokenItem(item) {
  if (item.from === 'person') return item.text;
  const { message } = item;
  return `LOCAL：${message.text ?? message.altText ?? message.type}`;
}
