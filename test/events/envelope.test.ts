import { describe, expect, test } from 'vitest';
import { canonicalBytes, type CanonicalValue } from '../../src/events/canonical.ts';
import { sha256Hex } from '../../src/events/chain.ts';
import { IDENTIFIER_LENGTH_MAX, openEvent, seal } from '../../src/events/envelope.ts';
import type { PreferenceEvent } from '../../src/events/kinds.ts';
import { SCHEMA_VERSION } from '../../src/events/kinds.ts';
import {
  after,
  approved,
  BEGINNING,
  cancelled,
  forgotten,
  LEDGER,
  offer,
  proposed,
  refused,
} from '../support/scenario.ts';

const A = offer('A');
const F = offer('F', null);
const everyKind = after(
  proposed(A),
  approved(A),
  proposed(offer('B', 'vegan')),
  approved(offer('B', 'vegan')),
  refused(A, 'corrected'),
  proposed(F),
  cancelled(F),
  forgotten(),
).events;
const [first] = everyKind;
if (first === undefined) throw new Error('No event');

const place = {
  ledgerId: LEDGER.ledgerId,
  subjectKey: LEDGER.subjectKey,
  position: 1,
  previousHash: '0'.repeat(64),
  time: new Date(BEGINNING).toISOString(),
};
const provenance = {
  eventId: '01900000-0000-7000-8000-000000000001',
  actor: LEDGER.subjectKey,
  actorRole: 'subject',
  causationId: 'cause',
  correlationId: 'turn',
} as const;
const body: PreferenceEvent = {
  type: 'preference.cancelled',
  data: { proposalId: A.proposalId, method: 'card' },
};

/** The first event's bytes with members of its envelope replaced; encoded canonically again unless told otherwise. */
function changed(members: Record<string, unknown>): Uint8Array {
  return canonicalBytes({
    ...(first?.event as unknown as Record<string, CanonicalValue>),
    ...members,
  } as CanonicalValue);
}

describe('sealed and opened', () => {
  test.each(everyKind.map((sealed) => ({ type: sealed.event.type, sealed })))(
    '$type reads back whole',
    ({ sealed }) => {
      expect(openEvent(sealed.bytes)).toStrictEqual({ ok: true, event: sealed.event });
      expect(sealed.hash).toBe(sha256Hex(sealed.bytes));
    },
  );

  test('an event is a CloudEvent 1.0 of lower case attributes with its place and its cause', () => {
    expect(Object.keys(first.event).toSorted()).toStrictEqual(
      'actor actorrole causationid correlationid data datacontenttype id position previoushash schemaversion source specversion subject time type'.split(
        ' ',
      ),
    );
    expect(first.event).toMatchObject({
      specversion: '1.0',
      source: `/ledgers/${LEDGER.ledgerId}`,
      subject: LEDGER.subjectKey,
      position: 1,
      schemaversion: SCHEMA_VERSION,
      time: '2026-01-05T02:00:00.000Z',
    });
  });

  test('each event names the hash of the one before', () => {
    for (const [index, { event }] of everyKind.entries())
      if (index > 0) expect(event.previoushash).toBe(everyKind[index - 1]?.hash);
  });
});

