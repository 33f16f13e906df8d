/**
 * Goal: only who holds a token looks, and guessing is slow.
 * Method: the gate with a clock that moves and waits that end when the test says so.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createGate, ONE_TIME_MS, SESSION_MS } from '../../../src/adapters/audit/roles.ts';
import { bytesOf } from '../../support/ledger-world.ts';

const READER = { name: 'a', role: 'integrity' } as const;

function gateAt() {
  const clock = { now: 1_000_000 };
  const waits: { readonly milliseconds: number; readonly run: () => void }[] = [];
  const counted: string[] = [];
  let made = 0;
  const gate = createGate({
    tokens: [{ ...READER, sha256: createHash('sha256').update('right').digest() }],
    clock: () => clock.now,
    timer(milliseconds, run) {
      waits.push({ milliseconds, run });
      return () => undefined;
    },
    randomBytes(length) {
      made += 1;
      return bytesOf(`${made}`).subarray(0, length);
    },
    count: (name) => counted.push(name),
  });
  return { gate, clock, waits, counted };
}

test('a right token is known at once, also while wrong ones wait', async () => {
  const { gate, waits } = gateAt();
  void gate.byToken('wrong');
  expect(await gate.byToken('right')).toStrictEqual(READER);
  expect(waits.length).toBe(1);
});

test.each(['', 'Right', 'right ', 'r', 'x'.repeat(10_000)])('%j is no token', async (token) => {
  const { gate, waits, counted } = gateAt();
  const answer = gate.byToken(token);
  waits[0]?.run();
  expect(await answer).toBe('wrong');
  expect(counted).toStrictEqual(['audit_token_wrong']);
});

test('wrong tokens wait for each other, and from 10 seconds of them on nobody joins', async () => {
  const { gate, waits, clock } = gateAt();
  for (let tried = 0; tried < 20; tried += 1) void gate.byToken(`wrong ${tried}`);
  expect(waits.map(({ milliseconds }) => milliseconds)).toStrictEqual(
    Array.from({ length: 20 }, (_, index) => (index + 1) * 500),
  );
  expect(await gate.byToken('one more')).toBe('too_many');
  clock.now += 500;
  void gate.byToken('again');
  expect(waits.length).toBe(21);
});

test('a session ends after its time, and when it is closed', () => {
  const { gate, clock } = gateAt();
  const [one, other] = [gate.open(READER), gate.open(READER)];
  gate.close(other);
  expect(gate.bySession(other)).toBeNull();
  clock.now += SESSION_MS - 1;
  expect(gate.bySession(one)).toStrictEqual(READER);
  clock.now += 1;
  expect(gate.bySession(one)).toBeNull();
  expect(gate.bySession('never opened')).toBeNull();
});

test('a one-time secret works once, within its time, and is no session', () => {
  const { gate, clock } = gateAt();
  const [used, late] = [gate.oneTime(READER), gate.oneTime(READER)];
  expect(gate.bySession(used)).toBeNull();
  expect(gate.redeem(used)).toStrictEqual(READER);
  expect(gate.redeem(used)).toBeNull();
  clock.now += ONE_TIME_MS;
  expect(gate.redeem(late)).toBeNull();
});

test('sessions are bounded: the oldest goes first', () => {
  const { gate } = gateAt();
  const first = gate.open(READER);
  const rest = Array.from({ length: 200 }, () => gate.open(READER));
  expect(gate.bySession(first)).toBeNull();
  expect(rest.every((session) => gate.bySession(session) !== null)).toBe(true);
});
