/**
 * What may be asked of the catalogs and what they answer: the port between a turn and the data about places and events.
 * @module
 */

/** A diet a search can be limited to; `any` is no limit. Only the others can be remembered. */
export type Diet = 'any' | 'vegetarian' | 'vegan' | 'ovo_lacto' | 'lacto' | 'allium' | 'friendly';

/** Where a location message of this turn stands; used for this answer and never stored. Degrees, WGS 84. */
export type Location = { readonly latitude: number; readonly longitude: number };

export type PlaceQuery = {
  /** As the person or the router said it: folded and matched by the catalog; '' is no area. */
  readonly area: string;
  readonly diet: Diet;
  readonly keyword: string;
  readonly near: Location | null;
  /** Which page, from 0; five places a page. */
  readonly page: number;
  /** Unix milliseconds, for opening hours and the campaign's state. */
  readonly now: number;
};

/** One place as it is told: every value with the source it comes from; null is unknown, never "no". */
export type Place = {
  readonly placeId: string;
  readonly name: string;
  readonly area: string;
  readonly address: string | null;
  readonly phone: string | null;
  readonly coordinates: Location | null;
  readonly dietaryOptions: readonly Diet[];
  /** `official`: listed and cross-checked by field. `community`: a 2020 list, not confirmed by the shop. */
  readonly evidence: 'official' | 'community';
  /** Why the place is listed for the asked diet, when that is not plain (for example "listed as vegan"). */
  readonly dietaryReason: string | null;
  /** `yes`, `no` or null for unknown, at the time of asking. */
  readonly openNow: boolean | null;
  readonly hours: string | null;
  /** Straight-line metres from the location of this turn; not the way to walk. */
  readonly straightLineMetres: number | null;
  readonly accessibility: {
    readonly entrance: boolean | null;
    readonly route: boolean | null;
    readonly toilet: boolean | null;
  };
  /** Source ids by field name. */
  readonly sources: Readonly<Record<string, string>>;
  readonly unknownFields: readonly string[];
};

/** A source that is named in an answer. `asOf` is a date or year. */
export type Source = {
  readonly id: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string;
};

export type PlaceAnswer =
  | {
      readonly status: 'ok';
      readonly area: string;
      readonly diet: Diet;
      readonly keyword: string;
      /** Places that meet the condition by their recorded options, official first. */
      readonly places: readonly Place[];
      /** Places that may meet it: subtype not recorded, confirm with the shop. */
      readonly nearMisses: readonly Place[];
      readonly total: number;
      readonly totalNearMisses: number;
      readonly page: number;
      readonly pages: number;
      readonly sources: readonly Source[];
      readonly catalogVersion: string;
      readonly campaign: 'not_started' | 'active_by_announcement' | 'ended';
    }
  /** The search was made and nothing in the list fits; says nothing about the town itself. */
  | {
      readonly status: 'no_data';
      readonly area: string;
      readonly diet: Diet;
      readonly keyword: string;
      readonly catalogVersion: string;
    }
  /** A township is needed (附近 without a location, 彰化 without more). */
  | { readonly status: 'needs_area'; readonly areas: readonly string[] }
  /** The location of this turn is so far from every place of the list that a list would be no answer. */
  | { readonly status: 'location_outside'; readonly areas: readonly string[] }
  /** The place named is not one of the 26 townships. */
  | { readonly status: 'unknown_area'; readonly said: string; readonly areas: readonly string[] }
  | { readonly status: 'unavailable' };

export type EventQuery = {
  readonly date: string;
  readonly area: string;
  readonly keyword: string;
  readonly now: number;
};

export type LocalEvent = {
  readonly eventId: string;
  readonly name: string;
  readonly area: string;
  readonly date: string;
  readonly time: string | null;
  readonly venue: string | null;
  readonly meetingTime: string | null;
  readonly meetingPoint: string | null;
  readonly accessibility: {
    readonly entrance: boolean | null;
    readonly route: boolean | null;
    readonly toilet: boolean | null;
  };
  /** A past event kept as a teaching snapshot is labelled as such. */
  readonly snapshot: 'historical_teaching_snapshot' | 'current';
  readonly unknownFields: readonly string[];
};

export type EventAnswer =
  | {
      readonly status: 'ok';
      readonly events: readonly LocalEvent[];
      readonly catalogVersion: string;
      readonly sources: readonly Source[];
    }
  | { readonly status: 'no_data'; readonly catalogVersion: string }
  | { readonly status: 'unavailable' };

/** The catalogs. Neither call throws: a damaged or missing file is `unavailable`, never "no match". */
export interface Catalog {
  readonly version: string;
  /** The 26 townships, in the order they are offered. */
  readonly areas: readonly string[];
  /** A diet from any word for it (蔬食, 全素, 純素 …), or null for a word that is none. Blank after trimming is null too. */
  dietOf(word: string): Diet | null;
  searchPlaces(query: PlaceQuery): PlaceAnswer;
  searchEvents(query: EventQuery): EventAnswer;
}
