import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLockedTables } from './locked-tables.ts';

test('what waited in vain holds up the statements on its table, and no others that are written alike', () => {
  const locked = createLockedTables();
  const over = (table: string) =>
    `insert into ${table} (id, n) values ($1, $2)\n  on conflict (id) do update set n = excluded.n where ${table}.n < $2`;
  locked.markLocked(over('lease'));
  const alike = (table: string) => [
    over(table),
    `select n from ${table} where id = $1`,
    `select 1 from thing join ${table} on ${table}.id = thing.id`,
    `update ${table} set n = $1`,
    `delete from ${table} where id = $1`,
  ];
  assert.deepEqual(
    ['lease', 'quota'].map((table) => alike(table).map((sql) => locked.includesAny([sql]))),
    [
      [true, true, true, true, true],
      [false, false, false, false, false],
    ],
  );
});
