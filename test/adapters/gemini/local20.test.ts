/**
 * The twenty public routes through the Gemini double: proper calls come to the right answers, and what is no question for a model
 * is listed beside them.
 * @module
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedEntry } from '../../../src/adapters/assistant/fixed-entries.ts';
import { createFreeText } from '../../../src/adapters/assistant/free-text.ts';
import { createCatalog, loadCatalog } from '../../../src/adapters/catalog/catalog.ts';
import { BUDGET_MS } from '../../../src/adapters/gemini/router.ts';
import { createPreferenceDesk } from '../../../src/adapters/preferences/desk.ts';
import type { Delivery, Person } from '../../../src/commands/turns.ts';
import { TenantId } from '../../../src/events/identity.ts';
import { calling, type GeminiDouble, type Reply, startGeminiDouble } from '../../support/gemini-double.ts';
import { BEGINNING, bytesOf, CARD_KEYS, personLedger } from '../../support/ledger-world.ts';
import { memoryLedger } from '../../support/memory-ledger.ts';
import { developerRoute, routerTo, standingTime } from './routes.ts';

const folder = fileURLToPath(new URL('../../../data', import.meta.url));
const catalog = loadCatalog(folder);
/** The same catalogs while the events are not to be had. */
const withoutEvents = createCatalog({
  areas: readFileSync(`${folder}/areas.json`, 'utf8'),
  places: readFileSync(`${folder}/places.json`, 'utf8'),
  community: readFileSync(`${folder}/places-community.json`, 'utf8'),
  events: null,
});

let double: GeminiDouble;
beforeEach(async () => {
  double = await startGeminiDouble();
});
afterEach(() => double.close());

const places = (args: object): Reply => ({ kind: 'response', body: calling('search_local_places', args) });
const events = (args: object): Reply => ({ kind: 'response', body: calling('search_local_events', args) });
const unsupported: Reply = { kind: 'response', body: calling('show_local_help', { reason: 'unsupported' }) };

type Ask = {
  readonly catalog?: typeof catalog;
  /** The person agreed to 蔬食 and then forgot it. */
  readonly forgotten?: boolean;
};

async function ask(text: string, reply: Reply, { catalog: lists = catalog, forgotten = false }: Ask = {}) {
  const desk = createPreferenceDesk({
    ledger: memoryLedger(),
    cardKeys: CARD_KEYS,
    clock: () => BEGINNING,
    newEventId: (
      (made) => () =>
        `01900000-0000-7000-8000-${String((made += 1)).padStart(12, '0')}`
    )(0),
    randomBytes: (length) => bytesOf('local20').slice(0, length),
    pause: () => Promise.resolve(),
    count: () => {},
  });
  const diet = personLedger('Person A');
  const person: Person = { tenantId: v.parse(TenantId, 'tenant-a'), subjectKey: diet.subjectKey, diet };
  if (forgotten) {
    const offered = await desk.propose(person, 'vegetarian', 'button', delivered('offer'));
    if (offered.status !== 'awaiting_memory_consent') throw new Error(offered.status);
    await desk.tap(person, 'approve', offered.card.token, delivered('tap'));
    await desk.forget(person, 'purpose', delivered('forget'));
  }
  double.meet(reply, reply);
  const time = standingTime();
  const router = routerTo(developerRoute(double.url), {
    clock: time.clock,
    timer(milliseconds, run) {
      // A pause ends at once; the budget ends when the double keeps silent.
      const ends = milliseconds < BUDGET_MS ? Promise.resolve() : reply.kind === 'silence' ? double.called(1) : null;
      void ends?.then(run);
      return () => {};
    },
  });
  const { text: answer } = createFreeText({ router, catalog: lists, offers: desk, clock: () => BEGINNING });
  return (await answer(person, text, delivered('message'))).answers;
}

function delivered(id: string): Delivery {
  return { causationId: id, turnId: id, messageId: id };
}

