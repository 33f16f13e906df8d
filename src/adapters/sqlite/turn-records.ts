/**
 * The trail of turns on SQLite: ids in rows that stay, what was said and done in slots that can be emptied.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import type { LedgerId, SubjectKey } from '../../events/identity.ts';
import { TURN_BODY_BYTES, type TurnIds, type TurnRecords } from '../../events/turn-ports.ts';
import { bodySlots } from './body-slots.ts';
import type { Erasure } from './erasure.ts';
import type { Writer } from './group-commit.ts';
import { messageHeld } from './message-held.ts';

/** How many rows one write deletes. */
const PURGE_CHUNK = 500;

/** What the trail needs of the rest of the store. */
export type TurnParts = {
  readonly db: DatabaseSync;
  readonly writer: Writer;
  readonly read: <T>(action: () => T) => Promise<T>;
  readonly erasure: Erasure;
};

/** The port, and what a forget does to it: empties a subject's bodies inside the forget's transaction, keeping the ids. */
export type SqliteTurnRecords = {
  readonly turnRecords: TurnRecords;
  readonly emptyTurns: (subjectKey: SubjectKey) => void;
};

type IdRow = {
  readonly id: number;
  readonly key: string;
  readonly causation: string;
  readonly subject: SubjectKey;
  readonly ledger: LedgerId;
  readonly used_revision: number | null;
  readonly recorded_at: number;
  readonly body_slot: number | null;
};

export function sqliteTurnRecords({ db, writer, read, erasure }: TurnParts): SqliteTurnRecords {
  const bodies = bodySlots(db, 'turn_bodies', TURN_BODY_BYTES);
  const isHeld = messageHeld(db);
  const select = db.prepare('SELECT * FROM turns WHERE key = ?');
  const upsert = db.prepare(
    'INSERT INTO turns (key, causation, subject, ledger, used_revision, recorded_at, body_slot) VALUES (?, ?, ?, ?, ?, ?, ?) ' +
      'ON CONFLICT (key) DO UPDATE SET causation = excluded.causation, used_revision = excluded.used_revision, ' +
      'recorded_at = excluded.recorded_at, body_slot = excluded.body_slot',
  );
  const using = db.prepare(
    'SELECT * FROM turns WHERE ledger = ? AND used_revision = ? ORDER BY recorded_at, id LIMIT ?',
  );
  const heldOf = db.prepare('SELECT * FROM turns WHERE subject = ? AND body_slot IS NOT NULL');
  const older = db.prepare('SELECT * FROM turns WHERE recorded_at < ? LIMIT ?');
  const emptied = db.prepare('UPDATE turns SET body_slot = NULL WHERE id = ?');
  const remove = db.prepare('DELETE FROM turns WHERE id = ?');

  function rowOf(turnId: string): IdRow | undefined {
    return select.get(turnId) as IdRow | undefined;
  }
  function emptyBody({ id, body_slot }: IdRow): void {
    if (body_slot === null) return;
    emptied.run(id);
    bodies.empty(body_slot);
  }
  /** The slot with the new body; null, and the old one emptied, when the message is no longer held. */
  function slotFor(known: IdRow | undefined, body: Uint8Array, held: boolean): number | null {
    const slot = known?.body_slot ?? null;
    if (held && slot !== null) {
      bodies.replace(slot, body);
      return slot;
    }
    if (held) return bodies.take(body);
    if (known !== undefined) emptyBody(known);
    return null;
  }

  const turnRecords: TurnRecords = {
    read: (turnId) =>
      read(() => {
        const row = rowOf(turnId);
        if (row === undefined) return null;
        return { ...idsOf(row), body: row.body_slot === null ? null : bodies.read(row.body_slot) };
      }),
    using: (ledgerId, revision, limit) =>
      read(() => (using.all(ledgerId, revision, limit) as IdRow[]).map((row) => idsOf(row))),
    record: ({ turnId, causationId, subjectKey, ledgerId, usedRevision, recordedAt, body }) =>
      writer.write(() => {
        const known = rowOf(turnId);
        if (known !== undefined && known.subject !== subjectKey)
          throw new RangeError('The turn belongs to another subject');
        const slot = slotFor(known, body, isHeld(causationId));
        upsert.run(turnId, causationId, subjectKey, ledgerId, usedRevision, recordedAt, slot);
        return slot === null ? 'kept_without_body' : 'kept';
      }),
    empty: (subjectKey, turnId) =>
      writer.write(() => {
        const row = rowOf(turnId);
        if (row === undefined || row.subject !== subjectKey || row.body_slot === null) return;
        emptyBody(row);
        erasure.owe();
      }),
    async purge(before) {
      for (let deleted = 0; ; ) {
        const chunk = await writer.write(() => {
          const rows = older.all(before, PURGE_CHUNK) as IdRow[];
          for (const row of rows) {
            emptyBody(row);
            remove.run(row.id);
          }
          if (rows.length > 0) erasure.soon();
          return rows.length;
        });
        deleted += chunk;
        if (chunk < PURGE_CHUNK) return deleted;
      }
    },
  };
  return {
    turnRecords,
    emptyTurns(subjectKey) {
      for (const row of heldOf.all(subjectKey) as IdRow[]) emptyBody(row);
    },
  };
}

function idsOf(row: IdRow): TurnIds {
  return {
    turnId: row.key,
    causationId: row.causation,
    subjectKey: row.subject,
    ledgerId: row.ledger,
    usedRevision: row.used_revision,
    recordedAt: row.recorded_at,
  };
}
