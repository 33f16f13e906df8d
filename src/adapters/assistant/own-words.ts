/**
 * Holds a model's calls to the person's own words: what was not said is blank, and nobody is offered what they did not ask for.
 *
 * The wish to remember is read by the rules in the same words. A model may do less than they would, never more.
 * @module
 */
import * as v from 'valibot';
import type { Catalog } from '../../commands/catalog.ts';
import { type PublicContext, type Routed, ToolCall } from '../../commands/tools.ts';
import { speaksOfMemory } from './memory-wish.ts';
import { createRuleRouter } from './rule-router.ts';
import { areasIn, oneArea } from './spoken-areas.ts';
import { type DietOf, dietsIn, oneDiet } from './spoken-diets.ts';
import { folded, masked, normalised, readSpoken } from './spoken-text.ts';

type Call = v.InferOutput<typeof ToolCall>;

/**
 * What of a model's answer holds in the words it was made of. A search keeps the diet and the township that were said; an offer,
 * a change and a forget stay only where the rules read the same wish with the same value; otherwise a question comes in place.
 * @param context what was carried over: a township of it may stand in a call when the message names none.
 */
export type OwnWords = (routed: Routed, said: string, context: PublicContext | null) => Promise<Routed>;

/** Builds it over the catalog's words. */
export function createOwnWords({ version, areas, dietOf }: Pick<Catalog, 'version' | 'areas' | 'dietOf'>): OwnWords {
  const rules = createRuleRouter({ dietOf });
  return async (routed, said, context) => {
    if (routed.outcome !== 'call') return routed;
    const calls = v.safeParse(v.array(ToolCall), routed.calls);
    if (!calls.success) return routed;
    const read = await rules.route(said, { catalogVersion: version, areas });
    const held: Call[] = [];
    for (const call of calls.output) {
      switch (call.tool) {
        case 'search_local_places': {
          const dietary_type = dietSaid(call, said, wishesToSave(read), dietOf);
          if (dietary_type === null) return { outcome: 'clarify', question: 'one_thing_at_a_time' };
          held.push({ ...call, dietary_type, area: areaSaid(call.area, said, areas, context) });
          break;
        }
        case 'search_local_events':
          held.push({ ...call, area: areaSaid(call.area, said, areas, context) });
          break;
        case 'propose_dietary_memory':
        case 'request_memory_management':
          if (isWished(call, read, dietOf)) held.push(call);
          break;
        case 'show_local_help':
          held.push(call);
      }
    }
    return held.length === 0 && calls.output.length > 0 ? questionInstead(read) : { ...routed, calls: held };
  };
}

/** Whether the rules read the same wish. To look is no wish that changes anything. */
function isWished(call: Call, read: Routed, dietOf: DietOf): boolean {
  const wished = read.outcome === 'call' ? read.calls : [];
  if (call.tool === 'request_memory_management') {
    if (call.action === 'inspect' || call.action === 'explain') return true;
    if (call.action === 'forget')
      return wished.some((each) => each.tool === 'request_memory_management' && each.action === 'forget');
  }
  const diets = wished.flatMap((each) => (savedDiet(each) === null ? [] : [savedDiet(each)]));
  const diet = savedDiet(call);
  // Without a value no card comes of it, only the choices.
  if (diet === '') return diets.length > 0 || asksWhichDiet(read);
  const code = diet === null ? null : dietOf(diet);
  return code !== null && diets.some((each) => each !== null && dietOf(each) === code);
}

/** The value a call would have remembered, '' when it names none; null for any other call. */
function savedDiet(call: ToolCall): string | null {
  if (call.tool === 'propose_dietary_memory') return call.dietary_type;
  return call.tool === 'request_memory_management' && call.action === 'update' ? (call.dietary_type ?? '') : null;
}

function asksWhichDiet(read: Routed): boolean {
  return read.outcome === 'clarify' && read.question === 'which_diet_to_remember';
}

function questionInstead(read: Routed): Routed {
  if (read.outcome === 'clarify') return read;
  return { outcome: 'clarify', question: wishesToSave(read) ? 'which_diet_to_remember' : 'what_to_do' };
}

function wishesToSave(read: Routed): boolean {
  return read.outcome === 'call' && read.calls.some((call) => savedDiet(call) !== null);
}

/**
 * The diet of a search: the model's when it was said, else the one the message names outside the keyword, else '' — then
 * consented memory may fill it. Words about remembering name one only where it is to be remembered. Null: several are named,
 * and the model took none of them.
 */
function dietSaid(
  { dietary_type: word, keyword }: Extract<Call, { tool: 'search_local_places' }>,
  said: string,
  saves: boolean,
  dietOf: DietOf,
): string | null {
  const clauses = clausesOf(said);
  const named = clauses.flatMap((clause) => dietsIn(clause, dietOf));
  const meant = word === '' ? '' : (dietOf(word) ?? word);
  const wanted = named.filter(({ sense }) => sense === 'wanted').map(({ value }) => value);
  if (meant !== '' && wanted.includes(meant)) return word;
  // A word that no list of spoken diets has, as it was said: an English one, or one that no place is known for.
  const unlisted = word !== '' && (dietOf(word) === null || /^[\x20-\x7e]+$/.test(word)) && named.length === 0;
  if (unlisted && clauses.some((clause) => clause.toLowerCase().includes(formOf(word).toLowerCase()))) return word;
  const name = formOf(keyword);
  const dietOfAll = (some: readonly string[]): string | null =>
    oneDiet(some.flatMap((clause) => dietsIn(name === '' ? clause : masked(clause, [name]), dietOf)));
  const diet = dietOfAll(clauses.filter((clause) => !speaksOfMemory(clause)));
  return diet === '' && saves ? dietOfAll(clauses) : diet;
}

/** The township of a search: the model's when it was said, else the one that was, else one that was carried over, else ''. */
function areaSaid(word: string, said: string, townships: readonly string[], context: PublicContext | null): string {
  if (isSaidArea(word, said, townships)) return word;
  const clauses = clausesOf(said);
  const named = clauses.flatMap((clause) => areasIn(clause, townships));
  if (named.length > 0) return oneArea(named, clauses.join(',')) ?? '';
  const carried = [context?.goal ?? null, ...(context?.turns ?? [])].flatMap((turn) =>
    turn === null ? [] : turn.area,
  );
  const [township] = areasIn(formOf(word), townships).filter(({ area }) => townships.includes(area));
  return township !== undefined && carried.includes(township.area) ? township.area : '';
}

/**
 * Whether a text names the place a call would search; '' is no place. A township counts by any of its names, a place outside as
 * it was said.
 */
export function isSaidArea(word: string, said: string, townships: readonly string[]): boolean {
  if (word === '') return false;
  const clauses = clausesOf(said);
  const [place] = areasIn(formOf(word), townships).filter(({ area }) => area !== '彰化');
  if (place === undefined) return clauses.some((clause) => clause.includes(formOf(word)));
  return clauses.some((clause) => areasIn(clause, townships).some(({ area }) => area === place.area));
}

/** The clauses of a text in one form; what is too long to be read in clauses is one. */
function clausesOf(said: string): readonly string[] {
  return readSpoken(said)?.clauses.map((clause) => clause.folded) ?? [formOf(said)];
}

function formOf(text: string): string {
  return folded(normalised(text)).replaceAll(' ', '');
}
