import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import pg from 'pg';
import { createLog } from '../../src/api/log.ts';
import { createReadinessCheck } from '../../src/app/readiness.ts';
import type { Statement } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import type { Timer } from '../../src/jobs/timer.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { runDoctor } from '../support/doctor.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgres } from '../support/postgres-databases.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

test('while a synchronous standby hangs, readiness fails and doctor reports the waiting commits', async (t) => {
  const server = await startPostgres();
  const operator = new pg.Client({ connectionString: server.url });
  await operator.connect();
  const setStandbys = async (names: string) => {
    await operator.query(`alter system set synchronous_standby_names = '${names}'`);
    await operator.query('select pg_reload_conf()');
  };
  const secondsWaited = async () => {
    const sql =
      "select max(extract(epoch from clock_timestamp() - state_change))::float as s from pg_stat_activity where wait_event = 'SyncRep'";
    return Number((await operator.query(sql)).rows[0]?.s ?? -1);
  };
  const db = await openPostgres(server.url, { random: systemRandom });
  t.after(async () => {
    await setStandbys('');
    await Promise.all([operator.end(), db.close()]);
    await server.stop();
  });
  await migrate(db, systemClock);

  const faults: string[] = [];
  let expire: (() => void) | undefined;
  const timer: Timer = (_ms, run) => {
    expire = run;
    return () => undefined;
  };
  const isReady = createReadinessCheck({
    db,
    claim: async (statement: Statement) => (await db.write([statement]))[0] ?? [],
    log: { ...createLog('silent'), fault: (_where, fault) => faults.push(fault instanceof Error ? fault.message : '') },
    timer,
    // Each check stores a row.
    stopwatch: () => performance.now() * 1_000_000,
  });
  assert.equal(await isReady(), true);

  await setStandbys('absent');
  // The setting is active in a session a moment later.
  const first = Promise.race([isReady(), waitUntil(async () => (await secondsWaited()) >= 0)]);
  await first;
  await waitUntil(async () => {
    if ((await secondsWaited()) >= 0) return true;
    void isReady();
    return false;
  });
  const hung = isReady();
  expire?.();
  assert.deepEqual([await hung, await isReady()], [false, false]);
  assert.deepEqual(faults, [
    'not ready: the database has stored nothing for 5 s; check its disk and its synchronous standby',
  ]);

  const dataDir = makeTestFolder('cs-hung-');
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  await waitUntil(async () => (await secondsWaited()) >= 5);
  const settings = { DATA_DIR: dataDir, PORT: String(await freePort()), DATABASE_URL: server.url };
  const report = await runDoctor(settings);
  const found = report.ofCheck('database-server').map((finding) => `${finding.status} ${finding.found}`);
  assert.match(
    found.join('\n'),
    /fault 1 commits wait for a synchronous standby, the oldest for \d+ s: nothing is stored/,
  );

  await setStandbys('');
  await waitUntil(isReady);
});
