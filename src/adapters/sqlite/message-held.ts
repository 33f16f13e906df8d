/**
 * Whether the words a turn answers are still there to be answered: asked inside the write that would keep something of them.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';

/**
 * Makes the question. `true` for a message that waits with its body and for one that never stood in the inbox; `false` once a
 * forget, an unsend or the end of its turn emptied it. Must run inside a write.
 */
export function messageHeld(db: DatabaseSync): (causationId: string) => boolean {
  const select = db.prepare('SELECT body_slot FROM inbox WHERE key = ?');
  return (causationId) => {
    const job = select.get(causationId) as { body_slot: number | null } | undefined;
    return job === undefined || job.body_slot !== null;
  };
}
