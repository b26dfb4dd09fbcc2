import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Statement } from '../database.ts';
import { createStatementMerger, layOutSeparately } from './merge-statements.ts';

const row = (id: string): Statement => ({ sql: "insert into a (id, of, kind) values ($1, $1, 'x')", args: [id] });
const update: Statement = { sql: 'update b set c = 1 where id = $1', args: ['b'] };

test('the plain inserts at the end of each unit are one statement for each text, behind everything else', () => {
  const other: Statement = { sql: 'insert into c (id) values ($1)', args: ['c'] };
  const units = [[row('1'), update, row('2'), other], [row('3')], [update], [row('4'), row('5')]];
  const { statements, sources, separateRange } = createStatementMerger()(units);
  assert.deepEqual(statements, [
    row('1'),
    update,
    update,
    {
      sql: "insert into a (id, of, kind) values ($1, $1, 'x'), ($2, $2, 'x'), ($3, $3, 'x'), ($4, $4, 'x')",
      args: ['2', '3', '4', '5'],
    },
    other,
  ]);
  assert.deepEqual(
    sources.map((own) => own.map(({ at }) => at)),
    [[0, 1, 3, 4], [3], [2], [3, 3]],
  );
  assert.deepEqual(separateRange, [0, 3]);
});

test('each row of several that go together has its own values', () => {
  const sql = 'insert into a (id, of, kind) values ($2, $1, $2)';
  const { statements } = createStatementMerger()([[{ sql, args: ['1', '2'] }], [{ sql, args: ['3', '4'] }]]);
  assert.deepEqual(statements, [
    { sql: 'insert into a (id, of, kind) values ($2, $1, $2), ($4, $3, $4)', args: ['1', '2', '3', '4'] },
  ]);
});

test('rows beyond a power of two go in smaller statements, each row once', () => {
  const units = Array.from({ length: 100 }, (_, n) => [row(`${n}`)]);
  const { statements, sources } = createStatementMerger()(units);
  assert.deepEqual(
    statements.map(({ args }) => args?.length),
    [64, 32, 4],
  );
  for (const [n, [place]] of sources.entries()) assert.ok(statements[place?.at ?? -1]?.args?.includes(`${n}`));
});

test('what depends on other rows, or states its rows, is left where it stands', () => {
  const separateRange: Statement[] = [
    { sql: 'insert into a (id) values ($1) on conflict (id) do nothing', args: ['1'] },
    { sql: 'insert into a (id) values ($1) returning id', args: ['1'] },
    { sql: 'insert into a (id) select id from b where id = $1', args: ['1'] },
    { sql: 'insert into a (id) values (lower($1))', args: ['1'] },
    { sql: "insert into a (id, text) values ($1, 'costs $1')", args: ['1'] },
    { ...row('1'), rows: 0 },
  ];
  for (const statement of separateRange) {
    const units = [[statement], [statement]];
    assert.deepEqual(createStatementMerger()(units), layOutSeparately(units));
  }
});

const change = (id: string, to: string | null, more: Partial<Statement> = {}): Statement => ({
  sql: 'update b set c = cast($1 as text) where id = cast($2 as text) and d = cast($3 as bigint) returning id',
  args: [to, id, 7],
  ...more,
});

test('the updates of a row at the beginning of each unit are one statement for each text, before everything else', () => {
  const units = [[change('1', 'x'), update, row('1')], [change('2', null, { rows: 1 })], [update, change('3', 'z')]];
  const { statements, sources, separateRange } = createStatementMerger()(units);
  assert.deepEqual(statements, [
    {
      sql: 'update b set c = given.v1 from (values (cast($1 as text), cast($2 as text), cast($3 as bigint)), (cast($4 as text), cast($5 as text), cast($6 as bigint))) as given (v1, v2, v3) where id = given.v2 and d = given.v3 returning id',
      args: ['x', '1', 7, null, '2', 7],
    },
    update,
    update,
    change('3', 'z'),
    row('1'),
  ]);
  assert.deepEqual(sources, [[{ at: 0, id: '1' }, { at: 1 }, { at: 4 }], [{ at: 0, id: '2' }], [{ at: 2 }, { at: 3 }]]);
  assert.deepEqual(separateRange, [1, 4]);
});

test('a second update of the same row stays a statement of its own', () => {
  const { statements, sources } = createStatementMerger()([[change('1', 'x')], [change('2', 'y')], [change('1', 'z')]]);
  assert.deepEqual(
    statements.map(({ args }) => args),
    [
      ['x', '1', 7, 'y', '2', 7],
      ['z', '1', 7],
    ],
  );
  assert.deepEqual(sources[2], [{ at: 1 }]);
});

test('what a unit has behind an update that stays by itself is not done before it', () => {
  const other = (id: string): Statement => ({
    sql: 'update e set f = 1 where id = cast($1 as text) returning id',
    args: [id],
  });
  const { sources } = createStatementMerger()([[change('1', 'x')], [change('1', 'y'), other('2')], [other('3')]]);
  assert.deepEqual(sources, [[{ at: 0, id: '1' }], [{ at: 2 }, { at: 3 }], [{ at: 1, id: '3' }]]);
});

test('an update whose values do not all state their type, or which changes more than one row, stays as it is', () => {
  const texts = [
    'update b set c = $1 where id = cast($2 as text) returning id',
    'update b set c = cast($1 as text) where id = $2 returning id',
    'update b set c = $2 where id = cast($1 as text) returning id',
    'update b set c = 1 where id = cast($1 as text) and d = $2 returning id',
    'update b set c = cast($1 as text) where id > cast($2 as text) returning id',
    'update b set c = cast($1 as text) where d = cast($2 as text) returning id',
    'update b set c = cast($1 as text) where id = cast($2 as text)',
    'update b set c = (select c from a where id = cast($2 as text) and d = cast($1 as text)) returning id',
  ];
  for (const sql of texts) {
    const units = ['1', '2'].map((id) => [{ sql, args: ['x', id] }]);
    assert.deepEqual(createStatementMerger()(units), layOutSeparately(units));
  }
});
