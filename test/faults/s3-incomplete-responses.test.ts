import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { openS3BlobsAt } from '../support/s3-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const name = 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC42';
const bytes = Buffer.alloc(1_048_576, 'sealed');
const all = { start: 0, end: bytes.length, totalBytes: bytes.length };
// Longer than a busy machine takes for a response that does arrive.
const answerMs = 30_000;
async function* large() {
  for (let count = 0; count < 9; count += 1) yield bytes;
}

for (const [what, status, headers] of [
  ['of another length', 206, { 'content-range': 'bytes 0-1/2' }],
  ['as a whole instead of the requested part', 200, {}],
] as const satisfies readonly [string, number, OutgoingHttpHeaders][]) {
  test(`a blob that S3 returns ${what} counts as broken, and its connection is not reused`, async (t) => {
    let socket: Socket | undefined;
    const blobs = await openS3BlobsAt(
      t,
      (request, response) => {
        socket = request.resume().socket;
        response.writeHead(status, headers).write(bytes);
      },
      { answerMs },
    );
    await assert.rejects(Array.fromAsync(blobs.read(name, all)), { name: 'BlobBroken' });
    await waitUntil(async () => socket?.destroyed === true);
  });
}

for (const [what, method] of [
  ['an upload that S3 ends before its last part', 'PUT'],
  ['an upload that S3 does not know when its completion is repeated', 'POST'],
] as const) {
  test(`${what} fails as unavailable, and the reason is logged`, async (t) => {
    const faults: unknown[] = [];
    const answer: RequestListener = (request, response) => {
      request.resume();
      if (request.method === 'POST' && request.url?.includes('?uploads') === true) {
        response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
      } else if (request.method === method) {
        response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
      } else response.writeHead(200, { etag: '"e"' }).end();
    };
    const blobs = await openS3BlobsAt(t, answer, { answerMs, onFault: (fault) => faults.push(fault) });
    await assert.rejects(blobs.put(name, large()), { name: 'BlobsUnavailable' });
    assert.deepEqual(
      faults.map((fault) => (fault as Error).name),
      ['NoSuchUpload'],
    );
  });
}

test('the sweep continues after an upload that ended since it was listed', async (t) => {
  const left = ['A', 'B'].map(
    (id) =>
      `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>`,
  );
  const blobs = await openS3BlobsAt(
    t,
    (request, response) => {
      request.resume();
      if (request.method === 'GET')
        response.end(`<ListMultipartUploadsResult>${left.join('')}</ListMultipartUploadsResult>`);
      else if (request.url?.includes('uploadId=A') === true) {
        response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
      } else response.writeHead(204).end();
    },
    { answerMs },
  );
  assert.equal(await blobs.removeIncompleteUploads(Date.now()), 1);
});
