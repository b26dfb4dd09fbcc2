/**
 * Commits events and sequences them, and prints each checkpoint once it is served. With a number it kills itself at that
 * step of the sequencer, else it goes on until it is killed. Run by ledger-killed.test.ts.
 */
import { writeSync } from 'node:fs';
import { keepLease } from '../../src/jobs/lease.ts';
import { systemTimer } from '../../src/jobs/timer.ts';
import { systemClock } from '../../src/kernel/system-clock.ts';
import { openAnchor } from '../../src/ledger/anchor.ts';
import { runSequencer } from '../../src/ledger/run-sequencer.ts';
import type { Db } from '../../src/store/db.ts';
import { engines } from '../engines.ts';
import { anchorPath, buildLedgerHouse } from '../ledger-house.ts';

const [engineName = '', place = '', folder = '', stepText = '', holder = 'me'] = process.argv.slice(2);
const engine = engines.find(({ name }) => name === engineName);
if (engine === undefined) throw new Error('name an engine');
const db = await engine.openAt(place);
const killAt = stepText === 'never' ? Number.POSITIVE_INFINITY : Number(stepText);
let steps = 0;

/** One step: the process may end before it, or behind it. */
async function step<T>(run: () => Promise<T>): Promise<T> {
  if (steps++ === killAt) process.kill(process.pid, 'SIGKILL');
  const result = await run();
  if (steps++ === killAt) process.kill(process.pid, 'SIGKILL');
  return result;
}

const write: Db['write'] = (unit) => step(() => db.write(unit));
const real = openAnchor(anchorPath(folder));
const anchor = { read: real.read, advance: (note: string) => step(() => real.advance(note)) };
const lease = await keepLease({
  claim: async (statement) => (await db.write([statement]))[0] ?? [],
  ...{ timer: systemTimer, name: 'ledger-sequencer', watched: 'ledger-sequencer', holder, leaseMs: 600 },
  onFault: () => undefined,
});
const house = buildLedgerHouse(db, { anchor, write, batchLimit: 50, fence: lease.fence });
const { sequencer } = house;

const publisher = {
  publish: async (tree: Parameters<typeof house.publisher.publish>[0]) => {
    await house.publisher.publish(tree);
    const served = await house.view.signed();
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
  for (const id of await house.use('anna', undefined, 'bert', 'anna', 'anna', 'carl', 'anna'))
    writeSync(1, `event ${id}\n`);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
