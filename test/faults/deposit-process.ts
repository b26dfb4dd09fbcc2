/**
 * Starts that many deposits at once, repeatedly, and prints id and size of each answered one, until it is killed. Run by
 * deposit-killed.test.ts with the number, a folder, an engine and its location, and optionally the address of an S3 server.
 */
import { writeSync } from 'node:fs';
import { openS3Blobs } from '../../src/documents/blobs/s3-blobs.ts';
import { engines } from '../support/database-engines.ts';
import { buildDocumentApp, depositDocumentOf, makePdf } from '../support/document-app.ts';
import { strictS3Place } from '../support/strict-s3-server.ts';

const [concurrency, folder = '', engineName, databaseLocation = '', endpoint] = process.argv.slice(2);
const engine = engines.find(({ name }) => name === engineName);
if (engine === undefined) throw new Error('no such engine');
const app = await buildDocumentApp(await engine.openAt(databaseLocation), folder, new Uint8Array(32));
if (endpoint !== undefined) app.wires.blobs = openS3Blobs(strictS3Place(endpoint));

// The large one is sent to S3 in parts.
const sizes = Array.from({ length: Number(concurrency) }, (_, at) =>
  at % 25 === 0 ? 9_000_000 : [5_000, 60_000, 400_000][at % 3],
);

async function deposit(size = 0): Promise<void> {
  const id = await depositDocumentOf(app, makePdf(size));
  writeSync(1, `${id} ${size}\n`);
}

for (;;) await Promise.all(sizes.map(deposit));
