/**
 * Erasable bodies in slots of one fixed length: taken, overwritten in place with zeros, and taken again.
 *
 * A slot is never deleted and never changes its length, so its bytes never move and overwriting it is erasing it (schema.ts).
 * The number of slots is the largest number of bodies ever held at once.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';

/** Bytes before a body in its slot: its length, big-endian. */
export const FRAME_HEADER_BYTES = 4;

/** A pool of slots; all three must run inside a write (group-commit.ts) except `read`. */
export type BodySlots = {
  /** Puts a body into a free slot, or into a new one. @throws RangeError when it is too long. */
  take(body: Uint8Array): number;
  /** Puts another body in place of the one held. @throws RangeError when it is too long. */
  replace(slot: number, body: Uint8Array): void;
  /** The body, exactly as it was given. */
  read(slot: number): Uint8Array;
  /** Overwrites the body with zeros and frees the slot. */
  empty(slot: number): void;
};

/** The tables of slots (schema.ts). */
type SlotTable = 'inbox_bodies' | 'address_bodies' | 'turn_bodies' | 'context_bodies';

/** @param capacity the longest body, bytes. */
export function bodySlots(db: DatabaseSync, table: SlotTable, capacity: number): BodySlots {
  const firstFree = db.prepare(`SELECT slot FROM ${table} WHERE free = 1 LIMIT 1`);
  const insert = db.prepare(`INSERT INTO ${table} (free, body) VALUES (?, ?)`);
  const overwrite = db.prepare(`UPDATE ${table} SET free = ?, body = ? WHERE slot = ?`);
  const select = db.prepare(`SELECT body FROM ${table} WHERE slot = ?`);
  const zeros = new Uint8Array(FRAME_HEADER_BYTES + capacity);

  function frame(body: Uint8Array): Uint8Array {
    if (body.length > capacity) throw new RangeError(`A body has at most ${capacity} bytes`);
    const framed = Buffer.alloc(FRAME_HEADER_BYTES + capacity);
    framed.writeUInt32BE(body.length);
    framed.set(body, FRAME_HEADER_BYTES);
    return framed;
  }

  return {
    take(body) {
      const framed = frame(body);
      const free = firstFree.get() as { slot: number } | undefined;
      if (free === undefined) return Number(insert.run(0, framed).lastInsertRowid);
      overwrite.run(0, framed, free.slot);
      return free.slot;
    },
    replace(slot, body) {
      overwrite.run(0, frame(body), slot);
    },
    read(slot) {
      const { body } = select.get(slot) as { body: Uint8Array };
      const length = new DataView(body.buffer, body.byteOffset, FRAME_HEADER_BYTES).getUint32(0);
      return body.slice(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + length);
    },
    empty(slot) {
      overwrite.run(1, zeros, slot);
    },
  };
}
