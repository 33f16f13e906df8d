/**
 * `npm run ledger -- turn <turnId>`: from one message to all that came of it, joined by ids and never by words.
 *
 * Call → proposal → card → tap → event → revision → later answers. After a forget, or once a turn is old, its row holds no words
 * any more; the ids of the events join all the same.
 * @module
 */
import { decodeTurnBody, type TurnBody } from '../../commands/turn-body.ts';
import type { LedgerId, LedgerRef } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import type { TurnRecordReader, TurnRow } from '../../events/turn-ports.ts';
import type { HashedEvent } from '../../projections/replay.ts';
import type { ExitCode } from './ledger-command.ts';
import { allLedgers, readLedger } from './reading.ts';

export type TurnCommandDependencies = {
  readonly reader: LedgerReader;
  readonly turns: TurnRecordReader;
  /** One JSON document. */
  readonly out: (json: unknown) => void;
  /** Words for whoever watches. */
  readonly say: (words: string) => void;
};

/** The most later answers that are listed. */
const LATER_ANSWERS_MAX = 100;

/** A turn as its row tells it. `erased`: the row is there and its words are gone; `none`: no row is kept. */
type ShownTurn = {
  readonly turnId: string;
  readonly row: 'kept' | 'erased' | 'none';
  readonly recordedAt: string | null;
  readonly call: TurnBody | null;
};

/** An event by the ids that join it. */
type ShownEvent = {
  readonly position: number;
  readonly eventId: string;
  readonly type: string;
  readonly time: string;
  readonly turnId: string;
  readonly causationId: string;
};

/** Shows one turn. Exit 0 shown · 1 its ledger cannot be read · 3 nothing is known of that id. */
export async function runTurnCommand(turnId: string, dependencies: TurnCommandDependencies): Promise<ExitCode> {
  const { reader, turns, out, say } = dependencies;
  const row = await turns.read(turnId);
  const ledger = row === null ? await ledgerWith(reader, turnId) : await reader.ledger(row.ledgerId);
  if (row === null && ledger === null) {
    say('Nothing is known of a turn with that id.');
    return 3;
  }
  const read = ledger === null ? null : await readLedger(reader, ledger);
  if (read !== null && read.unreadableAt !== null) {
    say(`Position ${read.unreadableAt} cannot be read as an event. Run verify.`);
    return 1;
  }
  const events = read?.events ?? [];
  const used = row?.usedRevision ?? null;
  const proposalIds = new Set([...touchedBy(events, turnId), ...(used === null ? [] : madeRevision(events, used))]);
  const chains = [];
  for (const proposalId of proposalIds) chains.push(await chainOf(proposalId, events, dependencies));
  out({
    turn: shown(turnId, row),
    ledgerId: row?.ledgerId ?? ledger?.ledgerId ?? null,
    usedRevision: used,
    events: events.filter(({ event }) => event.correlationid === turnId).map(shownEvent),
    chains,
  });
  return 0;
}

/** Where the row is gone, the ledger is found by its events. */
async function ledgerWith(reader: LedgerReader, turnId: string): Promise<LedgerRef | null> {
  for await (const ledger of allLedgers(reader)) {
    if (ledger.kind !== 'preference') continue;
    const { events } = await readLedger(reader, ledger);
    if (events.some(({ event }) => event.correlationid === turnId)) return ledger;
  }
  return null;
}

function proposalOf({ event }: HashedEvent): string | null {
  return event.type === 'preference.forgotten' ? null : event.data.proposalId;
}

function touchedBy(events: readonly HashedEvent[], turnId: string): string[] {
  return events
    .filter(({ event }) => event.correlationid === turnId)
    .map(proposalOf)
    .filter((proposalId) => proposalId !== null);
}

function madeRevision(events: readonly HashedEvent[], revision: number): string[] {
  return events.flatMap(({ event }) =>
    (event.type === 'preference.approved' || event.type === 'preference.corrected') && event.data.revision === revision
      ? [event.data.proposalId]
      : [],
  );
}

async function chainOf(
  proposalId: string,
  events: readonly HashedEvent[],
  { turns }: TurnCommandDependencies,
): Promise<object> {
  const own = events.filter((each) => proposalOf(each) === proposalId);
  const proposed = own.find(({ event }) => event.type === 'preference.proposed');
  const decided = own.find(({ event }) => event.type !== 'preference.proposed' && event.type !== 'card.refused');
  const forgotten = decided ?? (proposed === undefined ? undefined : forgottenByCard(proposed, events));
  const revision = forgotten !== undefined && 'revision' in forgotten.event.data ? forgotten.event.data.revision : null;
  const asked = proposed?.event.correlationid ?? null;
  return {
    proposalId,
    call: asked === null ? null : shown(asked, await turns.read(asked)),
    proposal: proposed === undefined ? null : shownEvent(proposed),
    card: proposed === undefined ? null : cardOf(proposed),
    tap: forgotten === undefined ? null : shownEvent(forgotten),
    refusals: own.filter(({ event }) => event.type === 'card.refused').map(shownEvent),
    revision,
    laterAnswers: revision === null ? [] : await laterAnswers(turns, proposed ?? forgotten, revision),
  };
}

/** A forget card leads to an event that names no proposal: it is the next one, if it was made by a card. */
function forgottenByCard(proposed: HashedEvent, events: readonly HashedEvent[]): HashedEvent | undefined {
  if (proposed.event.type !== 'preference.proposed' || proposed.event.data.operation !== 'forget') return undefined;
  const next = events.find(({ event }) => event.position > proposed.event.position && event.type !== 'card.refused');
  return next?.event.type === 'preference.forgotten' && next.event.data.method === 'card' ? next : undefined;
}

/** What can be said of a card without its token: for how long it stood. */
function cardOf({ event }: HashedEvent): object | null {
  if (event.type !== 'preference.proposed') return null;
  const expiresAt = new Date(Date.parse(event.time) + event.data.validitySeconds * 1_000).toISOString();
  return { operation: event.data.operation, baseRevision: event.data.baseRevision, expiresAt };
}

async function laterAnswers(
  turns: TurnRecordReader,
  of: HashedEvent | undefined,
  revision: number,
): Promise<readonly object[]> {
  if (of === undefined) return [];
  const ledgerId = of.event.source.slice('/ledgers/'.length) as LedgerId;
  const answers = await turns.using(ledgerId, revision, LATER_ANSWERS_MAX);
  return answers.map(({ turnId, causationId, recordedAt }) => ({
    turnId,
    causationId,
    recordedAt: new Date(recordedAt).toISOString(),
  }));
}

function shownEvent({ event }: HashedEvent): ShownEvent {
  const { position, id, type, time, correlationid, causationid } = event;
  return { position, eventId: id, type, time, turnId: correlationid, causationId: causationid };
}

function shown(turnId: string, row: TurnRow | null): ShownTurn {
  const call = row?.body == null ? null : decodeTurnBody(row.body);
  return {
    turnId,
    row: row === null ? 'none' : row.body === null ? 'erased' : 'kept',
    recordedAt: row === null ? null : new Date(row.recordedAt).toISOString(),
    call,
  };
}
