import { beforeEach, describe, expect, test } from 'vitest';
import { createFaultWatch, type FaultRecord, type FaultWatch } from '../../../src/adapters/system/fault-watch.ts';
import { CommitUnknown, StoreUnavailable } from '../../../src/events/ports.ts';

let now: number;
let logged: FaultRecord[];
let watch: FaultWatch;
/** What the next call of the port comes to. */
let next: Error | null;
beforeEach(() => {
  now = 1_000_000;
  logged = [];
  next = null;
  watch = createFaultWatch(
    () => now,
    (record) => void logged.push(record),
  );
});

function port() {
  const answer = async (given: string): Promise<string> => {
    if (next !== null) throw next;
    return `${given} done`;
  };
  return watch.watched({ put: answer, take: answer, get: answer }, ['put', 'take']);
}
const names = () => watch.shown().map(({ fault }) => fault);

describe('a watched port', () => {
  test('answers and fails as the port itself does', async () => {
    const watched = port();
    expect(await watched.put('a')).toBe('a done');
    next = new StoreUnavailable('down');
    await expect(watched.put('a')).rejects.toBe(next);
  });

  test.each([
    ['put', new StoreUnavailable('down'), ['store_write_failed'], true],
    ['put', new CommitUnknown('lost'), ['store_write_failed'], true],
    ['get', new StoreUnavailable('down'), ['store_read_failed'], false],
    ['put', new Error('damaged'), ['store_damaged'], false],
    ['put', new RangeError('too long'), [], false],
  ] as const)('%s that ends with %o shows %j', async (method, error, shown, writesFail) => {
    next = error;
    await expect(port()[method]('secret of Person A')).rejects.toBe(error);
    expect(names()).toEqual(shown);
    expect(logged).toEqual(shown.map((fault) => ({ severity: 'ERROR', fault })));
    expect(watch.writesFail()).toBe(writesFail);
  });

  test('a write that failed is outrun by a later one of its kind only', async () => {
    const [one, two] = [port(), port()];
    next = new StoreUnavailable('down');
    await expect(one.put('a')).rejects.toThrow();
    next = null;
    await one.take('a');
    await one.get('a');
    await two.put('a');
    expect(watch.writesFail()).toBe(true);
    await one.put('a');
    expect([watch.writesFail(), names()]).toEqual([false, ['store_write_failed']]);
  });
});

test('alarms of the ledger are told by their counters, other counters are none', () => {
  for (const name of ['fault_clock_behind_ledger', 'fault_history_differs', 'fault_refusal_evidence_lost'])
    watch.counted(name);
  watch.counted('answer_pushed');
  watch.counted('toString');
  expect(names()).toEqual(['clock_behind_ledger', 'history_differs', 'refusal_evidence_lost']);
});

test('a fault is shown for a minute after it was last met, and logged at most once a second', () => {
  watch.counted('fault_history_differs');
  now += 999;
  watch.counted('fault_history_differs');
  expect(logged).toHaveLength(1);
  now += 1;
  watch.counted('fault_history_differs');
  expect(logged).toHaveLength(2);
  now += 60_000;
  expect(watch.shown()).toEqual([{ fault: 'history_differs', secondsAgo: 60 }]);
  now += 1;
  expect(watch.shown()).toEqual([]);
});
