/**
 * The guarded search: a condition said now wins, a blank one is filled from consented memory, and an answer whose
 * revision moved is not given.
 * @module
 */
import type { Origin } from '../../commands/answers.ts';
import type { Catalog, Diet } from '../../commands/catalog.ts';
import type { Offers, Person, Remembered, SaidPlaceQuery, Searches, Turn } from '../../commands/turns.ts';

/** Builds the searches of a turn. `clock` in Unix milliseconds, for opening hours and the campaign's state. */
export function createSearches(catalog: Catalog, offers: Pick<Offers, 'remembered'>, clock: () => number): Searches {
  return {
    async places(person, said) {
      const before = await offers.remembered(person);
      const turn = searchPlaces(catalog, said, before, clock());
      return (await offers.remembered(person)).revision === before.revision ? turn : preferenceChanged;
    },
    async events(said) {
      const answer = catalog.searchEvents({ ...said, now: clock() });
      return { answers: [{ status: 'events', answer, unanswered: [] }], onceKey: null, restsOnRevision: null };
    },
  };
}

/** What is told when memory moved during the turn. */
export const preferenceChanged: Turn = {
  answers: [{ status: 'preference_changed' }],
  onceKey: null,
  restsOnRevision: null,
};

/** One search under what is remembered at `before`. */
export function searchPlaces(catalog: Catalog, said: SaidPlaceQuery, before: Remembered, now: number): Turn {
  const word = said.dietary_type.trim();
  const asked = catalog.dietOf(word);
  if (word !== '' && asked === null) {
    return { answers: [{ status: 'unknown_diet', said: word }], onceKey: null, restsOnRevision: null };
  }
  const { diet, origin } = condition(catalog, asked, before);
  const answer = catalog.searchPlaces({
    area: said.area,
    diet,
    keyword: said.keyword,
    near: said.near,
    page: said.page,
    now,
  });
  const memory =
    origin === 'consented_memory' && before.inForce !== null
      ? { revision: before.inForce.revision, eventId: before.inForce.eventId }
      : null;
  return {
    answers: [{ status: 'places', answer, origin, memory, said: asked ?? '', near: said.near, unanswered: [] }],
    onceKey: null,
    restsOnRevision: before.revision,
  };
}

function condition(catalog: Catalog, asked: Diet | null, before: Remembered): { diet: Diet; origin: Origin } {
  if (asked !== null) return { diet: asked, origin: 'this_turn' };
  const consented = before.inForce === null ? null : catalog.dietOf(before.inForce.value);
  if (consented !== null) return { diet: consented, origin: 'consented_memory' };
  return { diet: 'any', origin: 'none' };
}

/** Whether memory still stands where it stood when the turn began. */
export async function stillAt(offers: Pick<Offers, 'remembered'>, person: Person, revision: number): Promise<boolean> {
  return (await offers.remembered(person)).revision === revision;
}
