import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { systemClock } from '../kernel/system-clock.ts';
import { ReadUnavailable } from './database.ts';
import { createDatabaseClock, maxClockSkewMs } from './database-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const year = 365 * 24 * hour;

for (const engine of engines) {
  test(`${engine.name}: a change of the machine clock changes the time on SQLite, and not on PostgreSQL`, async (t) => {
    const db = await engine.open(t);
    let skewMs = 0;
    const machine = { now: () => systemClock.now() + skewMs };
    const { clock, measureSkewMs } = await createDatabaseClock({ db, clock: machine });
    const [follows, differs] = [[] as boolean[], [] as number[]];
    for (const set of [hour, -hour, year, 0]) {
      skewMs = set;
      follows.push(Math.abs(clock.now() - systemClock.now()) > maxClockSkewMs);
      differs.push(Math.round((await measureSkewMs()) / hour) + 0);
      follows.push(Math.abs(clock.now() - systemClock.now()) > maxClockSkewMs);
    }
    const isOne = engine.name === 'sqlite';
    assert.deepEqual(
      follows,
      [true, true, true, true, true, true, false, false].map((own) => own && isOne),
    );
    assert.deepEqual(differs, isOne ? [0, 0, 0, 0] : [1, -1, year / hour, 0]);
  });
}

/** A database, a machine clock and a stopwatch that change only when they are set. Each read takes `takesMs`. */
function createManualClocks(takesMs: number) {
  const set = { database: Date.UTC(2026, 0, 15, 9), machine: Date.UTC(2026, 0, 15, 9), stopwatch: 0, reads: 0 };
  const read = async () => {
    set.reads += 1;
    const at = set.database + takesMs / 2;
    for (const one of ['database', 'machine', 'stopwatch'] as const) set[one] += takesMs;
    return [{ at }];
  };
  const parts = {
    db: { engine: 'postgres', read },
    clock: { now: () => set.machine },
    stopwatch: () => set.stopwatch,
  } as const;
  return { set, parts };
}

test('the time is measured at once after the machine was suspended', async () => {
  const { set, parts } = createManualClocks(0);
  const { clock } = await createDatabaseClock(parts);
  const before = clock.now();
  set.database += hour;
  set.machine += hour;
  await waitUntil(async () => clock.now() === before + hour);
  assert.equal(set.reads, 2);
});

test('a measurement that fits the known offset does not change it, and another one changes it as little as possible', async () => {
  const { set, parts } = createManualClocks(200);
  const { clock, measureSkewMs } = await createDatabaseClock(parts);
  const begin = clock.now();
  await measureSkewMs();
  assert.equal(clock.now(), begin + 200);
  // The database's clock advances less than the stopwatch, by more than a read takes.
  set.stopwatch += minute;
  set.machine += minute;
  set.database += minute - 1_000;
  const before = clock.now();
  await measureSkewMs();
  const wentBack = before + 200 - clock.now();
  assert.ok(wentBack > 0 && wentBack <= 1_000, `${wentBack} ms`);
});

test('time continues with the known offset when the database does not answer', async () => {
  const { set, parts } = createManualClocks(0);
  let gone = false;
  const read = async () => {
    if (gone) throw new ReadUnavailable('gone');
    return await parts.db.read();
  };
  const { clock, measureSkewMs } = await createDatabaseClock({ ...parts, db: { engine: 'postgres', read } });
  const begin = clock.now();
  gone = true;
  set.machine += hour;
  set.stopwatch += minute;
  assert.equal(clock.now(), begin + minute);
  await assert.rejects(measureSkewMs(), /gone/);
  assert.equal(clock.now(), begin + minute);
});
