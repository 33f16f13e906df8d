import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startChild } from './child-processes.ts';
import { killWriters } from './kill-rounds.ts';
import { newFolder, openIn } from './store-files.ts';

describe('several processes on one file', () => {
  it('approve different people at the same time, and all succeed', async () => {
    const folder = newFolder();
    const children = await Promise.all(['one', 'two', 'three'].map((name) => startChild('approve', folder, name)));
    for (const child of children) child.process.stdin.write('go\n');
    const approved = (await Promise.all(children.map((child) => child.finish()))).flat();
    expect(children.map((child) => child.process.exitCode)).toEqual([0, 0, 0]);
    expect(new Set(approved).size).toBe(75);
    const store = await openIn(folder);
    const ledgers = await store.ledger.ledgers(null, 100);
    expect(ledgers.map(({ ledgerId }) => ledgerId)).toEqual([...approved].sort());
    for (const { ledgerId } of ledgers) expect((await store.ledger.head(ledgerId)).position).toBe(2);
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('lose nothing that was answered when they are killed (4 rounds, seed 1)', async () => {
    const { acknowledged, missing, integrity } = await killWriters(4, 1);
    expect(acknowledged).toBeGreaterThan(0);
    expect(missing).toEqual([]);
    expect(integrity).toBe('ok');
  });
});
