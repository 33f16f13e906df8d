/**
 * One answer of every kind there is, so that a test can demand something of all of them.
 * @module
 */
import type { messagingApi } from '@line/bot-sdk';
import { decodePostback } from '../../../../src/adapters/line/postback.ts';
import type { Answer, ConsentCard, InForce, ReceiptSummary } from '../../../../src/commands/answers.ts';
import type { EventAnswer, Place, PlaceAnswer } from '../../../../src/commands/catalog.ts';
import type { Outcome, StaleCause } from '../../../../src/commands/outcomes.ts';
import { OWN_LINK_TOKEN_LENGTH_MAX, OWN_PAGE_PATH } from '../../../../src/commands/own-link.ts';
import { UNANSWERED } from '../../../../src/commands/tools.ts';
import { currentNotice, DIET_FOR_PLACE_SEARCH } from '../../../../src/events/purposes.ts';
import type { OwnEntry } from '../../../../src/projections/own-history.ts';
import type { DecisionKind } from '../../../../src/projections/receipt.ts';

/** 2026-10-03 11:36:10 in Taipei. */
export const EXPIRES_AT = Date.UTC(2026, 9, 3, 3, 36, 10);
export const NOTICE = currentNotice(DIET_FOR_PLACE_SEARCH).text;
export const AREAS: readonly string[] = Array.from({ length: 26 }, (_, index) => `第${index + 1}鄉`);
export const IN_FORCE = { value: 'vegetarian', revision: 3, eventId: '01920000-0000-7000-8000-0000000000ab' };

export function consentCard(operation: ConsentCard['operation'], value: string | null, token = 'TOKEN'): ConsentCard {
  return { operation, value, noticeText: NOTICE, expiresAt: EXPIRES_AT, token };
}

export function awaiting(card: ConsentCard, inForce: InForce = null): Answer {
  return { status: 'awaiting_memory_consent', card, inForce };
}

export function memory(
  outcome: Exclude<Outcome, { outcome: 'awaiting_memory_consent' | 'message_taken_back' }>,
  inForce: InForce = null,
  operation: ConsentCard['operation'] | null = null,
  erasureScope: 'purpose' | 'all' | null = null,
): Answer {
  return { status: 'memory', outcome, inForce, operation, erasureScope };
}

export const STALE_CAUSES = [
  'superseded',
  'cancelled',
  'forgotten',
  'corrected',
  'revision_moved',
  'history_differs',
] as const satisfies readonly StaleCause[];

const PLAIN_OUTCOMES = [
  'memory_saved',
  'memory_corrected',
  'memory_proposal_cancelled',
  'already_applied',
  'already_cancelled',
  'proposal_closed',
  'nothing_to_forget',
  'no_open_proposal',
  'expired_memory_card',
] as const;

const QUESTIONS = [
  'which_diet_to_remember',
  'this_time_or_always',
  'one_thing_at_a_time',
  'whose_diet',
  'what_to_do',
] as const satisfies readonly Extract<Answer, { status: 'clarify' }>['question'][];

export const PLACE: Place = {
  placeId: 'place-1',
  name: '測試店甲',
  area: '花壇鄉',
  address: '花壇鄉測試路1號',
  phone: null,
  coordinates: null,
  dietaryOptions: ['vegetarian'],
  evidence: 'official',
  dietaryReason: null,
  openNow: null,
  hours: null,
  straightLineMetres: null,
  accessibility: { entrance: null, route: null, toilet: null },
  sources: { name: 'list' },
  unknownFields: ['phone', 'openNow', 'hours', 'dietarySubtype', 'accessibility.entrance'],
};

export function found(change: Partial<Extract<PlaceAnswer, { status: 'ok' }>> = {}): PlaceAnswer {
  return {
    status: 'ok',
    area: '花壇鄉',
    diet: 'vegetarian',
    keyword: '',
    places: [PLACE],
    nearMisses: [],
    total: 1,
    totalNearMisses: 0,
    page: 0,
    pages: 1,
    sources: [{ id: 'list', title: '測試名單', url: 'https://example.test/list', asOf: '2026-09-27' }],
    catalogVersion: 'v1',
    campaign: 'ended',
    ...change,
  };
}

type PlacesAnswer = Extract<Answer, { status: 'places' }>;

export function places(answer: PlaceAnswer, change: Partial<PlacesAnswer> = {}): Answer {
  return {
    status: 'places',
    answer,
    origin: 'none',
    memory: null,
    said: '',
    near: null,
    unanswered: [],
    ...change,
  };
}

export const EVENTS_FOUND: EventAnswer = {
  status: 'ok',
  catalogVersion: 'v1',
  sources: [],
  events: [
    {
      eventId: 'event-1',
      name: '測試走讀',
      area: '花壇鄉',
      date: '2026-09-19',
      time: '08:00~11:00',
      venue: '測試步道',
      meetingTime: null,
      meetingPoint: null,
      accessibility: { entrance: null, route: null, toilet: null },
      snapshot: 'historical_teaching_snapshot',
      unknownFields: ['meetingTime', 'meetingPoint', 'accessibility.route'],
    },
  ],
};

