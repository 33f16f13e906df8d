import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/events/canonical.ts';
import { sha256Hex } from '../../src/events/chain.ts';
import type { PreferenceEvent } from '../../src/events/kinds.ts';
import { currentNotice, DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { type Controller, consentRecord, type JsonLd } from '../../src/projections/record.ts';
import {
  agree,
  at,
  chain,
  change,
  close,
  forget,
  missingFields,
  offer,
  offerId,
  offerToForget,
  REF,
} from '../support/own-histories.ts';

const KNOWN: Controller = { name: 'Group A', contact: 'desk@example.test', jurisdiction: 'TW' };
const NOBODY: Controller = { name: null, contact: null, jurisdiction: null };

function recordOf(bodies: readonly PreferenceEvent[], controller = KNOWN): JsonLd {
  const record = consentRecord({ ledgerId: REF.ledgerId, purpose: REF.purpose, events: chain(...bodies), controller });
  if (record === null) throw new Error('No record');
  return record;
}

const saved = [offer('a', 'save', 'vegetarian', 0), agree('a', 'vegetarian', 1)];
const corrected = [...saved, offer('b', 'correct', 'vegan', 1), change('b', 'vegan', 2)];

describe('A consent record', () => {
  const histories: readonly (readonly [string, readonly PreferenceEvent[], readonly string[]])[] = [
    ['an offer', [offer('a', 'save', 'vegetarian', 0)], ['dpv:ConsentRequested']],
    ['a save', saved, ['dpv:ConsentRequested', 'dpv:ConsentGiven']],
    [
      'a correction',
      corrected,
      ['dpv:ConsentRequested', 'dpv:ConsentGiven', 'dpv:ConsentRequested', 'dpv:RenewedConsentGiven'],
    ],
    ['a no', [offer('a', 'save', 'vegan', 0), close('a')], ['dpv:ConsentRequested', 'dpv:ConsentRefused']],
    [
      'an unsend',
      [offer('a', 'save', 'vegan', 0), close('a', 'unsend')],
      ['dpv:ConsentRequested', 'dpv:ConsentRequestDeferred'],
    ],
    [
      'a later message',
      [offer('a', 'save', 'vegan', 0), close('a', 'message')],
      ['dpv:ConsentRequested', 'dpv:ConsentRequestDeferred'],
    ],
    ['a forget', [...saved, forget(2, 1)], ['dpv:ConsentRequested', 'dpv:ConsentGiven', 'dpv:ConsentWithdrawn']],
    [
      'a forget of an open offer',
      [offer('a', 'save', 'vegan', 0), forget(1, null)],
      ['dpv:ConsentRequested', 'dpv:ConsentRefused'],
    ],
  ];

  test.each(histories)('of %s has every mandatory field and the right states in order', (_title, bodies, states) => {
    for (const controller of [KNOWN, NOBODY]) {
      const record = recordOf(bodies, controller);
      expect(missingFields(record)).toStrictEqual([]);
      expect(at(record, ['dpv:hasConsentStatus', '*', '@type'])).toStrictEqual(states);
    }
  });

  test('of nothing is none', () => {
    expect(consentRecord({ ledgerId: REF.ledgerId, purpose: REF.purpose, events: [], controller: KNOWN })).toBeNull();
  });

  test('an offer to forget, its end and a refused card change no state and stand as evidence', () => {
    const record = recordOf([
      ...saved,
      offerToForget('f', 1),
      close('f'),
      {
        type: 'card.refused',
        data: { proposalId: offerId('f'), reason: 'cancelled', presentedRevision: 1, headRevision: 1 },
      },
    ]);
    expect(at(record, ['dpv:hasConsentStatus', '*', '@type'])).toHaveLength(2);
    expect(at(record, ['local:evidence', '*', 'local:position'])).toStrictEqual([3, 4, 5]);
    expect(at(record, ['local:evidence', '*', 'local:reason']).at(-1)).toBe('cancelled');
  });

  test('names the person by the ledger only, and holds no value and no blinding key', () => {
    const text = JSON.stringify(recordOf(corrected));
    expect(text).toContain(REF.ledgerId);
    expect(text).not.toContain(REF.subjectKey);
    expect(text).not.toMatch(/"vegetarian"|"vegan"|全素|blinding/);
  });

  test('holds the notice as shown, with the hash of its words', () => {
    const { text, version } = currentNotice(DIET_FOR_PLACE_SEARCH);
    expect(recordOf(saved)['dpv:hasNotice']).toStrictEqual([
      {
        '@type': 'dpv:ConsentNotice',
        'dct:identifier': version,
        'dct:language': 'zh-TW',
        'schema:text': text,
        'schema:sha256': sha256Hex(text),
      },
    ]);
  });

  test('says of a notice it does not know and of a controller not configured that they are unknown', () => {
    const unknownNotice = offer('a', 'save', 'vegan', 0);
    if (unknownNotice.type === 'preference.proposed') unknownNotice.data.noticeVersion = 'diet_for_place_search/999';
    const record = recordOf([unknownNotice], NOBODY);
    expect(at(record, ['dpv:hasNotice', '*', 'schema:sha256'])).toStrictEqual(['unknown']);
    expect(at(record, ['dpv:hasEntity', 'dpv:hasName'])).toStrictEqual(['unknown']);
    expect(at(record, ['dpv:hasProcess', 'dpv:hasJurisdiction'])).toStrictEqual(['unknown']);
  });

  test('says until when each state holds and who expressed it', () => {
    const [requested, given] = at(recordOf(saved), ['dpv:hasConsentStatus', '*']);
    expect(requested).toMatchObject({
      'dpv:hasDuration': { '@type': 'dpv:TemporalDuration', 'rdf:value': 'PT300S' },
      'dpv:isIndicatedBy': 'urn:local-ledger:controller',
    });
    expect(given).toMatchObject({
      'dpv:hasDuration': { '@type': 'dpv:UntilEventDuration' },
      'dpv:isIndicatedBy': `urn:local-ledger:principal:${REF.ledgerId}`,
      'dpv:isIndicatedAtTime': '2026-01-05T02:00:20.000Z',
    });
  });

  test('is the same text for the same events, and only of what can be hashed', () => {
    expect(canonicalText(recordOf(corrected))).toBe(canonicalText(recordOf(corrected)));
  });
});
