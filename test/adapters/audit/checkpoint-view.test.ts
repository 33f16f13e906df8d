/**
 * Goal: the console shows how far signed checkpoints cover a ledger, and does not hide that they do not fit any more.
 * Method: the real checkpointer over ledgers in memory; the proof is checked against the signed note.
 */
import { expect, test } from 'vitest';
import { headLeaf, encodeLeaf } from '../../../src/adapters/audit/checkpoint-leaves.ts';
import { readNote, verifierKey } from '../../../src/adapters/audit/checkpoint-note.ts';
import { checkpointView } from '../../../src/adapters/audit/checkpoint-view.ts';
import { includes, leafHash } from '../../../src/adapters/audit/merkle-tree.ts';
import { personOn } from '../../support/ledger-world.ts';
import { ORIGIN, signingKey, witnessedWorld } from '../../support/witnessed-ledgers.ts';
import { startAudited } from './audited.ts';

const KEYS = [verifierKey(ORIGIN, signingKey('first'))];

test('before the first checkpoint there is none, and nothing is witnessed', async () => {
  const { log, ledger, now } = witnessedWorld();
  const person = personOn(ledger, 'A', now);
  await person.remember('cause', 'vegan');
  const view = checkpointView(log, ledger, KEYS);
  expect([await view.latest(), await view.witnessed(person.ref.ledgerId)]).toStrictEqual([null, null]);
});

test('the newest head that a checkpoint covers comes with a proof that the signed root confirms', async () => {
  const { log, ledger, now, checkpoint } = witnessedWorld();
  const view = checkpointView(log, ledger, KEYS);
  for (const [cause, value] of Object.entries({ first: 'vegan', second: 'lacto', third: 'allium' })) {
    for (const name of ['A', 'B', 'C']) await personOn(ledger, name, now).remember(`${cause}-${name}`, value);
    await checkpoint();
    // Two readers at once must not count a leaf twice.
    const { ref } = personOn(ledger, 'B', now);
    const [latest, witnessed] = await Promise.all([view.latest(), view.witnessed(ref.ledgerId)]);
    if (latest === null || latest === 'damaged' || witnessed === null || witnessed === 'damaged')
      throw new Error('Nothing is witnessed');
    const { position, hash, leafIndex, treeSize, path } = witnessed;
    const root = readNote(latest.note)?.checkpoint.root ?? new Uint8Array();
    const leaf = leafHash(encodeLeaf(headLeaf({ ledgerId: ref.ledgerId, position, hash })));
    const proof = { index: leafIndex, size: treeSize, root, path: path.map((node) => Buffer.from(node, 'hex')) };
    expect(includes(leaf, proof)).toBe(true);
    expect(includes(leafHash(Buffer.from('another')), proof)).toBe(false);
  }
});

test.each(['rolled back', 'changed'] as const)('a log that was %s is told as damaged', async (how) => {
  const { log, ledger, now, checkpoint } = witnessedWorld();
  const person = personOn(ledger, 'A', now);
  await person.remember('cause', 'vegan');
  await checkpoint();
  const before = await log.latest();
  await person.forget();
  await checkpoint();
  const changed = {
    latest: log.latest,
    async leaves(from: number) {
      const leaves = await log.leaves(from);
      return how === 'changed' ? leaves.toReversed() : leaves;
    },
  };
  const view = checkpointView(changed, ledger, KEYS);
  if (how === 'rolled back') {
    await view.latest();
    const older = checkpointView({ latest: () => Promise.resolve(before), leaves: log.leaves }, ledger, KEYS);
    expect(await older.latest()).not.toBe('damaged');
    const both = { current: false };
    const latest = () => (both.current ? Promise.resolve(before) : log.latest());
    const turning = checkpointView({ latest, leaves: log.leaves }, ledger, KEYS);
    await turning.latest();
    both.current = true;
    expect(await turning.latest()).toBe('damaged');
  } else {
    expect(await view.witnessed(person.ref.ledgerId)).toBe('damaged');
  }
});

test.each([
  ['the key that signs', ['first'], false],
  ['the key that signs while another one comes', ['second', 'first'], false],
  ['another key', ['second'], true],
  ['no key: signatures are not judged', [], false],
] as const)('with %s', async (_, names, isDamaged) => {
  const { log, ledger, now, checkpoint } = witnessedWorld();
  await personOn(ledger, 'A', now).remember('cause', 'vegan');
  await checkpoint('first');
  const keys = names.map((name) => verifierKey(ORIGIN, signingKey(name)));
  const audited = await startAudited({ ledger, checkpoints: log, checkpointKeys: keys });
  const page = await (await audited.as('integrity', '/audit/verify')).text();
  expect(page.includes('<code>checkpoint_log_damaged</code>')).toBe(isDamaged);
  expect(page.includes('全部符合')).toBe(!isDamaged);
  const id = audited.people.keeping.ref.ledgerId;
  const answer = await audited.as('integrity', `/audit/api/ledgers/${id}/verify`);
  expect(await answer.json()).toMatchObject({ ok: !isDamaged });
});

test('the ledger page and the API tell what is witnessed and what is not yet', async () => {
  const { log, ledger, checkpoint } = witnessedWorld();
  const audited = await startAudited({ ledger, checkpoints: log });
  const id = audited.people.keeping.ref.ledgerId;
  const page = async (): Promise<string> => (await audited.as('integrity', `/audit/ledgers/${id}`)).text();
  expect(await page()).toContain('尚未被檢查點涵蓋');
  await checkpoint();
  expect(await page()).toContain('涵蓋到位置 7');
  const answer = await audited.as('integrity', `/audit/api/ledgers/${id}`);
  expect(await answer.json()).toMatchObject({
    checkpoint: { state: 'witnessed', throughPosition: 7, notYetWitnessed: 0 },
  });
  expect(await (await audited.as('integrity', '/audit')).text()).toContain('local');
});
