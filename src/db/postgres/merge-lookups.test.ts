import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookupByKey } from '../batch-statements.ts';
import type { Read, Row } from '../database.ts';
import { mergeLookups, type PendingRead } from './merge-lookups.ts';

/** A read as the pool holds it, with the rows that its caller gets. */
async function pendingLookup(lookup: ReturnType<typeof lookupByKey>, key: string) {
  const { promise: rows, resolve, reject } = Promise.withResolvers<Row[]>();
  let pending: PendingRead | undefined;
  const read: Read = async (sql, args = [], options = {}) => {
    pending = { sql, args, options, resolve, reject };
    return [];
  };
  await lookup(read, key);
  assert.ok(pending);
  return { pending, rows };
}

const nameById = lookupByKey('a', 'id', 'id, name');

test('lookups of one declaration become one statement with each key once, and each caller gets its rows', async () => {
  const all = await Promise.all(['x', 'y', 'x'].map((key) => pendingLookup(nameById, key)));
  const [merged, ...others] = mergeLookups(all.map(({ pending }) => pending));
  assert.deepEqual(others, []);
  assert.equal(merged?.sql, 'select id, name from a where id = any(cast($1 as text[]))');
  assert.deepEqual(merged.args, [['x', 'y']]);
  merged.resolve([{ id: 'x', name: 'of x' }]);
  const rowsOfX = [{ id: 'x', name: 'of x' }];
  assert.deepEqual(await Promise.all(all.map(({ rows }) => rows)), [rowsOfX, [], rowsOfX]);
});

test('a lookup that is the only one of its declaration keeps its own statement', async () => {
  const lookups = [nameById, lookupByKey('b', 'id', 'id, name'), lookupByKey('a', 'name', 'id, name')];
  const alone = await Promise.all(lookups.map(async (lookup) => (await pendingLookup(lookup, 'x')).pending));
  assert.deepEqual(mergeLookups(alone), alone);
  assert.deepEqual(
    alone.map(({ sql, args }) => [sql, args]),
    [
      ['select id, name from a where id = $1', ['x']],
      ['select id, name from b where id = $1', ['x']],
      ['select id, name from a where name = $1', ['x']],
    ],
  );
});

test('a lookup with more than 32 keys is split into several statements', async () => {
  const all = await Promise.all(Array.from({ length: 33 }, (_, n) => pendingLookup(nameById, `${n}`)));
  const merged = mergeLookups(all.map(({ pending }) => pending));
  assert.deepEqual(
    merged.map(({ parts }) => parts?.length),
    [32, undefined],
  );
});

test('a lookup whose columns lack the key is rejected', () => {
  assert.throws(() => lookupByKey('a', 'id', 'name, other_id'), TypeError);
});
