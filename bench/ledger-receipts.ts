/**
 * Measures how soon a receipt is available while 2,000 events a second are committed: the time from the end of the commit
 * until a signed checkpoint covers the event, polled every 5 ms. Runs on both engines with durable writes.
 * Usage: `node bench/ledger-receipts.ts [perSecond] [seconds]`.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { rootKeyFromBytes } from '../src/crypto/root-key.ts';
import type { Database } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/open-postgres.ts';
import { openSqlite } from '../src/db/sqlite/open-sqlite.ts';
import { systemTimer } from '../src/jobs/timer.ts';
import type { EventId } from '../src/kernel/id.ts';
import { createIdGenerator } from '../src/kernel/id.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { openAnchor } from '../src/ledger/anchor.ts';
import { createCitizenKeys } from '../src/ledger/citizen-keys.ts';
import { createCommitter } from '../src/ledger/commit.ts';
import { createLogView } from '../src/ledger/log-view.ts';
import { createPublisher } from '../src/ledger/publisher.ts';
import { runSequencer } from '../src/ledger/run-sequencer.ts';
import { createSequencer } from '../src/ledger/sequencer.ts';
import { createSystemKeys } from '../src/ledger/system-keys.ts';
import { createNoteSigner, signatureTypes } from '../src/ledger/tlog/note-key.ts';
import { makeBenchFolder } from './bench-folder.ts';
import { startBenchPostgres } from './postgres.ts';

const [perSecond = 2_000, seconds = 8] = process.argv.slice(2).map(Number);
const origin = 'bench.example/ledger';
const batchLimit = 256;
const goalMs = 500;
const tickMs = 10;
const people = 5_000;
/** The bench waits for the receipt of one event in this number of events. */
const sampleInterval = 100;

/** Starts the ledger of a server on that database, with sequencer and publisher. */
function startLedger(db: Database, folder: string) {
  const root = rootKeyFromBytes(new Uint8Array(32).fill(3));
  const citizenKeys = createCitizenKeys(db.read, root, systemRandom, systemClock);
  const systemKeys = createSystemKeys(root);
  const anchor = openAnchor(join(folder, `${db.engine}-checkpoint`));
  const sequencer = createSequencer({
    db,
    citizenKeys,
    systemKeys,
    random: systemRandom,
    anchor,
    origin,
    maxBatchEvents: batchLimit,
    stopwatch: () => performance.now(),
    fence: () => 1,
  });
  const signer = createNoteSigner(signatureTypes.ed25519, origin, new Uint8Array(32).fill(4));
  const publisher = createPublisher({ db, anchor, clock: systemClock, signers: () => [signer] });
  const onFault = (fault: unknown) => void process.stderr.write(`${String(fault)}\n`);
  const running = runSequencer({ sequencer, publisher, clock: systemClock, timer: systemTimer, batchLimit, onFault });
  return {
    commit: createCommitter({ db, citizenKeys, random: systemRandom }).commit,
    view: createLogView(db.read, citizenKeys, systemKeys, { witnessed: false }),
    stop: () => running.stop(),
  };
}

async function measureReceipts(db: Database, folder: string): Promise<void> {
  await migrate(db, systemClock);
  const ledger = startLedger(db, folder);
  const newId = createIdGenerator(systemClock, systemRandom);
  const waits: number[] = [];
  const commits: number[] = [];

  async function recordRetrieval(number: number): Promise<void> {
    const id = newId('event');
    const head = { type: 'document.retrieved', id, at: systemClock.now(), actor: { client: 'tax-office' } } as const;
    const began = performance.now();
    const event = { ...head, citizenId: `citizen-${number % people}`, document: newId('document') };
    await ledger.commit({ events: [event], statements: [] });
    const committed = performance.now();
    commits.push(committed - began);
    if (number % sampleInterval === 0) waits.push(await waitForReceipt(id, committed));
  }

  async function waitForReceipt(id: EventId, since: number): Promise<number> {
    for (;;) {
      const entry = await ledger.view.findEntry(id);
      if (entry !== undefined && (await ledger.view.checkpointFor(entry.index)) !== undefined) break;
      await pause(5);
    }
    return performance.now() - since;
  }

  const started = performance.now();
  const all: Promise<unknown>[] = [];
  while (performance.now() - started < seconds * 1_000) {
    const due = Math.floor(((performance.now() - started) / 1_000) * perSecond);
    while (all.length < due) all.push(recordRetrieval(all.length));
    await pause(tickMs);
  }
  const commitDurationMs = performance.now() - started;
  await Promise.all(all);
  await ledger.stop();
  const rate = Math.round((all.length / commitDurationMs) * 1_000);
  const late = waits.filter((wait) => wait > goalMs).length;
  const goal = `${waits.length - late} of ${waits.length} within ${goalMs} ms`;
  printResult({ what: 'receipt after commit, ms', engine: db.engine, perSecond: rate, ...figures(waits), goal });
  printResult({ what: 'commit meanwhile, ms', engine: db.engine, ...figures(commits) });
}

function figures(times: readonly number[]) {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

function printResult(line: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const folder = makeBenchFolder('ledger-receipts-');
const postgres = await startBenchPostgres();
try {
  for (const db of [
    await openSqlite(join(folder, 'bench.sqlite'), { random: systemRandom }),
    await openPostgres(await postgres.create('receipts'), { random: systemRandom }),
  ]) {
    await measureReceipts(db, folder);
    await db.close();
  }
} finally {
  await postgres.stop();
}
