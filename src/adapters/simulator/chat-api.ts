/**
 * What the chat page can ask for: one POST per thing a person does. Same-origin JSON only.
 * @module
 */
import { type Context, Hono, type Next } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as v from 'valibot';
import { eventView } from './chat-views.ts';
import type { Chats, Person, PersonItem } from './chats.ts';
import * as actions from './person-actions.ts';

export type ChatApiDeps = actions.ActionDeps & {
  readonly deliver: (
    person: Person,
    item: PersonItem,
    kind: 'first' | 'redelivery' | 'replay' | 'wrong_signature',
  ) => Promise<void>;
  readonly advanceClock: ((milliseconds: number) => void) | null;
};

/** How far the clock button goes. */
export const CLOCK_STEP_MS = 5 * 60_000;
const BODY_BYTES_MAX = 64 * 1024;

const letter = v.pipe(v.string(), v.regex(/^[A-Z]$/));
const itemId = v.pipe(v.string(), v.regex(/^[0-9A-Z]{1,32}$/));
const text = v.pipe(v.string(), v.minLength(1), v.maxLength(10_000));
const short = v.pipe(v.string(), v.maxLength(100));
const manner = v.strictObject({
  mode: v.picklist(['active', 'standby']),
  source: v.picklist(['user', 'group']),
  hold: v.boolean(),
});
const location = v.strictObject({
  title: v.pipe(short, v.minLength(1)),
  address: short,
  latitude: v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
  longitude: v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
});
const Send = v.variant('what', [
  v.strictObject({ what: v.literal('text'), person: letter, text, manner }),
  v.strictObject({ what: v.literal('location'), person: letter, location, manner }),
  v.strictObject({ what: v.literal('sticker'), person: letter, manner }),
]);
const Tap = v.strictObject({
  person: letter,
  owner: letter,
  itemId,
  pointer: v.pipe(v.string(), v.regex(/^(\/[A-Za-z0-9]{1,20}){1,40}$/)),
  tampered: v.boolean(),
  manner,
});
const Deliver = v.strictObject({
  person: letter,
  itemId,
  kind: v.picklist(['first', 'redelivery', 'replay', 'wrong_signature']),
});
const Unsend = v.strictObject({ person: letter, itemId, manner });
const Edit = v.strictObject({ person: letter, itemId, text, manner });
const Relation = v.strictObject({ person: letter, to: v.picklist(['follow', 'block', 'unblock']), manner });
const OnePerson = v.strictObject({ person: letter });
const EventOf = v.strictObject({ person: letter, itemId });
const Nothing = v.strictObject({});

const NO_PERSON: actions.Refused = { refused: '沒有這個人。' };
const NO_ITEM: actions.Refused = { refused: '這則訊息太舊，已經不在模擬器裡了。' };

/** The page's API, to be mounted under `/api`. */
export function createChatApi(deps: ChatApiDeps): Hono {
  const { chats } = deps;
  const app = new Hono();
  app.use(sameOriginJson);
  app.use(bodyLimit({ maxSize: BODY_BYTES_MAX, onError: (c) => c.json({ message: '內容太長。' }, 413) }));

  const post = <Body>(
    path: string,
    schema: v.GenericSchema<unknown, Body>,
    handle: (body: Body) => object | Promise<object>,
  ) =>
    app.post(path, async (c) => {
      const body = v.safeParse(schema, parsed(await c.req.text()));
      if (!body.success) return c.json({ message: '這個請求不完整，請重新整理頁面。' }, 400);
      const result = await handle(body.output);
      return 'refused' in result ? c.json({ message: result.refused }, 409) : c.json(result, 200);
    });
  const done = async (result: actions.Done | actions.Refused) => {
    if ('refused' in result) return result;
    if (!result.item.held) await deps.deliver(result.person, result.item, 'first');
    return { itemId: result.item.id };
  };

  post('/send', Send, (body) => {
    const person = chats.byLetter(body.person);
    if (person === undefined) return NO_PERSON;
    if (body.what === 'text') return done(actions.sendText(deps, person, body.text, body.manner));
    if (body.what === 'sticker') return done(actions.sendSticker(deps, person, body.manner));
    return done(actions.sendLocation(deps, person, body.location, body.manner));
  });
  post('/tap', Tap, (body) => {
    const [person, owner] = [chats.byLetter(body.person), chats.byLetter(body.owner)];
    if (person === undefined || owner === undefined) return NO_PERSON;
    const card = actions.itemOf(owner, body.itemId);
    if (card?.from !== 'bot') return NO_ITEM;
    return done(actions.tap(deps, person, card, body.pointer, body.tampered, body.manner));
  });
  post('/deliver', Deliver, async (body) => {
    const found = personItem(chats, body.person, body.itemId);
    if ('refused' in found) return found;
    if (body.kind === 'first' && !found.item.held) return { refused: '這個事件已經送出了；要再送一次請選重新投遞。' };
    await deps.deliver(found.person, found.item, body.kind);
    return {};
  });
  post('/unsend', Unsend, (body) => {
    const found = personItem(chats, body.person, body.itemId);
    return 'refused' in found ? found : done(actions.unsend(deps, found.person, found.item, body.manner));
  });
  post('/edit', Edit, (body) => {
    const found = personItem(chats, body.person, body.itemId);
    return 'refused' in found ? found : done(actions.edit(deps, found.person, found.item, body.text, body.manner));
  });
  post('/relation', Relation, (body) => {
    const person = chats.byLetter(body.person);
    return person === undefined ? NO_PERSON : done(actions.relate(deps, person, body.to, body.manner));
  });
  post('/event', EventOf, (body) => {
    const found = personItem(chats, body.person, body.itemId);
    return 'refused' in found ? found : { event: eventView(found.item.event) };
  });
  post('/refresh', OnePerson, (body) => {
    chats.changed({ kind: 'ledger', letter: body.person });
    return {};
  });
  post('/people', Nothing, () => {
    const person = chats.addPerson();
    return person === null ? { refused: '模擬器最多八個人。' } : { letter: person.letter };
  });
  post('/clock', Nothing, () => {
    if (deps.advanceClock === null) return { refused: '這裡的時間不能調。' };
    deps.advanceClock(CLOCK_STEP_MS);
    chats.changed({ kind: 'people', letter: null });
    for (const person of chats.people) chats.changed({ kind: 'ledger', letter: person.letter });
    return {};
  });
  return app;
}

/** Another site's page can send neither: its origin differs, and JSON from elsewhere needs a permission we do not give. */
async function sameOriginJson(c: Context, next: Next) {
  const origin = c.req.header('origin');
  const own = new URL(c.req.url).host;
  const sameOrigin = origin !== undefined && URL.parse(origin)?.host === own;
  if (!sameOrigin || !c.req.header('content-type')?.startsWith('application/json'))
    return c.json({ message: '這個請求不是從模擬器的頁面來的。' }, 403);
  return next();
}

function personItem(
  chats: Chats,
  letterOf: string,
  id: string,
): { person: Person; item: PersonItem } | actions.Refused {
  const person = chats.byLetter(letterOf);
  if (person === undefined) return NO_PERSON;
  const item = actions.itemOf(person, id);
  return item?.from === 'person' ? { person, item } : NO_ITEM;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
