import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { lookupByKey } from '../../src/db/batch-statements.ts';
import { type Database, ReadUnavailable, WriteBusy, WriteUnknown } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { pgbouncerSkipReason, startPgbouncer } from '../support/pgbouncer.ts';
import { createDatabase, dropDatabase } from '../support/postgres-databases.ts';

// A pooler that shares a session between clients also shares its settings and its prepared statements.

const skip = pgbouncerSkipReason;
const random = systemRandom;

async function freshDatabase(t: TestContext): Promise<string> {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  return url;
}

async function open(t: TestContext, url: string): Promise<Database> {
  const db = await openPostgres(url, { random });
  t.after(() => db.close());
  return db;
}

const findThing = lookupByKey('thing', 'id', 'id');
const add = (id: string) => ({ sql: 'insert into thing (id) values ($1)', args: [id] });

test('pgbouncer in session mode: two processes write and read, and continue after it was killed', {
  skip,
}, async (t) => {
  const pooler = await startPgbouncer(t, await freshDatabase(t), ['pool_mode = session']);
  const [one, two] = [await open(t, pooler.url), await open(t, pooler.url)];
  await one.write([{ sql: 'create table thing (id text not null primary key)' }]);
  const ids = Array.from({ length: 300 }, (_, n) => `a${n}`);
  await Promise.all(ids.map((id, n) => (n % 2 === 0 ? one : two).write([add(id)])));
  const look = (db: Database, id: string) => findThing(db.read, id);
  assert.deepEqual((await Promise.all(ids.map((id, n) => look(n % 2 === 0 ? two : one, id)))).flat().length, 300);
  await pooler.kill();
  await assert.rejects(look(one, 'a0'), ReadUnavailable);
  await assert.rejects(
    two.write([add('lost')]),
    (fault) => fault instanceof WriteUnknown || fault instanceof WriteBusy,
  );
  await pooler.start();
  await Promise.all([one, two].map((db, n) => db.write([add(`b${n}`)])));
  assert.deepEqual(await one.read("select id from thing where id >= 'b' and id < 'l' order by id"), [
    { id: 'b0' },
    { id: 'b1' },
  ]);
});

for (const settings of [['pool_mode = transaction'], ['pool_mode = transaction', 'server_round_robin = 1']]) {
  test(`pgbouncer with ${settings.join(' and ')} is rejected, and the message names the setting`, {
    skip,
  }, async (t) => {
    const pooler = await startPgbouncer(t, await freshDatabase(t), settings);
    await assert.rejects(openPostgres(pooler.url, { random }), /pool_mode = session/);
  });
}

test('pgbouncer in statement mode is rejected with its own message', { skip }, async (t) => {
  const pooler = await startPgbouncer(t, await freshDatabase(t), ['pool_mode = statement']);
  await assert.rejects(openPostgres(pooler.url, { random }), /statement pooling mode/);
});