type Row = readonly [id: string, text: string, reply: Reply, expected: readonly object[], ask?: Ask];

const ROWS: readonly Row[] = [
  [
    'local01 unknown fields',
    '花壇的店現在有開嗎？輪椅能進去嗎？',
    places({ area: '花壇鄉' }),
    [{ status: 'places', answer: { status: 'ok' }, unanswered: ['opening_hours', 'accessibility'] }],
  ],
  [
    'local02 forgotten preference',
    '花壇有什麼店？',
    places({ area: '花壇', dietary_type: '' }),
    [{ status: 'places', answer: { status: 'ok', diet: 'any' }, origin: 'none', memory: null }],
    { forgotten: true },
  ],
  [
    'local09 needs area',
    '附近有什麼蔬食店？',
    places({ area: '附近', dietary_type: 'vegetarian' }),
    [{ status: 'places', answer: { status: 'needs_area' }, origin: 'this_turn' }],
  ],
  [
    'local10 catalog not to be had',
    '查花壇活動',
    events({ area: '花壇' }),
    [{ status: 'events', answer: { status: 'unavailable' } }],
    { catalog: withoutEvents },
  ],
  [
    'local11 events',
    '花壇場次的集合點在哪？',
    events({ area: '花壇鄉' }),
    [{ status: 'events', answer: { status: 'ok' } }],
  ],
  [
    'local12 places',
    '花壇有推薦的素食店嗎？',
    places({ area: '花壇鄉', dietary_type: '素食' }),
    [{ status: 'places', answer: { status: 'ok', diet: 'vegetarian' }, origin: 'this_turn' }],
  ],
  [
    'local13 a township by its short name',
    '查大村素食',
    places({ area: '大村', dietary_type: 'vegetarian' }),
    [{ status: 'places', answer: { area: '大村鄉', diet: 'vegetarian' } }],
  ],
  ['local14 upstream 503', '查花壇活動', { kind: 'status', status: 503 }, [{ status: 'query_unavailable' }]],
  ['local15 model timeout', '查花壇活動', { kind: 'silence' }, [{ status: 'query_unavailable' }]],
  ['local17 booking', '可以幫我預約明天的爌肉飯嗎', unsupported, [{ status: 'unsupported', unanswered: ['booking'] }]],
  [
    'local18 transport',
    '附近能停車嗎？有免費接駁車嗎？',
    unsupported,
    [{ status: 'unsupported', unanswered: ['parking', 'transport'] }],
  ],
  [
    'local19 compound',
    '現在哪裡有開著的爌肉飯？可以幫我預約兩碗帶走嗎？',
    unsupported,
    [{ status: 'unsupported', unanswered: ['opening_hours', 'booking'] }],
  ],
];

/** Buttons, fixed entries, requests and documents: no model reads them. */
const WITHOUT_A_MODEL = [
  'local03 the same card twice',
  'local04 an old card cancelled',
  'local05 a document with orders in it',
  'local06 the reply was lost',
  'local07 the process was restarted',
  'local08 rights withdrawn',
  'local16 我要預約',
  'local20 a document with orders in it',
];

describe('through the Gemini double', () => {
  it.each(ROWS.map(([id, text, reply, expected, how = {}]) => [id, text, reply, expected, how] as const))(
    '%s: %s',
    async (_id, text, reply, expected, how) => {
      expect(fixedEntry(text)).toBeNull();
      expect(await ask(text, reply, how)).toMatchObject(expected);
    },
  );

  it('or without a model: together they are the twenty', () => {
    const ids = [...ROWS.map(([id]) => id), ...WITHOUT_A_MODEL].map((id) => id.slice(0, 7));
    expect(ids.toSorted()).toEqual(Array.from({ length: 20 }, (_, at) => `local${String(at + 1).padStart(2, '0')}`));
    expect(fixedEntry('我要預約')).toEqual({ entry: 'menu' });
    expect(fixedEntry('我的偏好')).toEqual({ entry: 'inspect' });
  });
});
