/**
 * What an open page is told about chats: never a signature or a reply token.
 * @module
 */
import type { Chats, Item, Person } from './chats.ts';
import type { LineEvent } from './webhook-events.ts';

/** The people row: who there is and how much stands in each chat. */
export function peopleView(chats: Chats, now: number) {
  return {
    now,
    people: chats.people.map(({ letter, userId, relation, items }) => ({
      letter,
      userId,
      relation,
      answers: items.filter((item) => item.from === 'bot').length,
    })),
  };
}

/** One item of a chat. */
export function itemView(item: Item) {
  if (item.from === 'bot') return item;
  const { id, from, at, text, shown, held, unsent, edited, read, deliveries, event } = item;
  const { mode, type } = event;
  const can = { unsend: type === 'message' && !unsent, edit: isText(event) && !unsent };
  return {
    id,
    from,
    at,
    text,
    shown,
    held,
    unsent,
    edited,
    read,
    deliveries,
    mode,
    source: event.source.type,
    type,
    can,
  };
}

function isText(event: LineEvent): boolean {
  return event.type === 'message' && event.message.type === 'text';
}

/** A whole chat, for a page that has just opened. */
export function chatView(person: Person) {
  return { letter: person.letter, items: person.items.map(itemView) };
}

/** The event of an item as it would be delivered, its tokens hidden. */
export function eventView(event: LineEvent) {
  return event.replyToken === undefined ? event : { ...event, replyToken: '(hidden)' };
}
