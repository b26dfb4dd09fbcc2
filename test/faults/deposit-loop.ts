/** Deposits documents until it is killed, and prints the id of each that was answered. Run by deposit-killed.test.ts. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { buildDocumentHouse, deposited, pdfOf } from '../document-house.ts';

const [folder = ''] = process.argv.slice(2);
const db = await openSqlite(join(folder, 'house.sqlite'), { random: systemRandom });
const house = await buildDocumentHouse(db, folder, new Uint8Array(32));

async function deposit(size: number): Promise<never> {
  for (;;) {
    const id = await deposited(house, pdfOf(size));
    writeSync(1, `${id} ${size}\n`);
  }
}

await Promise.all([5_000, 60_000, 400_000, 2_000_000].map(deposit));
