/**
 * How soon a receipt is to be had while 2,000 events a second are committed: the time from the end of the commit until a
 * signed checkpoint covers the event, looked for every 5 ms. `node bench/ledger-receipts.ts [perSecond] [seconds]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemTimer } from '../src/jobs/timer.ts';
import type { EventId } from '../src/kernel/id.ts';
import { createMint } from '../src/kernel/id.ts';
import { systemClock, systemRandom } from '../src/kernel/system-clock.ts';
import { rootKeyFrom } from '../src/keys/root-key.ts';
import { openAnchor } from '../src/ledger/anchor.ts';
import { createCitizenKeys } from '../src/ledger/citizen-keys.ts';
import { createCommit } from '../src/ledger/commit.ts';
import { createHouseKeys } from '../src/ledger/house-keys.ts';
import { createLogView } from '../src/ledger/log-view.ts';
import { noteSigner, signatureTypes } from '../src/ledger/note-key.ts';
import { createPublisher } from '../src/ledger/publisher.ts';
import { runSequencer } from '../src/ledger/run-sequencer.ts';
import { createSequencer } from '../src/ledger/sequencer.ts';
import { migrate } from '../src/store/migrations.ts';
import { openSqlite } from '../src/store/sqlite.ts';

const [perSecond = 2_000, seconds = 8] = process.argv.slice(2).map(Number);
const origin = 'bench.example/ledger';
const batchLimit = 256;
const folder = mkdtempSync(join(tmpdir(), 'ledger-receipts-'));
const db = await openSqlite(join(folder, 'bench.sqlite'), { random: systemRandom });
await migrate(db, systemClock);
const root = rootKeyFrom(new Uint8Array(32).fill(3));
const citizenKeys = createCitizenKeys(db.read, root, systemRandom, systemClock);
const houseKeys = createHouseKeys(root);
const commit = createCommit(db, citizenKeys, systemRandom);
const mint = createMint(systemClock, systemRandom);
const anchor = openAnchor(join(folder, 'ledger-checkpoint'));
const sequencer = createSequencer({
  ...{ db, citizenKeys, houseKeys, random: systemRandom, anchor, origin, batchLimit },
  fence: () => 1,
});
const signer = noteSigner(signatureTypes.ed25519, origin, new Uint8Array(32).fill(4));
const publisher = createPublisher({ db, anchor, clock: systemClock, signers: () => [signer] });
const onFault = (fault: unknown) => void process.stderr.write(`${String(fault)}\n`);
const running = runSequencer({ sequencer, publisher, clock: systemClock, timer: systemTimer, batchLimit, onFault });
const view = createLogView(db.read, citizenKeys, houseKeys, { witnessed: false });

const waits: number[] = [];
const commits: number[] = [];

async function use(at: number): Promise<EventId> {
  const id = mint('event');
  const head = { type: 'document.retrieved', id, at: systemClock.now(), actor: { client: 'tax-office' } } as const;
  const started = performance.now();
  await commit({
    events: [{ ...head, citizenId: `citizen-${at % 5_000}`, document: mint('document') }],
    statements: [],
  });
  commits.push(performance.now() - started);
  return id;
}

async function waitForReceipt(id: EventId, since: number): Promise<void> {
  for (;;) {
    const entry = await view.entryOf(id);
    if (entry !== undefined && (await view.checkpointFor(entry.index)) !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  waits.push(performance.now() - since);
}

const tickMs = 10;
const started = performance.now();
const all: Promise<unknown>[] = [];
let made = 0;
while (performance.now() - started < seconds * 1_000) {
  const due = Math.floor(((performance.now() - started) / 1_000) * perSecond);
  for (; made < due; made += 1) {
    const at = made;
    // One in a hundred is looked for.
    all.push(use(at).then((id) => (at % 100 === 0 ? waitForReceipt(id, performance.now()) : undefined)));
  }
  await new Promise((resolve) => setTimeout(resolve, tickMs));
}
const madeInMs = performance.now() - started;
await Promise.all(all);
await running.stop();

const at = (times: number[], share: number) => {
  const sorted = times.toSorted((left, right) => left - right);
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
};
const figures = (times: number[]) => ({ p50: at(times, 0.5), p99: at(times, 0.99), max: at(times, 1) });
const result = {
  what: 'receipt after commit, ms',
  perSecond: Math.round((made / madeInMs) * 1_000),
  ...figures(waits),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.stdout.write(`${JSON.stringify({ what: 'commit meanwhile, ms', ...figures(commits) })}\n`);
await db.close();
rmSync(folder, { recursive: true });
