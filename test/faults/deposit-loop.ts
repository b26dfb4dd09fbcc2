/**
 * Begins that many deposits at once, again and again, and prints the id and size of each that was answered, until it is
 * killed. Run by deposit-killed.test.ts with the number, a folder, an engine and its place, and the address of an S3 server or nothing.
 */
import { writeSync } from 'node:fs';
import { openS3Blobs } from '../../src/documents/blobs/s3.ts';
import { buildDocumentHouse, deposited, pdfOf } from '../document-house.ts';
import { engines } from '../engines.ts';
import { strictPlace } from '../strict-s3.ts';

const [atOnce, folder = '', engineName, place = '', endpoint] = process.argv.slice(2);
const engine = engines.find(({ name }) => name === engineName);
if (engine === undefined) throw new Error('no such engine');
const house = await buildDocumentHouse(await engine.openAt(place), folder, new Uint8Array(32));
if (endpoint !== undefined) house.wires.blobs = openS3Blobs(strictPlace(endpoint));

// The large one goes to S3 in parts.
const sizes = Array.from({ length: Number(atOnce) }, (_, at) =>
  at % 25 === 0 ? 9_000_000 : [5_000, 60_000, 400_000][at % 3],
);

async function deposit(size = 0): Promise<void> {
  const id = await deposited(house, pdfOf(size));
  writeSync(1, `${id} ${size}\n`);
}

for (;;) await Promise.all(sizes.map(deposit));
