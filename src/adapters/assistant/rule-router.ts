/**
 * The router that needs no key and no model: rules over the person's own words. What it does not understand it asks about.
 * @module
 */
import type { Routed, Router, RouterFacts, ToolCall, Unanswered } from '../../commands/tools.ts';
import { unansweredIn } from './beyond-local.ts';
import {
  afterChange,
  isReported,
  keepsSomethingElse,
  type MemoryWish,
  namesOthers,
  type ReadWish,
  readMemoryWish,
  refusesInWords,
  speaksOfMemory,
} from './memory-wish.ts';
import { readSearchWish, type SearchWish } from './search-wish.ts';
import { areasIn } from './spoken-areas.ts';
import { type DietOf, dietsIn, rememberable, type SpokenDiet } from './spoken-diets.ts';
import { type Clause, hasAny, readSpoken, words } from './spoken-text.ts';

export type RuleRouterDependencies = {
  /** The catalog's words for diets; it also takes the codes (`vegan` …), which the calls carry. */
  readonly dietOf: DietOf;
  /** The present day, `YYYY-MM-DD` in Taipei, for days said without a year; without it only full dates are read. */
  readonly today?: () => string;
};

type Question = Extract<Routed, { outcome: 'clarify' }>['question'];

/** All that was read in one message. */
type Message = {
  readonly clauses: readonly Clause[];
  readonly memory: ReadWish;
  /** By clause. */
  readonly diets: readonly (readonly SpokenDiet[])[];
  readonly search: SearchWish;
  readonly unanswered: readonly Unanswered[];
  readonly townships: readonly string[];
};

const CAPABILITIES = words('可以做什麼 能做什麼 會什麼 有什麼功能 怎麼用 怎麼使用 可以幫我什麼 能幫我什麼');

/** Builds the rule router. Its route never throws and takes time in proportion to the text, whatever was typed. */
export function createRuleRouter({ dietOf, today }: RuleRouterDependencies): Router {
  return {
    name: 'rules',
    route(text, facts) {
      const message = readMessage(text, facts, lookedUpOnce(dietOf), today?.() ?? null);
      return Promise.resolve(message === null ? ask('what_to_do') : answer(message));
    },
  };
}

/** One message is read for diets from several sides; each of its words is looked up once. */
function lookedUpOnce(dietOf: DietOf): DietOf {
  const known = new Map<string, ReturnType<DietOf>>();
  return (word) => {
    const diet = known.get(word) ?? (known.has(word) ? null : dietOf(word));
    known.set(word, diet);
    return diet;
  };
}

function readMessage(text: string, facts: RouterFacts, dietOf: DietOf, today: string | null): Message | null {
  const spoken = readSpoken(text);
  if (spoken === null) return null;
  const { clauses } = spoken;
  const diets = clauses.map((clause) => dietsIn(clause.folded, dietOf));
  const memory = readMemoryWish(spoken, (words) => dietsIn(words, dietOf).length > 0);
  const parts = clauses.map((clause, at) => ({ clause, until: searchedUntil(clause, at, memory, facts.areas) }));
  const spare = ACTS.includes(memory.wish) ? diets.flat() : [];
  return {
    clauses,
    memory,
    diets,
    search: readSearchWish(parts, spare, facts.areas, dietOf, today),
    unanswered: unansweredIn(clauses.map(({ folded }) => folded).join(',')),
    townships: facts.areas,
  };
}

const ACTS: readonly MemoryWish[] = ['remember', 'update', 'habit', 'reported', 'conditional', 'unclear'];
/** How much of a clause may ask for a search: what is said about memory does not, unless nothing is done and a place is named. */
function searchedUntil({ folded }: Clause, at: number, memory: ReadWish, townships: readonly string[]): number {
  if (ACTS.includes(memory.wish)) return memory.memoryFrom[at] ?? 0;
  return speaksOfMemory(folded) && areasIn(folded, townships).length === 0 ? 0 : folded.length;
}

function answer(message: Message): Routed {
  const { memory, search, diets, unanswered } = message;
  const alsoSearches = search.wish !== 'none';
  switch (memory.wish) {
    case 'reported':
      return ask(alsoSearches ? 'one_thing_at_a_time' : diets.flat().length > 0 ? 'whose_diet' : 'what_to_do');
    case 'conditional':
    case 'unclear':
      return ask(alsoSearches ? 'one_thing_at_a_time' : 'what_to_do');
    case 'this_meal_or_always':
      return ask(alsoSearches && !isOnlyDiet(search) ? 'one_thing_at_a_time' : 'this_time_or_always');
    case 'someone_else':
      return ask('whose_diet');
    case 'could_you':
      return ask(wantsSomethingElseKept(message) ? 'what_to_do' : 'which_diet_to_remember');
    case 'explain':
    case 'inspect':
    case 'forget':
      if (alsoSearches) return ask('one_thing_at_a_time');
      return call([{ tool: 'request_memory_management', action: memory.wish, dietary_type: '' }], unanswered);
    case 'habit':
    case 'remember':
    case 'update':
      return beside(message, memory.wish);
    case 'none':
    case 'refused':
      return searchOnly(message);
  }
}

