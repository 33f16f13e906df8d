/**
 * Reading a document a person handed over: at most one search comes of it, whatever stands in it.
 *
 * The route holds searches and nothing else: no offer, no desk, no context of other turns. What a router makes of the document
 * passes one gate; a failure is told and never handed to the router of the person's own words.
 * @module
 */
import * as v from 'valibot';
import type { Answer } from '../../commands/answers.ts';
import type { ModelAttempt } from '../../commands/model-attempt.ts';
import {
  type Routed,
  type Router,
  SearchLocalEvents,
  SearchLocalPlaces,
  ShowLocalHelp,
  type ToolName,
} from '../../commands/tools.ts';
import type { Delivery, Person, Searches, Turn } from '../../commands/turns.ts';
import { unreadable } from './document-command.ts';
import type { ModelAllowance } from './model-allowance.ts';
import { isSaidArea } from './own-words.ts';
import { folded, normalised } from './spoken-text.ts';
import type { RanCall, TurnTrail } from './turn-trail.ts';

/** The tools a document may lead to; a model that reads documents is offered these and no others. */
export const DOCUMENT_TOOLS: readonly ToolName[] = ['search_local_places', 'search_local_events', 'show_local_help'];
const DocumentCall = v.variant('tool', [SearchLocalPlaces, SearchLocalEvents, ShowLocalHelp]);
type DocumentCall = v.InferOutput<typeof DocumentCall>;
/** What a call may say of diets. None is used: a condition comes from the person, never from a document. */
const DIETS = ['', 'any', 'vegetarian', 'vegan', 'ovo_lacto'];
/** A longer keyword is a sentence of the document, and it would be told back. */
const KEYWORD_LENGTH_MAX = 20;

export type DocumentDependencies = {
  /** All this route can do. */
  readonly searches: Searches;
  /** A router of its own. */
  readonly router: Router;
  readonly catalog: { readonly version: string; readonly areas: readonly string[] };
  readonly allowance: ModelAllowance;
  readonly trail: TurnTrail;
};

export interface Documents {
  /** Answers one document. Never throws for what stands in it. */
  read(person: Person, document: string, delivery: Delivery): Promise<Turn>;
}

/** Builds the route. */
export function createDocuments({ searches, router, catalog, allowance, trail }: DocumentDependencies): Documents {
  /** A township the document names, or '' where the router made one up. */
  const areaOf = (area: string, document: string): string => (isSaidArea(area, document, catalog.areas) ? area : '');

  async function run(person: Person, call: DocumentCall, document: string): Promise<Turn> {
    switch (call.tool) {
      case 'search_local_places': {
        const keyword = keywordOf(call.keyword, document);
        const area = areaOf(call.area, document);
        return searches.places(person, { area, dietary_type: '', keyword, near: null, page: 0 });
      }
      case 'search_local_events':
        return searches.events({
          date: call.date,
          area: areaOf(call.area, document),
          keyword: keywordOf(call.keyword, document),
        });
      case 'show_local_help':
        return told({ status: 'document_unavailable', because: 'nothing_found' });
    }
  }

  return {
    async read(person, document, delivery) {
      const refused = unreadable(document);
      if (refused !== null) return told({ status: 'document_unavailable', because: refused });
      if (!(await allowance.take(person, router.name))) return told({ status: 'model_budget_exhausted' });
      const attempts: ModelAttempt[] = [];
      const facts = { catalogVersion: catalog.version, areas: catalog.areas };
      const routed = await router.route(
        document,
        facts,
        (attempt) => attempts.push(attempt),
        () => allowance.take(person, router.name),
      );
      const allowed = gate(routed, attempts);
      const turn = 'tool' in allowed ? await run(person, allowed, document) : told(allowed);
      const ran: readonly RanCall[] =
        'tool' in allowed ? turn.answers.map((answer) => ({ call: allowed, answer })) : [];
      await trail.record({
        person,
        delivery,
        route: 'document',
        router: router.name,
        catalogVersion: catalog.version,
        context: null,
        said: document,
        revision: turn.restsOnRevision,
        attempts,
        routed: routed.outcome,
        ran,
        answers: turn.answers,
      });
      return 'tool' in allowed ? { ...turn, tools: [allowed.tool] } : turn;
    },
  };
}

/** The one call that may run, or what is told instead. Anything beyond the allow-list refuses the whole answer of a router. */
function gate(routed: Routed, attempts: readonly ModelAttempt[]): DocumentCall | Answer {
  const denied: Answer = { status: 'document_action_denied' };
  for (const { proposed } of attempts) {
    if (proposed.length > 1 || proposed.some(({ name }) => !DOCUMENT_TOOLS.some((tool) => tool === name)))
      return denied;
  }
  switch (routed.outcome) {
    case 'call': {
      const [only] = routed.calls;
      const call = v.safeParse(DocumentCall, only);
      if (routed.calls.length !== 1 || !call.success) return denied;
      if (call.output.tool === 'search_local_places' && !DIETS.includes(call.output.dietary_type)) return denied;
      return call.output;
    }
    case 'unsupported':
    case 'clarify':
      return { status: 'document_unavailable', because: 'nothing_found' };
    case 'blocked':
    case 'unavailable':
    case 'invalid':
      return { status: 'document_unavailable', because: 'not_read' };
  }
}

/** A word of the document, or '' where the router made one up or took a whole sentence. */
function keywordOf(keyword: string, document: string): string {
  const isWord = [...keyword].length <= KEYWORD_LENGTH_MAX;
  return isWord && folded(normalised(document)).includes(folded(normalised(keyword))) ? keyword : '';
}

function told(answer: Answer): Turn {
  return { answers: [answer], onceKey: null, restsOnRevision: null };
}
