/**
 * A model that answers with whatever harms: the real SDK, router, free text, desk and ledger under it, and a watch over what was
 * written, whose ledger was read, what ran and what was shown.
 * @module
 */
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { unansweredIn } from '../../src/adapters/assistant/beyond-local.ts';
import { createFreeText } from '../../src/adapters/assistant/free-text.ts';
import { loadCatalog } from '../../src/adapters/catalog/catalog.ts';
import { createModelClient, type ModelClient } from '../../src/adapters/gemini/client.ts';
import { BUDGET_MS, createGeminiRouter } from '../../src/adapters/gemini/router.ts';
import { createPreferenceDesk, type PreferenceDesk } from '../../src/adapters/preferences/desk.ts';
import type { Answer } from '../../src/commands/answers.ts';
import type { Catalog } from '../../src/commands/catalog.ts';
import type { Router } from '../../src/commands/tools.ts';
import type { Delivery, Offers, Person, Turns } from '../../src/commands/turns.ts';
import { type LedgerId, TenantId } from '../../src/events/identity.ts';
import type { Ledger } from '../../src/events/ports.ts';
import { seeded } from '../adapters/gemini/mutation.ts';
import { BEGINNING, bytesOf, CARD_KEYS, personLedger } from '../support/ledger-world.ts';
import { memoryLedger } from '../support/memory-ledger.ts';
import { createHostileAnswers, type HostileAnswer, MARK, type Message, MESSAGES, NAMES } from './hostile-answers.ts';

/** Guards a test takes out, one at a time, to see that the watch notices. */
export type Plant = {
  readonly client?: (inner: ModelClient) => ModelClient;
  /** Which words the router takes for known ones. */
  readonly dietOf?: Catalog['dietOf'];
  readonly router?: (inner: Router) => Router;
  readonly offers?: (desk: PreferenceDesk) => Offers;
  readonly text?: (
    inner: Pick<Turns, 'text'>,
    answered: () => HostileAnswer,
    everybody: ReadonlyMap<string, Person>,
  ) => Pick<Turns, 'text'>;
};

export type Violation = {
  readonly turn: number;
  /** `wrote` another event than an offer · `read` another person's ledger · `ran` what no exact call asked for · `shown` words of the model ·
   * `unasked` a card, or a search under a condition, that the person's words do not hold. */
  readonly kind: 'wrote' | 'read' | 'ran' | 'shown' | 'unasked' | 'threw';
  readonly detail: string;
};

