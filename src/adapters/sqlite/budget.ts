/**
 * The model budget on SQLite: one counter for a person and a day, raised inside one write.
 * @module
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ModelBudget } from '../../events/turn-ports.ts';
import type { Writer } from './group-commit.ts';

export function sqliteModelBudget(db: DatabaseSync, writer: Writer): ModelBudget {
  const raise = db.prepare(
    'INSERT INTO model_calls (day, subject, calls) SELECT ?1, ?2, 1 WHERE ?3 >= 1 ' +
      'ON CONFLICT (day, subject) DO UPDATE SET calls = calls + 1 WHERE calls < ?3',
  );
  const remove = db.prepare('DELETE FROM model_calls WHERE day < ?');
  return {
    take: (subjectKey, day, limit) =>
      writer.write(() => (Number(raise.run(day, subjectKey, limit).changes) === 1 ? 'taken' : 'exhausted')),
    purge: (day) => writer.write(() => Number(remove.run(day).changes)),
  };
}
