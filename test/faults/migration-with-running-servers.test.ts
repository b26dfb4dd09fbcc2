import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Statement } from '../../src/db/database.ts';
import { migrate, migrationsFolder } from '../../src/db/migrate.ts';
import { holdLease, refuseLiveLeases } from '../../src/jobs/lease.ts';
import { systemTimer } from '../../src/jobs/timer.ts';
import { systemClock } from '../../src/kernel/system-clock.ts';
import { engines } from '../support/database-engines.ts';
import { makeTestFolder } from '../support/test-folder.ts';

for (const engine of engines) {
  test(`${engine.name}: a database is not migrated while a process of another version renews its lease`, async (t) => {
    const folder = makeTestFolder('cs-migrations-');
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    for (const file of readdirSync(migrationsFolder)) cpSync(join(migrationsFolder, file), join(folder, file));
    writeFileSync(join(folder, '9999-newer.sql'), 'create table newer (id text not null primary key);\n');
    const db = await engine.open(t);
    const migrateNewer = () =>
      migrate(db, systemClock, { folder, mayChange: (read) => refuseLiveLeases(read, (ms) => pause(ms)) });

    const lease = await holdLease({
      claim: async (statement: Statement) => (await db.write([statement]))[0] ?? [],
      timer: systemTimer,
      name: 'worker/older',
      holder: 'older',
      watchedPattern: 'worker/%',
      leaseMs: 1_000,
      onFault: (fault) => assert.fail(String(fault)),
    });
    await assert.rejects(migrateNewer(), /^DatabaseInUse: expected no other process .*--migrate-while-running/);
    // The holder dies: its lease stays, and nobody renews it.
    await lease.stop({ release: false });
    assert.deepEqual(await migrateNewer(), ['9999-newer.sql']);
    assert.deepEqual(await migrateNewer(), []);
  });
}
