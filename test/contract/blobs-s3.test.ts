import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import {
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BlobBroken, type BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { openS3Blobs } from '../../src/documents/blobs/s3-blobs.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { openStrictS3Server, type StrictS3Server } from '../support/strict-s3-server.ts';
import { makeTestFolder } from '../support/test-folder.ts';

async function open(t: TestContext): Promise<{ s3: StrictS3Server; blobs: BlobStore }> {
  const folder = makeTestFolder('s3-');
  const s3 = await openStrictS3Server(folder);
  t.after(async () => {
    await s3.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { s3, blobs: openS3Blobs(s3.place) };
}

function clientOf({ place }: StrictS3Server): S3Client {
  const { region, endpoint, accessKeyId } = place;
  const credentials = { accessKeyId, secretAccessKey: place.secretAccessKey.reveal() };
  const config: S3ClientConfig = { region, credentials, forcePathStyle: true };
  return new S3Client(endpoint === undefined ? config : { ...config, endpoint });
}

const name = 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC42';
const large = Buffer.from(systemRandom(9_000_000));
async function* pieces(...given: readonly (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of given) {
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}
async function namesOf(blobs: BlobStore): Promise<string[]> {
  return (await Array.fromAsync(blobs.list())).map((blob) => blob.name);
}

test('every request of the adapter has a valid S3 signature over its body and checksum', async (t) => {
  const { s3, blobs } = await open(t);
  await blobs.put(name, pieces(large));
  await blobs.put(`${name}x`, pieces(Buffer.from('small')));
  const totalBytes = large.length;
  const read = await Array.fromAsync(blobs.read(name, { start: 100, end: totalBytes, totalBytes }), (piece) =>
    Buffer.from(piece),
  );
  assert.ok(Buffer.concat(read).equals(large.subarray(100)));
  await Array.fromAsync(blobs.read(name, { start: 0, end: 0, totalBytes }));
  assert.deepEqual((await namesOf(blobs)).sort(), [name, `${name}x`]);
  assert.equal(await blobs.removeIncompleteUploads(Number.MAX_SAFE_INTEGER), 0);
  await assert.rejects(blobs.put(`${name}y`, pieces(large, new Error('the connection is lost'))), /connection is lost/);
  await blobs.remove(name);
  assert.deepEqual(await namesOf(blobs), [`${name}x`]);
  assert.deepEqual([s3.refusedCodes, s3.uploads], [[], []]);
});

test('nothing is read or stored with a wrong secret or without the bucket, and the reason is logged', async (t) => {
  const { s3, blobs } = await open(t);
  await blobs.put(name, pieces(Buffer.from('small')));
  for (const [wrong, why] of [
    [{ secretAccessKey: new Secret('another') }, 'SignatureDoesNotMatch'],
    [{ bucket: 'nowhere' }, 'NoSuchBucket'],
  ] as const) {
    const faults = new Set<string>();
    const onFault = (fault: unknown) => void faults.add((fault as Error).name);
    const misconfigured = openS3Blobs({ ...s3.place, ...wrong }, { onFault });
    const part = { start: 0, end: 5, totalBytes: 5 };
    for (const attempt of [
      () => misconfigured.put(`${name}x`, pieces(Buffer.from('x'))),
      () => misconfigured.put(`${name}x`, pieces(large)),
      () => Array.fromAsync(misconfigured.read(name, part)),
      () => Array.fromAsync(misconfigured.list()),
    ])
      await assert.rejects(attempt(), { name: 'BlobsUnavailable' });
    assert.deepEqual([...faults], [why]);
  }
  await assert.rejects(openS3Blobs({ ...s3.place, secretAccessKey: new Secret('another') }).remove(name));
  assert.deepEqual(await namesOf(blobs), [name]);
});

test('abandoned multipart uploads are aborted over all pages, and newer ones and those of other prefixes stay', async (t) => {
  const { s3, blobs } = await open(t);
  const client = clientOf(s3);
  const { bucket: Bucket, prefix } = s3.place;
  const begin = async (Key: string) => {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'left behind' }));
  };
  for (const letter of ['A', 'B', 'B', 'C', 'D']) await begin(`${prefix}${name}${letter}`);
  await begin(`elsewhere/${name}`);
  assert.equal(await blobs.removeIncompleteUploads(0), 0);
  assert.equal(s3.uploads.length, 6);
  assert.equal(await blobs.removeIncompleteUploads(Date.now() + 1_000), 5);
  assert.deepEqual(
    s3.uploads.map(({ key }) => key),
    [`elsewhere/${name}`],
  );
  assert.deepEqual(s3.refusedCodes, []);
});

test('an upload whose response has another checksum than the sent bytes leaves no blob', async (t) => {
  const { s3, blobs } = await open(t);
  for (const bytes of [Buffer.from('small'), large]) {
    s3.sendWrongChecksumOnce();
    await assert.rejects(blobs.put(name, pieces(bytes)), BlobBroken);
    assert.deepEqual(await namesOf(blobs), []);
    assert.deepEqual(s3.uploads, []);
  }
});

test('the store refuses a body that was changed in transit', async (t) => {
  const { s3 } = await open(t);
  const changed = { Bucket: s3.place.bucket, Key: 'documents/x', Body: 'changed', ChecksumCRC32: 'AAAAAA==' };
  await assert.rejects(clientOf(s3).send(new PutObjectCommand(changed)), { name: 'BadDigest' });
});
