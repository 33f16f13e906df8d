/**
 * What a person can do in the chat, each turned into one event.
 * @module
 */
import type { BotItem, Chats, Item, Person, PersonItem } from './chats.ts';
import { isFields } from './flex-limits.ts';
import type { Ids } from './ids.ts';
import { type EventMode, type Happening, type LocationContent, lineEvent, messageTokens } from './webhook-events.ts';

/** How the next event is to look and when it goes out. */
export type Manner = { readonly mode: EventMode; readonly source: 'user' | 'group'; readonly hold: boolean };

export type ActionDeps = { readonly clock: () => number; readonly ids: Ids; readonly chats: Chats };

/** Why nothing was done, in words for the page. */
export type Refused = { readonly refused: string };

/** What was done: the new item, which the caller delivers unless it is held. */
export type Done = { readonly person: Person; readonly item: PersonItem };

/** Puts an event into a person's chat. */
function happen(
  { clock, ids, chats }: ActionDeps,
  person: Person,
  happening: Happening,
  shown: { readonly as: PersonItem['shown']; readonly text: string },
  manner: Manner,
): Done {
  const source =
    manner.source === 'group'
      ? ({ type: 'group', groupId: chats.groupId, userId: person.userId } as const)
      : ({ type: 'user', userId: person.userId } as const);
  if (manner.source === 'group') person.inGroup = true;
  const event = lineEvent(happening, { mode: manner.mode, source }, clock(), ids);
  const item: PersonItem = {
    id: event.webhookEventId,
    from: 'person',
    at: event.timestamp,
    event,
    text: shown.text,
    shown: shown.as,
    held: manner.hold,
    unsent: false,
    edited: false,
    read: false,
    deliveries: [],
    last: null,
  };
  chats.addItem(person, item);
  return { person, item };
}

/** A text message, 1 to 10,000 characters. */
export function sendText(deps: ActionDeps, person: Person, text: string, manner: Manner): Done | Refused {
  if (person.relation === 'blocked') return BLOCKED;
  const message = { type: 'text', ...messageTokens(deps.ids), text } as const;
  return happen(deps, person, { type: 'message', message }, { as: 'said', text }, manner);
}

/** A location message. */
export function sendLocation(
  deps: ActionDeps,
  person: Person,
  location: LocationContent,
  manner: Manner,
): Done | Refused {
  if (person.relation === 'blocked') return BLOCKED;
  const { id, markAsReadToken } = messageTokens(deps.ids);
  const message = { type: 'location', id, markAsReadToken, ...location } as const;
  const text = `位置：${location.title}\n${location.latitude}, ${location.longitude}`;
  return happen(deps, person, { type: 'message', message }, { as: 'said', text }, manner);
}

/** A sticker: a message the product can do nothing with. */
export function sendSticker(deps: ActionDeps, person: Person, manner: Manner): Done | Refused {
  if (person.relation === 'blocked') return BLOCKED;
  const sticker = { packageId: '446', stickerId: '1988', stickerResourceType: 'STATIC' } as const;
  const message = { type: 'sticker', ...messageTokens(deps.ids), ...sticker } as const;
  return happen(deps, person, { type: 'message', message }, { as: 'said', text: '（貼圖）' }, manner);
}

/**
 * A tap on a button of a message, also of an old one or of one in somebody else's chat.
 * @param pointer where the action stands in the message, as a JSON pointer.
 * @param tampered one character of the postback data is changed first.
 */
