import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchInsert } from '../batch-statements.ts';
import { type Row, type Statement, WriteBusy, WriteRefused, WriteUnknown } from '../database.ts';
import type { PendingUnit } from '../group-commit.ts';
import { createPostgresCommitter, type LockedTableHandling } from './postgres-committer.ts';
import type { PostgresConnection, StatementReply } from './postgres-connection.ts';
import { classifyPostgresError } from './postgres-fault.ts';

// The replies of a server in an exact order. test/faults uses a real server.
type Respond = (sql: string, run: number) => StatementReply;

/** A committer over a scripted server that accepts this number of connections. */
function scripted(respond: Respond, connections = Number.POSITIVE_INFINITY) {
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
        return statements.map(({ sql }) => respond(sql, sent.length));
      },
      destroy: () => {
        usable = false;
        destroyed += 1;
      },
      close: () => Promise.resolve(),
    };
  };
  return { commitBatch: createPostgresCommitter(open, unlocked), sent, counts: () => ({ opened, destroyed }) };
}

/** No table is locked. */
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

test('the batch inserts of several units are one statement, and run separately after that statement fails', async () => {
  const insertThing = batchInsert('thing', 'id');
  const one = 'insert into thing (id) values ($1)';
  const two = 'insert into thing (id) values ($1), ($2)';
  const { commitBatch, sent } = scripted((sql, run) => {
    if (sql === two) return fails('23505');
    return sql === 'commit' && run === 1 ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const units = ['a', 'b'].map((id) => pending(insertThing([id])));
  await commitBatch(
    units.map((unit) => unit.pending),
    0,
  );
  assert.deepEqual(sent, [
    ['begin', two, 'commit'],
    ['begin', one, one, 'commit'],
  ]);
});

test('a failed unit is removed from its batch, and the other units run again as one batch', async () => {
  const { commitBatch, sent } = scripted((sql, run) => {
    if (run > 1 || sql === 'begin' || sql === 'a') return fine(sql);
    return sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fails(sql === 'b' ? '23505' : '25P02');
  });
  const units = [pending(a), pending(b), pending(c)];
  const left = await commitBatch(
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
  const { commitBatch, sent } = scripted((sql, run) => {
    if (sql === 'begin') return fine(sql);
    const bad = run === 1 ? 'a' : 'b';
    if (sql === bad) return fails('23505');
    return sql === 'commit' && sent[run - 1]?.includes(bad) ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const units = [pending(a), pending(b), pending(c), pending(c)];
  await commitBatch(
    units.map((unit) => unit.pending),
    0,
  );
  assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [refused, refused, [[]], [[]]]);
  assert.deepEqual(sent.slice(2), [
    ['begin', 'c', 'commit'],
    ['begin', 'c', 'commit'],
  ]);
});

test('COMMIT is sent after the expected rows were counted', async () => {
  const { commitBatch, sent } = scripted((sql) => (sql === 'a' ? { rows: [{ n: 1 }], command: 'UPDATE' } : fine(sql)));
  const units = [pending({ sql: 'a', rows: 1 }), pending({ sql: 'b', rows: 1 })];
  await commitBatch(
    units.map((unit) => unit.pending),
    0,
  );
  const rows = new WriteRefused('rows', 0, 'expected 1 rows, received 0');
  assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [[[{ n: 1 }]], rows]);
  assert.deepEqual(sent, [['begin', 'a', 'b'], ['rollback'], ['begin', 'a'], ['commit']]);
});

test('after a FATAL error with any code the outcome is unknown, and nothing runs again', async () => {
  for (const commit of [
    fails('57P01', 'FATAL'),
    { fault: classifyPostgresError(new Error('Connection terminated')) },
  ]) {
    const { commitBatch, sent, counts } = scripted((sql) => (sql === 'commit' ? commit : fails('23505', 'FATAL')));
    const units = [pending(a), pending(b)];
    assert.deepEqual(
      (
        await commitBatch(
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

test('a reply to COMMIT that is neither COMMIT nor ROLLBACK makes the outcome unknown, and nothing runs again', async () => {
  const { commitBatch, sent } = scripted((sql) => (sql === 'commit' ? { rows: [], command: 'SET' } : fine(sql)));
  const unit = pending(a);
  assert.deepEqual((await commitBatch([unit.pending], 0)).units, []);
  assert.ok((await unit.settled) instanceof WriteUnknown);
  assert.equal(sent.length, 1);
});

test('the outcome is unknown if a statement has error 40003, even if COMMIT answers ROLLBACK', async () => {
  const { commitBatch, sent } = scripted((sql) => {
    if (sql === 'a') return fails('40003');
    return sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const unit = pending(a);
  assert.deepEqual((await commitBatch([unit.pending], 0)).units, []);
  assert.ok((await unit.settled) instanceof WriteUnknown);
  assert.equal(sent.length, 1);
});

test('a row with an integer above 2^53 is stored, its unit is unknown, and the other unit is stored', async () => {
  const unreadable: StatementReply = {
    fault: classifyPostgresError(new RangeError('a row holds an integer above 2^53')),
  };
  for (const rows of [undefined, 1]) {
    const { commitBatch, sent } = scripted((sql) => (sql === 'a' ? unreadable : fine(sql)));
    const units = [pending(rows === undefined ? a : { ...a, rows }), pending(b)];
    const left = await commitBatch(
      units.map((unit) => unit.pending),
      0,
    );
    assert.deepEqual(left.units, []);
    const expected = new WriteUnknown('the unit is stored, but a row of it holds an integer above 2^53');
    assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [expected, [[]]]);
    assert.deepEqual(sent.flat(), ['begin', 'a', 'b', 'commit']);
  }
});

test('the outcome is unknown if the reply to COMMIT is lost', async () => {
  const lost: StatementReply = { fault: classifyPostgresError(new Error('Connection terminated unexpectedly')) };
  const { commitBatch } = scripted((sql) => (sql === 'commit' ? lost : fine(sql)));
  const unit = pending({ sql: 'a', rows: 0 });
  await commitBatch([unit.pending], 0);
  assert.deepEqual(await unit.settled, new WriteUnknown('Connection terminated unexpectedly'));
});

test('the outcome is unknown if COMMIT succeeds after a statement failed', async () => {
  const { commitBatch } = scripted((sql) => (sql === 'a' ? fails('23505') : fine(sql)));
  const unit = pending(a);
  assert.deepEqual((await commitBatch([unit.pending], 0)).units, []);
  assert.ok((await unit.settled) instanceof WriteUnknown);
});

test('a COMMIT that answers ROLLBACK without an error stored nothing', async () => {
  const { commitBatch, counts } = scripted((sql) => (sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fine(sql)));
  const unit = pending(a);
  assert.deepEqual((await commitBatch([unit.pending], 0)).units, [unit.pending]);
  assert.deepEqual(counts(), { opened: 1, destroyed: 1 });
});

test('after a serialisation failure, also of COMMIT itself, every unit is returned', async () => {
  for (const failing of ['a', 'commit']) {
    const { commitBatch, counts } = scripted((sql) => {
      if (sql === failing) return fails('40001');
      return sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fine(sql);
    });
    const units = [pending(a).pending, pending(b).pending];
    assert.deepEqual(await commitBatch(units, 0), { units, reason: 'PostgreSQL 40001: 40001' });
    assert.deepEqual(counts(), { opened: 1, destroyed: 0 });
  }
});

test('units run one by one from the third try', async () => {
  const { commitBatch, sent } = scripted((sql) =>
    sql === 'a' ? fails('40P01') : { rows: [], command: sql === 'commit' && sent.length === 1 ? 'ROLLBACK' : 'COMMIT' },
  );
  const units = [pending(a), pending(b)];
  const left = await commitBatch(
    units.map((unit) => unit.pending),
    2,
  );
  assert.deepEqual(left, { units: [units[0]?.pending], reason: 'PostgreSQL 40P01: 40P01' });
  assert.deepEqual(await units[1]?.settled, [[]]);
});

test('a unit is refused as busy after a statement timeout, and the other units are stored', async () => {
  const { commitBatch } = scripted((sql, run) => {
    if (sql === 'a') return fails('57014');
    return sql === 'commit' && run === 1 ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const units = [pending(a), pending(b)];
  await commitBatch(
    units.map((unit) => unit.pending),
    0,
  );
  assert.deepEqual(await Promise.all(units.map((unit) => unit.settled)), [
    new WriteBusy('PostgreSQL 57014: 57014'),
    [[]],
  ]);
});

test('without a connection nothing is sent, and the units are returned with the reason', async () => {
  const commitBatch = createPostgresCommitter(() => Promise.reject(new Error('connect ENOENT')), unlocked);
  const unit = pending(a).pending;
  assert.deepEqual(await commitBatch([unit], 0), { units: [unit], reason: 'connect ENOENT' });
});

test('units that run one by one do not each wait for a connection that fails', async () => {
  const { commitBatch, counts } = scripted((sql) => (sql === 'b' ? fails('57P01', 'FATAL') : fine(sql)), 1);
  const units = [pending(a), pending(b), pending(c), pending(c)];
  const left = await commitBatch(
    units.map((unit) => unit.pending),
    2,
  );
  assert.deepEqual(left, { units: units.slice(2).map((unit) => unit.pending), reason: 'try 2' });
  assert.deepEqual(await units[0]?.settled, [[]]);
  assert.ok((await units[1]?.settled) instanceof WriteUnknown);
  assert.deepEqual(counts(), { opened: 2, destroyed: 1 });
});

test('after the error of a standby the next try uses a new connection', async () => {
  const { commitBatch, counts } = scripted((sql) => {
    if (sql === 'a') return fails('25006');
    return sql === 'commit' ? { rows: [], command: 'ROLLBACK' } : fine(sql);
  });
  const unit = pending(a).pending;
  await commitBatch([unit], 0);
  await commitBatch([unit], 1);
  assert.deepEqual(counts(), { opened: 2, destroyed: 2 });
});
