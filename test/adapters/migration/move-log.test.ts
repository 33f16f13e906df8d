/**
 * The log of heads goes along with the ledgers, or stays behind and says so.
 * @module
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyLog, LOG_FILE, readLogFile, writeLog } from '../../../src/adapters/migration/move-log.ts';
import type { CheckpointLog, CheckpointLogReader } from '../../../src/events/checkpoint-ports.ts';
import { memoryCheckpointLog } from '../../support/memory-checkpoint-log.ts';
import { memoryLedger } from '../../support/memory-ledger.ts';

const NOW = 1_000;
const mover = { holder: 'mover', now: NOW };
const newLog = () => memoryCheckpointLog(memoryLedger());
const texts = ['{"a":1}', '{"b":2}', '{"c":"三"}', '{"d":4}', '{"e":5}'];

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-log-'));
  path = join(folder, LOG_FILE);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A log of the first leaves, with a checkpoint over `size` of them. */
async function logOf(leaves: number, size: number): Promise<ReturnType<typeof newLog>> {
  const log = newLog();
  await log.append(
    0,
    texts.slice(0, leaves).map((text) => Buffer.from(text)),
    null,
  );
  if (size > 0) await log.publish(0, { size, note: `note of ${size}`, signedAt: 7 });
  return log;
}

async function onFile(log: CheckpointLogReader): Promise<CheckpointLogReader> {
  await writeLog(path, log);
  const read = await readLogFile(path);
  if (read === null) throw new Error('No file');
  return read;
}

async function all(log: CheckpointLog): Promise<string[]> {
  const read: string[] = [];
  for (;;) {
    const page = await log.leaves(read.length);
    if (page.length === 0) return read;
    read.push(...page.map((bytes) => Buffer.from(bytes).toString()));
  }
}

it('arrives byte for byte through its checkpoint, and once', async () => {
  const from = await onFile(await logOf(5, 4));
  const to = newLog();
  expect(await copyLog(from, to, mover)).toBe('copied');
  expect(await all(to)).toEqual(texts.slice(0, 4));
  expect(await to.latest()).toEqual({ size: 4, note: 'note of 4', signedAt: 7 });
  expect(await copyLog(from, to, mover)).toBe('there_already');
  expect(await all(to)).toEqual(texts.slice(0, 4));
  expect(await to.lease('service', NOW, 60_000)).toBe(true);
  expect(await copyLog(from, to, mover)).toBe('there_already');
});

it('goes on where an earlier copy stopped', async () => {
  const from = await onFile(await logOf(5, 5));
  const to = await logOf(3, 0);
  expect(await copyLog(from, to, mover)).toBe('copied');
  expect(await all(to)).toEqual(texts);
  expect(await to.latest()).toMatchObject({ size: 5 });
});

it('leaves a log that went on since, and a log of its own, as they are', async () => {
  const from = await onFile(await logOf(4, 4));
  const further = await logOf(5, 5);
  expect(await copyLog(from, further, mover)).toBe('there_already');
  expect(await all(further)).toEqual(texts);
  const other = newLog();
  await other.append(0, [Buffer.from('{"x":1}')], null);
  expect(await copyLog(from, other, mover)).toBe('other_log');
  expect(await all(other)).toEqual(['{"x":1}']);
});

it('waits for nobody who signs', async () => {
  const to = newLog();
  await to.lease('service', NOW, 60_000);
  expect(await copyLog(await onFile(await logOf(2, 2)), to, mover)).toBe('busy');
  expect(await all(to)).toEqual([]);
});

it('is written for its owner only, not over a file, and not before there is a checkpoint', async () => {
  await writeLog(path, await logOf(2, 0));
  expect(await readLogFile(path)).toBeNull();
  await writeLog(path, await logOf(2, 2));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(writeLog(path, await logOf(2, 2))).rejects.toThrow(/EEXIST/);
});
