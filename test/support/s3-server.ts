import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { openS3Blobs, type S3Location } from '../../src/documents/blobs/s3-blobs.ts';
import { Secret } from '../../src/kernel/secret.ts';
import type { CleanupScope } from './server-process.ts';
import { makeTestFolder } from './test-folder.ts';

type S3rverInstance = {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
  readonly httpServer: { closeAllConnections(): void };
};
type ServerClass = new (options: Readonly<Record<string, unknown>>) => S3rverInstance;

/** Starts an S3 server over its own folder, with an empty bucket; it is removed after the test. */
export async function startS3Server(t: CleanupScope): Promise<S3Location> {
  // The package is CommonJS without types.
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as ServerClass;
  const directory = makeTestFolder('s3-');
  const bucket = 'sealed-documents';
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    // Its signatures of some requests with a query differ from those of AWS.
    allowMismatchedSignatures: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  t.after(async () => {
    server.httpServer.closeAllConnections();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
  return {
    bucket,
    prefix: 'documents/',
    region: 'eu-central-1',
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: 'S3RVER',
    secretAccessKey: new Secret('S3RVER'),
  };
}

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