export function tap(
  deps: ActionDeps,
  person: Person,
  card: BotItem,
  pointer: string,
  tampered: boolean,
  manner: Manner,
): Done | Refused {
  if (person.relation === 'blocked') return BLOCKED;
  const action = atPointer(card.message, pointer);
  if (!isFields(action)) return { refused: '這則訊息裡找不到這個按鈕。' };
  const label = typeof action.label === 'string' ? action.label : '';
  if (action.type === 'message' && typeof action.text === 'string') return sendText(deps, person, action.text, manner);
  if (action.type !== 'postback' || typeof action.data !== 'string')
    return { refused: '模擬器按不了這種按鈕；LINE 會在手機上自己處理它。' };
  const data = tampered ? changedData(action.data) : action.data;
  const echo = action.displayText ?? action.text;
  const shown =
    typeof echo === 'string' && echo !== ''
      ? ({ as: 'said', text: echo } as const)
      : ({ as: 'happened', text: `按了「${label}」` } as const);
  return happen(deps, person, { type: 'postback', postback: { data } }, shown, manner);
}

/** Taps a button by its data, whether or not its card is still kept here. */
export function pressData(deps: ActionDeps, person: Person, data: string, manner: Manner): Done | Refused {
  if (person.relation === 'blocked') return BLOCKED;
  return happen(
    deps,
    person,
    { type: 'postback', postback: { data } },
    { as: 'happened', text: '按了一個先前的按鈕' },
    manner,
  );
}

/** The data with one character changed, well inside a signed part when there is one. */
export function changedData(data: string): string {
  const at = Math.floor(data.length * 0.7);
  return `${data.slice(0, at)}${data[at] === 'A' ? 'B' : 'A'}${data.slice(at + 1)}`;
}

/** Takes a message back; LINE tells the product with an unsend event. */
export function unsend(deps: ActionDeps, person: Person, item: PersonItem, manner: Manner): Done | Refused {
  if (item.event.type !== 'message') return { refused: '只有傳出去的訊息可以收回。' };
  if (item.unsent) return { refused: '這則訊息已經收回了。' };
  item.unsent = true;
  deps.chats.changed({ kind: 'item', letter: person.letter, item });
  const happening = { type: 'unsend', unsend: { messageId: item.event.message.id } } as const;
  return happen(deps, person, happening, { as: 'happened', text: '收回了一則訊息' }, manner);
}

/** Edits a text message; LINE offers this in groups only for now. */
export function edit(deps: ActionDeps, person: Person, item: PersonItem, text: string, manner: Manner): Done | Refused {
  if (item.event.type !== 'message' || item.event.message.type !== 'text' || item.unsent)
    return { refused: '只有還在的文字訊息可以編輯。' };
  item.text = text;
  item.edited = true;
  deps.chats.changed({ kind: 'item', letter: person.letter, item });
  const message = { ...item.event.message, text };
  return happen(deps, person, { type: 'messageEdited', message }, { as: 'happened', text: '編輯了一則訊息' }, manner);
}

/** Adds, blocks or unblocks the account. */
export function relate(
  deps: ActionDeps,
  person: Person,
  to: 'follow' | 'block' | 'unblock',
  manner: Manner,
): Done | Refused {
  const allowed = { follow: 'new', block: 'friend', unblock: 'blocked' } as const;
  if (person.relation !== allowed[to] && !(to === 'block' && person.relation === 'new'))
    return { refused: '現在不能這樣做。' };
  person.relation = to === 'block' ? 'blocked' : 'friend';
  const oneToOne = { ...manner, source: 'user' } as const;
  if (to === 'block')
    return happen(deps, person, { type: 'unfollow' }, { as: 'happened', text: '封鎖了 LOCAL' }, oneToOne);
  const isUnblocked = to === 'unblock';
  const text = isUnblocked ? '解除封鎖 LOCAL' : '加 LOCAL 為好友';
  return happen(deps, person, { type: 'follow', follow: { isUnblocked } }, { as: 'happened', text }, oneToOne);
}

const BLOCKED: Refused = { refused: '這個人封鎖了 LOCAL；先解除封鎖，才能傳訊息。' };

function atPointer(message: unknown, pointer: string): unknown {
  let value = message;
  for (const step of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** The item of a chat with this id. */
export function itemOf(person: Person, id: string): Item | undefined {
  return person.items.find((item) => item.id === id);
}