/** An offer to remember or to change, with the search said beside it. At most two calls. */
function beside(message: Message, wish: MemoryWish): Routed {
  const { clauses, memory, search, diets, unanswered, townships } = message;
  if (search.wish === 'too_many') return ask('one_thing_at_a_time');
  const searches = search.wish === 'search' ? search.calls : [];
  // A township among the words about remembering is a second wish that nobody could tell apart.
  const mixed = clauses.some(
    ({ folded }, at) => areasIn(folded.slice(memory.memoryFrom[at] ?? 0), townships).length > 0,
  );
  if (mixed || searches.length > 1) return ask('one_thing_at_a_time');
  if (wish === 'habit') {
    // Nobody asked to remember it, so no card: the choices are shown, and the person may choose.
    return searches.length === 0 ? ask('which_diet_to_remember') : call([...searches, update('')], unanswered);
  }
  if (wantsSomethingElseKept(message)) return ask(searches.length > 0 ? 'one_thing_at_a_time' : 'what_to_do');
  const diet = dietMeant(clauses, memory.memoryFrom, diets, wish);
  if (diet === 'several') return ask(searches.length > 0 ? 'one_thing_at_a_time' : 'which_diet_to_remember');
  if (wish === 'update') return call([...searches, update(diet)], unanswered);
  if (diet === '')
    return searches.length === 0 ? ask('which_diet_to_remember') : call([...searches, update('')], unanswered);
  return call([...searches, { tool: 'propose_dietary_memory', dietary_type: diet }], unanswered);
}

/** Whether nothing but a diet is known of what to search: words that may as well only say what is to be remembered. */
function isOnlyDiet(search: SearchWish): boolean {
  if (search.wish !== 'search') return false;
  return search.calls.every((each) => each.tool === 'search_local_places' && each.area + each.keyword === '');
}

/** No diet is named, and what is to be remembered is a telephone number or the like. */
function wantsSomethingElseKept({ clauses, diets }: Message): boolean {
  return diets.flat().length === 0 && clauses.some(({ folded }) => keepsSomethingElse(folded));
}

function update(diet: string): ToolCall {
  return { tool: 'request_memory_management', action: 'update', dietary_type: diet };
}

/**
 * The diet said after the verb of a change; else the one said with the saving; else the one said elsewhere. '' when none is
 * said; `several` when it must be asked for: more than one, one that is left out, one that no list has.
 */
function dietMeant(
  clauses: readonly Clause[],
  memoryFrom: readonly number[],
  diets: readonly (readonly SpokenDiet[])[],
  wish: MemoryWish,
): string {
  const all = diets.flat();
  const within = diets.flatMap((ofClause, at) => ofClause.filter((diet) => diet.at >= (memoryFrom[at] ?? 0)));
  const target = diets.flatMap((ofClause, at) => {
    const clause = clauses[at]?.folded ?? '';
    const from = clause.length - afterChange(clause).length;
    return from === 0 ? [] : ofClause.filter((diet) => diet.at >= from);
  });
  const said = [wish === 'update' ? target : [], within, all].find((group) => group.length > 0) ?? [];
  if (said.length === 0) return '';
  // "Change it to no limit" is no value to remember: the choices are shown.
  if (wish === 'update' && said.every((diet) => diet.value === 'any')) return '';
  // A condition that leaves a food out goes with any diet; another unknown one does not.
  if (all.some((diet) => !diet.known && !/^[不無]/.test(diet.value))) return 'several';
  return rememberable(said) ?? 'several';
}

function searchOnly({ clauses, memory, search, diets, unanswered }: Message): Routed {
  if (search.wish === 'too_many') return ask('one_thing_at_a_time');
  // To have a dish ordered or reserved is a service LOCAL does not have; a list of shops would be no answer to it.
  const wantsService = unanswered.includes('booking') && search.wish === 'search' && search.dishOnly;
  if (search.wish === 'search' && !wantsService) return call(search.calls, unanswered);
  if (unanswered.length > 0) return { outcome: 'unsupported', unanswered };
  if (memory.wish === 'refused' && clauses.some(({ folded, asks }) => !asks && refusesInWords(folded))) {
    return ask('not_remembered');
  }
  if (clauses.some((clause) => hasAny(clause.folded, CAPABILITIES))) {
    return call([{ tool: 'show_local_help', reason: '' }], []);
  }
  const ofOthers =
    isReported(clauses.map((clause) => clause.folded)) || clauses.some(({ folded }) => namesOthers(folded));
  return ask(ofOthers && diets.flat().length > 0 ? 'whose_diet' : 'what_to_do');
}

function ask(question: Question): Routed {
  return { outcome: 'clarify', question };
}

function call(calls: readonly ToolCall[], unanswered: readonly Unanswered[]): Routed {
  return { outcome: 'call', calls, unanswered };
}
