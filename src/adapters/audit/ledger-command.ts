/**
 * `npm run ledger -- history|replay|verify|inspect`: the auditor's command line over a read-only port.
 * @module
 */
import type { LedgerId, LedgerRef, SubjectKey } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { DIET_FOR_PLACE_SEARCH, PURPOSES } from '../../events/purposes.ts';
import type { AnyEvent } from '../../projections/ledger-law.ts';
import { type Bound, reaches, replay, through } from '../../projections/replay.ts';
import type { LedgerArguments, Target } from './arguments.ts';
import { LogDamaged } from './checkpoint-log.ts';
import type { Witnessing } from './checkpoint-verify.ts';
import { allLedgers, readAnyLedger, type ReadLedger, readLedger, verifyLedger } from './reading.ts';

/** 0 good · 1 the ledger is not as it should be · 2 wrong use · 3 nothing to judge. */
export type ExitCode = 0 | 1 | 2 | 3;

export type LedgerCommandDependencies = {
  readonly reader: LedgerReader;
  readonly subjectOf: (userId: string) => SubjectKey;
  readonly ledgerOf: (subjectKey: SubjectKey, purpose: string) => LedgerRef;
  /** Makes the comparison with the newest signed checkpoint for the ledgers named; absent: no checkpoints are kept. */
  readonly witnessing?: (named: ReadonlySet<LedgerId>) => Promise<Witnessing>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** One JSON document. */
  readonly out: (json: unknown) => void;
  /** Words for whoever watches. */
  readonly say: (words: string) => void;
};

/** Runs one command. */
export async function runLedgerCommand(
  asked: LedgerArguments,
  dependencies: LedgerCommandDependencies,
): Promise<ExitCode> {
  if (asked.purpose !== null && !PURPOSES.has(asked.purpose)) {
    dependencies.say(`There is no purpose of that name. Known: ${[...PURPOSES.keys()].join(', ')}`);
    return 2;
  }
  switch (asked.command) {
    case 'history':
      return history(asked, dependencies);
    case 'replay':
      return replayOne(asked, dependencies);
    case 'verify':
      return verify(asked, dependencies);
    case 'inspect':
      return inspect(asked, dependencies);
  }
}

/** The ledgers a command line names, in order. */
export async function* namedLedgers(
  asked: LedgerArguments,
  { reader, subjectOf, ledgerOf }: LedgerCommandDependencies,
): AsyncGenerator<LedgerRef> {
  const { target, purpose } = asked;
  if (target.by === 'all') {
    for await (const ledger of allLedgers(reader)) if (purpose === null || ledger.purpose === purpose) yield ledger;
    return;
  }
  const ledgerId = ledgerIdOf(target, purpose, subjectOf, ledgerOf);
  const ledger = await reader.ledger(ledgerId);
  if (ledger !== null) yield ledger;
}

function ledgerIdOf(
  target: Exclude<Target, { by: 'all' }>,
  purpose: string | null,
  subjectOf: LedgerCommandDependencies['subjectOf'],
  ledgerOf: LedgerCommandDependencies['ledgerOf'],
): LedgerId {
  if (target.by === 'ledger') return target.ledgerId as LedgerId;
  const subject = target.by === 'user' ? subjectOf(target.userId) : (target.subjectKey as SubjectKey);
  return ledgerOf(subject, purpose ?? DIET_FOR_PLACE_SEARCH.purpose).ledgerId;
}

async function one(asked: LedgerArguments, dependencies: LedgerCommandDependencies): Promise<ReadLedger | null> {
  for await (const ledger of namedLedgers(asked, dependencies)) {
    if (ledger.kind === 'preference') return readLedger(dependencies.reader, ledger);
    dependencies.say('That ledger holds no preference.');
    return null;
  }
  dependencies.say('There is no such ledger: nothing was ever offered or decided.');
  return null;
}

function unreadable({ unreadableAt }: Pick<ReadLedger, 'unreadableAt'>, say: (words: string) => void): boolean {
  if (unreadableAt === null) return false;
  say(`Position ${unreadableAt} cannot be read as an event. Run verify.`);
  return true;
}

async function history(asked: LedgerArguments, dependencies: LedgerCommandDependencies): Promise<ExitCode> {
  const ledgers: unknown[] = [];
  let code: ExitCode = 0;
  for await (const ledger of namedLedgers(asked, dependencies)) {
    if (ledger.kind !== 'preference') {
      const other = await historyOfOther(ledger, asked.bound, dependencies);
      if (other.unreadable) code = 1;
      if (other.shown !== null) ledgers.push(other.shown);
      continue;
    }
    const read = await readLedger(dependencies.reader, ledger);
    if (unreadable(read, dependencies.say)) code = 1;
    if (!reaches(read.events, asked.bound)) continue;
    const counted = through(read.events, asked.bound);
    ledgers.push({
      ledgerId: ledger.ledgerId,
      purpose: ledger.purpose,
      position: counted.length,
      revision: replay(read.events, asked.bound, null).revision,
      hash: counted.at(-1)?.hash ?? null,
      events: counted.map(({ event, hash }) => ({ ...event, hash })),
    });
  }
  dependencies.out({ ledgers });
  if (ledgers.length > 0 || code === 1) return code;
  dependencies.say('There is nothing to show.');
  return 3;
}

