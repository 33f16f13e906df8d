/**
 * Whether a file would be lost with the container it is written in.
 * @module
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Files that stand at the root of a container: Docker's, and Podman's. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/** What is asked of the machine. */
export type Machine = {
  readonly exists: (path: string) => boolean;
  /** The device a folder is on, or null where there is no such folder. */
  readonly deviceOf: (path: string) => number | null;
};

/** The machine this runs on. */
export const thisMachine: Machine = {
  exists: existsSync,
  deviceOf: (path) => statSync(path, { throwIfNoEntry: false })?.dev ?? null,
};

/**
 * Whether a file stands on a container's own disk: in a container, and on the device of its root, so on no volume.
 * @param onCloudRun whether the platform says that this is one of its instances, whose disk is memory.
 */
export function isLostWithContainer(path: string, onCloudRun: boolean, { exists, deviceOf }: Machine): boolean {
  if (!onCloudRun && !CONTAINER_MARKS.some(exists)) return false;
  return deviceOf(dirname(resolve(path))) === deviceOf('/');
}
