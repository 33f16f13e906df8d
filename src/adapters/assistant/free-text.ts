/**
 * Free text: router → at most what it may run → answers. Holds no way to approve, cancel or forget.
 * @module
 */
import * as v from 'valibot';
import type { Answer } from '../../commands/answers.ts';
import type { Catalog } from '../../commands/catalog.ts';
import type { ModelAttempt } from '../../commands/model-attempt.ts';
import { type Routed, type Router, type RouterFacts, ToolCall, type Unanswered } from '../../commands/tools.ts';
import type { Delivery, Offers, Person, Remembered, Turn, Turns } from '../../commands/turns.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../events/purposes.ts';
import type { Journal } from './context.ts';
import { documentIn } from './document-command.ts';
import type { Documents } from './documents.ts';
import { completed } from './follow-up.ts';
import type { ModelAllowance } from './model-allowance.ts';
import { createOwnWords } from './own-words.ts';
import { preferenceChanged, searchPlaces, stillAt } from './search.ts';
import type { RanCall, TurnTrail } from './turn-trail.ts';

export type FreeTextDependencies = {
  readonly router: Router;
  readonly catalog: Catalog;
  readonly offers: Offers;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** What turns leave behind and may spend; absent: nothing is kept, carried over or counted. */
  readonly keeping?: { readonly trail: TurnTrail; readonly journal: Journal; readonly allowance: ModelAllowance };
  /** Reads the same words when a model was asked, only to name a half it dropped; it runs nothing. */
  readonly secondReader?: Router;
  /** The route of documents; absent: a document is answered as unread. */
  readonly documents?: Documents;
};

type Call = v.InferOutput<typeof ToolCall>;
/** One turn with what ran in it, for the trail. */
type Answered = { readonly turn: Turn; readonly ran: readonly RanCall[] };

const NOTHING_KEPT: NonNullable<FreeTextDependencies['keeping']> = {
  trail: { record: async () => {} },
  journal: { recall: async () => ({ context: null, generation: null }), keep: async () => {} },
  allowance: { take: async () => true },
};

