import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, WriteBusy, WriteRefused, WriteUnknown } from '../../src/db/database.ts';
import { openSqlite, openSqliteInThread } from '../../src/db/sqlite/open-sqlite.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { engines } from '../support/database-engines.ts';

// The threads of a server share one writer of the SQLite file. The writer knows a thread only by its port, so these tests need one thread.

const createTable = { sql: 'create table thing (id text not null primary key)' };
const add = (id: string) => ({ sql: 'insert into thing (id) values ($1)', args: [id] });
const slow = {
  sql: 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 300000) select max(i) from n',
};

async function openThreeHandles(
  t: TestContext,
): Promise<{ path: string; first: Database; others: readonly [Database, Database]; lost: string[] }> {
  const [sqlite] = engines;
  assert.equal(sqlite?.name, 'sqlite');
  const path = await sqlite.createLocation(t);
  const lost: string[] = [];
  const first = await openSqlite(path, { random: systemRandom, onLost: (error) => lost.push(error.message) });
  await first.write([createTable]);
  const join = () => {
    const port = first.share?.();
    assert.ok(port !== undefined);
    return openSqliteInThread({ path, port, random: systemRandom });
  };
  return { path, first, others: [join(), join()], lost };
}

const idsOf = async (db: Database) => (await db.read('select id from thing order by id')).map(({ id }) => id);

test('sqlite: the units of three concurrent threads are stored, and only an invalid unit is refused', async (t) => {
  const { first, others } = await openThreeHandles(t);
  const [second, third] = others;
  await first.write([add('a')]);
  // While the writer counts, the batches of the other two arrive.
  const busy = first.write([slow]);
  const written = await Promise.allSettled([
    second.write([add('b'), add('c')]),
    second.write([add('d'), add('a')]),
    third.write([add('e')]),
    third.write([{ ...add('f'), rows: 1 }]),
    second.write([add('g')]),
  ]);
  await busy;
  const outcomes = written.map((one) => (one.status === 'fulfilled' ? one.value.length : one.reason));
  assert.deepEqual(
    outcomes.map((one) => (one instanceof WriteRefused ? [one.kind, one.statement] : one)),
    [2, ['unique', 1], 1, ['rows', 0], 1],
  );
  for (const db of [first, ...others]) assert.deepEqual(await idsOf(db), ['a', 'b', 'c', 'e', 'g']);
  for (const db of [...others, first]) await db.close();
});

test('sqlite: a thread reads what another thread has written since its last read', async (t) => {
  const { first, others } = await openThreeHandles(t);
  const [second] = others;
  for (const id of ['a', 'b', 'c']) {
    await first.write([add(id)]);
    assert.deepEqual((await idsOf(second)).at(-1), id);
  }
  for (const db of [...others, first]) await db.close();
});

test('sqlite: after a lost file no thread can write, and onLost is called once', async (t) => {
  const { path, first, others, lost } = await openThreeHandles(t);
  const [second, third] = others;
  await first.write([{ sql: 'pragma max_page_count = 16' }]);
  await assert.rejects(second.write([add('b'.repeat(100_000))]), WriteUnknown);
  // The file itself has room for these.
  for (const db of [first, third]) {
    await assert.rejects(db.write([add('c')]), WriteUnknown);
    await assert.rejects(db.write([add('d')]), WriteBusy);
  }
  assert.equal(lost.length, 1);
  for (const db of [...others, first]) await db.close();
  const again = await openSqlite(path, { random: systemRandom });
  assert.deepEqual(await idsOf(again), []);
  await again.close();
});

test('sqlite: a thread cannot write after the writer was closed', async (t) => {
  const { path, first, others } = await openThreeHandles(t);
  const [second, third] = others;
  await third.close();
  await second.write([add('a')]);
  await first.close();
  // The writer may end before or during this write.
  await assert.rejects(
    second.write([add('b')]),
    (fault) => fault instanceof WriteBusy || fault instanceof WriteUnknown,
  );
  await assert.rejects(second.write([add('c')]), WriteBusy);
  await second.close();
  const again = await openSqlite(path, { random: systemRandom });
  assert.deepEqual(await idsOf(again), ['a']);
  await again.close();
});
