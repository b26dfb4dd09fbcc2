import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseCheckpoint } from '../../src/ledger/tlog/checkpoint.ts';
import {
  leafHash,
  rootOfHashes,
  splitHashes,
  verifyConsistency,
  verifyInclusion,
} from '../../src/ledger/tlog/merkle.ts';
import { formatNote, openNote, parseNote, signNote } from '../../src/ledger/tlog/note.ts';
import { cosignatureTime, parseSignerKey, parseVkey, type VerifierKey } from '../../src/ledger/tlog/note-key.ts';
import { verifySubtreeConsistency } from '../../src/ledger/tlog/subtree.ts';
import { parseBundle } from '../../src/ledger/tlog/tile.ts';
import { testDataPath, testDataSkipReason } from '../support/test-data.ts';

const logs = ['rfc6962-merkle', 'tessera-log', 'sunlight'].map((name) => testDataPath(`vectors/${name}`));
const vectors = logs.includes(undefined) ? undefined : testDataPath('vectors');
const skip = vectors === undefined ? testDataSkipReason : false;
const folder = vectors ?? '';

type MerkleVector = {
  leafIdx: number;
  treeSize: number;
  root: string;
  leafHash: string;
  size1: number;
  size2: number;
  start: number;
  end: number;
  size: number;
  root1: string;
  root2: string;
  proof: string[] | null;
  wantErr: boolean;
};

function merkleVectors(kind: string): [string, MerkleVector][] {
  const files = globSync(`rfc6962-merkle/testdata/${kind}/**/*.json`, { cwd: folder });
  // The published vector files have this layout.
  return files.map((file) => [file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as MerkleVector]);
}

const bytes = (base64: string) => Buffer.from(base64, 'base64');

test('the reference tree of RFC 6962 has the published leaf hashes and roots', { skip }, () => {
  const reference = JSON.parse(readFileSync(join(folder, 'rfc6962-merkle/reference-roots.json'), 'utf8'));
  const leaves: Uint8Array[] = [];
  const { leafInputsHex: inputs, leafHashesHex: hashes, rootsBySizeHex: roots } = reference;
  const found = [Buffer.from(rootOfHashes([])).toString('hex')];
  for (const input of inputs as string[]) {
    leaves.push(leafHash(Buffer.from(input, 'hex')));
    found.push(Buffer.from(rootOfHashes(leaves)).toString('hex'));
  }
  assert.deepEqual(found, roots);
  assert.deepEqual(
    leaves.map((leaf) => Buffer.from(leaf).toString('hex')),
    hashes,
  );
});

test('all 98 published inclusion vectors have their published result', { skip }, () => {
  const all = merkleVectors('inclusion');
  for (const [file, vector] of all) {
    const { leafIdx: index, treeSize: size, leafHash: leaf, root, proof } = vector;
    const question = { index, size, leaf: bytes(leaf ?? ''), proof: (proof ?? []).map(bytes), root: bytes(root ?? '') };
    assert.equal(verifyInclusion(question), !vector.wantErr, file);
  }
  assert.equal(all.length, 98);
});

test('all 98 published consistency vectors have their published result', { skip }, () => {
  const all = merkleVectors('consistency');
  for (const [file, { size1, size2, root1, root2, proof, wantErr }] of all) {
    const hashes = { oldRoot: bytes(root1 ?? ''), newRoot: bytes(root2 ?? ''), proof: (proof ?? []).map(bytes) };
    assert.equal(verifyConsistency({ oldSize: size1, newSize: size2, ...hashes }), !wantErr, file);
  }
  assert.equal(all.length, 98);
});

test('all 118 published vectors of subtree consistency have their published result', { skip }, () => {
  const all = merkleVectors('subtreeconsistency');
  for (const [file, { start, end, size, root1, root2, proof, wantErr }] of all) {
    const given = { size, root: bytes(root2 ?? ''), proof: (proof ?? []).map(bytes) };
    assert.equal(verifySubtreeConsistency({ start, end, hash: bytes(root1 ?? '') }, given), !wantErr, file);
  }
  assert.equal(all.length, 118);
});

const tesseraKey = 'example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx';
const tesseraSigner = 'PRIVATE+KEY+example.com/log/testdata+33d7b496+AeymY/SZAX0jZcJ8enZ5FY1Dz+wTML2yWSkK+9DSF3eg';

