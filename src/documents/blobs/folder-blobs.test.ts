import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { BlobStore } from './blob-store.ts';
import { openFolderBlobs } from './folder-blobs.ts';

const name = 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC42';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'blobs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'documents');
}

async function* once(text: string) {
  yield Buffer.from(text);
}

test('incomplete uploads are removed by their age, and published blobs stay', async (t) => {
  const folder = await folderOf(t);
  const blobs = await openFolderBlobs(folder);
  await blobs.put(name, once('whole'));
  for (const [left, seconds] of [
    ['doc_01K9ZXQ7M0E7D8T3VBRN5YHC50', 1_000],
    ['doc_01K9ZXQ7M0E7D8T3VBRN5YHC51', 3_000],
  ] as const) {
    await writeFile(join(folder, 'incoming', left), 'half');
    await utimes(join(folder, 'incoming', left), seconds, seconds);
  }
  const again = await openFolderBlobs(folder);
  assert.equal(await again.removeIncompleteUploads(2_000_000), 1);
  assert.deepEqual(await readdir(join(folder, 'incoming')), ['doc_01K9ZXQ7M0E7D8T3VBRN5YHC51']);
  assert.equal((await stat(join(folder, 'sealed', '2', '4', name))).size, 5);
});

test('only the user of the server can read the folder and its blobs', async (t) => {
  const folder = await folderOf(t);
  const blobs = await openFolderBlobs(folder);
  await blobs.put(name, once('whole'));
  const modes = [folder, join(folder, 'sealed', '2'), join(folder, 'sealed', '2', '4', name)].map(async (path) =>
    ((await stat(path)).mode & 0o777).toString(8),
  );
  assert.deepEqual(await Promise.all(modes), ['700', '700', '600']);
});

test('a blob that cannot be published leaves no file', async (t) => {
  const folder = await folderOf(t);
  const blobs = await openFolderBlobs(folder);
  await writeFile(join(folder, 'sealed', '2'), 'a file where a folder has to be');
  await assert.rejects(blobs.put(name, once('whole')), { name: 'BlobsUnavailable' });
  assert.deepEqual(await readdir(join(folder, 'incoming')), []);
});

test('a folder that is not mounted is unavailable and unchanged, and is used again after the mount', async (t) => {
  const folder = await folderOf(t);
  // As the server checks it: by the documents on record.
  const isOwnFolder = async () => await (await openFolderBlobs(folder, { isReadOnly: true })).has(name);
  await (await openFolderBlobs(folder)).put(name, once('whole'));
  const blobs = await openFolderBlobs(folder, { isOwnFolder });
  const read = async (store: BlobStore) => {
    for await (const piece of store.read(name, { start: 0, end: 5, totalBytes: 5 })) return piece.toString();
    return undefined;
  };
  await rename(folder, `${folder}-elsewhere`);
  await mkdir(folder);
  const late = await openFolderBlobs(folder, { isOwnFolder });
  assert.deepEqual(await readdir(folder), []);
  // The mount point has files of an earlier start.
  for (const below of [[], ['incoming', 'sealed']]) {
    for (const made of below) await mkdir(join(folder, made));
    for (const store of [blobs, late]) {
      await assert.rejects(store.put(`${name}x`, once('more')), { name: 'BlobsUnavailable' });
    }
    await assert.rejects(read(blobs), { name: 'BlobsUnavailable' });
    assert.deepEqual(await readdir(folder, { recursive: true }), below);
  }
  await rm(folder, { recursive: true });
  await rename(`${folder}-elsewhere`, folder);
  assert.deepEqual([await read(blobs), await read(late)], ['whole', 'whole']);
  await late.put(`${name}x`, once('more'));
  assert.equal(await blobs.has(`${name}x`), true);
});

test('a folder for blobs that is missing is created again', async (t) => {
  const folder = await folderOf(t);
  const blobs = await openFolderBlobs(folder);
  await blobs.put(name, once('whole'));
  await rm(join(folder, 'sealed', '2'), { recursive: true });
  await assert.rejects(blobs.put(name, once('whole')), { name: 'BlobsUnavailable' });
  await blobs.put(name, once('whole'));
  assert.equal(await blobs.has(name), true);
});

