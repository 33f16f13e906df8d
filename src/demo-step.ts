/**
 * One process of the demonstration: the whole service on the given database, and a person who writes and taps.
 * @module
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLedger, verifyLedger } from './adapters/audit/reading.ts';
import { readConfig } from './adapters/system/config.ts';
import type { ChatKept, DemoStep } from './demo.ts';
import { DEMO_STEPS } from './demo.ts';
import { replay } from './projections/replay.ts';
import { dietLedgerOf, startWorld, type World } from './world.ts';

/** What a person of the chat can do and see; the simulator gives it. */
type Phone = {
  /** Sends a text and waits for the answer's messages. */
  readonly say: (text: string) => Promise<readonly Shown[]>;
  /** Taps a button by its data and waits for the answer's messages. */
  readonly press: (data: string) => Promise<readonly Shown[]>;
};
type Shown = { readonly text: string; readonly buttons: readonly { readonly label: string; readonly data: string }[] };

type LedgerNow = {
  readonly revision: number;
  readonly value: string | null;
  readonly position: number;
  readonly types: readonly string[];
  /** Why cards were refused, in order. */
  readonly refusals: readonly string[];
};

type Scene = {
  readonly world: World;
  readonly phone: Phone;
  readonly userId: string;
  /** Buttons still in the chat from before. */
  readonly oldCards: readonly string[];
  readonly ledger: () => Promise<LedgerNow>;
  readonly must: (what: string, so: boolean) => void;
  readonly keep: (card: string) => void;
};

/** Runs one step. @returns 0 if it was as it must be, else 1. */
export async function runDemoStep(
  [stepName, out]: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const step = DEMO_STEPS.find((known) => known === stepName);
  const read = readConfig(environment, null);
  if (step === undefined || out === undefined || !read.ok || process.send === undefined) {
    console.error('demo-step is run by "npm run demo" only.');
    return 2;
  }
  const { config } = read;
  const { promise: chat, resolve: chatGiven } = Promise.withResolvers<ChatKept>();
  process.once('message', (message) => chatGiven(message as ChatKept));
  const oldCards = (await chat).cards;
  console.log(`\n== ${step}, process ${process.pid}`);
  const logged: object[] = [];
  const world = await startWorld(config, folder, (record) => logged.push(record));
  const failures: string[] = [];
  const kept: string[] = [];
  const person = world.simulator?.people()[0];
  if (person === undefined) throw new Error('The simulator has nobody');
  const ref = dietLedgerOf(config, person.userId);
  const ledger = async (): Promise<LedgerNow> => {
    const { events, content, head } = await readLedger(world.store.ledger, ref);
    const { revision, value } = replay(events, { kind: 'all' }, content);
    return {
      revision,
      value,
      position: head.position,
      types: events.map(({ event }) => event.type),
      refusals: events.flatMap(({ event }) => (event.type === 'card.refused' ? [event.data.reason] : [])),
    };
  };
  const scene: Scene = {
    world,
    phone: phoneOf(world, person.letter),
    userId: person.userId,
    oldCards,
    ledger,
    must(what, so) {
      console.log(`  ${so ? 'as it must be' : 'NOT as it must be'}: ${what}`);
      if (!so) failures.push(what);
    },
    keep: (card) => kept.push(card),
  };
  await SCENES[step](scene);
  const { events, content } = await readLedger(world.store.ledger, ref);
  const verified = await verifyLedger(world.store.ledger, ref);
  scene.must('the ledger verifies', verified.problem === null);
  console.log(`  ledger: ${JSON.stringify(await ledger())}`);
  const rows = {
    ledgerId: ref.ledgerId,
    events: events.map(({ event, hash }) => ({ ...event, hash })),
    contentRow: content !== null,
  };
  writeFileSync(join(out, `${step}.rows.json`), `${JSON.stringify({ rows, turns: logged }, null, 2)}\n`);
  await world.store.backup?.(join(out, `${step}.sqlite`));
  await world.stop();
  const told: ChatKept = { cards: kept };
  process.send(told);
  process.disconnect();
  return failures.length === 0 ? 0 : 1;
}

