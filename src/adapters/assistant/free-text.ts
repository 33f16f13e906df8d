/**
 * Free text: router → at most what it may run → answers. Holds no way to approve, cancel or forget.
 * @module
 */
import * as v from 'valibot';
import type { Answer } from '../../commands/answers.ts';
import type { Catalog } from '../../commands/catalog.ts';
import { type Routed, type Router, ToolCall, type Unanswered } from '../../commands/tools.ts';
import type { Delivery, Offers, Person, Remembered, Turn, Turns } from '../../commands/turns.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../events/purposes.ts';
import { preferenceChanged, searchPlaces, stillAt } from './search.ts';

export type FreeTextDependencies = {
  readonly router: Router;
  readonly catalog: Catalog;
  readonly offers: Offers;
  /** Unix milliseconds. */
  readonly clock: () => number;
};

type Call = v.InferOutput<typeof ToolCall>;

/** Answers free text. */
export function createFreeText({ router, catalog, offers, clock }: FreeTextDependencies): Pick<Turns, 'text'> {
  async function text(person: Person, said: string, delivery: Delivery): Promise<Turn> {
    const before = await offers.remembered(person);
    const routed = await router.route(said, { catalogVersion: catalog.version, areas: catalog.areas });
    switch (routed.outcome) {
      case 'call':
        return runCalls(person, routed, before, delivery);
      case 'clarify':
        return told({ status: 'clarify', question: routed.question });
      case 'unsupported':
        return told({ status: 'unsupported', unanswered: routed.unanswered });
      case 'blocked':
        return told({ status: 'unsupported', unanswered: [] });
      case 'unavailable':
      case 'invalid':
        return told({ status: 'query_unavailable' });
    }
  }

  async function runCalls(
    person: Person,
    routed: Extract<Routed, { outcome: 'call' }>,
    before: Remembered,
    delivery: Delivery,
  ): Promise<Turn> {
    const calls = v.safeParse(v.array(ToolCall), routed.calls);
    if (!calls.success) return told({ status: 'query_unavailable' });
    const plan = planOf(calls.output, router.name);
    if (plan === null) return told({ status: 'clarify', question: 'one_thing_at_a_time' });
    if (!(await stillAt(offers, person, before.revision))) return preferenceChanged;
    const turns: Turn[] = [];
    for (const call of plan.run) turns.push(await run(person, call, before, delivery));
    const restsOn = turns.find((turn) => turn.restsOnRevision !== null)?.restsOnRevision ?? null;
    if (restsOn !== null && !(await stillAt(offers, person, restsOn))) return preferenceChanged;
    const answers = turns.flatMap((turn) => turn.answers);
    const dropped = plan.dropped === null ? [] : [rememberSeparately(plan.dropped.dietary_type)];
    return {
      answers: [...withUnanswered(answers, routed.unanswered), ...dropped],
      onceKey: null,
      restsOnRevision: restsOn,
    };
  }

  async function run(person: Person, call: Call, before: Remembered, delivery: Delivery): Promise<Turn> {
    switch (call.tool) {
      case 'search_local_places':
        return searchPlaces(catalog, { ...call, near: null, page: 0 }, before, clock());
      case 'search_local_events': {
        const { date, area, keyword } = call;
        return told({
          status: 'events',
          answer: catalog.searchEvents({ date, area, keyword, now: clock() }),
          unanswered: [],
        });
      }
      case 'propose_dietary_memory':
        return told(await proposeValue(person, call.dietary_type, delivery));
      case 'request_memory_management':
        return told(await manage(person, call.action, call.dietary_type, before, delivery));
      case 'show_local_help':
        return told(call.reason === 'unsupported' ? { status: 'unsupported', unanswered: [] } : { status: 'menu' });
    }
  }

  async function proposeValue(person: Person, word: string, delivery: Delivery): Promise<Answer> {
    const diet = catalog.dietOf(word);
    if (diet === null) return { status: 'unknown_diet', said: word };
    if (labelOf(DIET_FOR_PLACE_SEARCH, diet) === undefined)
      return { status: 'clarify', question: 'which_diet_to_remember' };
    return offers.propose(person, diet, 'message', delivery);
  }

  async function manage(
    person: Person,
    action: 'inspect' | 'update' | 'forget' | 'explain',
    word: string,
    { inForce }: Remembered,
    delivery: Delivery,
  ): Promise<Answer> {
    if (action === 'explain') return { status: 'memory_explained', inForce };
    if (action === 'inspect') return offers.inspect(person, 'asked');
    if (action === 'forget') return offers.propose(person, null, 'message', delivery);
    return word === '' ? { status: 'memory_update_prompt', inForce } : proposeValue(person, word, delivery);
  }

  function rememberSeparately(word: string): Answer {
    const diet = catalog.dietOf(word);
    if (diet === null || labelOf(DIET_FOR_PLACE_SEARCH, diet) === undefined)
      return { status: 'clarify', question: 'which_diet_to_remember' };
    return { status: 'remember_separately', value: diet };
  }

  return { text };
}

type Plan = {
  readonly run: readonly Call[];
  readonly dropped: Extract<Call, { tool: 'propose_dietary_memory' }> | null;
};

/**
 * What of a router's calls runs. Rules read only the person's own words and may do a search and an offer; of a model's
 * two calls the read runs and the offer is named; anything else is a question back.
 */
export function planOf(calls: readonly Call[], routerName: Router['name']): Plan | null {
  const distinct = calls.filter(
    (call, index) => calls.findIndex((other) => JSON.stringify(other) === JSON.stringify(call)) === index,
  );
  const [first, second] = distinct;
  if (first === undefined || distinct.length > 2) return null;
  if (second === undefined) return { run: [first], dropped: null };
  const read = distinct.find((call) => call.tool === 'search_local_places' || call.tool === 'search_local_events');
  const offer = distinct.find((call) => call.tool === 'propose_dietary_memory');
  if (read === undefined) return null;
  if (routerName === 'rules') return { run: [read, ...distinct.filter((call) => call !== read)], dropped: null };
  return offer === undefined ? null : { run: [read], dropped: offer };
}

/** Names the parts nobody could answer on the first answer that can carry them; no half is dropped in silence. */
function withUnanswered(answers: readonly Answer[], unanswered: readonly Unanswered[]): readonly Answer[] {
  if (unanswered.length === 0) return answers;
  const index = answers.findIndex((answer) => answer.status === 'places' || answer.status === 'events');
  if (index === -1) return [...answers, { status: 'unsupported', unanswered }];
  return answers.map((answer, at) =>
    at === index && (answer.status === 'places' || answer.status === 'events') ? { ...answer, unanswered } : answer,
  );
}

function told(answer: Answer): Turn {
  return { answers: [answer], onceKey: null, restsOnRevision: null };
}
