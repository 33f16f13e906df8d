/**
 * A person's own history in plain words: what happened, when in Taipei, and why a card was refused.
 * @module
 */
import type { Operation, RefusalReason } from '../events/kinds.ts';
import type { HashedEvent } from './replay.ts';

/** What became of a value that was agreed to. */
export type Standing =
  | { readonly state: 'in_force' }
  | { readonly state: 'erased'; readonly at: number; readonly by: 'corrected' | 'forgotten' };

type Happening =
  | { readonly kind: 'offered'; readonly operation: Operation }
  | { readonly kind: 'agreed' | 'changed'; readonly revision: number; readonly standing: Standing }
  | {
      readonly kind: 'closed';
      readonly operation: Operation | null;
      readonly method: 'card' | 'unsend' | 'message' | 'api';
    }
  | { readonly kind: 'forgotten'; readonly revision: number; readonly hadValue: boolean }
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** One thing that happened, without any value. */
export type OwnEntry = {
  readonly position: number;
  /** Unix milliseconds. */
  readonly at: number;
} & Happening;

/**
 * The history in ledger order.
 * @param events an end of the ledger's events, gapless up to the newest; what an offer was for is unknown (null) when it
 *   stands before them.
 */
export function ownHistory(events: readonly HashedEvent[]): readonly OwnEntry[] {
  const offers = new Map<string, Operation>();
  const standings = standingsOf(events);
  return events.map(({ event }): OwnEntry => {
    const place = { position: event.position, at: Date.parse(event.time) };
    switch (event.type) {
      case 'preference.proposed':
        offers.set(event.data.proposalId, event.data.operation);
        return { ...place, kind: 'offered', operation: event.data.operation };
      case 'preference.approved':
      case 'preference.corrected': {
        const { revision } = event.data;
        const kind = event.type === 'preference.approved' ? 'agreed' : 'changed';
        return { ...place, kind, revision, standing: standings.get(revision) ?? { state: 'in_force' } };
      }
      case 'preference.cancelled': {
        const { proposalId, method } = event.data;
        return { ...place, kind: 'closed', operation: offers.get(proposalId) ?? null, method };
      }
      case 'preference.forgotten':
        return {
          ...place,
          kind: 'forgotten',
          revision: event.data.revision,
          hadValue: event.data.forgetsRevision !== null,
        };
      case 'card.refused':
        return { ...place, kind: 'refused', reason: event.data.reason };
    }
  });
}

/** By revision, how a value that is no longer in force went. */
function standingsOf(events: readonly HashedEvent[]): ReadonlyMap<number, Standing> {
  const standings = new Map<number, Standing>();
  for (const { event } of events) {
    const at = Date.parse(event.time);
    if (event.type === 'preference.corrected') {
      standings.set(event.data.correctsRevision, { state: 'erased', at, by: 'corrected' });
    } else if (event.type === 'preference.forgotten' && event.data.forgetsRevision !== null) {
      standings.set(event.data.forgetsRevision, { state: 'erased', at, by: 'forgotten' });
    }
  }
  return standings;
}

const taipei = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Taipei', dateStyle: 'short', timeStyle: 'medium' });

/** A moment in Taipei as `2026-11-30 09:00:00`. `at` in Unix milliseconds. */
export function taipeiTime(at: number): string {
  return taipei.format(at);
}

const OFFERED: Readonly<Record<Operation, string>> = {
  save: '出現「記住」的同意卡，還沒有儲存。',
  correct: '出現「更正」的同意卡，還沒有改變。',
  forget: '出現「忘記」的確認卡，還沒有刪除。',
};

const CLOSED = {
  card: '你按了「先不要」，這張卡沒有生效。',
  unsend: '你收回了訊息，它的卡片一併取消。',
  message: '因為你後來的訊息，等著的卡片取消了。',
  api: '等著的卡片取消了。',
} as const;

const REFUSED: Readonly<Record<RefusalReason, string>> = {
  expired: '那張卡過期了',
  superseded: '後來有較新的卡片取代它',
  cancelled: '那張卡先前取消了',
  forgotten: '那張卡之後，你要求過忘記',
  corrected: '那張卡同意過的條件，後來改成別的',
  revision_moved: '那張卡發出之後，偏好又變動過',
};

/** What happened, as one sentence in Chinese; holds no value. */
export function ownWords(entry: OwnEntry): string {
  switch (entry.kind) {
    case 'offered':
      return OFFERED[entry.operation];
    case 'agreed':
      return `你按了同意，第 ${entry.revision} 版開始使用。`;
    case 'changed':
      return `你按了同意更正，第 ${entry.revision} 版取代了前一版。`;
    case 'closed':
      return CLOSED[entry.method];
    case 'forgotten':
      return entry.hadValue
        ? `你要求忘記，條件從這時起不再使用（第 ${entry.revision} 版）。`
        : `你要求忘記，當時只有等著的卡片，一併取消（第 ${entry.revision} 版）。`;
    case 'refused':
      return `按了一張不能用的卡，沒有改變任何東西：${REFUSED[entry.reason]}。`;
  }
}

/** Whether a value agreed to is still used, as words; null for what agreed to none. */
export function standingWords(entry: OwnEntry): string | null {
  if (entry.kind !== 'agreed' && entry.kind !== 'changed') return null;
  const { standing } = entry;
  if (standing.state === 'in_force') return '使用中';
  return `內容已刪除（${standing.by === 'corrected' ? '更正' : '忘記'}，${taipeiTime(standing.at)}）`;
}
