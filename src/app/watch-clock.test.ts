import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createLog } from '../api/log.ts';
import { createDatabaseClock } from '../db/database-clock.ts';
import { systemClock } from '../kernel/system-clock.ts';
import { watchClock } from './watch-clock.ts';

const hour = 3_600_000;

for (const engine of engines) {
  test(`${engine.name}: a clock that differs from that of PostgreSQL is logged once, until it agrees again`, async (t) => {
    const db = await engine.open(t);
    let skewMs = 0;
    const logged: string[] = [];
    const log = createLog('error', { write: (line) => logged.push(JSON.parse(line).fault.message) });
    const { measureSkewMs } = await createDatabaseClock({ db, clock: { now: () => systemClock.now() + skewMs } });
    const watch = watchClock({ lookAtClock: measureSkewMs, isClockSure: async () => true, log });
    for (const hours of [0, 1, 1, 0, -2, 0]) {
      skewMs = hours * hour;
      await watch();
    }
    const advice =
      'the clock of PostgreSQL, which the server uses. Check that NTP synchronises the clocks, for example with chrony';
    const expected = [`this clock is 3600 s later than ${advice}`, `this clock is 7200 s earlier than ${advice}`];
    assert.deepEqual(logged, engine.name === 'sqlite' ? [] : expected);
  });
}
