/**
 * One after the other for each ledger, inside this process.
 *
 * Two taps of one person meet here instead of in Firestore, where the loser reads twice more and waits for locks. It is
 * never what keeps a ledger right: that is the compare-and-set of every commit, for other processes know nothing of this.
 * @module
 */
import type { LedgerId } from '../../events/identity.ts';
import type { InTurn } from '../../events/ports.ts';

/** Makes the queue of this process. */
export function turnsByLedger(): InTurn {
  const last = new Map<LedgerId, Promise<unknown>>();
  return async (ledgerId, work) => {
    const turn = (last.get(ledgerId) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    last.set(ledgerId, ended);
    try {
      return await turn;
    } finally {
      if (last.get(ledgerId) === ended) last.delete(ledgerId);
    }
  };
}
