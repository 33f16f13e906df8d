/**
 * The address port on SQLite: where a push goes, sealed by the caller, erased in place.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import { ADDRESS_BYTES, type Addresses } from '../../events/delivery-ports.ts';
import type { SubjectKey } from '../../events/identity.ts';
import { bodySlots } from './body-slots.ts';
import type { Erasure } from './erasure.ts';
import type { Writer } from './group-commit.ts';

export function sqliteAddresses(
  db: DatabaseSync,
  writer: Writer,
  read: <T>(action: () => T) => Promise<T>,
  erasure: Erasure,
): Addresses {
  const bodies = bodySlots(db, 'address_bodies', ADDRESS_BYTES);
  const select = db.prepare('SELECT body_slot FROM addresses WHERE subject = ?');
  const insert = db.prepare('INSERT INTO addresses (subject, body_slot) VALUES (?, ?)');
  const remove = db.prepare('DELETE FROM addresses WHERE subject = ?');
  const needed = db.prepare(
    'SELECT 1 WHERE EXISTS (SELECT 1 FROM inbox WHERE subject = ?1 AND finished_at IS NULL) ' +
      'OR EXISTS (SELECT 1 FROM once WHERE subject = ?1 AND answered = 0)',
  );

  function slotOf(subjectKey: SubjectKey): number | null {
    const row = select.get(subjectKey) as { body_slot: number } | undefined;
    return row?.body_slot ?? null;
  }
  /** Whether there was one. */
  function erase(subjectKey: SubjectKey): boolean {
    const slot = slotOf(subjectKey);
    if (slot === null) return false;
    remove.run(subjectKey);
    bodies.empty(slot);
    return true;
  }

  return {
    put: (subjectKey, sealed) =>
      writer.write(() => {
        const slot = slotOf(subjectKey);
        if (slot === null) insert.run(subjectKey, bodies.take(sealed));
        else bodies.replace(slot, sealed);
      }),
    get: (subjectKey) =>
      read(() => {
        const slot = slotOf(subjectKey);
        return slot === null ? null : bodies.read(slot);
      }),
    release: (subjectKey) =>
      writer.write(() => {
        if (needed.get(subjectKey) === undefined && erase(subjectKey)) erasure.soon();
      }),
    remove: (subjectKey) =>
      writer.write(() => {
        if (erase(subjectKey)) erasure.owe();
      }),
  };
}
