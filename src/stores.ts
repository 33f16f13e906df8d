/**
 * The store a configuration asks for: SQLite in a file, or Firestore, which is loaded only then.
 * @module
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AuditConfig } from './adapters/system/config.ts';
import type { Store } from './app.ts';
import { subjectKeyFingerprint } from './events/identity.ts';

/** How long one call to Firestore may take, milliseconds: a webhook is answered within 1.5 s, whatever the store does. */
const FIRESTORE_DEADLINE_MS = { person: 1_200, operator: 20_000 } as const;

/** A store that was opened, and how to let go of it. */
export type OpenedStore = Store & {
  close(): Promise<void>;
  /** Copies an embedded store as of one moment into a new file; null where the platform keeps backups. */
  readonly backup: ((path: string) => Promise<void>) | null;
};

/**
 * Opens the store.
 * @param waiting who waits for its calls: a person in a chat, or an operator at a command line.
 * @throws StoreRefused with a cause of a closed list. An unreachable Firestore does not stop the open.
 */
export async function openStore(
  config: AuditConfig,
  readOnly: boolean,
  waiting: keyof typeof FIRESTORE_DEADLINE_MS = 'person',
): Promise<OpenedStore> {
  const shared = {
    subjectKeyFingerprint: subjectKeyFingerprint(config.subjectKeySecret),
    clock: Date.now,
    random: Math.random,
  };
  if (config.store.kind === 'firestore') {
    const { openFirestoreStore } = await import('./adapters/firestore/store.ts');
    const { projectId, emulatorHost } = config.store;
    const store = await openFirestoreStore({
      ...shared,
      projectId,
      ...(emulatorHost === null ? {} : { emulatorHost }),
      deadlineMs: FIRESTORE_DEADLINE_MS[waiting],
      readOnly,
    });
    return { ...store, backup: null };
  }
  const { openSqliteStore } = await import('./adapters/sqlite/store.ts');
  const { path } = config.store;
  if (!readOnly) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSqliteStore({ ...shared, path, readOnly });
}