/** A link to the person's own page at its longest. */
export const OWN_LINK = {
  url: `https://${'a'.repeat(60)}.example.test${OWN_PAGE_PATH}/${'A'.repeat(OWN_LINK_TOKEN_LENGTH_MAX)}`,
  expiresAt: EXPIRES_AT,
};

/** One event of every kind, the longest wordings among them. */
export const OWN_HISTORY: readonly OwnEntry[] = [
  { position: 5, at: EXPIRES_AT - 300_000, kind: 'refused', reason: 'corrected' },
  { position: 4, at: EXPIRES_AT, kind: 'forgotten', revision: 1_000_000_000, hadValue: false },
  {
    position: 3,
    at: EXPIRES_AT,
    kind: 'changed',
    revision: 1_000_000_000,
    standing: { state: 'erased', at: EXPIRES_AT, by: 'corrected' },
  },
  { position: 2, at: EXPIRES_AT, kind: 'agreed', revision: 1_000_000_000, standing: { state: 'in_force' } },
  { position: 1, at: EXPIRES_AT, kind: 'closed', operation: null, method: 'message' },
];

export const OWN_RECEIPT: ReceiptSummary = {
  kind: 'save',
  at: EXPIRES_AT,
  position: 9,
  eventId: IN_FORCE.eventId,
  revision: IN_FORCE.revision,
  noticeVersion: 'diet_for_place_search/1',
  opens: true,
};

function ownReceipt(kind: DecisionKind, opens: boolean): ReceiptSummary {
  const revision = kind === 'cancel' ? null : IN_FORCE.revision;
  return { ...OWN_RECEIPT, kind, revision, noticeVersion: opens ? OWN_RECEIPT.noticeVersion : null, opens };
}

const inForceOrNot: readonly InForce[] = [null, IN_FORCE];
const noData: PlaceAnswer = { status: 'no_data', area: '大村鄉', diet: 'vegan', keyword: '', catalogVersion: 'v1' };

/** Every status, outcome, cause, question and state of a search, with and without something in force. */
export const EVERY_ANSWER: readonly Answer[] = [
  { status: 'menu' },
  { status: 'welcome' },
  { status: 'unsupported', unanswered: [] },
  { status: 'unsupported', unanswered: UNANSWERED },
  { status: 'unsupported_message' },
  { status: 'retry_guide' },
  { status: 'service_request_unavailable' },
  { status: 'choose_area', areas: AREAS, page: 0 },
  { status: 'choose_area', areas: AREAS, page: 1 },
  { status: 'choose_area', areas: AREAS, page: 99 },
  { status: 'invalid_memory_card' },
  { status: 'unreadable_memory_card' },
  { status: 'records_unreadable' },
  { status: 'busy' },
  { status: 'outcome_unknown' },
  { status: 'preference_changed' },
  { status: 'unknown_diet', said: '鍋邊素' },
  { status: 'remember_separately', value: 'vegetarian' },
  { status: 'search_separately' },
  { status: 'query_unavailable' },
  { status: 'model_budget_exhausted' },
  { status: 'document_action_denied' },
  { status: 'document_unavailable', because: 'too_long' },
  { status: 'document_unavailable', because: 'empty' },
  { status: 'document_unavailable', because: 'nothing_found' },
  { status: 'document_unavailable', because: 'not_read' },
  { status: 'say_again' },
  { status: 'one_to_one_only' },
  ...inForceOrNot.flatMap((inForce): Answer[] => [
    { status: 'memory_explained', inForce },
    { status: 'memory_update_prompt', inForce },
    ...QUESTIONS.map((question): Answer => ({ status: 'clarify', question, inForce })),
    ...[null, OWN_LINK].flatMap((link): Answer[] => [
      { status: 'my_records', history: [], earlier: 0, inForce: null, link },
      { status: 'my_records', history: OWN_HISTORY.slice(0, 1), earlier: 0, inForce, link },
      { status: 'my_records', history: OWN_HISTORY, earlier: 12_345, inForce, link },
      { status: 'my_receipt', receipt: null, inForce: null, link },
      ...(['save', 'correct', 'cancel', 'forget'] as const).flatMap((kind) =>
        [true, false].map(
          (opens): Answer => ({ status: 'my_receipt', receipt: ownReceipt(kind, opens), inForce, link }),
        ),
      ),
    ]),
    ...(['asked', 'bare_yes', 'refused'] as const).flatMap((because): Answer[] => [
      { status: 'memory_inspected', inForce, open: null, because },
      { status: 'memory_inspected', inForce, open: { operation: 'save', expiresAt: EXPIRES_AT }, because },
    ]),
    ...(['save', 'correct', 'forget', null] as const).flatMap((operation): Answer[] => [
      ...PLAIN_OUTCOMES.map((outcome) => memory({ outcome, revision: 3 }, inForce, operation, 'all')),
      ...[null, 2].map((forgetsRevision) =>
        memory({ outcome: 'memory_forgotten', revision: 3, forgetsRevision }, inForce, operation, 'all'),
      ),
      ...[null, 'a-proposal'].map((cancelledProposalId) =>
        memory({ outcome: 'already_effective', revision: 3, cancelledProposalId }, inForce, operation),
      ),
      ...STALE_CAUSES.map((cause) => memory({ outcome: 'stale_memory_card', cause, revision: 3 }, inForce, operation)),
    ]),
  ]),
  ...DIET_FOR_PLACE_SEARCH.values.flatMap(({ value }) => [
    awaiting(consentCard('save', value)),
    awaiting(consentCard('correct', value), IN_FORCE),
  ]),
  awaiting(consentCard('forget', null), IN_FORCE),
  places(found()),
  places(found(), { origin: 'this_turn', said: 'vegetarian', unanswered: UNANSWERED }),
  places(found(), { origin: 'consented_memory', memory: IN_FORCE }),
  places(found({ places: [], nearMisses: [PLACE], total: 0, totalNearMisses: 6, pages: 2 })),
  places(noData, { origin: 'this_turn', said: 'vegan' }),
  places({ status: 'needs_area', areas: AREAS }, { unanswered: UNANSWERED }),
  places({ status: 'location_outside', areas: AREAS }, { unanswered: UNANSWERED }),
  places({ status: 'unknown_area', said: '板橋', areas: AREAS }),
  places({ status: 'unavailable' }),
  { status: 'events', answer: EVENTS_FOUND, unanswered: UNANSWERED },
  { status: 'events', answer: { status: 'no_data', catalogVersion: 'v1' }, unanswered: [] },
  { status: 'events', answer: { status: 'unavailable' }, unanswered: [] },
];

