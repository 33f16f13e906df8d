/**
 * Which build runs here, for people to name when they report something.
 * @module
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * The package's version with the first 12 digits of the commit: from `.build-id` (written when an image is built), else
 * from the checkout, else without.
 */
export function buildId(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const commit = textOf(join(folder, '.build-id')) ?? checkedOutCommit(join(folder, '.git'));
  return commit === null ? version : `${version}+${commit.slice(0, 12)}`;
}

function checkedOutCommit(gitFolder: string): string | null {
  const head = textOf(join(gitFolder, 'HEAD'));
  if (head === null) return null;
  const ref = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  if (ref === undefined) return head;
  const packed = textOf(join(gitFolder, 'packed-refs'))
    ?.split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return textOf(join(gitFolder, ref)) ?? packed?.slice(0, 40) ?? null;
}
