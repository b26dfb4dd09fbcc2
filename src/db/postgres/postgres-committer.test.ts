import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchInsert } from '../batch-statements.ts';
import { type Row, type Statement, WriteBusy, WriteRefused, WriteUnknown } from '../database.ts';
import type { PendingUnit } from '../group-commit.ts';
import { createPostgresCommitter, type LockedTableHandling } from './postgres-committer.ts';
import type { PostgresConnection, StatementReply } from './postgres-connection.ts';
import { classifyPostgresError } from './postgres-fault.ts';

// What a server may answer, in orders that a real one gives only with luck. The real one is asked in test/faults.
type Answer = (sql: string, run: number) => StatementReply;

/** `connections`: so many are to be had. */
function scripted(answer: Answer, connections = Number.POSITIVE_INFINITY) {
  const sent: string[][] = [];
  let destroyed = 0;
  let opened = 0;
  const open = async (): Promise<PostgresConnection> => {
    opened += 1;
    if (opened > connections) throw new Error(`try ${opened}`);
    let usable = true;
    return {
      get usable() {
        return usable;
      },
      send: async (statements) => {
        sent.push(statements.map(({ sql }) => sql));
        return statements.map(({ sql }) => answer(sql, sent.length));
      },
      destroy: () => {
        usable = false;
        destroyed += 1;
      },
      close: () => Promise.resolve(),
    };
  };
  return { lane: createPostgresCommitter(open, unlocked), sent, counts: () => ({ opened, destroyed }) };
}

/** A lane that gives no unit away. */
const unlocked: LockedTableHandling = { locked: { markLocked: () => undefined }, divert: (units) => units };

function pending(...unit: Statement[]): { readonly pending: PendingUnit; readonly settled: Promise<Row[][] | Error> } {
  const { promise, resolve, reject } = Promise.withResolvers<Row[][]>();
  return { pending: { unit, resolve, reject }, settled: promise.catch((error: Error) => error) };
}

const fine = (sql: string): StatementReply => ({ rows: [], command: sql.toUpperCase() });
const fails = (code: string, severity = 'ERROR'): StatementReply => ({
  fault: classifyPostgresError(Object.assign(new Error(code), { code, severity })),
});
const [a, b, c] = [{ sql: 'a' }, { sql: 'b' }, { sql: 'c' }];
const refused = new WriteRefused('unique', 0, 'PostgreSQL 23505');

