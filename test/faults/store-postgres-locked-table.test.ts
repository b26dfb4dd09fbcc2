import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { type Database, ReadUnavailable, WriteBusy } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, dropDatabase } from '../support/postgres-databases.ts';

// An operator locks one table (alter table, create index, vacuum full). The other tables must stay usable.

/** Two tables, and a session of an operator. */
async function open(t: TestContext): Promise<{ db: Database; operator: pg.Client }> {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const db = await openPostgres(url, { random: systemRandom, statementTimeoutMs: 2_500 });
  t.after(() => db.close());
  const operator = new pg.Client({ connectionString: url });
  operator.on('error', () => undefined);
  await operator.connect();
  t.after(() => operator.end());
  await operator.query('create table locked (id text primary key, n bigint); create table other (id text primary key)');
  return { db, operator };
}

const intoLocked = (id: string) => ({ sql: 'insert into locked (id, n) values ($1, 0)', args: [id] });
const intoOther = { sql: 'insert into other (id) values ($1)', args: ['a'] };
/** The number of calls that failed because of their own timeout. */
const countTimeouts = (faults: readonly Error[]) => faults.filter(({ message }) => message.includes('57014')).length;

/** The faults of many calls so far, and a promise for the first one. */
function faultsOf(calls: readonly Promise<unknown>[]): { faults: Error[]; first: Promise<void> } {
  const faults: Error[] = [];
  const first = Promise.withResolvers<void>();
  for (const call of calls) {
    call.catch((fault: Error) => {
      faults.push(fault);
      first.resolve();
    });
  }
  return { faults, first: first.promise };
}

// The tests wait at the same time, each in a database of its own.
describe('a locked table', { concurrency: 3 }, () => {
  test('postgres: writes to a locked table fail together, and writes to other tables do not wait for them', async (t) => {
    const { db, operator } = await open(t);
    await operator.query('begin; lock table locked in share mode');
    const writes = Array.from({ length: 150 }, (_, n) => db.write([intoLocked(`${n}`)]));
    const { faults, first } = faultsOf(writes);
    await first;
    await db.write([intoOther]);
    assert.ok(countTimeouts(faults) <= 6, `${countTimeouts(faults)} timed out`);
    await Promise.allSettled(writes);
    assert.deepEqual([...new Set(faults.map(({ name }) => name))], ['WriteBusy']);
    assert.equal(faults.length, writes.length);
    assert.match(faults.at(-1)?.message ?? '', /another session has locked locked,/);
    await operator.query('rollback');
    await Promise.all(writes.map((_, n) => db.write([intoLocked(`${n}`)])));
    assert.equal((await db.read('select id from locked')).length, writes.length);
  });

  test('postgres: a write that waits for a table is stored once when the table is unlocked', async (t) => {
    const { db, operator } = await open(t);
    await operator.query('begin; lock table locked in share mode');
    await assert.rejects(db.write([intoLocked('a')]), WriteBusy);
    const writes = ['b', 'c', 'd'].map((id) => db.write([intoLocked(id)]));
    await operator.query('rollback');
    await Promise.all(writes);
    assert.equal((await db.read('select id from locked')).length, 3);
  });

  test('postgres: reads of a locked table fail together, and reads of other tables do not wait for them', async (t) => {
    const { db, operator } = await open(t);
    await operator.query('begin; lock table locked in access exclusive mode');
    await assert.rejects(db.read('select n from locked'), ReadUnavailable);
    const reads = Array.from({ length: 150 }, () => db.read('select n from locked where n > $1', [0]));
    const { faults } = faultsOf(reads);
    assert.deepEqual(await db.read('select id from other where id > $1', ['']), []);
    assert.equal(faults.length, 0);
    await Promise.allSettled(reads);
    assert.ok(faults.length === reads.length && faults.every((fault) => fault instanceof ReadUnavailable));
    assert.ok(countTimeouts(faults) <= 1, `${countTimeouts(faults)} timed out`);
    await operator.query('rollback');
    assert.deepEqual(await db.read('select n from locked'), []);
  });
});
