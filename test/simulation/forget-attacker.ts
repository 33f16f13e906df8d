/**
 * An attacker who holds every byte that remains after people have forgotten, and every server key, and must name the value.
 *
 * The attacker tries what can be computed (digests of the value, plain and under each key, in the forms the program uses) and
 * learns from shapes (lengths, field sets, counts) on half of the people to guess the other half.
 * @module
 */
import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { canonicalText } from '../../src/events/canonical.ts';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../src/events/purposes.ts';
import type { Ledger } from '../../src/events/ports.ts';
import { seededRandom } from '../adapters/sqlite/store-files.ts';
import { CARD_KEYS, personOn, SUBJECT_KEY } from '../support/ledger-world.ts';
import { memoryLedger } from '../support/memory-ledger.ts';

const VALUES = DIET_FOR_PLACE_SEARCH.values.map(({ value }) => value);
const KEYS: readonly KeyObject[] = [SUBJECT_KEY, ...CARD_KEYS.map(({ key }) => key)];
/** Two-sided 99 % of the normal distribution. */
const Z_99 = 2.576;

/** What remains of one person: everything that is stored, as texts. */
type Remains = { readonly value: string; readonly ledgerId: string; readonly texts: readonly string[] };

export type AttackReport = {
  readonly ledgers: number;
  readonly guessed: number;
  readonly correct: number;
  readonly accuracy: number;
  /** The 99 % interval of guessing by chance. */
  readonly interval: readonly [number, number];
  readonly withinChance: boolean;
};

/** Plants the mistake the attack must find: the commitment replaced by a plain digest of the committed content. */
export type Plant = 'none' | 'plain_hash' | 'server_keyed_hash' | 'longer_for_one_value';

/** Lets `ledgers` people remember and forget, and attacks what remains. */
export async function attackForgotten(ledgers: number, seed: number, plant: Plant = 'none'): Promise<AttackReport> {
  const random = seededRandom(seed);
  const people: Remains[] = [];
  for (let index = 0; index < ledgers; index += 1) {
    const value = VALUES[Math.floor(random() * VALUES.length)] ?? 'vegan';
    people.push(planted(await remainsOf(value, `${seed}|${index}|${random()}`), plant));
  }
  const half = Math.floor(people.length / 2);
  const shapes = learnShapes(people.slice(0, half));
  const targets = people.slice(half);
  const correct = targets.filter((person) => guess(person, shapes, random) === person.value).length;
  const accuracy = correct / targets.length;
  const chance = 1 / VALUES.length;
  const spread = Z_99 * Math.sqrt((chance * (1 - chance)) / targets.length);
  const interval = [chance - spread, chance + spread] as const;
  return {
    ledgers,
    guessed: targets.length,
    correct,
    accuracy,
    interval,
    withinChance: accuracy >= interval[0] && accuracy <= interval[1],
  };
}

/** Saves, sometimes corrects or cancels another value first, and forgets: the last value in force is the one to name. */
async function remainsOf(value: string, name: string): Promise<Remains> {
  const store = memoryLedger();
  const person = personOn(store, name);
  const variant = createHash('sha256').update(name).digest().readUInt8(0) % 3;
  if (variant === 1) await person.remember(`${name.length}-first`, VALUES.find((other) => other !== value) ?? 'lacto');
  if (variant === 2) await person.cancel(await person.propose(`${name.length}-first`, 'friendly'));
  await person.remember(`${name.length}-wish`, value);
  await person.forget(`${name.length}-forget`);
  return { value, ledgerId: person.ref.ledgerId, texts: await storedTexts(store, person.ref.ledgerId) };
}

async function storedTexts(
  store: ReturnType<typeof memoryLedger> & Ledger,
  ledgerId: Remains['ledgerId'],
): Promise<string[]> {
  const kept = store.kept();
  const [row] = [...kept.ledgers.values()];
  const events = await store.events(ledgerId as Parameters<Ledger['events']>[0], 1, 1_000);
  const { head, content } = await store.headWithContent(ledgerId as Parameters<Ledger['events']>[0]);
  if (content !== null || row === undefined) throw new Error('Something was left in force');
  return [
    ...events.map(({ bytes, hash }) => `${Buffer.from(bytes).toString()},"${hash}"`),
    JSON.stringify(head),
    JSON.stringify([...kept.once.values()]),
  ];
}

function planted(remains: Remains, plant: Plant): Remains {
  if (plant === 'none') return remains;
  const content = contentText(remains.ledgerId, remains.value);
  const digest =
    plant === 'plain_hash'
      ? createHash('sha256').update(content).digest('hex')
      : createHmac('sha256', SUBJECT_KEY).update(content).digest('hex');
  const texts = remains.texts.map((text) =>
    plant === 'longer_for_one_value'
      ? text + (remains.value === 'vegan' ? ' ' : '')
      : text.replace(/"commitment":"[0-9a-f]{64}"/g, `"commitment":"${digest}"`),
  );
  return { ...remains, texts };
}

function contentText(ledgerId: string, value: string): string {
  return canonicalText({ ledgerId, purpose: DIET_FOR_PLACE_SEARCH.purpose, version: 1, value });
}

/** Everything the attacker knows how to compute from a candidate value and the server's keys. */
function* digestsOf(ledgerId: string, value: string): Generator<string> {
  const forms = [
    value,
    labelOf(DIET_FOR_PLACE_SEARCH, value) ?? '',
    JSON.stringify(value),
    contentText(ledgerId, value),
    `${ledgerId}|${value}`,
  ];
  for (const form of forms) {
    for (const encoding of ['hex', 'base64url'] as const) {
      yield createHash('sha256').update(form).digest(encoding);
      for (const key of KEYS) yield createHmac('sha256', key).update(form).digest(encoding);
    }
  }
}

/** The shape of what remains: how many, how long, which fields; no content. */
function shapeOf({ texts }: Remains): string {
  return texts.map((text) => `${text.length}:${text.replace(/"[^"]*"/g, '_').length}`).join(',');
}

function learnShapes(people: readonly Remains[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const person of people) {
    const shape = shapeOf(person);
    const seen = counts.get(shape) ?? new Map<string, number>();
    seen.set(person.value, (seen.get(person.value) ?? 0) + 1);
    counts.set(shape, seen);
  }
  return new Map([...counts].map(([shape, seen]) => [shape, [...seen].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '']));
}

function guess(person: Remains, shapes: ReadonlyMap<string, string>, random: () => number): string {
  const all = person.texts.join('\n');
  for (const value of VALUES) {
    if (all.includes(`"${value}"`) || all.includes(labelOf(DIET_FOR_PLACE_SEARCH, value) ?? '\0')) return value;
    for (const digest of digestsOf(person.ledgerId, value)) if (all.includes(digest)) return value;
  }
  return shapes.get(shapeOf(person)) ?? VALUES[Math.floor(random() * VALUES.length)] ?? '';
}
