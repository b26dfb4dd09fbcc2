import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLockedTables } from './locked-tables.ts';

const upsert = (table: string) =>
  `insert into ${table} (id, n) values ($1, $2)\n  on conflict (id) do update set n = excluded.n where ${table}.n < $2`;

test('a statement that timed out marks its table for every kind of statement, and no other table', () => {
  const locked = createLockedTables();
  locked.markLocked(upsert('lease'));
  const textsOver = (table: string) => [
    upsert(table),
    `select n from ${table} where id = $1`,
    `select 1 from thing join ${table} on ${table}.id = thing.id`,
    `update ${table} set n = $1`,
    `delete from ${table} where id = $1`,
  ];
  assert.deepEqual(
    ['lease', 'quota'].map((table) => textsOver(table).map((sql) => locked.includesAny([sql]))),
    [
      [true, true, true, true, true],
      [false, false, false, false, false],
    ],
  );
});

test('a successful probe unlocks the table of every kind of statement, also with a function or a row lock', async () => {
  const texts = [
    'update job set n = input.n from unnest(cast($1 as bigint[])) as input (n) where job.n = input.n',
    'select id from job order by id limit $1 for update skip locked',
  ];
  for (const sql of texts) {
    const locked = createLockedTables();
    locked.markLocked(sql);
    const failed = new Error('not called');
    const actions = { probe: async () => 'probe', usual: async () => 'usual', fault: () => failed };
    assert.equal(await locked.probeOrWait(['update job set n = 0'], actions), 'probe');
    assert.equal(locked.includesAny([sql]), false, sql);
  }
});
