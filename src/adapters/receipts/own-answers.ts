/**
 * 「我的紀錄」 and 「給我收據」: what a person is told in the chat of their own ledger. Reads only, and needs no model.
 * @module
 */
import type { Answer, OwnLink, ReceiptSummary } from '../../commands/answers.ts';
import type { CardKeys } from '../../commands/card.ts';
import { mintOwnLink, OWN_PAGE_PATH } from '../../commands/own-link.ts';
import type { OwnRecords, Person, Turn } from '../../commands/turns.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { ownHistory } from '../../projections/own-history.ts';
import { canOpen, type Decision, decisionsOf, noticeVersionOf } from '../../projections/receipt.ts';
import { type OwnLedger, readOwn } from './own-reading.ts';

/** How many events the chat shows; the page shows more. */
const SHOWN_MAX = 5;
/** What is read for the chat: enough that offers stand beside what was decided of them. */
const READ_FOR_RECORDS = 60;
/** What is read for the newest decision; its offer stands shortly before it. */
const READ_FOR_RECEIPT = 2_000;

export type OwnAnswersDependencies = {
  readonly reader: LedgerReader;
  readonly cardKeys: CardKeys;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** The public address of this service, an origin without a path; null: none is set up. */
  readonly publicBaseUrl: () => string | null;
};

/** Builds the two answers over a reader. */
export function createOwnRecords({ reader, cardKeys, clock, publicBaseUrl }: OwnAnswersDependencies): OwnRecords {
  function linkFor(person: Person, { revision }: OwnLedger): OwnLink {
    const base = publicBaseUrl();
    if (base === null) return null;
    const { token, expiresAt } = mintOwnLink(
      cardKeys,
      person.tenantId,
      { ledgerId: person.diet.ledgerId, revision },
      clock(),
    );
    return { url: `${base}${OWN_PAGE_PATH}/${token}`, expiresAt };
  }

  return {
    async records(person) {
      const own = await readOwn(reader, person.diet.ledgerId, READ_FOR_RECORDS);
      if (own === null) return told({ status: 'records_unreadable' }, null);
      const history = ownHistory(own.events).slice(-SHOWN_MAX).toReversed();
      const link = own.position === 0 ? null : linkFor(person, own);
      const earlier = own.position - history.length;
      return told({ status: 'my_records', history, earlier, inForce: own.inForce, link }, own);
    },

    async receipt(person) {
      const own = await readOwn(reader, person.diet.ledgerId, READ_FOR_RECEIPT);
      if (own === null) return told({ status: 'records_unreadable' }, null);
      const newest = decisionsOf(own.events).at(-1);
      const receipt = newest === undefined ? null : summaryOf(newest, own);
      const link = receipt === null ? null : linkFor(person, own);
      return told({ status: 'my_receipt', receipt, inForce: own.inForce, link }, own);
    },
  };
}

function summaryOf(decision: Decision, { content }: OwnLedger): ReceiptSummary {
  const { event } = decision.decided;
  return {
    kind: decision.kind,
    at: Date.parse(event.time),
    position: event.position,
    eventId: event.id,
    revision: 'revision' in event.data ? event.data.revision : null,
    noticeVersion: noticeVersionOf(decision),
    opens: canOpen(decision, content),
  };
}

function told(answer: Answer, own: OwnLedger | null): Turn {
  return { answers: [answer], onceKey: null, restsOnRevision: own === null ? null : own.revision };
}
