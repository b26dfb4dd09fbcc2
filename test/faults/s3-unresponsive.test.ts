import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { openS3Blobs } from '../../src/documents/blobs/s3-blobs.ts';
import { engines } from '../support/database-engines.ts';
import { depositDocumentOf, depositHeadersOf, makePdf, openDocumentApp } from '../support/document-app.ts';
import { openS3BlobsAt, startS3Server } from '../support/s3-server.ts';

const name = 'doc_01K9ZXQ7M0E7D8T3VBRN5YHC42';
const bytes = Buffer.alloc(1_048_576, 'sealed');
const all = { start: 0, end: bytes.length, totalBytes: bytes.length };
async function* pieces(): AsyncGenerator<Uint8Array> {
  yield bytes;
}

// They mostly wait for a response that never comes, or for a retry: run them concurrently.
describe('an S3 store that fails', { concurrency: 8 }, () => {
  test('an S3 store that accepts requests and never responds fails each of them in time', async (t) => {
    const blobs = await openS3BlobsAt(t, (request) => request.resume());
    const asked: Readonly<Record<string, () => Promise<unknown>>> = {
      put: () => blobs.put(name, pieces()),
      read: () => Array.fromAsync(blobs.read(name, all)),
      remove: () => blobs.remove(name),
      list: () => Array.fromAsync(blobs.list()),
      removeBroken: () => blobs.removeIncompleteUploads(1),
    };
    await Promise.all(Object.values(asked).map((ask) => assert.rejects(ask(), { name: 'BlobsUnavailable' })));
  });

  for (const [how, more] of [
    ['stops responding', () => undefined],
    ['disconnects', (socket) => socket.destroySoon()],
  ] as const satisfies readonly [string, (socket: Socket) => void][]) {
    test(`an S3 store that ${how} in the middle of a blob fails the read, and the reason is logged`, async (t) => {
      const faults: unknown[] = [];
      const onFault = (fault: unknown) => faults.push(fault);
      const answer: RequestListener = (request, response) => {
        request.resume();
        response.writeHead(206, { 'content-range': `bytes 0-${bytes.length - 1}/${bytes.length}` });
        response.write(bytes.subarray(0, 1_000), () => more(request.socket));
      };
      // Longer than a busy machine takes for a response that does arrive.
      const blobs = await openS3BlobsAt(t, answer, { answerMs: 6_000, onFault });
      const got: Uint8Array[] = [];
      await assert.rejects(
        async () => {
          for await (const piece of blobs.read(name, all)) got.push(Buffer.from(piece));
        },
        { name: 'BlobsUnavailable' },
      );
      assert.equal(Buffer.concat(got).length, 1_000);
      assert.equal(faults.length, 1);
    });
  }

  test('any number of stalled readers of S3 does not block others', async (t) => {
    const blobs = openS3Blobs(await startS3Server(t));
    await blobs.put(name, pieces());
    const standing = Array.from({ length: 60 }, () => blobs.read(name, all)[Symbol.asyncIterator]());
    await Promise.all(standing.map((reader) => reader.next()));
    const read = Buffer.concat(await Array.fromAsync(blobs.read(name, all), (piece) => Buffer.from(piece)));
    assert.ok(read.equals(bytes));
    await Promise.all(standing.map((reader) => reader.return?.()));
  });

  for (const engine of engines) {
    test(`${engine.name}: while S3 is unavailable callers are asked to retry, and the reason is logged`, async (t) => {
      const app = await openDocumentApp(t, engine);
      const document = makePdf(30_000);
      const id = await depositDocumentOf(app, document);
      const real = app.wires.blobs;
      const faults: unknown[] = [];
      for (const answer of [503, 429, 408, undefined]) {
        app.wires.blobs = await openS3BlobsAt(
          t,
          (request, response) => {
            request.resume();
            if (answer !== undefined) response.writeHead(answer).end();
          },
          { onFault: (fault) => faults.push(fault) },
        );
        const results = [app.deposit({ headers: depositHeadersOf(document), body: [document] }), app.retrieve(id)];
        const outcomes = (await Promise.all(results)).map((result) => {
          assert.ok('refusal' in result, JSON.stringify(result));
          return `${result.refusal.slug} ${result.refusal.headers?.['retry-after']}`;
        });
        assert.deepEqual(outcomes, ['capacity-reduced 2', 'document-unreadable 10']);
      }
      assert.ok(faults.length >= 4 && faults.every((fault) => fault instanceof Error));
      app.wires.blobs = real;
      assert.ok(!('refusal' in (await app.retrieve(id))));
    });
  }
});
