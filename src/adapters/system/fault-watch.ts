/**
 * What operators must hear about: each fault is one log line and stands in `/ready` for a minute, by a name of a closed list.
 * @module
 */
import { CommitUnknown, StoreUnavailable } from '../../events/ports.ts';

/** For so long a fault is shown, milliseconds. */
const SHOWN_MS = 60_000;
/** The same fault is not logged again within this, milliseconds: a full disk must not fill a log too. */
const LOGGED_AGAIN_MS = 1_000;

/** Faults of the ledger's law, by the counter that counts each. */
const FAULT_OF_COUNT = {
  /** The newest event of a ledger is from the future: the answer was "busy". */
  fault_clock_behind_ledger: 'clock_behind_ledger',
  /** A genuine card speaks of a history this store does not hold. */
  fault_history_differs: 'history_differs',
  fault_refusal_evidence_lost: 'refusal_evidence_lost',
} as const;

export type FaultName =
  | (typeof FAULT_OF_COUNT)[keyof typeof FAULT_OF_COUNT]
  | 'store_read_failed'
  | 'store_write_failed'
  /** What was read is not what this program wrote. */
  | 'store_damaged';

/** One fault as it is logged: its name and nothing else. */
export type FaultRecord = { readonly severity: 'ERROR'; readonly fault: FaultName };
/** A fault of the last minute, and how long ago it was last met, whole seconds. */
export type ShownFault = { readonly fault: FaultName; readonly secondsAgo: number };

export type FaultWatch = {
  /** A counter went up; the fault it stands for, if any, is told. */
  counted(name: string): void;
  /**
   * The same port, whose failures are told. @param writes the names of its methods that write; the others read. Each method gives a
   * promise.
   */
  watched<Port extends object>(port: Port, writes: readonly (keyof Port & string)[]): Port;
  shown(): readonly ShownFault[];
  /**
   * Whether a kind of write failed within the last minute and none of that kind succeeded since: so one contended row, which others'
   * writes outrun, is no fault of the store.
   */
  writesFail(): boolean;
};

/** Makes the watch. `clock` in Unix milliseconds; `log` must not throw. */
export function createFaultWatch(clock: () => number, log: (record: FaultRecord) => void): FaultWatch {
  const metAt = new Map<FaultName, number>();
  const loggedAt = new Map<FaultName, number>();
  /** By port and method. */
  const failedAt = new Map<string, number>();
  let ports = 0;

  function raise(fault: FaultName): void {
    const now = clock();
    metAt.set(fault, now);
    if (now - (loggedAt.get(fault) ?? Number.NEGATIVE_INFINITY) < LOGGED_AGAIN_MS) return;
    loggedAt.set(fault, now);
    log({ severity: 'ERROR', fault });
  }
  /** A RangeError is a caller's mistake and says nothing about the store. */
  function failed(error: unknown, write: string | null): void {
    if (error instanceof RangeError) return;
    if (!(error instanceof StoreUnavailable || error instanceof CommitUnknown)) return raise('store_damaged');
    raise(write === null ? 'store_read_failed' : 'store_write_failed');
    if (write !== null) failedAt.set(write, clock());
  }
  const isRecent = (at: number): boolean => clock() - at <= SHOWN_MS;

  return {
    counted(name) {
      if (Object.hasOwn(FAULT_OF_COUNT, name)) raise(FAULT_OF_COUNT[name as keyof typeof FAULT_OF_COUNT]);
    },
    watched(port, writes) {
      ports += 1;
      const prefix = `${ports}.`;
      return new Proxy(port, {
        get(target, name, receiver) {
          const method: unknown = Reflect.get(target, name, receiver);
          if (typeof method !== 'function' || typeof name !== 'string') return method;
          const write = (writes as readonly string[]).includes(name) ? `${prefix}${name}` : null;
          return async (...given: unknown[]): Promise<unknown> => {
            try {
              const result: unknown = await Reflect.apply(method, target, given);
              if (write !== null) failedAt.delete(write);
              return result;
            } catch (error) {
              failed(error, write);
              throw error;
            }
          };
        },
      });
    },
    shown: () =>
      [...metAt]
        .filter(([, at]) => isRecent(at))
        .map(([fault, at]) => ({ fault, secondsAgo: Math.max(0, Math.round((clock() - at) / 1_000)) })),
    writesFail: () => [...failedAt.values()].some(isRecent),
  };
}
