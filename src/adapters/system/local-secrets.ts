/**
 * The secrets a local start makes for itself, under .local/ and readable by their owner only.
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const LocalSecrets = v.strictObject({ SUBJECT_KEY: v.string(), CARD_KEYS: v.string() });
export type LocalSecrets = v.InferOutput<typeof LocalSecrets>;

/** The file is there and cannot be read as secrets; its message says what to do and holds nothing of it. */
export class SecretsUnreadable extends Error {
  override readonly name = 'SecretsUnreadable';
}

/**
 * Reads `<folder>/secrets.json`, or makes it (mode 0600) when it is not there.
 * @returns the secrets and whether they were made just now.
 * @throws SecretsUnreadable when the file is there but not readable as secrets: making new ones would turn everybody into strangers.
 */
export function localSecrets(
  folder: string,
  randomBytes: (length: number) => Uint8Array,
): { readonly secrets: LocalSecrets; readonly made: boolean; readonly path: string } {
  const path = join(folder, 'secrets.json');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const key = (): string => Buffer.from(randomBytes(32)).toString('base64');
  const fresh: LocalSecrets = { SUBJECT_KEY: key(), CARD_KEYS: `k1:${key()}` };
  try {
    // Create-only, so that of two first starts at once one makes the secrets and the other reads them.
    writeFileSync(path, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return { secrets: fresh, made: true, path };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return { secrets: readSecrets(path), made: false, path };
}

function readSecrets(path: string): LocalSecrets {
  try {
    return v.parse(LocalSecrets, JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new SecretsUnreadable(
      `${path} cannot be read as secrets. Put back the copy you have: with new secrets everybody would be a stranger.`,
      { cause: error },
    );
  }
}
