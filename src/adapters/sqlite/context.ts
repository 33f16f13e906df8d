/**
 * What is carried between turns on SQLite: one body for each person, replaced under compare-and-set, erased in place.
 * @module
 */
import type { SubjectKey } from '../../events/identity.ts';
import { CONTEXT_BODY_BYTES, type Contexts } from '../../events/turn-ports.ts';
import { bodySlots } from './body-slots.ts';
import { messageHeld } from './message-held.ts';
import type { TurnParts } from './turn-records.ts';

/** The port, and what a forget does to it: empties a subject's body inside the forget's transaction. */
export type SqliteContexts = {
  readonly contexts: Contexts;
  readonly emptyContext: (subjectKey: SubjectKey) => void;
};

type ContextRow = { readonly subject: SubjectKey; readonly generation: number; readonly body_slot: number | null };

export function sqliteContexts({ db, writer, read, erasure }: TurnParts): SqliteContexts {
  const bodies = bodySlots(db, 'context_bodies', CONTEXT_BODY_BYTES);
  const isHeld = messageHeld(db);
  const select = db.prepare('SELECT subject, generation, body_slot FROM contexts WHERE subject = ?');
  const upsert = db.prepare(
    'INSERT INTO contexts (subject, generation, put_at, body_slot) VALUES (?, ?, ?, ?) ON CONFLICT (subject) DO ' +
      'UPDATE SET generation = excluded.generation, put_at = excluded.put_at, body_slot = excluded.body_slot',
  );
  const older = db.prepare(
    'SELECT subject, generation, body_slot FROM contexts WHERE body_slot IS NOT NULL AND put_at < ?',
  );
  const emptied = db.prepare('UPDATE contexts SET body_slot = NULL WHERE subject = ?');

  function rowOf(subjectKey: SubjectKey): ContextRow | undefined {
    return select.get(subjectKey) as ContextRow | undefined;
  }

  return {
    contexts: {
      read: (subjectKey) =>
        read(() => {
          const row = rowOf(subjectKey);
          const slot = row?.body_slot ?? null;
          return { generation: row?.generation ?? 0, body: slot === null ? null : bodies.read(slot) };
        }),
      put: ({ subjectKey, expectedGeneration, body, causationId, putAt }) =>
        writer.write(() => {
          const row = rowOf(subjectKey);
          const generation = row?.generation ?? 0;
          if (generation !== expectedGeneration) return 'conflict';
          if (!isHeld(causationId)) return 'emptied';
          let slot = row?.body_slot ?? null;
          if (slot === null) slot = bodies.take(body);
          else bodies.replace(slot, body);
          upsert.run(subjectKey, generation + 1, putAt, slot);
          return 'kept';
        }),
      purge: (before) =>
        writer.write(() => {
          const rows = older.all(before) as ContextRow[];
          for (const { subject, body_slot } of rows) {
            emptied.run(subject);
            if (body_slot !== null) bodies.empty(body_slot);
          }
          if (rows.length > 0) erasure.soon();
          return rows.length;
        }),
    },
    emptyContext(subjectKey) {
      const row = rowOf(subjectKey);
      // A turn that read "nothing kept" before the forget must not put anything after it.
      upsert.run(subjectKey, (row?.generation ?? 0) + 1, 0, null);
      if (row !== undefined && row.body_slot !== null) bodies.empty(row.body_slot);
    },
  };
}
