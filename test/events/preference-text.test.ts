/**
 * The one-pass reading of canonical text: whatever it accepts the schema accepts too, as the same event.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, type CanonicalValue } from '../../src/events/canonical.ts';
import { openEventAs } from '../../src/events/envelope.ts';
import { PreferenceEvent, SCHEMA_VERSION } from '../../src/events/kinds.ts';
import { readPreferenceText } from '../../src/events/preference-text.ts';

const bySchema = (bytes: Uint8Array) => openEventAs({ body: PreferenceEvent, version: SCHEMA_VERSION }, bytes);
const folder = new URL('../../data/golden-events/', import.meta.url);
const GoldenFile = v.object({ bytes: v.string() });
const texts = readdirSync(folder).map(
  (name) => v.parse(GoldenFile, JSON.parse(readFileSync(new URL(name, folder), 'utf8'))).bytes,
);
const encode = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const SEED = 20_261_130;

it('reads every kind of event ever shipped as the schema does', () => {
  expect(texts.length).toBeGreaterThanOrEqual(6);
  for (const text of texts)
    expect({ ok: true, event: readPreferenceText(encode(text)) }).toEqual(bySchema(encode(text)));
});

it.each([
  '2026-11-30',
  '2028-02-29',
  '2026-01-31',
  '2026-02-29',
  '2026-04-31',
  '2100-02-29',
  '0000-01-01',
  '9999-12-31',
])('judges %s as the schema does', (day) => {
  const bytes = encode((texts[0] ?? '').replace('2026-01-01', day));
  const read = readPreferenceText(bytes);
  const judged = bySchema(bytes);
  expect(read === null ? { ok: false, cause: 'not_an_event' } : { ok: true, event: read }).toEqual(judged);
});

describe('never accepts what the schema refuses', () => {
  it(`with characters changed, dropped, doubled or inserted (seed ${SEED})`, () => {
    const change = fc.record({
      text: fc.constantFrom(...texts),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      what: fc.constantFrom('replace', 'drop', 'double', 'insert'),
      by: fc.constantFrom(
        '0',
        '1',
        '9',
        'a',
        'f',
        'Z',
        '"',
        '\\',
        '{',
        '}',
        ',',
        ':',
        ' ',
        '-',
        '.',
        'é',
        '\u0000',
        '\ud83e',
      ),
    });
    fc.assert(
      fc.property(change, ({ text, at, what, by }) => {
        const index = Math.floor(at * text.length);
        const [before, here, after] = [text.slice(0, index), text[index] ?? '', text.slice(index + 1)];
        const changed = {
          replace: before + by + after,
          drop: before + after,
          double: before + here + here + after,
          insert: before + by + here + after,
        }[what];
        const read = readPreferenceText(encode(changed));
        if (read !== null) expect(bySchema(encode(changed))).toEqual({ ok: true, event: read });
      }),
      { seed: SEED, numRuns: 20_000 },
    );
  });

  it(`with members and values replaced (seed ${SEED})`, () => {
    const value = fc.oneof(
      fc.integer({ min: -2, max: 2_000_000_000 }),
      fc.string(),
      fc.constantFrom(
        '',
        null,
        'forget',
        'save',
        'card',
        '2026-02-29T00:00:00.000Z',
        '2026-02-28T23:59:59.999Z',
        'zh-TW',
        86_400,
        86_401,
        0,
      ),
    );
    const replaced = fc.record({
      text: fc.constantFrom(...texts),
      inData: fc.boolean(),
      member: fc.nat({ max: 20 }),
      value,
    });
    fc.assert(
      fc.property(replaced, ({ text, inData, member, value: by }) => {
        const record = JSON.parse(text) as Record<string, unknown> & { data: Record<string, unknown> };
        const target = inData ? record.data : record;
        const name = Object.keys(target)[member % Object.keys(target).length] ?? '';
        target[name] = by;
        let bytes: Uint8Array;
        try {
          bytes = canonicalBytes(record as unknown as CanonicalValue);
        } catch {
          return;
        }
        const read = readPreferenceText(bytes);
        if (read !== null) expect(bySchema(bytes)).toEqual({ ok: true, event: read });
      }),
      { seed: SEED, numRuns: 20_000 },
    );
  });
});
