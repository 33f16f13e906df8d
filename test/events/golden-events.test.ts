import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonicalBytes, type CanonicalValue } from '../../src/events/canonical.ts';
import { genesisHash, sha256Hex } from '../../src/events/chain.ts';
import { openEvent, type RecordedEvent, seal } from '../../src/events/envelope.ts';
import type { LedgerId } from '../../src/events/identity.ts';
import { PreferenceEvent, SCHEMA_VERSION } from '../../src/events/kinds.ts';
import { evolve, initialState } from '../../src/projections/preference-state.ts';

const folder = new URL('../../data/golden-events/', import.meta.url);

type Golden = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly event: RecordedEvent;
};

/** One history, every kind in it, as it was first written; names begin with the schemaversion and the position. */
const history: readonly Golden[] = readdirSync(folder)
  .toSorted()
  .map((name) => {
    const { bytes: text, hash } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Record<
      'bytes' | 'hash',
      string
    >;
    const bytes = Buffer.from(text);
    const opened = openEvent(bytes);
    if (!opened.ok) throw new Error(`${name}: ${opened.cause}`);
    return { name, bytes, hash, event: opened.event };
  });

const ledgerOf = (event: RecordedEvent): LedgerId => event.source.slice('/ledgers/'.length) as LedgerId;

describe('every event ever shipped is readable for ever', () => {
  test('every kind of every schemaversion has a golden file', () => {
    const kinds = PreferenceEvent.options.map((option) => option.entries.type.literal);
    for (let version = 1; version <= SCHEMA_VERSION; version += 1)
      for (const kind of kinds)
        expect(history.some(({ name, event }) => name.startsWith(`${version}-`) && event.type === kind)).toBe(true);
    expect(history.length).toBeGreaterThanOrEqual(kinds.length);
  });

  test.each(history)('$name: its bytes have its hash and are their own encoding', ({ bytes, hash, event }) => {
    expect(sha256Hex(bytes)).toBe(hash);
    expect(Buffer.from(canonicalBytes(event as unknown as CanonicalValue)).equals(bytes)).toBe(true);
  });

  test.each(history.filter(({ event }) => event.schemaversion === SCHEMA_VERSION))(
    '$name: written again today it has the same bytes',
    ({ bytes, hash, event }) => {
      const again = seal(
        { type: event.type, data: event.data } as PreferenceEvent,
        {
          ledgerId: ledgerOf(event),
          subjectKey: event.subject,
          position: event.position,
          previousHash: event.previoushash,
          time: event.time,
        },
        {
          eventId: event.id,
          actor: event.actor,
          actorRole: event.actorrole,
          causationId: event.causationid,
          correlationId: event.correlationid,
        },
      );
      expect(again.hash).toBe(hash);
      expect(Buffer.from(again.bytes).equals(bytes)).toBe(true);
    },
  );

  test('together they are one unbroken chain', () => {
    let previous: string | null = null;
    for (const [index, { event, hash }] of history.entries()) {
      expect(event.position).toBe(index + 1);
      expect(event.previoushash).toBe(previous ?? genesisHash(ledgerOf(event)));
      previous = hash;
    }
  });

  test('and they fold to what was meant: forgotten at revision 3, nothing in force, nothing open', () => {
    const state = history.reduce((before, { event, hash }) => evolve(before, event, hash), initialState);
    expect(state).toMatchObject({ present: { revision: 3, commitment: null }, open: null });
    expect(state.closed.map(({ ended, refusals }) => [ended, refusals])).toStrictEqual([
      ['corrected', ['corrected']],
      ['cancelled', []],
      ['forgotten', []],
    ]);
  });
});