test('a failing disk is reported as unavailable, and an upload to it leaves no file', async (t) => {
  const folder = await folderOf(t);
  const faults: unknown[] = [];
  const blobs = await openFolderBlobs(folder, { onFault: (fault) => faults.push(fault) });
  await blobs.put(name, once('whole'));
  // Simulates a failing disk: a name that the system cannot open as a file.
  const path = join(folder, 'sealed', '2', '4', name);
  await rm(path);
  await symlink(path, path);
  const read = async () => {
    for await (const piece of blobs.read(name, { start: 0, end: 5, totalBytes: 5 })) piece.fill(0);
  };
  await assert.rejects(read(), { name: 'BlobsUnavailable' });
  await rm(join(folder, 'incoming'), { recursive: true });
  await assert.rejects(blobs.put(name, once('whole')), { name: 'BlobsUnavailable' });
  assert.deepEqual(
    faults.map((fault) => (fault as NodeJS.ErrnoException).code),
    ['ELOOP', 'ENOENT'],
  );
  async function* breaking() {
    yield Buffer.from('half');
    throw new Error('the sender is gone');
  }
  await mkdir(join(folder, 'incoming'));
  await assert.rejects(blobs.put(name, breaking()), /^Error: the sender is gone$/);
  assert.deepEqual(await readdir(join(folder, 'incoming')), []);
});

test('a disk that cannot remove an incomplete upload is unavailable, and an aborted upload keeps its own fault', async (t) => {
  const folder = await folderOf(t);
  const blobs = await openFolderBlobs(folder);
  const draft = join(folder, 'incoming', name);
  // Simulates a read-only disk: a draft that is not a file cannot be removed as one.
  async function* stuck(end?: Error) {
    yield Buffer.from('half');
    await rm(draft);
    await mkdir(draft);
    if (end !== undefined) throw end;
  }
  await writeFile(join(folder, 'sealed', '2'), 'a file where a folder has to be');
  await assert.rejects(blobs.put(name, stuck()), { name: 'BlobsUnavailable' });
  await rm(draft, { recursive: true });
  await assert.rejects(blobs.put(name, stuck(new Error('the sender is gone'))), /^Error: the sender is gone$/);
});

/** A folder with one blob on a stopwatch of the test, and whether a read uses the thread pool. */
async function onStopwatch(t: TestContext) {
  let now = 0;
  let eachLookMs = 0;
  const stopwatch = () => {
    now += eachLookMs;
    return now;
  };
  const blobs = await openFolderBlobs(await folderOf(t), { stopwatch });
  await blobs.put(name, once('whole'));
  const begin = () => blobs.read(name, { start: 0, end: 5, totalBytes: 5 })[Symbol.asyncIterator]();
  return {
    pass: (ms: number) => {
      now += ms;
    },
    disk: (ms: number) => {
      eachLookMs = ms;
    },
    begin,
    /** A synchronous read resolves without a tick of the event loop. */
    hops: async () => {
      let isThere = false;
      const reading = begin();
      const piece = reading.next().then(({ value }) => {
        isThere = true;
        return String(value);
      });
      for (let turn = 0; turn < 100; turn += 1) await undefined;
      const hopped = !isThere;
      assert.equal(await piece, 'whole');
      await reading.return?.();
      return hopped;
    },
  };
}

test('after three slow reads in a row a disk is read through the thread pool for a second', async (t) => {
  const { hops, disk, pass } = await onStopwatch(t);
  assert.equal(await hops(), false);
  disk(2);
  for (let slow = 0; slow < 3; slow += 1) assert.equal(await hops(), false);
  assert.equal(await hops(), true);
  disk(0);
  pass(990);
  assert.equal(await hops(), true);
  pass(10);
  assert.equal(await hops(), false);
});

test('the time of other work between the steps of a read does not count as disk time', async (t) => {
  const { begin, hops, pass } = await onStopwatch(t);
  const readings = [begin(), begin(), begin(), begin()];
  const pieces = readings.map((reading) => reading.next());
  pass(50);
  await Promise.all(pieces);
  for (const reading of readings) await reading.return?.();
  assert.equal(await hops(), false);
});
