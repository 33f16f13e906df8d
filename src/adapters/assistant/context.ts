/**
 * What one turn leaves for the next: topic and township of the last two, nothing that a person remembered, typed or agreed to.
 * @module
 */
import * as v from 'valibot';
import type { PublicContext, PublicTurn, ToolCall } from '../../commands/tools.ts';
import type { Delivery, Person } from '../../commands/turns.ts';
import type { Contexts } from '../../events/turn-ports.ts';
import { areasIn } from './spoken-areas.ts';
import { folded, normalised } from './spoken-text.ts';

/** How many turns are carried over. */
const TURNS_KEPT = 2;
/** For how long, milliseconds; exactly this long is too long. */
export const CONTEXT_TTL_MS = 900_000;

/** What was kept, and what it takes to put something in its place. `generation` null: nothing is to be put. */
export type Recalled = { readonly context: PublicContext | null; readonly generation: number | null };

/** The journal of a turn. Neither call rejects: without a context a turn is understood by its own words. */
export interface Journal {
  /** What is carried over at a revision; any other revision, and nothing is. */
  recall(person: Person, revision: number): Promise<Recalled>;
  /** Adds what a turn was about. Turns that were no search and no help add nothing. */
  keep(
    person: Person,
    recalled: Recalled,
    calls: readonly ToolCall[],
    revision: number,
    delivery: Delivery,
  ): Promise<void>;
}

export type JournalDependencies = {
  readonly contexts: Contexts;
  /** The townships. */
  readonly areas: readonly string[];
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly count: (name: 'context_failed' | 'context_conflict') => void;
};

const PublicTurnKept = v.strictObject({ topic: v.picklist(['places', 'events', 'help']), area: v.string() });
const Kept = v.strictObject({
  version: v.literal(1),
  /** The preference revision it belongs to. */
  revision: v.number(),
  /** Unix milliseconds of the newest turn. */
  at: v.number(),
  goal: v.nullable(PublicTurnKept),
  turns: v.pipe(v.array(PublicTurnKept), v.maxLength(TURNS_KEPT)),
});

/** Builds the journal over a store. */
export function createJournal({ contexts, areas, clock, count }: JournalDependencies): Journal {
  function readable(body: Uint8Array, revision: number): PublicContext | null {
    const kept = v.safeParse(Kept, jsonOf(body));
    if (!kept.success || kept.output.revision !== revision) return null;
    const { at, goal, turns } = kept.output;
    const age = clock() - at;
    const known = [...turns, ...(goal === null ? [] : [goal])].every(({ area }) => area === '' || areas.includes(area));
    return known && age >= 0 && age < CONTEXT_TTL_MS ? { goal, turns } : null;
  }

  return {
    async recall(person, revision) {
      try {
        const { generation, body } = await contexts.read(person.subjectKey);
        return { generation, context: body === null ? null : readable(body, revision) };
      } catch {
        count('context_failed');
        return { generation: null, context: null };
      }
    },
    async keep(person, { context, generation }, calls, revision, { causationId }) {
      const turn = publicTurnOf(calls, areas);
      if (turn === null || generation === null) return;
      const { goal, turns } = withTurn(context, turn);
      const at = clock();
      const kept: v.InferOutput<typeof Kept> = { version: 1, revision, at, goal, turns: [...turns] };
      const body = new TextEncoder().encode(JSON.stringify(kept));
      try {
        const { subjectKey } = person;
        const put = await contexts.put({ subjectKey, expectedGeneration: generation, body, causationId, putAt: at });
        if (put === 'conflict') count('context_conflict');
      } catch {
        count('context_failed');
      }
    },
  };
}

/** The context after one more turn: the same again is not counted twice, and help replaces no goal. */
export function withTurn(context: PublicContext | null, turn: PublicTurn): PublicContext {
  const before = context?.turns ?? [];
  const last = before.at(-1);
  const again = last?.topic === turn.topic && last.area === turn.area;
  return {
    goal: turn.topic === 'help' ? (context?.goal ?? null) : turn,
    turns: again ? before : [...before, turn].slice(-TURNS_KEPT),
  };
}

/** What a turn was about in public words, or null for one that was only about memory. */
function publicTurnOf(calls: readonly ToolCall[], areas: readonly string[]): PublicTurn | null {
  for (const call of calls) {
    if (call.tool === 'search_local_places') return { topic: 'places', area: townshipIn(call.area, areas) };
    if (call.tool === 'search_local_events') return { topic: 'events', area: townshipIn(call.area, areas) };
    if (call.tool === 'show_local_help') return { topic: 'help', area: '' };
  }
  return null;
}

/** The one township a word names, by its official name; '' for none, for several and for places outside. */
function townshipIn(word: string, areas: readonly string[]): string {
  const named = areasIn(folded(normalised(word)), areas).map(({ area }) => area);
  const [only] = named;
  return named.length === 1 && only !== undefined && areas.includes(only) ? only : '';
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}
