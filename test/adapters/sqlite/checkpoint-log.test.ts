import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newFolder, openIn } from './store-files.ts';

let folder = '';
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('leaves and checkpoints are kept byte for byte over a restart', async () => {
  const store = await openIn(folder);
  const { checkpointLog: log } = store;
  await log.append(0, [Buffer.from('a'), Buffer.from('b')], null);
  await log.publish(0, { size: 2, note: 'note', signedAt: 5 });
  await store.close();
  const again = await openIn(folder);
  try {
    const kept = (await again.checkpointLog.leaves(0)).map((bytes) => Buffer.from(bytes).toString());
    expect(kept).toStrictEqual(['a', 'b']);
    expect(await again.checkpointLog.latest()).toStrictEqual({ size: 2, note: 'note', signedAt: 5 });
  } finally {
    await again.close();
  }
});
