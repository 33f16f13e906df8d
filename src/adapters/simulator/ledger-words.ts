/**
 * A preference ledger's events in plain words, for the panel beside the chat.
 * @module
 */
import * as v from 'valibot';
import { PreferenceEvent, type RefusalReason } from '../../events/kinds.ts';

/** One event of a ledger, as the host reads it. */
export type LedgerEntry = {
  readonly position: number;
  readonly type: string;
  /** RFC 3339. */
  readonly time: string;
  /** 64 hex digits. */
  readonly hash: string;
  readonly data: unknown;
};

/** What the host can tell of a person's ledger now. */
export type LedgerView = {
  readonly ledgerId: string;
  readonly revision: number;
  /** The value in force as a person reads it; null when nothing is remembered. */
  readonly value: string | null;
  readonly events: readonly LedgerEntry[];
};

/** An entry for the panel: in words, with the tone it is drawn in. */
export type WordedEntry = Omit<LedgerEntry, 'data'> & {
  readonly words: string;
  readonly tone: 'offered' | 'in_force' | 'closed' | 'forgotten' | 'refused' | 'unknown';
};

const OFFERED = { save: '提出一張「記住」卡', correct: '提出一張「更正」卡', forget: '提出一張「忘記」卡' } as const;
const CLOSED_BY = {
  card: '本人按了先不要',
  unsend: '引起它的訊息被收回或編輯',
  message: '後來的一句話取代了它',
  api: '經由 API',
} as const;
const FORGOTTEN_BY = { fixed_entry: '本人說忘記', card: '本人按了確認忘記', api: '經由 API' } as const;
const REFUSED: Readonly<Record<RefusalReason, string>> = {
  expired: '已過期',
  superseded: '已被新卡取代',
  cancelled: '已取消',
  forgotten: '之後已忘記',
  corrected: '之後已更正',
  revision_moved: '版本已經往前',
};

/** Puts an entry into words. A kind of event this does not know is named, never guessed. */
export function inWords({ position, type, time, hash, data }: LedgerEntry): WordedEntry {
  const entry = { position, type, time, hash };
  const parsed = v.safeParse(PreferenceEvent, { type, data });
  if (!parsed.success) return { ...entry, words: '這個頁面不認得的事件', tone: 'unknown' };
  return { ...entry, ...describe(parsed.output) };
}

function describe(event: PreferenceEvent): Pick<WordedEntry, 'words' | 'tone'> {
  switch (event.type) {
    case 'preference.proposed': {
      const validity = `${event.data.validitySeconds} 秒內有效`;
      return { words: `${OFFERED[event.data.operation]}；還沒有改變什麼，${validity}`, tone: 'offered' };
    }
    case 'preference.approved':
      return { words: `本人同意，成為第 ${event.data.revision} 版`, tone: 'in_force' };
    case 'preference.corrected': {
      const { revision, correctsRevision } = event.data;
      return { words: `本人同意更正，第 ${revision} 版取代第 ${correctsRevision} 版`, tone: 'in_force' };
    }
    case 'preference.cancelled':
      return { words: `卡片取消：${CLOSED_BY[event.data.method]}`, tone: 'closed' };
    case 'preference.forgotten':
      return {
        words: `${FORGOTTEN_BY[event.data.method]}，內容已刪除（第 ${event.data.revision} 版）`,
        tone: 'forgotten',
      };
    case 'card.refused': {
      const { reason, presentedRevision, headRevision } = event.data;
      const revisions = `卡片看到第 ${presentedRevision} 版，帳本在第 ${headRevision} 版`;
      return { words: `拒絕一張舊卡：${REFUSED[reason]}（${revisions}）`, tone: 'refused' };
    }
  }
}
