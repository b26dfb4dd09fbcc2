import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { engines } from '../support/database-engines.ts';

const createJobs = 'create table job (id bigint not null primary key, owner text)';
const claim = `update job set owner = $1 where id in (
  select id from job where owner is null order by id limit $2 /* skip locked */
) returning id`;

async function addJobs(db: Database, count: number): Promise<void> {
  await db.write([{ sql: createJobs }]);
  await db.write(Array.from({ length: count }, (_, id) => ({ sql: 'insert into job (id) values ($1)', args: [id] })));
}

for (const engine of engines) {
  test(`${engine.name}: claims that run at the same time never share a row`, async (t) => {
    const place = await engine.createLocation(t);
    const db = await engine.openAt(place);
    // Two processes have two handles on PostgreSQL; the file of SQLite has one.
    const other = engine.name === 'postgres' ? await engine.openAt(place) : db;
    await addJobs(db, 100);
    const claims = Array.from({ length: 12 }, (_, n) =>
      (n % 2 === 0 ? db : other).write([{ sql: claim, args: [`worker ${n}`, 10] }]),
    );
    const claimed = (await Promise.all(claims)).map(([rows = []]) => rows.map((row) => Number(row['id'])));
    const all = claimed.flat().sort((a, b) => a - b);
    assert.deepEqual(all, [...new Set(all)]);
    assert.ok(claimed.every((rows) => rows.length <= 10));
    // A claim may pass over rows that another one holds and gives back nothing for; one more finds what is left.
    const [rest = []] = await db.write([{ sql: claim, args: ['last', 100] }]);
    assert.equal(all.length + rest.length, 100);
    await Promise.all([db.close(), other.close()]);
  });
}

test('postgres: a claim passes over a row that another transaction holds, and does not wait for it', async (t) => {
  const [, postgres] = engines;
  assert.ok(postgres);
  const url = await postgres.createLocation(t);
  const db = await postgres.openAt(url);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await addJobs(db, 3);
  await holder.query('begin');
  await holder.query('select id from job where id = 0 for update');
  const claimed = await db.write([{ sql: claim, args: ['worker', 2] }]);
  assert.deepEqual(claimed, [[{ id: 1 }, { id: 2 }]]);
  await holder.end();
  await db.close();
});
