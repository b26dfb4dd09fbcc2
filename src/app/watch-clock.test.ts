import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createLog } from '../api/log.ts';
import { createDatabaseClock } from '../db/database-clock.ts';
import { systemClock } from '../kernel/system-clock.ts';
import { watchClock } from './watch-clock.ts';

const hour = 3_600_000;

for (const engine of engines) {
  test(`${engine.name}: a clock that comes to be apart from that of PostgreSQL is told once`, async (t) => {
    const db = await engine.open(t);
    let apart = 0;
    const told: string[] = [];
    const log = createLog('error', { write: (line) => told.push(JSON.parse(line).fault.message) });
    const { measureSkewMs } = await createDatabaseClock({ db, clock: { now: () => systemClock.now() + apart } });
    const watch = watchClock({ lookAtClock: measureSkewMs, isClockSure: async () => true, log });
    for (const hours of [0, 1, 1, 0, -2, 0]) {
      apart = hours * hour;
      await watch();
    }
    const advice = 'that of PostgreSQL, which counts: see that clocks are kept by NTP, as by chrony';
    const both = [`this clock is 3600 s ahead of ${advice}`, `this clock is 7200 s behind ${advice}`];
    assert.deepEqual(told, engine.name === 'sqlite' ? [] : both);
  });
}