/** Answers free text. */
export function createFreeText(dependencies: FreeTextDependencies): Pick<Turns, 'text'> {
  const { router, catalog, offers, clock, secondReader, documents } = dependencies;
  const { trail, journal, allowance } = dependencies.keeping ?? NOTHING_KEPT;
  const ownWords = createOwnWords(catalog);

  async function text(person: Person, said: string, delivery: Delivery): Promise<Turn> {
    const document = documentIn(said);
    if (document === null) return understood(person, said, delivery);
    if (documents === undefined) return told({ status: 'document_unavailable', because: 'not_read' });
    return documents.read(person, document, delivery);
  }

  async function understood(person: Person, said: string, delivery: Delivery): Promise<Turn> {
    const before = await offers.remembered(person);
    const recalled = await journal.recall(person, before.revision);
    const { context } = recalled;
    const attempts: ModelAttempt[] = [];
    const facts = { catalogVersion: catalog.version, areas: catalog.areas, context };
    const routed = (await allowance.take(person, router.name))
      ? completed(await heard(person, said, facts, attempts), said, context)
      : null;
    const { turn, ran } =
      routed === null
        ? answered({ status: 'model_budget_exhausted' })
        : await answer(person, said, routed, before, delivery);
    const calls = ran.map(({ call }) => call);
    const finished = { person, delivery, catalogVersion: catalog.version, context, said, attempts, ran };
    await Promise.all([
      journal.keep(person, recalled, calls, before.revision, delivery),
      trail.record({
        ...finished,
        route: 'chat',
        router: router.name,
        revision: before.revision,
        routed: routed?.outcome ?? null,
        answers: turn.answers,
      }),
    ]);
    return { ...turn, tools: calls.map(({ tool }) => tool) };
  }

  /** What the router made of the words; of a model's answer only what they hold. A second request of a model is counted too. */
  async function heard(person: Person, said: string, facts: RouterFacts, attempts: ModelAttempt[]): Promise<Routed> {
    const { context = null } = facts;
    const routed = await router.route(
      said,
      facts,
      (attempt) => attempts.push(attempt),
      () => allowance.take(person, router.name),
    );
    return router.name === 'rules' ? routed : ownWords(routed, said, context);
  }

  async function answer(
    person: Person,
    said: string,
    routed: Routed,
    before: Remembered,
    delivery: Delivery,
  ): Promise<Answered> {
    switch (routed.outcome) {
      case 'call':
        return runCalls(person, said, routed, before, delivery);
      case 'clarify':
        return answered(
          routed.question === 'not_remembered'
            ? await offers.inspect(person, 'refused')
            : { status: 'clarify', question: routed.question, inForce: before.inForce },
        );
      case 'unsupported':
        return answered({ status: 'unsupported', unanswered: routed.unanswered });
      case 'blocked':
        return answered({ status: 'unsupported', unanswered: [] });
      case 'unavailable':
      case 'invalid':
        return answered({ status: 'query_unavailable' });
    }
  }

  async function runCalls(
    person: Person,
    said: string,
    routed: Extract<Routed, { outcome: 'call' }>,
    before: Remembered,
    delivery: Delivery,
  ): Promise<Answered> {
    const calls = v.safeParse(v.array(ToolCall), routed.calls);
    if (!calls.success) return answered({ status: 'query_unavailable' });
    const plan = planOf(calls.output, router.name);
    if (plan === null) {
      return answered({ status: 'clarify', question: 'one_thing_at_a_time', inForce: before.inForce });
    }
    if (!(await stillAt(offers, person, before.revision))) return { turn: preferenceChanged, ran: [] };
    const turns: Turn[] = [];
    const ran: RanCall[] = [];
    for (const call of plan.run) {
      const turn = await run(person, call, before, delivery);
      turns.push(turn);
      ran.push(...turn.answers.map((one) => ({ call, answer: one })));
    }
    const restsOn = turns.find((turn) => turn.restsOnRevision !== null)?.restsOnRevision ?? null;
    if (restsOn !== null && !(await stillAt(offers, person, restsOn))) return { turn: preferenceChanged, ran };
    const answers = turns.flatMap((turn) => turn.answers);
    const dropped =
      plan.dropped === null
        ? await halfDropped(said, plan.run, before)
        : rememberSeparately(plan.dropped.dietary_type, before);
    return {
      turn: {
        answers: [...withUnanswered(answers, routed.unanswered), ...(dropped === null ? [] : [dropped])],
        onceKey: null,
        restsOnRevision: restsOn,
      },
      ran,
    };
  }

  /**
   * The half of a message with a search and a wish to remember in it that a model did not take up, by the rules' reading of the
   * same words; null when there is none.
   */
  async function halfDropped(said: string, ran: readonly Call[], before: Remembered): Promise<Answer | null> {
    const [only] = ran;
    if (router.name === 'rules' || secondReader === undefined || ran.length !== 1 || only === undefined) return null;
    const read = await secondReader.route(said, { catalogVersion: catalog.version, areas: catalog.areas });
    if (read.outcome !== 'call' || !read.calls.some(isSearch)) return null;
    const offer = read.calls.find((call) => call.tool === 'propose_dietary_memory');
    if (offer === undefined) return null;
    if (isSearch(only)) return rememberSeparately(offer.dietary_type, before);
    return only.tool === 'propose_dietary_memory' ? { status: 'search_separately' } : null;
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
        return told(await proposeValue(person, call.dietary_type, before, delivery));
      case 'request_memory_management':
        return told(await manage(person, call.action, call.dietary_type, before, delivery));
      case 'show_local_help':
        return told(call.reason === 'unsupported' ? { status: 'unsupported', unanswered: [] } : { status: 'menu' });
    }
  }

  async function proposeValue(
    person: Person,
    word: string,
    { inForce }: Remembered,
    delivery: Delivery,
  ): Promise<Answer> {
    const diet = catalog.dietOf(word);
    if (diet === null) return { status: 'unknown_diet', said: word };
    if (labelOf(DIET_FOR_PLACE_SEARCH, diet) === undefined)
      return { status: 'clarify', question: 'which_diet_to_remember', inForce };
    // A model can bring about an offer and nothing else: not even that an open card is closed by what is so already.
    if (router.name !== 'rules' && inForce?.value === diet) return offers.inspect(person, 'asked');
    return offers.propose(person, diet, 'message', delivery);
  }

  async function manage(
    person: Person,
    action: 'inspect' | 'update' | 'forget' | 'explain',
    word: string,
    before: Remembered,
    delivery: Delivery,
  ): Promise<Answer> {
    const { inForce } = before;
    if (action === 'explain') return { status: 'memory_explained', inForce };
    if (action === 'inspect') return offers.inspect(person, 'asked');
    if (action === 'forget') return offers.propose(person, null, 'message', delivery);
    return word === '' ? { status: 'memory_update_prompt', inForce } : proposeValue(person, word, before, delivery);
  }

  function rememberSeparately(word: string, { inForce }: Remembered): Answer {
    const diet = catalog.dietOf(word);
    if (diet === null || labelOf(DIET_FOR_PLACE_SEARCH, diet) === undefined)
      return { status: 'clarify', question: 'which_diet_to_remember', inForce };
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
  const read = distinct.find(isSearch);
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

function isSearch(call: Call): boolean {
  return call.tool === 'search_local_places' || call.tool === 'search_local_events';
}

function answered(answer: Answer): Answered {
  return { turn: told(answer), ran: [] };
}

function told(answer: Answer): Turn {
  return { answers: [answer], onceKey: null, restsOnRevision: null };
}
