import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Database, Statement } from '../../src/db/database.ts';
import { engines } from '../support/database-engines.ts';

const createJobs = 'create table job (id bigint not null primary key, owner text)';
const claimSql = (rowLock: string) => `update job set owner = $1 where id in (
  select id from job where owner is null order by id limit $2 ${rowLock}
) returning id`;
/** Takes the first free jobs. On PostgreSQL it skips the rows that another claim has locked. */
const claimJobs = (owner: string, limit: number): Statement => ({
  sql: claimSql(''),
  postgresSql: claimSql('for update skip locked'),
  args: [owner, limit],
});

async function addJobs(db: Database, count: number): Promise<void> {
  await db.write([{ sql: createJobs }]);
  await db.write(Array.from({ length: count }, (_, id) => ({ sql: 'insert into job (id) values ($1)', args: [id] })));
}

for (const engine of engines) {
  test(`${engine.name}: claims that run at the same time take different rows`, async (t) => {
    const location = await engine.createLocation(t);
    const db = await engine.openAt(location);
    // On PostgreSQL two handles act as two processes. The SQLite file has one.
    const other = engine.name === 'postgres' ? await engine.openAt(location) : db;
    await addJobs(db, 100);
    const claims = Array.from({ length: 12 }, (_, n) =>
      (n % 2 === 0 ? db : other).write([claimJobs(`worker ${n}`, 10)]),
    );
    const claimed = (await Promise.all(claims)).map(([rows = []]) => rows.map((row) => Number(row['id'])));
    const all = claimed.flat().sort((a, b) => a - b);
    assert.deepEqual(all, [...new Set(all)]);
    assert.ok(claimed.every((rows) => rows.length <= 10));
    // A claim may skip rows that another claim locks and does not take. One more claim finds them.
    const [rest = []] = await db.write([claimJobs('last', 100)]);
    assert.equal(all.length + rest.length, 100);
    await Promise.all([db.close(), other.close()]);
  });
}

test('postgres: a claim skips a row that another transaction has locked, without waiting', async (t) => {
  const [, postgres] = engines;
  assert.ok(postgres);
  const url = await postgres.createLocation(t);
  const db = await postgres.openAt(url);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await addJobs(db, 3);
  await holder.query('begin');
  await holder.query('select id from job where id = 0 for update');
  const claimed = await db.write([claimJobs('worker', 2)]);
  assert.deepEqual(claimed, [[{ id: 1 }, { id: 2 }]]);
  await holder.end();
  await db.close();
});
