/**
 * Breaks a JSON value at random places, the same way for the same seed.
 * @module
 */

/** Numbers from 0 to below 1 that follow from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What a place may become. */
const INTRUDERS: readonly unknown[] = [
  null,
  undefined,
  '',
  ' ',
  'STOP',
  'SAFETY',
  'search_local_places',
  'propose_dietary_memory',
  'default_api.search_local_places',
  'x'.repeat(300),
  '\u0000',
  '\ud800',
  0,
  -1,
  1e308,
  Number.NaN,
  true,
  false,
  [],
  {},
  [[[]]],
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { functionCall: { name: 'show_local_help', args: { reason: 'unsupported' } } },
];
const KEYS = ['__proto__', 'constructor', 'toString', 'name', 'args', 'id', 'parts', 'functionCall', 'owner', 'token'];

/** A changed copy of a JSON value: dropped, replaced, renamed, doubled or reordered at one to four places. */
export function mutated(value: unknown, random: () => number): unknown {
  let changed = value;
  for (let times = 1 + Math.floor(random() * 4); times > 0; times -= 1) changed = changedOnce(changed, random);
  return changed;
}

function changedOnce(value: unknown, random: () => number): unknown {
  const goDeeper = random() < 0.8;
  if (Array.isArray(value) && value.length > 0 && goDeeper) {
    const at = Math.floor(random() * value.length);
    const action = random();
    if (action < 0.1) return value.toSpliced(at, 1);
    if (action < 0.2) return [...value, value[at]];
    if (action < 0.25) return value.toReversed();
    return value.with(at, changedOnce(value[at], random));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && goDeeper) {
    const entries = Object.entries(value);
    if (entries.length === 0) return Object.fromEntries([[pick(KEYS, random), pick(INTRUDERS, random)]]);
    const at = Math.floor(random() * entries.length);
    const [key, inner] = entries[at] ?? ['', null];
    const action = random();
    if (action < 0.1) return Object.fromEntries(entries.toSpliced(at, 1));
    if (action < 0.2) return Object.fromEntries([...entries, [pick(KEYS, random), pick(INTRUDERS, random)]]);
    if (action < 0.25) return Object.fromEntries(entries.with(at, [pick(KEYS, random), inner]));
    if (action < 0.3) return Object.fromEntries(entries.toReversed());
    return Object.fromEntries(entries.with(at, [key, changedOnce(inner, random)]));
  }
  return random() < 0.3 ? value : pick(INTRUDERS, random);
}

function pick<Member>(members: readonly Member[], random: () => number): Member {
  return members[Math.floor(random() * members.length)] as Member;
}
