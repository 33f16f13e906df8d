import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SealedEvent } from '../../src/events/envelope.ts';
import type { PreferenceEvent } from '../../src/events/kinds.ts';
import type { StoredContent } from '../../src/events/ports.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../src/events/purposes.ts';
import { decisionsOf, openReceipt, receiptOf } from '../../src/projections/receipt.ts';
import type { JsonLd } from '../../src/projections/record.ts';
import {
  agree,
  chain,
  change,
  close,
  content,
  forget,
  offer,
  offerToForget,
  REF,
  at,
  missingFields,
} from '../support/own-histories.ts';

const source = {
  ledgerId: REF.ledgerId,
  purpose: REF.purpose,
  controller: { name: 'Group A', contact: null, jurisdiction: null },
};
const saved = [offer('a', 'save', 'vegetarian', 0), agree('a', 'vegetarian', 1)];
const corrected = [...saved, offer('b', 'correct', 'vegan', 1), change('b', 'vegan', 2)];

function newest(events: readonly SealedEvent[], now: StoredContent | null): JsonLd {
  const decision = decisionsOf(events).at(-1);
  if (decision === undefined) throw new Error('No decision');
  // As the person keeps it: written to a file and read back.
  return JSON.parse(JSON.stringify(receiptOf(source, decision, now))) as JsonLd;
}

type Row = readonly [string, readonly PreferenceEvent[], StoredContent | null, string, readonly string[], boolean];
const operations: readonly Row[] = [
  ['save', saved, content('a', 'vegetarian', 1), 'save', ['dpv:ConsentRequested', 'dpv:ConsentGiven'], true],
  [
    'correct',
    corrected,
    content('b', 'vegan', 2),
    'correct',
    ['dpv:ConsentRequested', 'dpv:RenewedConsentGiven'],
    true,
  ],
  [
    'cancel',
    [offer('a', 'save', 'vegan', 0), close('a')],
    null,
    'cancel',
    ['dpv:ConsentRequested', 'dpv:ConsentRefused'],
    false,
  ],
  ['forget', [...saved, forget(2, 1)], null, 'forget', ['dpv:ConsentRequested', 'dpv:ConsentWithdrawn'], false],
];

describe('A receipt', () => {
  test.each(operations)('of a %s has every mandatory field, its states, and what it may open', (...row) => {
    const [, bodies, now, kind, states, opensIt] = row;
    const receipt = newest(chain(...bodies), now);
    expect(receipt['@type']).toBe('dpv:ConsentReceipt');
    expect(receipt['local:decision']).toBe(kind);
    const record = receipt['dpv:hasRecordOfActivity'];
    expect(missingFields(record)).toStrictEqual([]);
    expect(at(record, ['dpv:hasNotice', '*', 'dct:identifier'])).toStrictEqual(['diet_for_place_search/1']);
    expect(at(record, ['dpv:hasConsentStatus', '*', '@type'])).toStrictEqual(states);
    expect(receipt['local:opening'] !== null).toBe(opensIt);
  });

  test('of a forget holds no value and names what is outside the promise', () => {
    const receipt = newest(chain(...saved, forget(2, 1)), null);
    const text = JSON.stringify(receipt);
    for (const { value, label } of DIET_FOR_PLACE_SEARCH.values) {
      expect(text).not.toContain(`"${value}"`);
      expect(text).not.toContain(label['zh-TW']);
    }
    expect(JSON.stringify(receipt['local:outsidePromise'])).toMatch(/LINE.*備份.*模型提供者.*服務詢問/s);
  });

  test('of a forget names the consent it withdraws, not an offer that was never agreed to', () => {
    const events = chain(...saved, offer('b', 'correct', 'vegan', 1), forget(2, 1));
    expect(decisionsOf(events).at(-1)?.offered).toBe(events[0]);
    const offerOnly = chain(...saved, forget(2, 1), offer('c', 'save', 'vegan', 2), forget(3, null));
    expect(decisionsOf(offerOnly).at(-1)?.offered).toBe(offerOnly[3]);
  });

  test('does not exist for turning down an offer to forget, which leaves the consent as it was', () => {
    const decisions = decisionsOf(chain(...saved, offerToForget('f', 1), close('f')));
    expect(decisions.map(({ kind }) => kind)).toStrictEqual(['save']);
  });

  test('opens nothing of a value that is no longer in force, nor with content of another revision', () => {
    const [first] = decisionsOf(chain(...corrected));
    if (first === undefined) throw new Error('No decision');
    expect(receiptOf(source, first, content('b', 'vegan', 2))['local:opening']).toBeNull();
    expect(receiptOf(source, first, content('a', 'vegan', 1))['local:opening']).toBeNull();
    expect(receiptOf(source, first, null)['local:opening']).toBeNull();
  });

  test.each([
    ['a save', saved, content('a', 'vegetarian', 1), { value: 'vegetarian', revision: 1, position: 2 }],
    ['a correction', corrected, content('b', 'vegan', 2), { value: 'vegan', revision: 2, position: 4 }],
  ] as const)('of %s, kept by the person, proves the value after everything was forgotten here', (...row) => {
    const [, bodies, now, expected] = row;
    const receipt = newest(chain(...bodies), now);
    const afterwards = chain(...bodies, forget(expected.revision + 1, expected.revision));
    expect(openReceipt(receipt, afterwards)).toMatchObject({
      ok: true,
      opened: { ...expected, purpose: REF.purpose, noticeVersion: 'diet_for_place_search/1' },
    });
  });

  test('that opens nothing proves nothing', () => {
    const events = chain(...saved, forget(2, 1));
    expect(openReceipt(newest(events, null), events)).toStrictEqual({ ok: false, fault: 'nothing_to_open' });
  });

  test.each([[null], [{}], [[]], ['receipt'], [{ '@type': 'dpv:ConsentReceipt' }], [Number.NaN]])(
    'that is %j is none',
    (document) => {
      expect(openReceipt(document, [])).toStrictEqual({ ok: false, fault: 'not_a_receipt' });
    },
  );
});

