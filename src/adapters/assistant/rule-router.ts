/**
 * The router that needs no key and no model: rules over the person's own words. What it does not understand it asks about.
 * @module
 */
import type { Routed, Router, RouterFacts, ToolCall, Unanswered } from '../../commands/tools.ts';
import { unansweredIn } from './beyond-local.ts';
import { afterChange, isReported, type MemoryWish, readMemoryWish, type ReadWish } from './memory-wish.ts';
import { readSearchWish, type SearchWish } from './search-wish.ts';
import { areasIn } from './spoken-areas.ts';
import { type DietOf, dietsIn, rememberable, type SpokenDiet } from './spoken-diets.ts';
import { hasAny, readSpoken, type Spoken } from './spoken-text.ts';

export type RuleRouterDependencies = {
  /** The catalog's words for diets. */
  readonly dietOf: DietOf;
  /** The present day, `YYYY-MM-DD` in Taipei, for dates said without a year; without it only full dates are read. */
  readonly today?: () => string;
};

type Question = Extract<Routed, { outcome: 'clarify' }>['question'];

const CAPABILITIES = [
  '可以做什麼',
  '能做什麼',
  '會什麼',
  '有什麼功能',
  '怎麼用',
  '怎麼使用',
  '可以幫我什麼',
  '能幫我什麼',
];

/** Builds the rule router. Its route never throws and takes time linear in the text, whatever was typed. */
export function createRuleRouter({ dietOf, today }: RuleRouterDependencies): Router {
  return {
    name: 'rules',
    route(text, facts) {
      const spoken = readSpoken(text);
      return Promise.resolve(spoken === null ? ask('what_to_do') : routed(spoken, facts, dietOf, today?.() ?? null));
    },
  };
}

function routed(spoken: Spoken, facts: RouterFacts, dietOf: DietOf, today: string | null): Routed {
  const hasDiet = (clause: string): boolean => dietsIn(clause, dietOf).length > 0;
  const memory = readMemoryWish(spoken, hasDiet);
  const diets = spoken.clauses.map((clause) => dietsIn(clause.folded, dietOf));
  const search = searchBeside(spoken, memory, diets, facts, dietOf, today);
  const unanswered = unansweredIn(spoken.sentences.join(','));
  return answer(spoken, memory, diets, search, unanswered, facts);
}

/** The search in what is not about remembering. Where nothing will be remembered, all of the message may be about searching. */
function searchBeside(
  spoken: Spoken,
  { wish, memoryFrom }: ReadWish,
  diets: readonly (readonly SpokenDiet[])[],
  facts: RouterFacts,
  dietOf: DietOf,
  today: string | null,
): SearchWish {
  const actsOnMemory = !(['none', 'refused', 'explain', 'inspect'] as readonly MemoryWish[]).includes(wish);
  const parts = spoken.clauses.map((clause, at) => ({
    clause,
    until: actsOnMemory ? (memoryFrom[at] ?? 0) : clause.folded.length,
  }));
  return readSearchWish(parts, actsOnMemory ? diets.flat() : [], facts.areas, dietOf, today);
}

function answer(
  spoken: Spoken,
  memory: ReadWish,
  diets: readonly (readonly SpokenDiet[])[],
  search: SearchWish,
  unanswered: readonly Unanswered[],
  facts: RouterFacts,
): Routed {
  const searches = search.wish === 'search' ? search.calls : [];
  const alsoSearches = search.wish !== 'none';
  switch (memory.wish) {
    case 'reported':
      return ask(alsoSearches ? 'one_thing_at_a_time' : diets.flat().length > 0 ? 'whose_diet' : 'what_to_do');
    case 'conditional':
    case 'unclear':
      return ask(alsoSearches ? 'one_thing_at_a_time' : 'what_to_do');
    case 'this_meal_or_always':
      return ask('one_thing_at_a_time');
    case 'someone_else':
      return ask('whose_diet');
    case 'could_you':
      return ask('which_diet_to_remember');
    case 'explain':
    case 'inspect':
    case 'forget':
      if (alsoSearches && memory.wish !== 'explain') return ask('one_thing_at_a_time');
      return call([{ tool: 'request_memory_management', action: memory.wish, dietary_type: '' }], unanswered);
    case 'habit':
      if (search.wish === 'too_many') return ask('one_thing_at_a_time');
      if (searches.length === 0) return ask('which_diet_to_remember');
      return call([...searches, { tool: 'request_memory_management', action: 'update', dietary_type: '' }], unanswered);
    case 'remember':
    case 'update':
      return offer(spoken, memory, diets, search, unanswered, facts);
    case 'none':
    case 'refused':
      return searchOnly(spoken, diets, search, unanswered);
  }
}

