/**
 * Measures the rate of the sequencer on the real store. Events are committed first, then numbered, stored and signed, with
 * the same syncs to disk as in the server. Prints JSON lines. Usage: `node bench/ledger.ts [events] [citizens]`.
 */
import { join } from 'node:path';
import { rootKeyFromBytes } from '../src/crypto/root-key.ts';
import { migrate } from '../src/db/migrate.ts';
import { openSqlite } from '../src/db/sqlite/open-sqlite.ts';
import { createIdGenerator } from '../src/kernel/id.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { openAnchor } from '../src/ledger/anchor.ts';
import { createCitizenKeys } from '../src/ledger/citizen-keys.ts';
import { createCommitter } from '../src/ledger/commit.ts';
import { createPublisher } from '../src/ledger/publisher.ts';
import { createSequencer } from '../src/ledger/sequencer.ts';
import { createSystemKeys } from '../src/ledger/system-keys.ts';
import { createNoteSigner, signatureTypes } from '../src/ledger/tlog/note-key.ts';
import { makeBenchFolder } from './bench-folder.ts';

const [events = 60_000, citizens = 10_000] = process.argv.slice(2).map(Number);
const batchLimit = 512;
const origin = 'bench.example/ledger';
const folder = makeBenchFolder('ledger-bench-');
const db = await openSqlite(join(folder, 'bench.sqlite'), { random: systemRandom });
await migrate(db, systemClock);
const root = rootKeyFromBytes(new Uint8Array(32).fill(3));
const citizenKeys = createCitizenKeys(db.read, root, systemRandom, systemClock);
const people = Array.from({ length: citizens }, (_, at) => `citizen-${at}`);
for (const statement of citizenKeys.creationStatements(people)) await db.write([statement]);

const commit = createCommitter({ db, citizenKeys, random: systemRandom }).commit;
const newId = createIdGenerator(systemClock, systemRandom);
const commitRetrieval = (at: number) =>
  commit({
    events: [
      {
        type: 'document.retrieved',
        id: newId('event'),
        at: systemClock.now(),
        actor: { client: 'tax-office' },
        citizenId: people[(at * 7_919) % citizens] ?? '',
        document: newId('document'),
        purpose: 'income tax assessment',
        legalBasis: '§ 155 AO',
      },
    ],
    statements: [],
  });

function printResult(what: string, count: number, milliseconds: number): void {
  const perSecond = Math.round((count / milliseconds) * 1_000);
  process.stdout.write(`${JSON.stringify({ what, count, milliseconds: Math.round(milliseconds), perSecond })}\n`);
}

let started = performance.now();
for (let at = 0; at < events; at += 2_000) {
  await Promise.all(Array.from({ length: Math.min(2_000, events - at) }, (_, more) => commitRetrieval(at + more)));
}
printResult('events committed, one insert each', events, performance.now() - started);

const anchor = openAnchor(join(folder, 'ledger-checkpoint'));
const sequencer = createSequencer({
  db,
  citizenKeys,
  systemKeys: createSystemKeys(root),
  random: systemRandom,
  anchor,
  origin,
  maxBatchEvents: batchLimit,
  stopwatch: () => performance.now(),
  fence: () => 1,
});
const signer = createNoteSigner(signatureTypes.ed25519, origin, new Uint8Array(32).fill(4));
const publisher = createPublisher({ db, anchor, clock: systemClock, signers: () => [signer] });

started = performance.now();
const cpu = process.cpuUsage();
const mainCpu = process.threadCpuUsage();
let steps = 0;
let numbered = 0;
for (let more: number | undefined = 1; more !== 0; steps += 1) {
  more = await sequencer.step();
  numbered += more ?? 0;
  const tree = sequencer.tree();
  if (tree !== undefined) await publisher.publish(tree);
}
printResult('events sequenced, stored and signed', numbered, performance.now() - started);
const perEvent = ({ user, system }: { user: number; system: number }) =>
  Math.round(((user + system) / numbered) * 10) / 10;
const both = perEvent(process.cpuUsage(cpu));
// On an idle machine with two cores, the slower of the two threads limits the rate.
const main = perEvent(process.threadCpuUsage(mainCpu));
process.stdout.write(`${JSON.stringify({ steps, cpuMicrosecondsPerEvent: { main, rest: both - main } })}\n`);
await db.close();
