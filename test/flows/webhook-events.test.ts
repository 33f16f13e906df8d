/**
 * Signed events in, effects and answers out: what is done once, what is said, and what never is.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  event,
  type LineWorld,
  openLineWorld,
  PERSON_A,
  PERSON_B,
  personOf,
  said,
  tapEvent,
  textEvent,
} from '../support/line-world.ts';

let world: LineWorld;
beforeEach(async () => {
  world = await openLineWorld({ instances: 2 });
});
afterEach(() => world.close());

const approve = () => tapEvent('memory:approve:card');
const kinds = () => world.line.seen.map(({ kind }) => kind);

test('a tap is decided and answered by reply before the 200, and its address is let go', async () => {
  const tap = approve();
  expect(await world.deliver([tap])).toBe(200);
  expect(world.line.seen).toMatchObject([{ kind: 'reply', replyToken: tap.replyToken, retryKey: null }]);
  await world.settled();
  expect(world.stores.decided.get(tap.webhookEventId)?.answered).toBe(true);
  expect([world.stores.sealed.size, world.stores.rows.size]).toEqual([0, 0]);
  expect(world.logs).toEqual([
    {
      turnId: tap.webhookEventId,
      tools: [],
      origin: null,
      statuses: ['memory'],
      outcome: 'replied',
      revision: null,
    },
  ]);
});

test('C07: delivered again, on another instance or at the same moment, a tap has one effect and one answer', async () => {
  const tap = approve();
  const again = { ...tap, deliveryContext: { isRedelivery: true } };
  const statuses = await Promise.all([world.deliver([tap]), world.deliver([again], world.urls[1])]);
  statuses.push(await world.deliver([again]));
  expect(statuses).toEqual([200, 200, 200]);
  await world.settled();
  world.advance(60_000);
  await world.worker().drain();
  expect([world.stores.decided.size, world.line.seen.length, world.stores.sealed.size]).toEqual([1, 1, 0]);
});

test.each(['memory:inspect', 'memory:choose:vegan', 'menu'])('C07: so has the button %s', async (data) => {
  const tap = tapEvent(data);
  await world.deliver([tap]);
  await world.deliver([{ ...tap, replyToken: 'another-token-of-a-redelivery' }], world.urls[1]);
  world.advance(60_000);
  await world.worker().drain();
  expect([world.calls.length, world.line.calls.length]).toEqual([1, 1]);
});

test('C08: a first try that failed is not remembered as done', async () => {
  const tap = approve();
  world.stores.down = true;
  expect(await world.deliver([tap])).toBe(503);
  expect(world.line.calls).toEqual([]);
  world.stores.down = false;
  expect(await world.deliver([tap])).toBe(200);
  expect([world.stores.decided.size, kinds()]).toEqual([1, ['reply']]);
});

test('a turn that does not fit the budget is 503 without a word; what it decided late is told by the worker', async () => {
  const entry = world.turns.entry;
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  world.turns.entry = async (...call) => {
    begun.resolve();
    await goOn.promise;
    return entry(...call);
  };
  const status = world.deliver([approve()]);
  await begun.promise;
  world.advance(1_500);
  expect(await status).toBe(503);
  goOn.resolve();
  await world.settled();
  expect(world.line.calls).toEqual([]);
  world.advance(6_000);
  await world.worker().drain();
  expect(kinds()).toEqual(['push']);
});

test('a reply that is slow holds the 200 for 0.5 s only, and is not sent twice when it arrives after all', async () => {
  world.line.meet('hold');
  const status = world.deliver([approve()]);
  await world.line.called(1);
  world.advance(500);
  expect(await status).toBe(200);
  world.line.release();
  await world.settled();
  world.advance(60_000);
  await world.worker().drain();
  expect([kinds(), world.line.calls.length]).toEqual([['reply'], 1]);
});

test('C16: a reply that fails is owed and pushed with one key, however often the push is sent', async () => {
  world.line.meet(500);
  expect(await world.deliver([approve()])).toBe(200);
  await world.settled();
  world.advance(6_000);
  world.line.meet('accept_then_cut');
  const worker = world.worker();
  await worker.drain();
  world.advance(31_000);
  await worker.drain();
  const pushes = world.line.calls.filter(({ kind }) => kind === 'push');
  expect(pushes).toHaveLength(2);
  expect(new Set(pushes.map(({ retryKey }) => retryKey)).size).toBe(1);
  expect(kinds()).toEqual(['push']);
  expect([world.stores.sealed.size, [...world.stores.decided.values()][0]?.answered]).toEqual([0, true]);
});

test('an answer that is owed keeps its address, also when another instance let it go just before', async () => {
  const entry = world.turns.entry;
  world.turns.entry = async (...call) => {
    const turn = await entry(...call);
    await new Promise((resolve) => setImmediate(resolve));
    world.stores.sealed.clear();
    return turn;
  };
  world.line.meet(500);
  await world.deliver([approve()]);
  await world.settled();
  world.advance(6_000);
  await world.worker().drain();
  expect([kinds(), world.stores.sealed.size]).toEqual([['push'], 0]);
});

test('an answer LINE refuses for good is closed and counted, not sent again', async () => {
  world.line.meet(400);
  await world.deliver([approve()]);
  await world.settled();
  world.advance(60_000);
  await world.worker().drain();
  expect([world.line.calls.length, world.counts]).toEqual([1, expect.arrayContaining(['answer_rejected'])]);
});

test('an event without a reply token is answered by push', async () => {
  await world.deliver([tapEvent('menu', { replyToken: undefined })]);
  expect(world.line.seen).toMatchObject([{ kind: 'push', to: PERSON_A }]);
});

test('what an answer rests on is compared just before it is said', async () => {
  world.turns.stillCurrent = async () => false;
  await world.deliver([tapEvent('memory:inspect')]);
  expect(JSON.stringify(world.line.seen)).toContain('變');
  expect(world.counts).toContain('answer_overtaken');
});

test('C12: in standby nothing is said, shown or decided', async () => {
  const over = { mode: 'standby', replyToken: undefined };
  const events = [
    textEvent('幫我記住蔬食', over),
    tapEvent('memory:approve:card', over),
    event({ type: 'follow', ...over }),
  ];
  expect(await world.deliver(events)).toBe(200);
  await world.worker().drain();
  expect([world.calls, world.line.calls, world.stores.rows.size, world.stores.sealed.size]).toEqual([[], [], 0, 0]);
  expect(world.counts).toEqual(['event_standby', 'event_standby', 'event_standby']);
});

test('C13: unfollow, leave, unsend and memberLeft send nothing; after the unfollow nothing is pushed', async () => {
  const over = { replyToken: undefined };
  world.stores.down = false;
  await world.deliver([textEvent('花壇有什麼店')]);
  const events = [
    event({ type: 'unfollow', ...over }),
    event({ type: 'leave', ...over, source: { type: 'group', groupId: 'C1' } }),
    event({ type: 'memberLeft', ...over, source: { type: 'group', groupId: 'C1' }, left: { members: [] } }),
  ];
  expect(await world.deliver(events)).toBe(200);
  expect(world.stores.sealed.size).toBe(0);
  world.advance(60_000);
  await world.worker().drain();
  expect(await world.deliver([event({ type: 'unsend', unsend: { messageId: '1' }, ...over })], world.urls[1])).toBe(
    200,
  );
  expect(world.line.calls).toEqual([]);
});

test('a follow is welcomed', async () => {
  await world.deliver([event({ type: 'follow', follow: { isUnblocked: true } })]);
  expect([world.calls, kinds()]).toEqual([['entry welcome'], ['reply']]);
});

test('C21: two quick messages of a person are both answered, in their order', async () => {
  await world.deliver([textEvent('以後優先找蔬食，幫我記住')]);
  await world.deliver([textEvent('等等，改成蛋奶素')], world.urls[1]);
  await world.worker().drain();
  expect(world.calls).toEqual(['text 以後優先找蔬食，幫我記住', 'text 等等，改成蛋奶素']);
  expect(kinds()).toEqual(['reply', 'reply']);
  expect(world.stores.sealed.size).toBe(0);
});

test('the same words twice, as two messages, are answered twice', async () => {
  await world.deliver([textEvent('花壇'), textEvent('花壇')]);
  await world.worker().drain();
  expect(kinds()).toEqual(['reply', 'reply']);
});

test('C23: an unsend drops the unread message and closes the card it led to', async () => {
  const message = textEvent('幫我記住蔬食');
  const messageId = message.message.id;
  await world.deliver([message]);
  expect(await world.deliver([event({ type: 'unsend', unsend: { messageId }, replyToken: undefined })])).toBe(200);
  await world.worker().drain();
  expect(world.calls).toEqual([`withdraw ${messageId} unsend`]);
  expect(world.stores.rows.get(message.webhookEventId)?.body).toBeNull();
  expect([world.line.calls, world.stores.sealed.size]).toEqual([[], 0]);
});

test('C23: an unsend while its message is being answered closes the card after that answer once more', async () => {
  const message = textEvent('幫我記住蔬食');
  const messageId = message.message.id;
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  world.turns.text = async () => {
    begun.resolve();
    await goOn.promise;
    world.calls.push('text');
    return said({ status: 'menu' });
  };
  // What is being read cannot be dropped any more.
  world.stores.inbox.drop = async () => ({ dropped: false });
  await world.deliver([message]);
  const drained = world.worker().drain();
  await begun.promise;
  await world.deliver([event({ type: 'unsend', unsend: { messageId } })]);
  goOn.resolve();
  await drained;
  expect(world.calls).toEqual([`withdraw ${messageId} unsend`, 'text', `withdraw ${messageId} unsend`]);
});

test('an edit drops the unread message, closes its card as a message would, and asks to say it again', async () => {
  const message = textEvent('幫我記住蔬食');
  const { id } = message.message;
  await world.deliver([message]);
  await world.deliver([event({ type: 'messageEdited', message: { type: 'text', id, text: '幫我記住全素' } })]);
  await world.worker().drain();
  expect(world.calls).toEqual([`withdraw ${id} message`]);
  expect(kinds()).toEqual(['reply']);
});

test('a text that waited through a forget is answered with "say it again", and never read', async () => {
  await world.deliver([textEvent('以後優先找蔬食，幫我記住')]);
  await world.deliver([textEvent('忘記我的飲食偏好')]);
  await world.worker().drain();
  expect(world.calls).toEqual(['entry forget']);
  expect(kinds()).toEqual(['reply', 'push']);
  expect(world.counts).toContain('text_emptied');
});

test('one bad event neither stops nor repeats its neighbours', async () => {
  const entry = world.turns.entry;
  world.turns.entry = async (person, asked, delivery) => {
    if (person.subjectKey === personOf(PERSON_B).subjectKey) throw new Error('poison');
    return entry(person, asked, delivery);
  };
  const good = [approve(), tapEvent('menu'), textEvent('花壇')];
  const bad = [
    tapEvent('memory:approve:card', { source: { type: 'user', userId: PERSON_B } }),
    event({ type: 'message' }),
    textEvent('x', { webhookEventId: 'x'.repeat(41) }),
  ];
  const batch = [good[0], bad[0], good[1], bad[1], bad[2], good[2]];
  expect(await world.deliver(batch)).toBe(503);
  expect(await world.deliver(batch)).toBe(503);
  await world.worker().drain();
  expect(world.calls).toEqual(['entry approve', 'entry menu', 'entry approve', 'text 花壇']);
  expect(kinds()).toEqual(['reply', 'reply', 'reply']);
});

test('C29: in a group nobody consents: a press points to the one-to-one chat, chatter is not answered', async () => {
  const source = { type: 'group', groupId: 'C1', userId: PERSON_B };
  const press = tapEvent('memory:approve:card', { source });
  await world.deliver([press, textEvent('早安', { source }), textEvent('幫我記住蔬食', { source })]);
  await world.deliver([press]);
  await world.deliver([textEvent('功能', { source }), textEvent('我的偏好', { source })]);
  expect([world.calls, world.stores.decided.size, world.stores.sealed.size]).toEqual([[], 0, 0]);
  expect(world.line.seen).toHaveLength(2);
  expect(JSON.stringify(world.line.seen)).toContain('一對一');
  world.advance(600_001);
  await world.deliver([textEvent('功能', { source })]);
  expect(world.line.seen).toHaveLength(3);
});

test('nothing of a person, a text, a token or a secret is in what is logged', async () => {
  await world.deliver([approve(), textEvent('秘密的話')]);
  await world.worker().drain();
  const logged = JSON.stringify([world.logs, world.counts]);
  for (const secret of [PERSON_A, '秘密的話', 'card', personOf(PERSON_A).subjectKey])
    expect(logged).not.toContain(secret);
});

/** 20 types × 2 modes × with and without a token: where LOCAL may speak. */
const TYPES = [
  ...['message', 'postback', 'follow', 'unfollow', 'unsend', 'messageEdited', 'join', 'leave', 'memberJoined'],
  ...['memberLeft', 'videoPlayComplete', 'beacon', 'accountLink', 'membership', 'module', 'activated', 'deactivated'],
  ...['botSuspended', 'botResumed', 'delivery'],
];
test.each(TYPES)(
  'an event of type %s is 200 in both modes, with and without a token; only four speak',
  async (type) => {
    const speaks = ['message', 'postback', 'follow', 'messageEdited'].includes(type);
    for (const mode of ['active', 'standby']) {
      for (const token of ['one-reply-token', undefined]) {
        const before = world.line.calls.length;
        const raw = textEvent('花壇', { type, mode, postback: { data: 'menu' }, unsend: { messageId: '9' } });
        expect(await world.deliver([{ ...raw, replyToken: token && `${token}-${raw.webhookEventId}` }])).toBe(200);
        await world.worker().drain();
        if (!speaks || mode === 'standby') expect(world.line.calls.length).toBe(before);
      }
    }
  },
);
