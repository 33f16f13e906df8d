/**
 * A ledger with a long history, written in few commits: the same events and states that deciding one by one would give.
 * @module
 */
import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { genesisHash } from '../src/events/chain.ts';
import { type SealedEvent, seal } from '../src/events/envelope.ts';
import type { PreferenceEvent } from '../src/events/kinds.ts';
import type { Ledger } from '../src/events/ports.ts';
import { currentNotice, DIET_FOR_PLACE_SEARCH } from '../src/events/purposes.ts';
import { encodeState, evolve, initialState } from '../src/projections/preference-state.ts';
import type { Holder } from './approvals.ts';

const EVENTS_PER_COMMIT = 1_000;

/** Writes offers of forgotten kinds, one superseding the other, until the ledger has `events` events. */
export async function lengthen(ledger: Ledger, { ledger: ref }: Holder, events: number): Promise<void> {
  let state = initialState;
  let previousHash = genesisHash(ref.ledgerId);
  for (let position = 0; position < events; ) {
    const sealed: SealedEvent[] = [];
    const expectedPosition = position;
    while (sealed.length < EVENTS_PER_COMMIT && position < events) {
      position += 1;
      const id = randomUUID();
      const next = seal(
        offerOf('0'.repeat(64)),
        { ledgerId: ref.ledgerId, subjectKey: ref.subjectKey, position, previousHash, time: new Date().toISOString() },
        { eventId: v7(), actor: ref.subjectKey, actorRole: 'subject', causationId: id, correlationId: id },
      );
      state = evolve(state, next.event, next.hash);
      previousHash = next.hash;
      sealed.push(next);
    }
    const content = { kind: 'keep' } as const;
    const result = await ledger.commit({
      ledger: ref,
      expectedPosition,
      events: sealed,
      content,
      state: encodeState(state),
      once: null,
    });
    if (result.status !== 'committed') throw new Error(`The history was not written: ${result.status}`);
  }
}

function offerOf(commitment: string): PreferenceEvent {
  const { version, language } = currentNotice(DIET_FOR_PLACE_SEARCH);
  return {
    type: 'preference.proposed',
    data: {
      operation: 'save',
      proposalId: randomUUID(),
      commitment,
      noticeVersion: version,
      language,
      validitySeconds: 300,
      baseRevision: 0,
      collectionMethod: 'message',
    },
  };
}