describe('nothing is written that could not be read back', () => {
  test.each<[string, Partial<typeof place>, object]>([
    ['position 0', { position: 0 }, {}],
    ['a position with a fraction', { position: 1.5 }, {}],
    ['a position beyond its bound', { position: 1_000_000_001 }, {}],
    ['a time without milliseconds', { time: '2026-01-05T02:00:00Z' }, {}],
    ['a time with an offset', { time: '2026-01-05T02:00:00.000+08:00' }, {}],
    ['a day that does not exist', { time: '2026-02-30T00:00:00.000Z' }, {}],
    ['an hour that does not exist', { time: '2026-01-05T25:00:00.000Z' }, {}],
    ['a hash in upper case', { previousHash: 'A'.repeat(64) }, {}],
    ['an empty cause', {}, { causationId: '' }],
    ['a cause of 41 characters', {}, { causationId: 'c'.repeat(IDENTIFIER_LENGTH_MAX + 1) }],
    ['a cause with a space', {}, { causationId: 'a b' }],
    ['a cause with a quote, which takes two bytes', {}, { causationId: 'a"b' }],
    ['a cause with a backslash, which takes two bytes', {}, { causationId: 'a\\b' }],
    ['a cause in Chinese', {}, { correlationId: '好' }],
    ['an event id that is no UUID', {}, { eventId: 'x' }],
    ['an unknown role', {}, { actorRole: 'model' }],
  ])('%s is refused', (_, placed, by) => {
    expect(() => seal(body, { ...place, ...placed }, { ...provenance, ...by })).toThrow();
  });

  test('a body with a member of another kind, or a value, is refused', () => {
    const withValue = { type: body.type, data: { ...body.data, value: 'vegan' } } as unknown as PreferenceEvent;
    expect(() => seal(withValue, place, provenance)).toThrow();
    const commitmentOnForget = structuredClone(after(proposed(F)).events[0]?.event) as never as PreferenceEvent;
    Object.assign(commitmentOnForget.data, { commitment: '0'.repeat(64) });
    expect(() =>
      seal({ type: commitmentOnForget.type, data: commitmentOnForget.data } as never, place, provenance),
    ).toThrow();
  });
});

describe('what cannot be opened says why', () => {
  const text = Buffer.from(first.bytes).toString('utf8');
  test.each<[string, Uint8Array, string]>([
    ['no JSON', Buffer.from('{'), 'not_json'],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'not_json'],
    ['nothing', new Uint8Array(), 'not_json'],
    ['JSON that is no event', Buffer.from('[]'), 'not_an_event'],
    ['an unknown kind', changed({ type: 'preference.guessed' }), 'not_an_event'],
    ['an unknown attribute', changed({ extra: 'x' }), 'not_an_event'],
    ['a day that does not exist', changed({ time: '2026-02-30T00:00:00.000Z' }), 'not_an_event'],
    ['schemaversion 0', changed({ schemaversion: 0 }), 'not_an_event'],
    ['a later schemaversion of a known kind', changed({ schemaversion: SCHEMA_VERSION + 1 }), 'newer_schema'],
    [
      'a later schemaversion of an unknown kind with unknown members (C67)',
      changed({ schemaversion: SCHEMA_VERSION + 1, type: 'preference.lent', data: { to: 'x' } }),
      'newer_schema',
    ],
    ['white space', Buffer.from(`${text} `), 'not_canonical'],
    ['a byte order mark', Buffer.from(`\ufeff${text}`), 'not_canonical'],
    ['members in another order', Buffer.from(JSON.stringify(first.event)), 'not_canonical'],
    ['a member twice', Buffer.from(text.replace('{"actor"', '{"actor":"x","actor"')), 'not_canonical'],
    ['an escape that is not needed', Buffer.from(text.replace('"1.0"', '"1\\u002e0"')), 'not_canonical'],
    [
      'an integer with a fraction of zero',
      Buffer.from(text.replace('"position":1', '"position":1.0')),
      'not_canonical',
    ],
    ['a __proto__ member', Buffer.from(text.replace(/}$/, ',"__proto__":{}}')), 'not_an_event'],
  ])('%s', (_, bytes, cause) => {
    expect(openEvent(bytes)).toStrictEqual({ ok: false, cause });
  });

  test('any byte of a stored event changed: it does not open, or its hash is another', () => {
    for (let index = 0; index < first.bytes.length; index += 1) {
      const bytes = Buffer.from(first.bytes);
      bytes[index] = (bytes[index] ?? 0) ^ 1;
      expect(openEvent(bytes).ok && sha256Hex(bytes) === first.hash).toBe(false);
    }
  });
});
