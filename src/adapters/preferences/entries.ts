/**
 * What the fixed entries and buttons do. No model is reachable from here, so all of it works while the model is down.
 * @module
 */
import type { Answer } from '../../commands/answers.ts';
import type { Catalog } from '../../commands/catalog.ts';
import type { Entry } from '../../commands/entries.ts';
import type { Delivery, OwnRecords, Person, Searches, Turn, Turns } from '../../commands/turns.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../events/purposes.ts';
import type { DeskAnswer, PreferenceDesk } from './desk.ts';

/** Answers entries. `searches` is the same guarded search free text uses; `own` reads the person's own ledger. */
export function createEntries(
  desk: PreferenceDesk,
  searches: Searches,
  catalog: Catalog,
  own: OwnRecords,
): Pick<Turns, 'entry' | 'again' | 'withdraw' | 'stillCurrent'> {
  async function entry(person: Person, asked: Entry, delivery: Delivery): Promise<Turn> {
    switch (asked.entry) {
      case 'menu':
      case 'welcome':
      case 'unsupported_message':
      case 'retry_guide':
        return told({ status: asked.entry });
      case 'service_request':
        return told({ status: 'service_request_unavailable' });
      case 'inspect':
        return told(await desk.inspect(person, 'asked'));
      case 'bare_yes':
        return told(await desk.inspect(person, 'bare_yes'));
      case 'explain':
        return told({ status: 'memory_explained', inForce: (await desk.remembered(person)).inForce });
      case 'update':
        return told({ status: 'memory_update_prompt', inForce: (await desk.remembered(person)).inForce });
      case 'my_records':
        return own.records(person);
      case 'my_receipt':
        return own.receipt(person);
      case 'choose_value':
        if (labelOf(DIET_FOR_PLACE_SEARCH, asked.value) === undefined) return told({ status: 'unsupported_message' });
        return told(await desk.propose(person, asked.value, 'button', delivery));
      case 'approve':
      case 'cancel':
        return deskTurn(await desk.tap(person, asked.entry, asked.token, delivery));
      case 'forget':
        return deskTurn(await desk.forget(person, asked.scope, delivery));
      case 'choose_area':
        return told({ status: 'choose_area', areas: catalog.areas, page: asked.page });
      case 'places':
        return searches.places(person, asked);
      case 'events':
        return searches.events({ date: '', area: '花壇', keyword: '' });
    }
  }

  return {
    entry,
    async again(person, once) {
      if (once.answered) return { answers: [], onceKey: null, restsOnRevision: null };
      return { answers: [await desk.again(person, once)], onceKey: once.key, restsOnRevision: null };
    },
    withdraw: desk.withdraw,
    async stillCurrent(person, turn) {
      if (turn.restsOnRevision === null) return true;
      return (await desk.remembered(person)).revision === turn.restsOnRevision;
    },
  };
}

function told(answer: Answer): Turn {
  return { answers: [answer], onceKey: null, restsOnRevision: null };
}

function deskTurn({ answer, onceKey }: DeskAnswer): Turn {
  return { answers: answer === null ? [] : [answer], onceKey, restsOnRevision: null };
}