export type HostileResult = {
  readonly turns: number;
  readonly seed: number;
  readonly violationCount: number;
  /** The first twenty. */
  readonly violations: readonly Violation[];
  /** How often each status was answered, so that a run in which nothing happens is seen. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly offers: number;
};

/** A new world after so many turns, so that memory stays bounded. */
const TURNS_PER_WORLD = 500;
const VIOLATIONS_KEPT = 20;
const TENANT = v.parse(TenantId, 'tenant-a');
/** Answers that need a call of the model to have been taken. */
const RAN: ReadonlySet<Answer['status']> = new Set([
  'places',
  'events',
  'awaiting_memory_consent',
  'memory',
  'memory_inspected',
  'memory_explained',
  'memory_update_prompt',
  'remember_separately',
  'unknown_diet',
]);
const catalog = loadCatalog(fileURLToPath(new URL('../../data', import.meta.url)));

/** Runs `count` turns that follow from `seed`. Never throws for what the model answered: that is a violation too. */
export async function runHostileModel({
  count,
  seed,
  plant = {},
}: {
  readonly count: number;
  readonly seed: number;
  readonly plant?: Plant;
}): Promise<HostileResult> {
  const random = seeded(seed);
  const answers = createHostileAnswers(random);
  const violations: Violation[] = [];
  const statuses = new Map<string, number>();
  let violationCount = 0;
  let offers = 0;
  let world = await startWorld(0, plant);
  for (let turn = 0; turn < count; turn += 1) {
    if (turn > 0 && turn % TURNS_PER_WORLD === 0) world = await startWorld(turn, plant);
    const violated = (kind: Violation['kind'], detail: string): void => {
      violationCount += 1;
      if (violations.length < VIOLATIONS_KEPT) violations.push({ turn, kind, detail: detail.slice(0, 200) });
    };
    const person = world.people[Math.floor(random() * world.people.length)] as Person;
    const message = MESSAGES[Math.floor(random() * MESSAGES.length)] as Message;
    const answer = answers();
    const seen = world.watch(person, answer);
    const delivery: Delivery = {
      causationId: `event-${turn}`,
      turnId: `message-${turn}`,
      messageId: `message-${turn}`,
    };
    try {
      const told = await world.text(person, message.text, delivery);
      for (const { status } of told.answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const ran = told.answers.find(({ status }) => RAN.has(status));
      if (!answer.mayRun && ran !== undefined) violated('ran', `${ran.status} after ${answer.kind}`);
      for (const unasked of told.answers.flatMap((one) => beyondWords(one, message))) violated('unasked', unasked);
      if (JSON.stringify(told.answers).includes(MARK)) violated('shown', answer.kind);
    } catch (error) {
      violated('threw', `${answer.kind}: ${String(error)}`);
    }
    for (const type of seen.written) {
      if (type === 'preference.proposed') offers += 1;
      else violated('wrote', `${type} after ${answer.kind}`);
    }
    for (const read of seen.read) if (read !== person.diet.ledgerId) violated('read', answer.kind);
  }
  return { turns: count, seed, violationCount, violations, statuses, offers };
}

/** What of an answer the person's words do not hold. */
function beyondWords(answer: Answer, { text, cards, diet, area }: Message): string[] {
  switch (answer.status) {
    case 'awaiting_memory_consent':
      return cards.includes(answer.card.value ?? 'forget') ? [] : [`a card for ${answer.card.value} after ${text}`];
    case 'remember_separately':
      return cards.includes(answer.value) ? [] : [`a button for ${answer.value} after ${text}`];
    case 'unknown_diet':
      return answer.said === diet ? [] : [`told of ${answer.said} after ${text}`];
    case 'places': {
      const searched = 'area' in answer.answer ? answer.answer.area : area;
      const beyond = [answer.said === diet ? '' : `diet ${answer.said}`, searched === area ? '' : `area ${searched}`];
      return beyond.filter((each) => each !== '').map((each) => `${each} after ${text}`);
    }
    default:
      return [];
  }
}

type Seen = { readonly written: string[]; readonly read: Set<LedgerId> };

/** Three people: one with a value in force, one with none, one who has forgotten. */
async function startWorld(round: number, plant: Plant) {
  let seen: Seen = { written: [], read: new Set() };
  let answered: HostileAnswer = { kind: 'none', body: '{}', status: 200, mayRun: false, owner: null };
  let made = 0;
  const desk = createPreferenceDesk({
    ledger: watched(memoryLedger(), () => seen),
    cardKeys: CARD_KEYS,
    clock: () => BEGINNING,
    newEventId() {
      made += 1;
      return `0190${(round % 65_536).toString(16).padStart(4, '0')}-${(made % 65_536).toString(16).padStart(4, '0')}-7000-8000-${made.toString(16).padStart(12, '0')}`;
    },
    randomBytes: (length) => bytesOf(`${round}|${made}`).slice(0, length),
    pause: () => Promise.resolve(),
    count: () => {},
  });
  const people = NAMES.map((name): Person => {
    const diet = personLedger(name);
    return { tenantId: TENANT, subjectKey: diet.subjectKey, diet };
  });
  const everybody = new Map(NAMES.map((name, at) => [name, people[at] as Person]));
  await remember(desk, people[0] as Person, `${round}-a`);
  await remember(desk, people[2] as Person, `${round}-c`);
  await desk.forget(people[2] as Person, 'purpose', delivered(`${round}-forget`));

  const answer = async (): Promise<Response> =>
    new Response(answered.body, { status: answered.status, headers: { 'content-type': 'application/json' } });
  const asked = createGeminiRouter({
    route: { backend: 'developer', model: 'gemini-3.8-flash', baseUrl: 'http://127.0.0.1:9', apiKey: 'key-of-a-test' },
    createClient(route) {
      const client = createModelClient(route, answer);
      return plant.client?.(client) ?? client;
    },
    clock: () => BEGINNING,
    // Pauses end at once; the budget is never used up here.
    timer(milliseconds, run) {
      if (milliseconds < BUDGET_MS) queueMicrotask(run);
      return () => {};
    },
    random: () => 0,
    dietOf: plant.dietOf ?? catalog.dietOf,
    unansweredIn,
    count: () => {},
  });
  const router = plant.router?.(asked) ?? asked;
  const offers = plant.offers?.(desk) ?? desk;
  const freeText = createFreeText({ router, catalog, offers, clock: () => BEGINNING });
  const { text } = plant.text?.(freeText, () => answered, everybody) ?? freeText;
  return {
    people,
    text,
    /** From now on this is what the model answers and what is seen; returns what will be seen. */
    watch(_person: Person, next: HostileAnswer): Seen {
      answered = next;
      seen = { written: [], read: new Set() };
      return seen;
    },
  };
}

function delivered(id: string): Delivery {
  return { causationId: id, turnId: id, messageId: null };
}

async function remember(desk: PreferenceDesk, person: Person, id: string): Promise<void> {
  const offered = await desk.propose(person, 'vegan', 'button', delivered(id));
  if (offered.status !== 'awaiting_memory_consent') throw new Error(`No card: ${offered.status}`);
  await desk.tap(person, 'approve', offered.card.token, delivered(`${id}-tap`));
}

function watched(ledger: Ledger, seen: () => Seen): Ledger {
  return {
    ...ledger,
    head(ledgerId) {
      seen().read.add(ledgerId);
      return ledger.head(ledgerId);
    },
    headWithContent(ledgerId) {
      seen().read.add(ledgerId);
      return ledger.headWithContent(ledgerId);
    },
    events(ledgerId, from, through) {
      seen().read.add(ledgerId);
      return ledger.events(ledgerId, from, through);
    },
    async commit(commit) {
      seen().read.add(commit.ledger.ledgerId);
      const result = await ledger.commit(commit);
      if (result.status === 'committed') {
        for (const { event } of commit.events) {
          const byMessage = event.type === 'preference.cancelled' && event.data.method === 'message';
          seen().written.push(byMessage ? `${event.type} by message` : event.type);
        }
      }
      return result;
    },
  };
}
