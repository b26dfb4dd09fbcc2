import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Statement } from './db.ts';
import { createJoinInserts, layApart } from './postgres-inserts.ts';

const row = (id: string): Statement => ({ sql: "insert into a (id, of, kind) values ($1, $1, 'x')", args: [id] });
const update: Statement = { sql: 'update b set c = 1 where id = $1', args: ['b'] };

test('the plain inserts at the end of each unit are one statement for each text, behind everything else', () => {
  const other: Statement = { sql: 'insert into c (id) values ($1)', args: ['c'] };
  const units = [[row('1'), update, row('2'), other], [row('3')], [update], [row('4'), row('5')]];
  const { statements, places, joinedFrom } = createJoinInserts()(units);
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
  assert.deepEqual(places, [[0, 1, 3, 4], [3], [2], [3, 3]]);
  assert.equal(joinedFrom, 3);
});

test('rows beyond a power of two go in smaller statements, each row once', () => {
  const units = Array.from({ length: 100 }, (_, n) => [row(`${n}`)]);
  const { statements, places } = createJoinInserts()(units);
  assert.deepEqual(
    statements.map(({ args }) => args?.length),
    [64, 32, 4],
  );
  for (const [n, [place = -1]] of places.entries()) assert.ok(statements[place]?.args?.includes(`${n}`));
});

test('what depends on other rows, or states its rows, is left where it stands', () => {
  const alone: Statement[] = [
    { sql: 'insert into a (id) values ($1) on conflict (id) do nothing', args: ['1'] },
    { sql: 'insert into a (id) values ($1) returning id', args: ['1'] },
    { sql: 'insert into a (id) select id from b where id = $1', args: ['1'] },
    { sql: 'insert into a (id) values (lower($1))', args: ['1'] },
    { sql: "insert into a (id, text) values ($1, 'costs $1')", args: ['1'] },
    { ...row('1'), rows: 0 },
  ];
  for (const statement of alone) {
    const units = [[statement], [statement]];
    assert.deepEqual(createJoinInserts()(units), layApart(units));
  }
});
