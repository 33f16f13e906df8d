/**
 * Goal: the overview counts what happened, and nothing else.
 * Method: events by hand, one row of facts each.
 */
import { expect, test } from 'vitest';
import type { AnyEvent } from '../../src/projections/ledger-law.ts';
import { emptyOverview, lastDays, withLedger } from '../../src/projections/overview.ts';

const event = (type: string, time: string, data: object = {}) => ({ type, time, data }) as unknown as AnyEvent;

const overview = withLedger(
  withLedger(emptyOverview, { kind: 'preference', isInForce: true, isReadable: true }, [
    event('preference.proposed', '2026-01-05T23:59:59.999Z'),
    event('preference.approved', '2026-01-06T00:00:00.000Z'),
    event('card.refused', '2026-01-06T00:00:01.000Z', { reason: 'expired' }),
    event('card.refused', '2026-01-06T00:00:02.000Z', { reason: 'constructor' }),
    event('toString', '2026-01-06T00:00:03.000Z'),
  ]),
  { kind: 'access', isInForce: false, isReadable: false },
  [event('access.read', '2026-01-07T00:00:00.000Z')],
);

test('ledgers by kind, those with something in force, those that cannot be read, and all events', () => {
  expect(overview).toMatchObject({
    ledgers: { preference: 1, access: 1, request: 0, gate: 0 },
    inForce: 1,
    unreadable: 1,
    events: 6,
  });
});

test('refusals by their cause; a cause nobody knows is counted as refused and under no cause', () => {
  expect(overview.refusals).toStrictEqual({
    expired: 1,
    superseded: 0,
    cancelled: 0,
    forgotten: 0,
    corrected: 0,
    revision_moved: 0,
  });
});

test('days are UTC days, in order, those without events among them', () => {
  expect(lastDays(overview, '2026-01-08', 4).map(({ day, counts }) => [day, ...Object.values(counts)])).toStrictEqual([
    ['2026-01-05', 1, 0, 0, 0, 0],
    ['2026-01-06', 0, 1, 0, 2, 0],
    ['2026-01-07', 0, 0, 0, 0, 1],
    ['2026-01-08', 0, 0, 0, 0, 0],
  ]);
});

test('the last days go back over the end of a month', () => {
  expect(lastDays(emptyOverview, '2026-03-01', 2).map(({ day }) => day)).toStrictEqual(['2026-02-28', '2026-03-01']);
});
