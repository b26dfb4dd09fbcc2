import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { openS3Blobs } from '../../src/documents/blobs/s3-blobs.ts';
import { Secret } from '../../src/kernel/secret.ts';

type S3ClientLimits = { readonly answerMs?: number; readonly onFault?: (fault: unknown) => void };

/** An S3 store at a server of the test, with a short timeout. */
export async function openS3BlobsAt(
  t: TestContext,
  answer: RequestListener,
  waiting: S3ClientLimits = {},
): Promise<BlobStore> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const [endpoint, secretAccessKey] = [`http://127.0.0.1:${port}`, new Secret('nobody')];
  const location = { bucket: 'b', prefix: '', region: 'r', endpoint, accessKeyId: 'nobody', secretAccessKey };
  return openS3Blobs(location, { answerMs: 50, ...waiting });
}