/** A ledger that holds no preference has no revisions: it is shown only where none was asked for. */
async function historyOfOther(
  ledger: LedgerRef,
  bound: Bound,
  { reader, say }: LedgerCommandDependencies,
): Promise<{ readonly unreadable: boolean; readonly shown: object | null }> {
  if (bound.kind === 'through_revision') return { unreadable: false, shown: null };
  const read = await readAnyLedger(reader, ledger);
  const counted = throughMoment(read.events, bound);
  const { ledgerId, purpose } = ledger;
  const events = counted.map(({ event, hash }) => ({ ...event, hash }));
  return {
    unreadable: unreadable(read, say),
    shown: { ledgerId, purpose, position: counted.length, revision: 0, hash: counted.at(-1)?.hash ?? null, events },
  };
}

function throughMoment(events: ReadLedger<AnyEvent>['events'], bound: Bound): ReadLedger<AnyEvent>['events'] {
  if (bound.kind === 'through_position') return events.slice(0, bound.position);
  return bound.kind === 'at' ? events.filter(({ event }) => Date.parse(event.time) <= bound.at) : events;
}

function atOf(bound: Bound, time: string | null): string | null {
  return bound.kind === 'at' ? new Date(bound.at).toISOString() : time;
}

async function replayOne(asked: LedgerArguments, dependencies: LedgerCommandDependencies): Promise<ExitCode> {
  const read = await one(asked, dependencies);
  if (read === null) return 3;
  if (unreadable(read, dependencies.say)) return 1;
  if (!reaches(read.events, asked.bound)) {
    dependencies.say('The ledger does not reach that far.');
    return 3;
  }
  const { position, revision, time, state, value, consent, erased, proposalOpen } = replay(
    read.events,
    asked.bound,
    read.content,
  );
  dependencies.out({
    ledgerId: read.ledger.ledgerId,
    purpose: read.ledger.purpose,
    position,
    revision,
    at: atOf(asked.bound, time),
    state,
    ...(value === null ? {} : { value }),
    ...(consent === null ? {} : { consent }),
    ...(erased === null ? {} : { erased }),
    proposalOpen,
  });
  return 0;
}

type FoundProblem = { readonly ledgerId: string; readonly position: number; readonly cause: string };

async function verify(asked: LedgerArguments, dependencies: LedgerCommandDependencies): Promise<ExitCode> {
  const { reader, say } = dependencies;
  const ledgers: LedgerRef[] = [];
  for await (const ledger of namedLedgers(asked, dependencies)) ledgers.push(ledger);
  const problems: FoundProblem[] = [];
  const found = (problem: FoundProblem): void => {
    problems.push(problem);
    say(`${problem.ledgerId}: position ${problem.position}: ${problem.cause}`);
  };
  const witnessing = await witnessingFor(ledgers, dependencies, found);
  let events = 0;
  let notYetWitnessed = 0;
  for (const [index, ledger] of ledgers.entries()) {
    const verified = await verifyLedger(reader, ledger);
    const witnessed = await witnessing?.compare(ledger);
    events += verified.events;
    notYetWitnessed += witnessed?.notYetWitnessed ?? 0;
    const problem = firstOf(verified.problem, witnessed?.problem ?? null);
    if (problem !== null) found(problem);
    if ((index + 1) % 1_000 === 0) say(`${index + 1} ledgers, ${events} events so far`);
  }
  if (asked.target.by === 'all' && asked.purpose === null) {
    for (const ledgerId of witnessing?.unnamed ?? []) found({ ledgerId, position: 1, cause: 'cut_off' });
  }
  const judged = ledgers.length > 0 || problems.length > 0;
  dependencies.out({
    ok: judged && problems.length === 0,
    ledgers: ledgers.length,
    events,
    problems,
    ...(witnessing === null ? {} : { notYetWitnessed }),
  });
  if (!judged) {
    say('There is nothing to verify.');
    return 3;
  }
  say(`${ledgers.length} ledgers, ${events} events, ${problems.length} problems`);
  if (notYetWitnessed > 0) say(`${notYetWitnessed} events are newer than the newest checkpoint: not yet witnessed.`);
  return problems.length === 0 ? 0 : 1;
}

/** The comparison with the newest checkpoint; null where none is kept or the log itself is not as it should be. */
async function witnessingFor(
  ledgers: readonly LedgerRef[],
  { witnessing }: LedgerCommandDependencies,
  found: (problem: FoundProblem) => void,
): Promise<Witnessing | null> {
  if (witnessing === undefined) return null;
  try {
    return await witnessing(new Set(ledgers.map(({ ledgerId }) => ledgerId)));
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    found({ ledgerId: 'checkpoints', position: 0, cause: 'checkpoint_log_damaged' });
    return null;
  }
}

/** Of two problems of one ledger the one at the earlier position. */
function firstOf(own: FoundProblem | null, witnessed: FoundProblem | null): FoundProblem | null {
  if (own === null || witnessed === null) return own ?? witnessed;
  return witnessed.position < own.position ? witnessed : own;
}

async function inspect(asked: LedgerArguments, dependencies: LedgerCommandDependencies): Promise<ExitCode> {
  const read = await one(asked, dependencies);
  if (read === null) return 3;
  if (unreadable(read, dependencies.say)) return 1;
  const at = Math.max(dependencies.clock(), read.head.time === null ? 0 : Date.parse(read.head.time));
  const { revision, state, value, proposalOpen } = replay(read.events, { kind: 'at', at }, read.content);
  dependencies.out({
    purpose: read.ledger.purpose,
    revision,
    state,
    ...(value === null ? {} : { value }),
    open: proposalOpen,
  });
  return 0;
}
