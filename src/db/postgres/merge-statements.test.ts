import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchInsert } from '../batch-statements.ts';
import type { Statement } from '../database.ts';
import { layOutSeparately, mergeStatements } from './merge-statements.ts';

const insertA = batchInsert('a', 'id, kind');
const row = (id: string): Statement => insertA([id, 'x']);
const update: Statement = { sql: 'update b set c = 1 where id = $1', args: ['b'] };

/** A statement as the server gets it when it is not merged. */
const alone = ({ sql, args }: Statement) => ({ sql, args });

test('the inserts at the end of each unit become one statement for each text, after everything else', () => {
  const other = batchInsert('c', 'id')(['c']);
  const units = [[row('1'), update, row('2'), other], [row('3')], [update], [row('4'), row('5')]];
  const { statements, sources, separateRange } = mergeStatements(units);
  assert.deepEqual(statements, [
    alone(row('1')),
    update,
    update,
    {
      sql: 'insert into a (id, kind) values ($1, $2), ($3, $4), ($5, $6), ($7, $8)',
      args: ['2', 'x', '3', 'x', '4', 'x', '5', 'x'],
    },
    alone(other),
  ]);
  assert.deepEqual(
    sources.map((own) => own.map(({ at }) => at)),
    [[0, 1, 3, 4], [3], [2], [3, 3]],
  );
  assert.deepEqual(separateRange, [0, 3]);
});

test('the rows of 100 inserts go in statements of 64, 32 and 4 rows, each row once', () => {
  const units = Array.from({ length: 100 }, (_, n) => [row(`${n}`)]);
  const { statements, sources } = mergeStatements(units);
  assert.deepEqual(
    statements.map(({ args }) => args?.length),
    [128, 64, 8],
  );
  for (const [n, [source]] of sources.entries()) assert.ok(statements[source?.at ?? -1]?.args?.includes(`${n}`));
});

test('statements without a declared batch are not merged, although their texts are the same', () => {
  const statements: Statement[] = [
    { sql: 'insert into a (id) values ($1)', args: ['1'] },
    { sql: 'insert into a (id) values ($1) on conflict (id) do nothing', args: ['1'] },
    { sql: 'update b set c = $1 where id = $2 returning id', args: ['x', '1'] },
  ];
  for (const statement of statements) {
    const units = [[statement], [statement]];
    assert.deepEqual(mergeStatements(units), layOutSeparately(units));
  }
});

test('a statement with a separate text for PostgreSQL is sent with that text', () => {
  const claim: Statement = { sql: 'select 1', postgresSql: 'select 2', args: ['x'] };
  assert.deepEqual(layOutSeparately([[claim]]).statements, [{ sql: 'select 2', args: ['x'] }]);
});

const changeSql = 'update b set c = $1 where id = $2 and d = $3 returning id';
const changeManySql = `update b set c = input.c from unnest(cast($1 as text[]), cast($2 as text[]), cast($3 as bigint[]))
  as input (c, id, d) where b.id = input.id and b.d = input.d returning b.id`;

const change = (id: string, to: string | null, more: Partial<Statement> = {}): Statement => ({
  sql: changeSql,
  args: [to, id, 7],
  batch: { kind: 'update', sql: changeManySql, idIndex: 1 },
  ...more,
});

test('the updates at the start of each unit become one statement with an array for each argument, before everything else', () => {
  const units = [[change('1', 'x'), update, row('1')], [change('2', null, { rows: 1 })], [update, change('3', 'z')]];
  const { statements, sources, separateRange } = mergeStatements(units);
  assert.deepEqual(statements, [
    {
      sql: changeManySql,
      args: [
        ['x', null],
        ['1', '2'],
        [7, 7],
      ],
    },
    update,
    update,
    alone(change('3', 'z')),
    alone(row('1')),
  ]);
  assert.deepEqual(sources, [
    [{ at: 0, rowId: '1' }, { at: 1 }, { at: 4 }],
    [{ at: 0, rowId: '2' }],
    [{ at: 2 }, { at: 3 }],
  ]);
  assert.deepEqual(separateRange, [1, 4]);
});

test('a second update of the same row is not merged', () => {
  const { statements, sources } = mergeStatements([[change('1', 'x')], [change('2', 'y')], [change('1', 'z')]]);
  assert.deepEqual(
    statements.map(({ args }) => args),
    [
      [
        ['x', 'y'],
        ['1', '2'],
        [7, 7],
      ],
      ['z', '1', 7],
    ],
  );
  assert.deepEqual(sources[2], [{ at: 1 }]);
});

test('statements of a unit after an update that is not merged run after it', () => {
  const other = (id: string): Statement => ({
    sql: 'update e set f = 1 where id = $1 returning id',
    args: [id],
    batch: { kind: 'update', sql: 'update e set f = 1 where id = any($1) returning id', idIndex: 0 },
  });
  const { sources } = mergeStatements([[change('1', 'x')], [change('1', 'y'), other('2')], [other('3')]]);
  assert.deepEqual(sources, [[{ at: 0, rowId: '1' }], [{ at: 2 }, { at: 3 }], [{ at: 1, rowId: '3' }]]);
});
