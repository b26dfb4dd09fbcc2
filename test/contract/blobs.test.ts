import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { BlobBroken, type BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { openFolderBlobs } from '../../src/documents/blobs/folder-blobs.ts';
import { openS3Blobs } from '../../src/documents/blobs/s3-blobs.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { startS3Server } from '../support/s3-server.ts';
import { makeTestFolder } from '../support/test-folder.ts';

/** Each adapter opens an empty store, which is removed after the test. */
const adapters: readonly { readonly name: string; open(t: TestContext): Promise<BlobStore> }[] = [
  { name: 'folder', open: async (t) => openFolderBlobs(await temporaryFolder(t)) },
  { name: 's3', open: async (t) => openS3Blobs(await startS3Server(t)) },
];

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = makeTestFolder('blobs-');
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function* pieces(...given: readonly (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of given) {
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  // A piece is valid until the next one is read.
  for await (const part of source) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

async function namesOf(blobs: BlobStore): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of blobs.list()) names.push(name);
  return names.sort();
}

const name = 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC42';
const other = 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC4Z';
const endOfTime = Number.MAX_SAFE_INTEGER;

for (const adapter of adapters) {
  test(`${adapter.name}: a large blob that is written in pieces of any size is read back unchanged`, async (t) => {
    const blobs = await adapter.open(t);
    const bytes = Buffer.from(systemRandom(17_000_001));
    const cuts = [0, 3, 5_000_000, 8_388_608, 8_388_609, 16_777_216, bytes.length];
    await blobs.put(name, pieces(...cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end))));
    const totalBytes = bytes.length;
    const tail = await collect(blobs.read(name, { start: totalBytes - 5, end: totalBytes, totalBytes }));
    assert.ok(tail.equals(bytes.subarray(-5)));
    assert.ok((await collect(blobs.read(name, { start: 0, end: totalBytes, totalBytes }))).equals(bytes));
    await assert.rejects(
      blobs.put(other, pieces(bytes.subarray(0, 9_000_000), new Error('the connection is lost'))),
      /connection is lost/,
    );
    assert.deepEqual(await namesOf(blobs), [name]);
  });

  test(`${adapter.name}: a blob is read back unchanged, as a whole and in ranges`, async (t) => {
    const blobs = await adapter.open(t);
    const bytes = Buffer.from(systemRandom(2_500_000));
    await blobs.put(name, pieces(bytes.subarray(0, 1), bytes.subarray(1, 1_900_000), bytes.subarray(1_900_000)));
    const totalBytes = bytes.length;
    for (const [start, end] of [
      [0, totalBytes],
      [0, 1],
      [56, 16_456],
      [totalBytes - 1, totalBytes],
      [1_000_000, 2_400_000],
    ] as const) {
      const part = await collect(blobs.read(name, { start, end, totalBytes }));
      assert.ok(part.equals(bytes.subarray(start, end)), `${start} to ${end}`);
    }
    assert.deepEqual(await namesOf(blobs), [name]);
  });

  test(`${adapter.name}: a blob does not exist before it is completely written`, async (t) => {
    const blobs = await adapter.open(t);
    let seen: string[] = ['not looked'];
    async function* looking() {
      yield Buffer.from('first');
      seen = await namesOf(blobs);
      await assert.rejects(collect(blobs.read(name, { start: 0, end: 5, totalBytes: 5 })), BlobBroken);
      yield Buffer.from(' and last');
    }
    await blobs.put(name, looking());
    assert.deepEqual(seen, []);
    assert.deepEqual(await namesOf(blobs), [name]);
  });

  test(`${adapter.name}: a failed source leaves no blob, and the caller receives its error`, async (t) => {
    const blobs = await adapter.open(t);
    await assert.rejects(
      blobs.put(name, pieces(Buffer.alloc(100_000), new Error('the connection is lost'))),
      /connection is lost/,
    );
    assert.deepEqual(await namesOf(blobs), []);
    assert.equal(await blobs.removeIncompleteUploads(endOfTime), 0);
    await blobs.put(name, pieces(Buffer.from('again')));
    assert.deepEqual(await namesOf(blobs), [name]);
  });

  test(`${adapter.name}: an empty blob can be stored`, async (t) => {
    const blobs = await adapter.open(t);
    await blobs.put(name, pieces());
    assert.equal((await collect(blobs.read(name, { start: 0, end: 0, totalBytes: 0 }))).length, 0);
    assert.deepEqual(await namesOf(blobs), [name]);
  });

  test(`${adapter.name}: a read of a missing blob, or of a blob with another length, fails before the first byte`, async (t) => {
    const blobs = await adapter.open(t);
    await blobs.put(name, pieces(Buffer.from('12345')));
    await assert.rejects(collect(blobs.read(name, { start: 0, end: 4, totalBytes: 4 })), BlobBroken);
    await assert.rejects(collect(blobs.read(name, { start: 0, end: 6, totalBytes: 6 })), BlobBroken);
    await assert.rejects(collect(blobs.read(other, { start: 0, end: 5, totalBytes: 5 })), BlobBroken);
  });

  test(`${adapter.name}: the existence of a blob is checked without reading it`, async (t) => {
    const blobs = await adapter.open(t);
    await blobs.put(name, pieces(Buffer.from('12345')));
    assert.deepEqual([await blobs.has(name), await blobs.has(other)], [true, false]);
  });

  test(`${adapter.name}: a removed blob is deleted, other blobs stay, and a second removal has no effect`, async (t) => {
    const blobs = await adapter.open(t);
    await blobs.put(name, pieces(Buffer.from('one')));
    await blobs.put(other, pieces(Buffer.from('other')));
    await blobs.remove(name);
    await blobs.remove(name);
    assert.deepEqual(await namesOf(blobs), [other]);
  });

  test(`${adapter.name}: a name that could leave the store is refused`, async (t) => {
    const blobs = await adapter.open(t);
    for (const bad of ['../../secret', 'a/b', '', '.', 'doc 1', `doc_${'A'.repeat(80)}`, 'doc_\0A']) {
      await assert.rejects(blobs.put(bad, pieces(Buffer.from('x'))), TypeError);
      await assert.rejects(blobs.remove(bad), TypeError);
    }
    assert.deepEqual(await namesOf(blobs), []);
  });

  test(`${adapter.name}: incomplete uploads stay while another process may still write them`, async (t) => {
    const blobs = await adapter.open(t);
    async function* sweeping() {
      yield Buffer.from('first');
      assert.equal(await blobs.removeIncompleteUploads(0), 0);
      yield Buffer.from(' and last');
    }
    await blobs.put(name, sweeping());
    assert.deepEqual(await namesOf(blobs), [name]);
  });
}
