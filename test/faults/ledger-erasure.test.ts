import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { eraseCitizen } from '../../src/ledger/erase-citizen.ts';
import { buildLedgerApp } from '../support/ledger-app.ts';
import { createDatabase, dropDatabase } from '../support/postgres-databases.ts';
import { waitUntil } from '../support/wait-until.ts';

test('postgres: an event that is numbered during an erasure does not name the citizen', async (t) => {
  const url = await createDatabase('migrated');
  const db = await openPostgres(url, { random: systemRandom });
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.after(async () => {
    await other.end();
    await db.close();
    await dropDatabase(url);
  });
  const waits = async () => {
    // Otherwise it shows the state from the start of its transaction.
    await other.query('select pg_stat_clear_snapshot()');
    const locks = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    return (await other.query(locks)).rows.length;
  };
  const app = buildLedgerApp(db);
  await db.write(app.citizenKeys.creationStatements(['anna']));
  await app.use(undefined);
  await app.sequence();
  // The sequencer waits for its last statement.
  await other.query('begin; select 1 from ledger_tile for update');
  let numbering: Promise<unknown> = Promise.resolve();
  // The first read asks whether the citizen is known, the second one lists the waiting events to rename.
  let scans = 0;
  const read: typeof db.read = async (sql, args) => {
    const rows = await db.read(sql, args);
    if (sql.startsWith('select id, citizen_id, citizen_tag from ledger_event') && ++scans === 2) {
      await app.use('anna');
      numbering = app.sequencer.step();
      await waitUntil(async () => (await waits()) === 1);
    }
    return rows;
  };
  let isErased = false;
  const erasing = eraseCitizen({ ...app, read, actor: { operator: 'clerk' } }, 'anna').then(() => {
    isErased = true;
  });
  await waitUntil(async () => isErased || (await waits()) === 2);
  await other.query('rollback');
  await Promise.all([erasing, numbering]);
  assert.deepEqual(await db.read("select citizen_id from ledger_entry where citizen_id = 'anna'"), []);
  assert.equal((await db.read('select 1 as n from ledger_entry')).length, 2);
});
