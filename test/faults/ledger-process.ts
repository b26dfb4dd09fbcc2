/**
 * Commits events, sequences them, and prints each served checkpoint. With a number it kills itself at that step of the
 * sequencer, otherwise it runs until it is killed. Run by ledger-killed.test.ts.
 */
import { writeSync } from 'node:fs';
import type { Database } from '../../src/db/database.ts';
import { holdLease } from '../../src/jobs/lease.ts';
import { systemTimer } from '../../src/jobs/timer.ts';
import { systemClock } from '../../src/kernel/system-clock.ts';
import { openAnchor } from '../../src/ledger/anchor.ts';
import { runSequencer } from '../../src/ledger/run-sequencer.ts';
import { engines } from '../support/database-engines.ts';
import { anchorPath, buildLedgerApp } from '../support/ledger-app.ts';

const [engineName = '', databaseLocation = '', folder = '', stepText = '', holder = 'me'] = process.argv.slice(2);
const engine = engines.find(({ name }) => name === engineName);
if (engine === undefined) throw new Error('name an engine');
const db = await engine.openAt(databaseLocation);
const killAt = stepText === 'never' ? Number.POSITIVE_INFINITY : Number(stepText);
let steps = 0;

/** One step, before or after which the process may end. */
async function step<T>(run: () => Promise<T>): Promise<T> {
  if (steps++ === killAt) process.kill(process.pid, 'SIGKILL');
  const result = await run();
  if (steps++ === killAt) process.kill(process.pid, 'SIGKILL');
  return result;
}

const write: Database['write'] = (unit) => step(() => db.write(unit));
const fileAnchor = openAnchor(anchorPath(folder));
const anchor = { ...fileAnchor, advance: (note: string) => step(() => fileAnchor.advance(note)) };
const lease = await holdLease({
  claim: async (statement) => (await db.write([statement]))[0] ?? [],
  timer: systemTimer,
  name: 'ledger-sequencer',
  watchedPattern: 'ledger-sequencer',
  holder,
  leaseMs: 600,
  onFault: () => undefined,
});
const app = buildLedgerApp(db, { anchor, write, batchLimit: 50, fence: lease.fence });
const { sequencer } = app;

const publisher = {
  publish: async (tree: Parameters<typeof app.publisher.publish>[0]) => {
    await app.publisher.publish(tree);
    const served = await app.view.signedCheckpoint();
    if (served !== undefined) writeSync(1, `note ${Buffer.from(served.note).toString('base64')}\n`);
  },
};
runSequencer({
  sequencer,
  publisher,
  clock: systemClock,
  timer: systemTimer,
  batchLimit: 50,
  onFault: () => undefined,
});

for (;;) {
  for (const id of await app.use('anna', undefined, 'bert', 'anna', 'anna', 'carl', 'anna'))
    writeSync(1, `event ${id}\n`);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
