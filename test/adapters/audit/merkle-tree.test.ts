import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extendsTree, includes, leafHash, merkleTree } from '../../../src/adapters/audit/merkle-tree.ts';

const SEED = 20_260_105;

/** RFC 6962 §2.1 written down as it stands there, to compare with. */
function rfcRoot(leaves: readonly Buffer[]): Buffer {
  const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const [only] = leaves;
  if (only === undefined) return sha();
  if (leaves.length === 1) return sha(Buffer.of(0), only);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha(Buffer.of(1), rfcRoot(leaves.slice(0, split)), rfcRoot(leaves.slice(split)));
}

const leafBytes = (count: number) => Array.from({ length: count }, (_, index) => Buffer.from(`leaf ${index}`));

function treeOf(count: number) {
  const tree = merkleTree();
  for (const bytes of leafBytes(count)) tree.append(leafHash(bytes));
  return tree;
}

const LARGEST = 70;
const tree = treeOf(LARGEST);
const root = (size: number) => tree.root(size);

describe('the tree is that of RFC 6962', () => {
  // The published vectors: inputs of growing length and the roots over the first n of them.
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
  const roots = [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];
  test('published roots', () => {
    const vector = merkleTree();
    inputs.forEach((input, index) => {
      vector.append(leafHash(Buffer.from(input, 'hex')));
      expect(vector.root(index + 1).toString('hex')).toBe(roots[index]);
    });
    expect(vector.root(0).toString('hex')).toBe(createHash('sha256').digest('hex'));
  });
  test(`every size through ${LARGEST} against the definition`, () => {
    for (let size = 0; size <= LARGEST; size += 1) expect(root(size)).toStrictEqual(rfcRoot(leafBytes(size)));
  });
});

test('every inclusion proof holds, and for no other leaf, index, size or root', () => {
  for (let size = 1; size <= 20; size += 1) {
    for (let index = 0; index < size; index += 1) {
      const path = tree.inclusion(index, size);
      const leaf = leafHash(Buffer.from(`leaf ${index}`));
      expect(includes(leaf, { index, size, root: root(size), path })).toBe(true);
      expect(includes(leafHash(Buffer.from('leaf x')), { index, size, root: root(size), path })).toBe(false);
      for (let other = 0; other < size; other += 1)
        if (other !== index) expect(includes(leaf, { index: other, size, root: root(size), path })).toBe(false);
      expect(includes(leaf, { index, size, root: root(size + 1), path })).toBe(false);
    }
  }
});

test('every consistency proof holds, and for no other sizes or roots', () => {
  for (let size = 1; size <= 20; size += 1) {
    for (let old = 1; old <= size; old += 1) {
      const path = tree.consistency(old, size);
      expect(extendsTree({ size: old, root: root(old) }, { size, root: root(size) }, path)).toBe(true);
      expect(extendsTree({ size: old, root: root(old + 1) }, { size, root: root(size) }, path)).toBe(false);
      expect(extendsTree({ size: old, root: root(old) }, { size, root: root(size + 1) }, path)).toBe(false);
      if (old < size) expect(extendsTree({ size: old, root: root(old) }, { size, root: root(old) }, path)).toBe(false);
    }
  }
});

const spare = Buffer.alloc(32, 1);
const at = (size: number) => ({ size, root: root(size) });
const negative: readonly (readonly [string, boolean])[] = [
  [
    'spare node at the end of an inclusion path',
    includes(leafHash(Buffer.from('leaf 3')), { index: 3, ...at(7), path: [...tree.inclusion(3, 7), spare] }),
  ],
  [
    'missing node of an inclusion path',
    includes(leafHash(Buffer.from('leaf 3')), { index: 3, ...at(7), path: tree.inclusion(3, 7).slice(1) }),
  ],
  ['empty path in a log of many leaves', includes(root(7), { index: 0, ...at(7), path: [] })],
  [
    'index beyond the size',
    includes(leafHash(Buffer.from('leaf 7')), { index: 7, ...at(7), path: tree.inclusion(7, 8) }),
  ],
  ['negative index', includes(leafHash(Buffer.from('leaf 0')), { index: -1, ...at(7), path: tree.inclusion(0, 7) })],
  [
    'the two nodes under the root offered as the bytes of a leaf',
    includes(leafHash(Buffer.concat([root(4), tree.inclusion(0, 8)[2] ?? spare])), {
      index: 0,
      size: 1,
      root: root(8),
      path: [],
    }),
  ],
  ['spare node in a consistency proof', extendsTree(at(3), at(7), [...tree.consistency(3, 7), spare])],
  ['missing node in a consistency proof', extendsTree(at(3), at(7), tree.consistency(3, 7).slice(0, -1))],
  ['empty consistency proof between sizes', extendsTree(at(4), at(8), [])],
  ['empty proof with equal roots between sizes', extendsTree({ size: 4, root: root(8) }, at(8), [])],
  ['nodes in a proof to itself', extendsTree(at(7), at(7), [spare])],
  ['from nothing', extendsTree({ size: 0, root: root(0) }, at(7), [])],
  ['backwards', extendsTree(at(7), at(3), tree.consistency(3, 7))],
  ['proof for the wrong old size', extendsTree({ size: 4, root: root(3) }, at(7), tree.consistency(3, 7))],
  ['forged: the old root repeated', extendsTree(at(4), at(7), [root(4), root(4)])],
];
test.each(negative)('refused: %s', (_, accepted) => expect(accepted).toBe(false));

test(`a proof with one bit changed never holds (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: LARGEST }), fc.nat(), fc.nat(), fc.nat(), (size, which, node, bit) => {
      const index = which % size;
      const path = tree.inclusion(index, size).map((each) => Buffer.from(each));
      const changed = path[node % path.length];
      if (changed === undefined) return true;
      changed[(bit >> 3) % 32] = (changed[(bit >> 3) % 32] ?? 0) ^ (1 << (bit & 7));
      return !includes(leafHash(Buffer.from(`leaf ${index}`)), { index, size, root: root(size), path });
    }),
    { seed: SEED, numRuns: 500 },
  );
});
