import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../test/engines.ts';
import { createLog } from './api/log.ts';
import { createClockWatch } from './compose-clock.ts';
import { systemClock } from './kernel/system-clock.ts';

const hour = 3_600_000;

for (const engine of engines) {
  test(`${engine.name}: a clock that comes to be apart from that of PostgreSQL is told once, and what it is ahead is known`, async (t) => {
    const db = await engine.open(t);
    let apart = 0;
    const told: string[] = [];
    const log = createLog('error', { write: (line) => told.push(JSON.parse(line).fault.message) });
    const clock = { now: () => systemClock.now() + apart };
    const watch = createClockWatch({ db, clock, log });
    const hoursAhead: number[] = [];
    for (const hours of [0, 1, 1, 0, -2, 0]) {
      apart = hours * hour;
      await watch.look();
      hoursAhead.push(Math.round((clock.now() - watch.sharedClock.now()) / hour) + 0);
    }
    const isOne = engine.name === 'sqlite';
    assert.deepEqual(hoursAhead, isOne ? [0, 0, 0, 0, 0, 0] : [0, 1, 1, 0, -2, 0]);
    const advice = 'that of PostgreSQL: see that clocks are kept by NTP, as by chrony';
    const both = [`this clock is 3600 s ahead of ${advice}`, `this clock is 7200 s behind ${advice}`];
    assert.deepEqual(told, isOne ? [] : both);
  });
}