const SCENES: Readonly<Record<DemoStep, (scene: Scene) => Promise<void>>> = {
  async 'A-consent'({ phone, ledger, must, keep }) {
    const offered = await phone.say('以後優先找蔬食，幫我記住');
    must('nothing is remembered before the tap', (await ledger()).value === null);
    const card = buttonOf(offered, '同意記住');
    must('one card with 同意記住 appears', card !== null);
    if (card === null) return;
    keep(card);
    const answered = await phone.press(card);
    const after = await ledger();
    must('after the tap 蔬食 is in force at revision 1', after.value === 'vegetarian' && after.revision === 1);
    must('the answer says so', says(answered, '已記住'));
  },
  async 'B-query'({ phone, ledger, must }) {
    const before = await ledger();
    const answered = await phone.say('花壇有推薦吃的嗎？');
    must('和米素食 is found', says(answered, '和米素食'));
    must('the condition comes from what was agreed to', says(answered, '同意記住'));
    must('asking changes nothing', same(before, await ledger()));
  },
  async 'C-correct'({ phone, ledger, must, keep }) {
    const offered = await phone.say('改成蛋奶素');
    must('the old value stays until the tap', (await ledger()).value === 'vegetarian');
    const card = buttonOf(offered, '同意記住');
    must('a card appears', card !== null);
    if (card === null) return;
    keep(card);
    await phone.press(card);
    const after = await ledger();
    must('after the tap 蛋奶素 is in force at revision 2', after.value === 'ovo_lacto' && after.revision === 2);
  },
  async 'D-query'({ phone, ledger, must }) {
    const before = await ledger();
    const remembered = await phone.say('花壇有推薦吃的嗎？');
    must('the corrected condition is used', says(remembered, '蛋奶素') && says(remembered, '同意記住'));
    const now = await phone.say('這次不限，花壇有推薦吃的嗎？');
    must('a condition said now wins', says(now, '這次的條件') && says(now, '不限'));
    must('and leaves memory untouched', same(before, await ledger()));
  },
  async 'E-forget'({ phone, ledger, must }) {
    const answered = await phone.say('忘記我的飲食偏好');
    const after = await ledger();
    must('nothing is remembered any more, at revision 3', after.value === null && after.revision === 3);
    must('the answer says so', says(answered, '忘記'));
  },
  async 'F-query-and-old-cards'({ phone, ledger, oldCards, must }) {
    const before = await ledger();
    const answered = await phone.say('花壇有推薦吃的嗎？');
    must('no remembered condition is used', !says(answered, '同意記住的'));
    must('asking changes nothing', same(before, await ledger()));
    must('two old cards are still in the chat', oldCards.length === 2);
    const [first = '', second = ''] = oldCards;
    const corrected = await phone.press(first);
    const forgotten = await phone.press(second);
    const after = await ledger();
    must(
      'both answers say that the card stands for nothing any more',
      says(corrected, '已失效') && says(forgotten, '已失效'),
    );
    must('both refusals are kept: corrected, forgotten', same(after.refusals, ['corrected', 'forgotten']));
    must('nothing is remembered, still revision 3', after.value === null && after.revision === 3);
  },
};

function same(before: object, after: object): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function says(shown: readonly Shown[], words: string): boolean {
  return shown.some(({ text }) => text.includes(words));
}

/** The data of a button by its label, or null. */
function buttonOf(shown: readonly Shown[], label: string): string | null {
  return shown.flatMap(({ buttons }) => buttons).find((button) => button.label === label)?.data ?? null;
}

function phoneOf(world: World, letter: string): Phone {
  const person = world.simulator?.as(letter);
  if (person === undefined) throw new Error('The simulator has nobody of that letter');
  const told = async (what: string, act: () => Promise<readonly Shown[]>): Promise<readonly Shown[]> => {
    console.log(`  person: ${what}`);
    const shown = await act();
    for (const { text, buttons } of shown) {
      console.log(`  LOCAL: ${text.replaceAll('\n', '\n         ')}`);
      if (buttons.length > 0) console.log(`         [${buttons.map(({ label }) => label).join('] [')}]`);
    }
    return shown;
  };
  return {
    say: (text) => told(text, () => person.say(text)),
    press: (data) => told('(taps a button)', () => person.press(data)),
  };
}