test('the published log of Tessera verifies, and a new signature of it has the same bytes', { skip }, () => {
  const verifier = parseVkey(tesseraKey);
  const signer = parseSignerKey(tesseraSigner);
  assert.ok(verifier !== undefined && signer !== undefined);
  assert.equal(signer.vkey, tesseraKey);
  for (let size = 0; size <= 15; size += 1) {
    const note = readFileSync(join(folder, `tessera-log/log/checkpoint.${size}`), 'utf8');
    const opened = openNote(note, [verifier]);
    assert.equal(signNote(opened?.text ?? '\n', [signer], 0), note);
    const checkpoint = parseCheckpoint(opened?.text ?? '');
    assert.equal(checkpoint?.size, size);
    const tile = size === 0 ? Buffer.alloc(0) : readFileSync(join(folder, `tessera-log/log/tile/0/000.p/${size}`));
    assert.deepEqual(Buffer.from(rootOfHashes(splitHashes(tile))), checkpoint?.root);
    if (size === 0) continue;
    const bundle = parseBundle(readFileSync(join(folder, `tessera-log/log/tile/entries/000.p/${size}`)));
    assert.deepEqual(Buffer.concat((bundle ?? []).map(leafHash)), tile);
  }
});

test('a note that was changed, or signed by another key with a known name and id, is rejected', { skip }, () => {
  const verifier = parseVkey(tesseraKey);
  assert.ok(verifier !== undefined);
  const note = readFileSync(join(folder, 'tessera-log/log/checkpoint.7'), 'utf8');
  assert.ok(openNote(note, [verifier]) !== undefined);
  const changed = [
    note.replace('\n7\n', '\n8\n'),
    note.replace('\n\n', '\n'),
    note.slice(0, -1),
    `${note}\n`,
    note.replace('— ', '- '),
    note.replace('example.com/log/testdata M9', 'example.com/log/other M9'),
    note.replace('\n7\n', '\n7\u0001\n'),
    note.replace(/.=\n$/, 'A=\n'),
    `${note}— example.com/log/testdata ${Buffer.from(`33d7b496${'00'.repeat(64)}`, 'hex').toString('base64')}\n`,
  ];
  for (const [at, one] of changed.entries()) assert.equal(openNote(one, [verifier]), undefined, `change ${at}`);
});

const cosigned = [
  ['witness', 'witness.v0.json', '000de184301123b9278c086a7d9f68c9577e83872224c197058fd90784ea9706'],
  ['witness2', 'witness.v0.json', '88ad7a28caeb0b2aa890fdf0304c2fcaf59fca2ee140134ff8c1300bac493482'],
  ['mirror', 'mirror.v0.json', '000de184301123b9278c086a7d9f68c9577e83872224c197058fd90784ea9706'],
] as const;

test('the three cosignatures of sunlight verify with their times, and unknown keys are ignored', {
  skip,
}, () => {
  for (const [place, keyFile, origin] of cosigned) {
    const described = JSON.parse(readFileSync(join(folder, 'sunlight', place, keyFile), 'utf8'));
    const keys = (described.verifier_keys as string[])
      .map(parseVkey)
      .filter((key): key is VerifierKey => key !== undefined);
    assert.equal(keys.length, 1);
    const note = parseNote(readFileSync(join(folder, 'sunlight', place, origin, 'checkpoint'), 'utf8'));
    assert.ok(note !== undefined);
    const opened = openNote(note, keys);
    const [line] = opened?.verified ?? [];
    assert.ok(opened !== undefined && line !== undefined, place);
    assert.equal(cosignatureTime(line.signature), 1_767_139_200n);
    const checkpoint = parseCheckpoint(opened.text);
    assert.equal(
      createHash('sha256')
        .update(checkpoint?.origin ?? '')
        .digest('hex'),
      origin,
    );
    assert.equal(openNote(formatNote({ ...note, text: note.text.replace('300', '301') }), keys), undefined);
  }
});

test('the root of the tiles of sunlight is that of their checkpoint, and a partial tile is a prefix', {
  skip,
}, () => {
  const log = join(folder, 'sunlight/mirror/000de184301123b9278c086a7d9f68c9577e83872224c197058fd90784ea9706');
  const [full, partial] = [readFileSync(join(log, 'tile/0/000')), readFileSync(join(log, 'tile/0/001.p/44'))];
  const above = readFileSync(join(log, 'tile/1/000.p/1'));
  assert.deepEqual(Buffer.from(rootOfHashes(splitHashes(full))), above);
  const note = parseNote(readFileSync(join(log, 'checkpoint'), 'utf8'));
  const root = rootOfHashes(splitHashes(Buffer.concat([full, partial])));
  assert.deepEqual(Buffer.from(root), parseCheckpoint(note?.text ?? '')?.root);
  const tiles = join(folder, 'sunlight/navigli2025h2/tile/0');
  const wide = readFileSync(join(tiles, '003'));
  assert.deepEqual(readFileSync(join(tiles, '003.p/10')), wide.subarray(0, 320));
});

test('the example of the note specification verifies', () => {
  const verifier = parseVkey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k');
  const note =
    'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';
  assert.ok(verifier !== undefined);
  assert.equal(openNote(note, [verifier])?.text, 'This is an example message.\n');
});
