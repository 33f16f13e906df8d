/**
 * The rules of the preference ledger said a second time, simply and without events: cards on a table, one value.
 * Written from the design and importing nothing of the source, so that both can only agree by being right.
 * @module
 */

/** How many ended cards are remembered by their cause. */
const REMEMBERED = 16;
/** How long a card can be decided, milliseconds. */
const VALIDITY = 300_000;

/** One card as the person sees it; two are the same card only if they are the same object. */
export type Slip = {
  readonly asks: 'save' | 'correct' | 'forget';
  readonly value: string | null;
  readonly message: string;
  readonly base: number;
  readonly end: number;
};

/** What the model says of one step: the outcome, the cause of a stale card, and whether an event is written. */
export type Verdict = { readonly outcome: string; readonly cause: string | null; readonly wrote: boolean };

export type ReferenceModel = {
  readonly now: () => { readonly revision: number; readonly value: string | null; readonly open: Slip | null };
  /** Every card ever shown, oldest first. */
  readonly slips: () => readonly Slip[];
  /** Whether the model still knows what became of a message; a later message may not use its name otherwise. */
  readonly remembers: (message: string) => boolean;
  readonly say: (value: string, message: string, clock: number) => Verdict;
  readonly askToForget: (message: string, clock: number) => Verdict;
  readonly press: (button: 'approve' | 'cancel', slip: Slip, clock: number) => Verdict;
  readonly forget: (clock: number) => Verdict;
  readonly unsend: (message: string, clock: number) => Verdict;
};

/** A table with nothing on it. */
export function referenceModel(): ReferenceModel {
  const shown: Slip[] = [];
  const over: { readonly slip: Slip; readonly how: string }[] = [];
  const evidence = new Set<string>();
  let revision = 0;
  let value: string | null = null;
  /** The card whose approval made the present revision. */
  let maker: Slip | null = null;
  let open: Slip | null = null;
  let newest = 0;

  const remembered = () => over.slice(-REMEMBERED);
  const howItEnded = (slip: Slip) => remembered().find((each) => each.slip === slip)?.how ?? null;
  const verdict = (outcome: string, wrote: boolean, cause: string | null = null): Verdict => ({
    outcome,
    cause,
    wrote,
  });

  function happened(clock: number): number {
    newest = Math.max(clock, newest);
    return newest;
  }

  function end(slip: Slip | null, how: string): void {
    if (slip !== null) over.push({ slip, how });
  }

  function show(asks: Slip['asks'], offered: string | null, message: string, clock: number): Verdict {
    const wasDecided = maker?.message === message || remembered().some(({ slip }) => slip.message === message);
    if (open?.message !== message && wasDecided) return verdict('proposal_closed', false);
    end(open, 'superseded');
    open = { asks, value: offered, message, base: revision, end: happened(clock) + VALIDITY };
    shown.push(open);
    return verdict('awaiting_memory_consent', true);
  }

  function refuse(slip: Slip, reason: string, outcome: string, cause: string | null, clock: number): Verdict {
    const isKnown = slip === open || howItEnded(slip) !== null;
    const name = `${shown.indexOf(slip)} ${reason}`;
    if (!isKnown || evidence.has(name)) return verdict(outcome, false, cause);
    evidence.add(name);
    happened(clock);
    return verdict(outcome, true, cause);
  }

  function follow(slip: Slip, clock: number): Verdict {
    happened(clock);
    open = null;
    revision += 1;
    if (slip.asks === 'forget') {
      end(maker, 'forgotten');
      maker = slip;
      value = null;
      return verdict('memory_forgotten', true);
    }
    const isFirst = value === null;
    end(maker, isFirst ? 'revision_moved' : 'corrected');
    maker = slip;
    value = slip.value;
    return verdict(isFirst ? 'memory_saved' : 'memory_corrected', true);
  }

  function closeOpen(clock: number): void {
    end(open, 'cancelled');
    open = null;
    happened(clock);
  }

  return {
    now: () => ({ revision, value, open }),
    slips: () => shown,
    remembers: (message) =>
      [open, maker, ...remembered().map(({ slip }) => slip)].some((slip) => slip?.message === message),
    say(said, message, clock) {
      if (said !== value) return show(value === null ? 'save' : 'correct', said, message, clock);
      if (open === null) return verdict('already_effective', false);
      closeOpen(clock);
      return verdict('already_effective', true);
    },
    askToForget(message, clock) {
      if (value === null && open === null) return verdict('nothing_to_forget', false);
      return show('forget', null, message, clock);
    },
    press(button, slip, clock) {
      const how = howItEnded(slip);
      if (button === 'cancel' && how === 'cancelled') return verdict('already_cancelled', false);
      if (slip === maker) return verdict('already_applied', false);
      if (slip !== open) {
        const cause = how ?? (slip.base === revision ? 'superseded' : 'revision_moved');
        return refuse(slip, cause, 'stale_memory_card', cause, clock);
      }
      if (Math.max(clock, newest) >= slip.end) return refuse(slip, 'expired', 'expired_memory_card', null, clock);
      if (button === 'approve') return follow(slip, clock);
      closeOpen(clock);
      return verdict('memory_proposal_cancelled', true);
    },
    forget(clock) {
      if (value === null && open === null) return verdict('nothing_to_forget', false);
      end(maker, 'forgotten');
      end(open, 'forgotten');
      maker = null;
      open = null;
      value = null;
      revision += 1;
      happened(clock);
      return verdict('memory_forgotten', true);
    },
    unsend(message, clock) {
      if (open?.message !== message) return verdict('no_open_proposal', false);
      closeOpen(clock);
      return verdict('memory_proposal_cancelled', true);
    },
  };
}
