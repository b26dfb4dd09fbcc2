import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row, SqlValue } from '../database.ts';
import { createLookupMerger, type PendingRead } from './merge-lookups.ts';

function ask(sql: string, ...args: SqlValue[]) {
  const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
  return { asked: { sql, args, resolve, reject } satisfies PendingRead, rows: promise };
}

test('lookups that differ in their key alone are one statement, the last key repeated up to a power of two', async () => {
  const all = ['x', 'y', 'x'].map((id) => ask('select name from a where id = $1', id));
  const { lookups, others } = createLookupMerger()(all.map(({ asked }) => asked));
  const [joined, ...more] = lookups;
  assert.deepEqual([more, others], [[], []]);
  assert.equal(joined?.sql, 'select name, id as asked_key from a where id in ($1, $2, $3, $4)');
  assert.deepEqual(joined.args, ['x', 'y', 'x', 'x']);
  joined.resolve([{ name: 'of x', asked_key: 'x' }]);
  assert.deepEqual(await Promise.all(all.map(({ rows }) => rows)), [[{ name: 'of x' }], [], [{ name: 'of x' }]]);
});

test('one alone, and what is no lookup by one text, goes as it came', () => {
  const alone = [
    ask('select name from b where id = $1', 'x'),
    ask('select id from a where id > $1', 'x'),
    ask('select id from a where id > $1', 'y'),
    ask('select id from a where id = $1 and b = $2', 'x', 'y'),
    ask('select id from a where id = $1 and b = $2', 'x', 'z'),
    ask('select count(*) as n from a where id = $1', 'x'),
    ask('select count(*) as n from a where id = $1', 'y'),
    ask('select id from a where number = $1', 1),
    ask('select id from a where number = $1', 2),
  ].map(({ asked }) => asked);
  const { lookups, others } = createLookupMerger()(alone);
  assert.deepEqual(lookups, alone.slice(0, 1));
  assert.deepEqual(others, alone.slice(1));
});
