/** firestore.indexes.json and firestore.rules say what the store promises. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SHARDS, shardOf } from '../../../src/adapters/firestore/documents.ts';
import indexFile from '../../../firestore.indexes.json' with { type: 'json' };

const single = indexFile.fieldOverrides
  .filter(({ indexes }) => indexes.length > 0)
  .map(({ collectionGroup, fieldPath }) => `${collectionGroup}.${fieldPath}`);
const compound = indexFile.indexes.map(
  ({ collectionGroup, fields }) => `${collectionGroup}: ${fields.map(({ fieldPath }) => fieldPath).join(' ')}`,
);

describe('firestore.indexes.json', () => {
  it('indexes by itself no field of any collection but those listed: none holds content, none grows with time', () => {
    const exempt = indexFile.fieldOverrides.filter(({ fieldPath }) => fieldPath === '*');
    expect(exempt.map(({ collectionGroup }) => collectionGroup).sort()).toEqual(
      [
        'addresses',
        'checkpoints',
        'content',
        'contexts',
        'events',
        'inbox',
        'ledgers',
        'log',
        'logLeaves',
        'meta',
        'modelCalls',
        'moved',
        'once',
        'subjects',
        'turns',
      ].sort(),
    );
    expect(exempt.every(({ indexes }) => indexes.length === 0)).toBe(true);
    expect(single.sort()).toEqual(['inbox.open', 'inbox.subjectKey', 'once.answered', 'once.subjectKey']);
  });

  it('indexes what grows with time only behind a shard or a person', () => {
    expect(compound.sort()).toEqual(
      [
        'inbox: shard dueAt',
        'inbox: shard finishedAt',
        'inbox: shard open receivedAt',
        'inbox: subjectKey open held',
        'inbox: subjectKey open messageId',
        'inbox: subjectKey open receivedAt acceptedAt',
        'contexts: shard held putAt',
        'modelCalls: shard day',
        'turns: shard recordedAt',
        'turns: subjectKey held',
        'turns: ledgerId usedRevision recordedAt',
        'once: shard answered madeAt',
        'once: shard dueAt',
      ].sort(),
    );
  });

  it('lets the names of finished jobs lapse by themselves', () => {
    expect(indexFile.fieldOverrides.filter((override) => 'ttl' in override)).toEqual([
      { collectionGroup: 'inbox', fieldPath: 'expireAt', ttl: true, indexes: [] },
    ]);
  });
});

it('firestore.rules let no client read or write anything', () => {
  const rules = readFileSync(new URL('../../../firestore.rules', import.meta.url), 'utf8');
  expect(rules.match(/allow [^;]*;/g)).toEqual(['allow read, write: if false;']);
  expect(rules).toContain('match /{document=**}');
});

it('keys that follow each other in time are spread over all shards', () => {
  const keys = Array.from({ length: 400 }, (_, index) => `01J8ZQ00000000000000000${String(index).padStart(3, '0')}`);
  expect([...new Set(keys.map(shardOf))].sort((one, two) => one - two)).toEqual([...SHARDS]);
});