/** An offer to remember or to change, with the search said beside it. */
function offer(
  spoken: Spoken,
  { wish, memoryFrom }: ReadWish,
  diets: readonly (readonly SpokenDiet[])[],
  search: SearchWish,
  unanswered: readonly Unanswered[],
  facts: RouterFacts,
): Routed {
  if (search.wish === 'too_many') return ask('one_thing_at_a_time');
  const searches = search.wish === 'search' ? search.calls : [];
  // A township among the words about remembering is a second wish that nobody could tell apart.
  const area = spoken.clauses.some(
    ({ folded }, at) => areasIn(folded.slice(memoryFrom[at] ?? 0), facts.areas).length > 0,
  );
  if (area) return ask('one_thing_at_a_time');
  if (searches.length > 1) return ask('one_thing_at_a_time');
  const diet = dietToRemember(spoken, memoryFrom, diets, wish === 'update');
  if (diet === null) return ask(searches.length > 0 ? 'one_thing_at_a_time' : 'which_diet_to_remember');
  const asked: ToolCall =
    wish === 'update'
      ? { tool: 'request_memory_management', action: 'update', dietary_type: diet }
      : diet === ''
        ? { tool: 'request_memory_management', action: 'update', dietary_type: '' }
        : { tool: 'propose_dietary_memory', dietary_type: diet };
  if (wish === 'remember' && diet === '' && searches.length === 0) return ask('which_diet_to_remember');
  return call([...searches, asked], unanswered);
}

/** The diet said with the saving; else elsewhere. '' when none is said, null when it must be asked for. */
function dietToRemember(
  spoken: Spoken,
  memoryFrom: readonly number[],
  diets: readonly (readonly SpokenDiet[])[],
  changes: boolean,
): string | null {
  const beside = diets.flatMap((ofClause, at) => ofClause.filter((diet) => diet.at >= (memoryFrom[at] ?? 0)));
  const changed = spoken.clauses.map((clause) => clause.folded.length - afterChange(clause.folded).length);
  const target = diets.flatMap((ofClause, at) =>
    ofClause.filter((diet) => (changed[at] ?? 0) > 0 && diet.at >= (changed[at] ?? 0)),
  );
  const said = changes && target.length > 0 ? target : beside.length > 0 ? beside : diets.flat();
  if (said.length === 0) return '';
  const one = rememberable(said);
  // "Change it to no limit" is no value to remember: the choices are shown.
  if (one === null && changes && said.every((diet) => diet.value === 'any')) return '';
  return diets.flat().some((diet) => !diet.known) ? null : one;
}

function searchOnly(
  spoken: Spoken,
  diets: readonly (readonly SpokenDiet[])[],
  search: SearchWish,
  unanswered: readonly Unanswered[],
): Routed {
  const clauses = spoken.clauses.map((clause) => clause.folded);
  // To have a dish ordered or reserved is a service LOCAL does not have; a list of shops would be no answer to it.
  const wantsService = unanswered.includes('booking') && search.wish === 'search' && search.dishOnly;
  if (search.wish === 'too_many') return ask('one_thing_at_a_time');
  if (search.wish === 'search' && !wantsService) return call(search.calls, unanswered);
  if (unanswered.length > 0) return { outcome: 'unsupported', unanswered };
  if (clauses.some((clause) => hasAny(clause, CAPABILITIES)))
    return call([{ tool: 'show_local_help', reason: '' }], []);
  if (diets.flat().length > 0 && isReported(clauses)) return ask('whose_diet');
  return ask('what_to_do');
}

function ask(question: Question): Routed {
  return { outcome: 'clarify', question };
}

function call(calls: readonly ToolCall[], unanswered: readonly Unanswered[]): Routed {
  return { outcome: 'call', calls, unanswered };
}
