import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leafHash, rootOfHashes, verifyConsistency, verifyInclusion } from './merkle.ts';
import { encodeBundle, hashesAtLevel, parseBundle, parseTilePath, tilePath, tilesOfTree, tileWidth } from './tile.ts';
import { consistencyProof, createInclusionProver, type TiledTree, treeRoot } from './tiled-tree.ts';

const leaves = Array.from({ length: 70_000 }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)));

/** A tree whose tiles are computed from its leaves on demand. */
function treeOf(size: number): TiledTree {
  const known = trees.get(size) ?? makeTree(size);
  trees.set(size, known);
  return known;
}

const trees = new Map<number, TiledTree>();

function makeTree(size: number): TiledTree {
  const level = (at: number): Uint8Array[] => {
    if (at === 0) return leaves.slice(0, size);
    const below = level(at - 1);
    return Array.from({ length: hashesAtLevel(at, size) }, (_, index) =>
      rootOfHashes(below.slice(index * tileWidth, (index + 1) * tileWidth)),
    );
  };
  const levels = [0, 1, 2].map(level);
  return {
    size,
    readTile: async (at, index, width) =>
      Buffer.concat((levels[at] ?? []).slice(index * tileWidth, index * tileWidth + width)),
  };
}

test('a tree of 70,000 leaves has the tiles of the specification', () => {
  const names = [...tilesOfTree(70_000)].map(tilePath);
  assert.equal(names.filter((name) => name.startsWith('tile/0/')).length, 274);
  assert.deepEqual(
    names.filter((name) => /^tile\/[12]\/|\.p/.test(name)),
    ['tile/0/273.p/112', 'tile/1/000', 'tile/1/001.p/17', 'tile/2/000.p/1', 'tile/entries/273.p/112'],
  );
});

test('each tile has one path, and other spellings of it are rejected', () => {
  const name = { level: 3, index: 1_234_067, width: 8 };
  assert.equal(tilePath(name), 'tile/3/x001/x234/067.p/8');
  assert.deepEqual(parseTilePath('tile/3/x001/x234/067.p/8'), name);
  const wrong = [
    'tile/3/1234067',
    'tile/03/067',
    'tile/64/067',
    'tile/3/x000/067',
    'tile/3/067.p/0',
    'tile/3/067.p/256',
  ];
  for (const path of [...wrong, 'tile/3/067.p/08', 'tile/-1/067', 'tile/3/x067', '../tile/3/067']) {
    assert.equal(parseTilePath(path), undefined, path);
  }
});

test('a bundle parses to its entries, and a truncated one is rejected', () => {
  const entries = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(65_535, 7)];
  assert.deepEqual(
    parseBundle(encodeBundle(entries))?.map((entry) => Buffer.from(entry)),
    entries,
  );
  assert.equal(parseBundle(encodeBundle(entries).subarray(0, -1)), undefined);
  assert.throws(() => encodeBundle([Buffer.alloc(65_536)]), RangeError);
});

test('the root that is computed from tiles equals the root over all leaves, at each size around tile borders', async () => {
  for (const size of [0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 70_000]) {
    assert.deepEqual(
      Buffer.from(await treeRoot(treeOf(size))),
      Buffer.from(rootOfHashes(leaves.slice(0, size))),
      `${size}`,
    );
  }
});

test('each leaf of a small tree has an inclusion proof that fails for other leaves', async () => {
  for (const size of [1, 2, 5, 8, 13]) {
    const root = await treeRoot(treeOf(size));
    for (let index = 0; index < size; index += 1) {
      const proof = await createInclusionProver(treeOf(size))(index);
      for (const [at, leaf] of leaves.slice(0, size).entries()) {
        assert.equal(verifyInclusion({ index, size, leaf, proof, root }), at === index);
      }
    }
  }
});

test('each pair of sizes has a consistency proof, which fails after a leaf is changed', async () => {
  const sizes = [1, 2, 3, 7, 255, 256, 257, 511, 512, 65_537, 70_000];
  for (const newSize of sizes) {
    const newRoot = await treeRoot(treeOf(newSize));
    for (const oldSize of sizes.filter((size) => size <= newSize)) {
      const oldRoot = await treeRoot(treeOf(oldSize));
      const proof = await consistencyProof(treeOf(newSize), oldSize);
      assert.ok(verifyConsistency({ oldSize, newSize, oldRoot, newRoot, proof }), `${oldSize} to ${newSize}`);
      const other = leafHash(oldRoot);
      assert.ok(!verifyConsistency({ oldSize, newSize, oldRoot: other, newRoot, proof }));
    }
  }
  const proof = await createInclusionProver(treeOf(70_000))(65_536);
  const root = await treeRoot(treeOf(70_000));
  assert.ok(verifyInclusion({ index: 65_536, size: 70_000, leaf: leaves[65_536] ?? root, proof, root }));
});

test('proofs of one prover equal single proofs, and no tile is read twice', async () => {
  const tree = treeOf(70_000);
  const read: string[] = [];
  const prove = createInclusionProver({
    size: tree.size,
    readTile: (level, index, width) => {
      read.push(`${level}/${index}`);
      return tree.readTile(level, index, width);
    },
  });
  const indexes = [0, 1, 255, 256, 65_535, 65_536, 69_999];
  const together = await Promise.all(indexes.map(prove));
  assert.deepEqual(together, await Promise.all(indexes.map((index) => createInclusionProver(tree)(index))));
  assert.deepEqual(read.sort(), ['0/0', '0/1', '0/255', '0/256', '0/273', '1/0', '1/1', '2/0']);
  await assert.rejects(prove(70_000), RangeError);
});