test('batch inserts of several units are one statement, and run separately after it failed', async () => {
  const insertThing = batchInsert('thing', ['id']);
  const one = 'insert into thing (id) values ($1)';
  const two = 'insert into thing (id) values ($1), ($2)';
  const { lane, sent } = scripted((sql, run) => {
    if (sql === two) return fails('23505');
    return sql === 'commit' && run === 1 ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const units = ['a', 'b'].map((id) => pending(insertThing([id])));
  await lane(
    units.map((unit) => unit.pending),
    0,
  );
  assert.deepEqual(sent, [
    ['begin', two, 'commit'],
    ['begin', one, one, 'commit'],
  ]);
});

test('a failed unit is taken out, and the rest runs again as one batch', async () => {
  const { lane, sent } = scripted((sql, run) => {
    if (run > 1 || sql === 'begin' || sql === 'a') return fine(sql);
    return sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fails(sql === 'b' ? '23505' : '25P02');
  });
  const units = [pending(a), pending(b), pending(c)];
  const left = await lane(
    units.map((unit) => unit.pending),
    0,
  );
  assert.deepEqual(left.units, []);
  assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [[[]], refused, [[]]]);
  assert.deepEqual(sent, [
    ['begin', 'a', 'b', 'c', 'commit'],
    ['begin', 'a', 'c', 'commit'],
  ]);
});

test('after a second failure the units run one by one', async () => {
  const { lane, sent } = scripted((sql, run) => {
    if (sql === 'begin') return fine(sql);
    const bad = run === 1 ? 'a' : 'b';
    if (sql === bad) return fails('23505');
    return sql === 'commit' && sent[run - 1]?.includes(bad) ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const units = [pending(a), pending(b), pending(c), pending(c)];
  await lane(
    units.map((unit) => unit.pending),
    0,
  );
  assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [refused, refused, [[]], [[]]]);
  assert.deepEqual(sent.slice(2), [
    ['begin', 'c', 'commit'],
    ['begin', 'c', 'commit'],
  ]);
});

test('stated rows hold COMMIT back until they were counted', async () => {
  const { lane, sent } = scripted((sql) => (sql === 'a' ? { rows: [{ n: 1 }], command: 'UPDATE' } : fine(sql)));
  const units = [pending({ sql: 'a', rows: 1 }), pending({ sql: 'b', rows: 1 })];
  await lane(
    units.map((unit) => unit.pending),
    0,
  );
  const rows = new WriteRefused('rows', 0, 'expected 1 rows, received 0');
  assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [[[{ n: 1 }]], rows]);
  assert.deepEqual(sent, [['begin', 'a', 'b'], ['rollback'], ['begin', 'a'], ['commit']]);
});

test('FATAL is unknown, whatever its code and whatever COMMIT answers, and nothing runs again', async () => {
  for (const commit of [
    fails('57P01', 'FATAL'),
    { fault: classifyPostgresError(new Error('Connection terminated')) },
  ]) {
    const { lane, sent, counts } = scripted((sql) => (sql === 'commit' ? commit : fails('23505', 'FATAL')));
    const units = [pending(a), pending(b)];
    assert.deepEqual(
      (
        await lane(
          units.map((unit) => unit.pending),
          0,
        )
      ).units,
      [],
    );
    for (const unit of units) assert.ok((await unit.settled) instanceof WriteUnknown);
    assert.equal(sent.length, 1);
    assert.deepEqual(counts(), { opened: 1, destroyed: 1 });
  }
});

test('a COMMIT that is answered with neither COMMIT nor ROLLBACK is unknown, and nothing runs again', async () => {
  const { lane, sent } = scripted((sql) => (sql === 'commit' ? { rows: [], command: 'SET' } : fine(sql)));
  const unit = pending(a);
  assert.deepEqual((await lane([unit.pending], 0)).units, []);
  assert.ok((await unit.settled) instanceof WriteUnknown);
  assert.equal(sent.length, 1);
});

test('a statement whose completion is unknown leaves its transaction so, though COMMIT answers ROLLBACK', async () => {
  const { lane, sent } = scripted((sql) => {
    if (sql === 'a') return fails('40003');
    return sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const unit = pending(a);
  assert.deepEqual((await lane([unit.pending], 0)).units, []);
  assert.ok((await unit.settled) instanceof WriteUnknown);
  assert.equal(sent.length, 1);
});

test('a row that no number can tell is stored with its unit, which is told so, and with its neighbour', async () => {
  const unreadable: StatementReply = {
    fault: classifyPostgresError(new RangeError('a row holds an integer above 2^53')),
  };
  for (const rows of [undefined, 1]) {
    const { lane, sent } = scripted((sql) => (sql === 'a' ? unreadable : fine(sql)));
    const units = [pending(rows === undefined ? a : { ...a, rows }), pending(b)];
    const left = await lane(
      units.map((unit) => unit.pending),
      0,
    );
    assert.deepEqual(left.units, []);
    const told = new WriteUnknown('the unit is stored, but a row of it holds an integer above 2^53');
    assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [told, [[]]]);
    assert.deepEqual(sent.flat(), ['begin', 'a', 'b', 'commit']);
  }
});

test('a lost COMMIT is unknown', async () => {
  const lost: StatementReply = { fault: classifyPostgresError(new Error('Connection terminated unexpectedly')) };
  const { lane } = scripted((sql) => (sql === 'commit' ? lost : fine(sql)));
  const unit = pending({ sql: 'a', rows: 0 });
  await lane([unit.pending], 0);
  assert.deepEqual(await unit.settled, new WriteUnknown('Connection terminated unexpectedly'));
});

test('a COMMIT that answers ROLLBACK without an error stored nothing', async () => {
  const { lane, counts } = scripted((sql) => (sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fine(sql)));
  const unit = pending(a);
  assert.deepEqual((await lane([unit.pending], 0)).units, [unit.pending]);
  assert.deepEqual(counts(), { opened: 1, destroyed: 1 });
});

test('a serialisation failure, also of COMMIT itself, gives every unit back', async () => {
  for (const failing of ['a', 'commit']) {
    const { lane, counts } = scripted((sql) => {
      if (sql === failing) return fails('40001');
      return sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fine(sql);
    });
    const units = [pending(a).pending, pending(b).pending];
    assert.deepEqual(await lane(units, 0), { units, reason: 'PostgreSQL 40001: 40001' });
    assert.deepEqual(counts(), { opened: 1, destroyed: 0 });
  }
});

test('from the third try on, units run one by one', async () => {
  const { lane, sent } = scripted((sql) =>
    sql === 'a' ? fails('40P01') : { rows: [], command: sql === 'commit' && sent.length === 1 ? 'ROLLBACK' : 'COMMIT' },
  );
  const units = [pending(a), pending(b)];
  const left = await lane(
    units.map((unit) => unit.pending),
    2,
  );
  assert.deepEqual(left, { units: [units[0]?.pending], reason: 'PostgreSQL 40P01: 40P01' });
  assert.deepEqual(await units[1]?.settled, [[]]);
});

test('a statement that took too long makes its unit busy, and the rest is stored', async () => {
  const { lane } = scripted((sql, run) => {
    if (sql === 'a') return fails('57014');
    return sql === 'commit' && run === 1 ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const units = [pending(a), pending(b)];
  await lane(
    units.map((unit) => unit.pending),
    0,
  );
  assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [
    new WriteBusy('PostgreSQL 57014: 57014'),
    [[]],
  ]);
});

test('without a connection nothing is sent, and the units are given back with the reason', async () => {
  const lane = createPostgresCommitter(() => Promise.reject(new Error('connect ENOENT')), unlocked);
  const unit = pending(a).pending;
  assert.deepEqual(await lane([unit], 0), { units: [unit], reason: 'connect ENOENT' });
});

test('units that run one by one do not each wait for a connection that cannot be had', async () => {
  const { lane, counts } = scripted((sql) => (sql === 'b' ? fails('57P01', 'FATAL') : fine(sql)), 1);
  const units = [pending(a), pending(b), pending(c), pending(c)];
  const left = await lane(
    units.map((unit) => unit.pending),
    2,
  );
  assert.deepEqual(left, { units: units.slice(2).map((unit) => unit.pending), reason: 'try 2' });
  assert.deepEqual(await units[0]?.settled, [[]]);
  assert.ok((await units[1]?.settled) instanceof WriteUnknown);
  assert.deepEqual(counts(), { opened: 2, destroyed: 1 });
});

test('a standby is left for a new connection', async () => {
  const { lane, counts } = scripted((sql) => {
    if (sql === 'a') return fails('25006');
    return sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const unit = pending(a).pending;
  await lane([unit], 0);
  await lane([unit], 1);
  assert.deepEqual(counts(), { opened: 2, destroyed: 2 });
});