/** Every status there is: a new one does not compile until it is named here, and a test asks for a sample of it. */
export const EVERY_STATUS: Readonly<Record<Answer['status'], true>> = {
  menu: true,
  welcome: true,
  unsupported: true,
  unsupported_message: true,
  retry_guide: true,
  service_request_unavailable: true,
  choose_area: true,
  memory_inspected: true,
  memory_explained: true,
  memory_update_prompt: true,
  my_records: true,
  my_receipt: true,
  records_unreadable: true,
  awaiting_memory_consent: true,
  memory: true,
  invalid_memory_card: true,
  unreadable_memory_card: true,
  busy: true,
  outcome_unknown: true,
  places: true,
  events: true,
  preference_changed: true,
  unknown_diet: true,
  clarify: true,
  remember_separately: true,
  search_separately: true,
  query_unavailable: true,
  model_budget_exhausted: true,
  document_action_denied: true,
  document_unavailable: true,
  say_again: true,
  one_to_one_only: true,
};

/** All that is readable in messages without a card: text messages and alt texts. */
export function readWithoutCards(messages: readonly messagingApi.Message[]): string {
  return messages
    .map((message) => (message.type === 'text' ? message.text : message.type === 'flex' ? message.altText : ''))
    .join('\n');
}

function parts(messages: readonly messagingApi.Message[]): readonly messagingApi.FlexComponent[] {
  const open = (component: messagingApi.FlexComponent): messagingApi.FlexComponent[] =>
    component.type === 'box' ? [component, ...component.contents.flatMap(open)] : [component];
  return messages
    .filter((message) => message.type === 'flex')
    .map(({ contents }) => contents)
    .filter((contents) => contents.type === 'bubble')
    .flatMap(({ body, footer }) => [body, footer].flatMap((box) => (box === undefined ? [] : open(box))));
}

/** Every text component of the cards. */
export function cardTexts(messages: readonly messagingApi.Message[]): readonly messagingApi.FlexText[] {
  return parts(messages).filter((part): part is messagingApi.FlexText => part.type === 'text');
}

/** The actions of the cards' buttons. */
export function actions(
  messages: readonly messagingApi.Message[],
): readonly (messagingApi.PostbackAction | messagingApi.MessageAction | messagingApi.URIAction)[] {
  return parts(messages)
    .filter((part): part is messagingApi.FlexButton => part.type === 'button')
    .map(({ action }) => action as messagingApi.PostbackAction | messagingApi.MessageAction | messagingApi.URIAction);
}

/** Everything a person can see: cards, texts and alt texts. */
export function allVisible(messages: readonly messagingApi.Message[]): string {
  const onCards = [...cardTexts(messages).map(({ text }) => text ?? ''), ...labels(messages)];
  return [readWithoutCards(messages), ...onCards].join('\n');
}

/** The labels of the cards' buttons. */
export function labels(messages: readonly messagingApi.Message[]): string[] {
  return actions(messages).map(({ label }) => label ?? '');
}

/** What the cards' buttons do: the entry of a postback (null if it is none of ours), or the message action. */
export function entries(messages: readonly messagingApi.Message[]) {
  return actions(messages).map((action) => (action.type === 'postback' ? decodePostback(action.data ?? '') : action));
}