describe('A receipt that was tampered with proves nothing', () => {
  const events = chain(...saved);
  const receipt = newest(events, content('a', 'vegetarian', 1));
  const opening = receipt['local:opening'] as JsonLd;
  const decided = receipt['local:decided'] as JsonLd;
  const record = receipt['dpv:hasRecordOfActivity'] as JsonLd;
  const statuses = record['dpv:hasConsentStatus'] as readonly JsonLd[];

  test.each([
    ['another value', { 'local:opening': { ...opening, value: 'vegan' } }, 'commitment_does_not_open'],
    ['another key', { 'local:opening': { ...opening, blindingKey: 'A'.repeat(43) } }, 'commitment_does_not_open'],
    ['another commitment', { 'local:opening': { ...opening, commitment: '0'.repeat(64) } }, 'commitment_does_not_open'],
    ['another purpose', { 'local:opening': { ...opening, purpose: 'other' } }, 'statement_differs'],
    ['another ledger', { 'local:opening': { ...opening, ledgerId: 'A'.repeat(43) } }, 'statement_differs'],
    ['another kind', { 'local:decision': 'correct' }, 'statement_differs'],
    ['another hash', { 'local:decided': { ...decided, 'local:eventHash': '0'.repeat(64) } }, 'event_differs'],
    ['another position', { 'local:decided': { ...decided, 'local:position': 9 } }, 'event_missing'],
    [
      'another event',
      { 'local:decided': { ...decided, 'local:event': { ...(decided['local:event'] as JsonLd), time: 'x' } } },
      'event_differs',
    ],
    ['no offer', { 'local:offered': null }, 'event_missing'],
    ['the decision as offer', { 'local:offered': decided }, 'statement_differs'],
    [
      'another state',
      {
        'dpv:hasRecordOfActivity': {
          ...record,
          'dpv:hasConsentStatus': [statuses[0] ?? null, { ...statuses[1], '@type': 'dpv:ConsentRefused' }],
        },
      },
      'statement_differs',
    ],
    [
      'another notice',
      {
        'dpv:hasRecordOfActivity': {
          ...record,
          'dpv:hasNotice': [{ ...(record['dpv:hasNotice'] as readonly JsonLd[])[0], 'schema:text': '同意一切' }],
        },
      },
      'statement_differs',
    ],
  ] as const)('%s', (_title, change, fault) => {
    expect(openReceipt({ ...receipt, ...change }, events)).toStrictEqual({ ok: false, fault });
  });

  test('the events of another ledger, or none', () => {
    expect(openReceipt(receipt, [])).toStrictEqual({ ok: false, fault: 'event_missing' });
    const others = chain(offer('z', 'save', 'vegetarian', 0), agree('z', 'vegetarian', 1));
    expect(openReceipt(receipt, others)).toStrictEqual({ ok: false, fault: 'event_differs' });
  });

  test('the untouched one opens, so that the rows above can fail', () => {
    expect(openReceipt(receipt, events)).toMatchObject({ ok: true, opened: { value: 'vegetarian' } });
  });

  test('any one character of what opens, of the copies and of the states (seed 2756)', () => {
    const guarded = ['local:opening', 'local:decided', 'local:offered'] as const;
    fc.assert(
      fc.property(fc.constantFrom(...guarded), fc.nat(), fc.constantFrom('0', '1', 'a', 'z'), (name, where, letter) => {
        const text = JSON.stringify(receipt[name]);
        const index = where % text.length;
        const changed = text.slice(0, index) + letter + text.slice(index + 1);
        fc.pre(changed !== text);
        let part: unknown;
        try {
          part = JSON.parse(changed);
        } catch {
          return;
        }
        expect(openReceipt({ ...receipt, [name]: part }, events).ok).toBe(false);
      }),
      { seed: 2756, numRuns: 400 },
    );
  });
});
