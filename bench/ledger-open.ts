/**
 * Measures time and memory to open a log of 10,000,000 entries: the sequencer opens its tree and runs all its checks. All
 * leaves have the same hash, so that the bench fills the log quickly. Opening does the same work for such a log.
 * The time to open the database is reported separately. Usage: `node bench/ledger-open.ts [entries]`.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../src/db/migrate.ts';
import { openSqlite } from '../src/db/sqlite/open-sqlite.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { openAnchor } from '../src/ledger/anchor.ts';
import { createTileReader, insertTreeHead, storeCheckpoint, storeTile } from '../src/ledger/ledger-store.ts';
import { openTree } from '../src/ledger/open-tree.ts';
import { formatCheckpoint } from '../src/ledger/tlog/checkpoint.ts';
import { leafHash, rootOfHashes, splitHashes } from '../src/ledger/tlog/merkle.ts';
import { signNote } from '../src/ledger/tlog/note.ts';
import { createNoteSigner, signatureTypes } from '../src/ledger/tlog/note-key.ts';
import { hashesAtLevel, tileWidth } from '../src/ledger/tlog/tile.ts';
import { readTreeEdge, treeEdgeRoot } from '../src/ledger/tlog/tree-edge.ts';
import { makeBenchFolder } from './bench-folder.ts';

const [size = 10_000_000] = process.argv.slice(2).map(Number);
const origin = 'bench.example/ledger';
const folder = makeBenchFolder('ledger-open-');
const file = join(folder, 'bench.sqlite');
let db = await openSqlite(file, { random: systemRandom });
await migrate(db, systemClock);

let hash = leafHash(Buffer.from('the same leaf'));
for (let level = 0; hashesAtLevel(level, size) > 0; level += 1) {
  const full = Buffer.concat(Array.from({ length: tileWidth }, () => hash));
  const count = hashesAtLevel(level, size);
  let batch: ReturnType<typeof storeTile>[] = [];
  for (let index = 0; index * tileWidth < count; index += 1) {
    const width = Math.min(tileWidth, count - index * tileWidth);
    batch.push(storeTile({ level, index, hashes: full.subarray(0, width * 32) }));
    if (batch.length < 500 && (index + 1) * tileWidth < count) continue;
    await db.write(batch);
    batch = [];
  }
  hash = Buffer.from(rootOfHashes(splitHashes(full)));
}
const root = treeEdgeRoot(await readTreeEdge(size, createTileReader(db.read)));
const signer = createNoteSigner(signatureTypes.ed25519, origin, new Uint8Array(32).fill(4));
const note = signNote(formatCheckpoint({ origin, size, root }), [signer], 0);
await db.write([
  insertTreeHead({ origin, size, root, fence: 1 }),
  storeCheckpoint('signed', { size, root, note, at: 0 }),
]);
const anchor = openAnchor(join(folder, 'ledger-checkpoint'));
await anchor.read();
await anchor.advance(note);
await db.close();

const started = performance.now();
db = await openSqlite(file, { random: systemRandom });
const databaseMs = performance.now() - started;
const before = process.memoryUsage().rss;
const openStartedAt = performance.now();
const tree = await openTree(db, openAnchor(join(folder, 'ledger-checkpoint')), { origin, fence: 1 });
const result = {
  what: 'log opened and checked',
  entries: tree.edge.size,
  milliseconds: Math.round((performance.now() - openStartedAt) * 10) / 10,
  grownKiB: Math.round((process.memoryUsage().rss - before) / 1_024),
  databaseMs: Math.round(databaseMs),
  databaseMiB: Math.round(statSync(file).size / 1_048_576),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
await db.close();
