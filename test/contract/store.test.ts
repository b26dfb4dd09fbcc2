import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, type SqlValue, WriteBusy, WriteRefused } from '../../src/db/database.ts';
import { engines } from '../support/database-engines.ts';
import { exampleTables, insertLetter, insertPerson, openExampleDatabase } from './store-example-tables.ts';

async function ids(db: Database): Promise<unknown[]> {
  return (await db.read('select id from person order by id')).map((row) => row['id']);
}

async function refusal(written: Promise<unknown>): Promise<Pick<WriteRefused, 'kind' | 'statement'>> {
  const error = await written.then(
    () => assert.fail('the unit was stored'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof WriteRefused, String(error));
  return { kind: error.kind, statement: error.statement };
}

for (const engine of engines) {
  test(`${engine.name}: a unit is stored as a whole or not at all`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a'), insertLetter('l1', 'a')]);
    assert.deepEqual(await refusal(db.write([insertPerson('b'), insertLetter('l1', 'b')])), {
      kind: 'unique',
      statement: 1,
    });
    assert.deepEqual(await ids(db), ['a']);
  });

  test(`${engine.name}: a refused unit leaves the other units of its commit stored`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) =>
        db.write([insertPerson(`${n + 10}`), insertLetter(`${n}`, n % 6 === 5 ? 'nobody' : `${n + 10}`)]),
      ),
    );
    const stored = results.flatMap(({ status }, n) => (status === 'fulfilled' ? [`${n + 10}`] : []));
    assert.equal(stored.length, 50);
    assert.deepEqual(await ids(db), stored);
    for (const result of results) {
      if (result.status === 'rejected') assert.equal(result.reason.kind, 'foreign_key');
    }
  });

  test(`${engine.name}: each constraint of the schema has its own kind of refusal, with the index of the statement`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a')]);
    const found = {
      primaryKey: await refusal(db.write([insertPerson('a', 'other')])),
      unique: await refusal(db.write([insertPerson('b'), insertPerson('c', 'a')])),
      notNull: await refusal(db.write([{ sql: 'insert into person (id, alive) values ($1, true)', args: ['d'] }])),
      foreignKey: await refusal(db.write([insertPerson('e'), insertLetter('l', 'nobody')])),
      check: await refusal(db.write([insertPerson('f', 'f', -1)])),
      sql: await refusal(db.write([insertPerson('g'), { sql: 'insert into nowhere (id) values (1)' }])),
    };
    assert.deepEqual(found, {
      primaryKey: { kind: 'unique', statement: 0 },
      unique: { kind: 'unique', statement: 1 },
      notNull: { kind: 'not_null', statement: 0 },
      foreignKey: { kind: 'foreign_key', statement: 1 },
      check: { kind: 'check', statement: 0 },
      sql: { kind: 'other', statement: 1 },
    });
    assert.deepEqual(await ids(db), ['a']);
  });

  test(`${engine.name}: a unit that returns another number of rows than expected is refused without the others`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a')]);
    const rename = (id: string, name: string, rows: number) => ({
      sql: 'update person set name = $1 where id = $2 returning name',
      args: [name, id],
      rows,
    });
    const units = [
      [rename('a', 'first', 1)],
      [insertPerson('b'), rename('nobody', 'x', 1)],
      [insertPerson('c'), rename('nobody', 'x', 0)],
    ];
    const [first, second, third] = await Promise.allSettled(units.map((unit) => db.write(unit)));
    assert.deepEqual(first, { status: 'fulfilled', value: [[{ name: 'first' }]] });
    assert.deepEqual(second?.status === 'rejected' && [second.reason.kind, second.reason.statement], ['rows', 1]);
    assert.deepEqual(third, { status: 'fulfilled', value: [[], []] });
    assert.deepEqual(await ids(db), ['a', 'c']);
  });

  test(`${engine.name}: a unit that fails in several statements is refused for the first of them`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a')]);
    const rename = {
      sql: "update person set name = 'x' where id = 'nobody' returning name",
      rows: 1,
    };
    assert.deepEqual(await refusal(db.write([rename, rename])), { kind: 'rows', statement: 0 });
    assert.deepEqual(await refusal(db.write([rename, insertPerson('a')])), { kind: 'rows', statement: 0 });
    assert.deepEqual(await refusal(db.write([insertPerson('a'), rename])), { kind: 'unique', statement: 0 });
  });

  test(`${engine.name}: exactly one of 20 units that expect the same state is stored`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a', 'a', 1)]);
    const sql = 'update person set born = born + 1 where id = $1 and born = $2 returning born';
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => db.write([{ sql, args: ['a', 1], rows: 1 }])),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual(await db.read('select born from person'), [{ born: 2 }]);
  });

  test(`${engine.name}: every value is read as it was written`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([
      {
        sql: 'create table thing (id bigint not null primary key, words text, number bigint, flag boolean, bytes bytea)',
      },
    ]);
    const all = Uint8Array.from({ length: 256 }, (_, n) => n);
    const rows: SqlValue[][] = [
      [1, '', 0, true, new Uint8Array(0)],
      [2, 'O\'Brien \\ "x" $1 -- \n\t', Number.MAX_SAFE_INTEGER, false, all],
      [3, 'Ærøskøbing 👩‍🚀 e\u0301 \u202e', -Number.MAX_SAFE_INTEGER, null, all.subarray(7, 19)],
      [4, null, null, null, null],
      [5, '5', 5, true, Buffer.from('pooled')],
    ];
    const columns = ['id', 'words', 'number', 'flag', 'bytes'];
    const expected = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, plain(row[at] ?? null)])));
    const insert = 'insert into thing (id, words, number, flag, bytes) values ($1, $2, $3, $4, $5) returning *';
    const written = await db.write(rows.map((args) => ({ sql: insert, args })));
    assert.deepEqual(
      written,
      expected.map((row) => [row]),
    );
    assert.deepEqual(await db.read('select * from thing order by id'), expected);
    for (const [name, value] of [
      ['words', '5'],
      ['number', 5],
      ['bytes', Buffer.from('pooled')],
    ] as const) {
      assert.deepEqual(await db.read(`select id from thing where ${name} = $1`, [value]), [{ id: 5 }]);
    }
  });

  test(`${engine.name}: an integer stays an integer in a text column and in arithmetic`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    const sql = 'insert into person (id, name, born, alive) values ($1, $2, $3 / 2, true) returning name, born';
    assert.deepEqual(await db.write([{ sql, args: ['a', 5, 7] }]), [[{ name: '5', born: 3 }]]);
  });

  test(`${engine.name}: a boolean column is read as a boolean through a common table expression`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a', 'a', 0, true), insertPerson('b', 'b', 0, false)]);
    const sql = `with chosen as (select id, alive as living from person where alive = $1)
      select chosen.living, p.alive from chosen join person p on p.id = chosen.id`;
    assert.deepEqual(await db.read(sql, [false]), [{ living: false, alive: false }]);
    assert.deepEqual(await db.read('select id from person where alive'), [{ id: 'a' }]);
    const flip = { sql: 'update person set alive = not alive where id = $1 returning id, alive', args: ['a'] };
    assert.deepEqual(await db.write([flip]), [[{ id: 'a', alive: false }]]);
  });

  test(`${engine.name}: a value that the engines would store differently is refused with its whole unit`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    // The types forbid undefined. A value that bypasses them must be refused as well.
    const bad = [undefined as unknown as SqlValue, 0.5, 2 ** 53, Number.NaN, 'a\0b', 'a\ud800b'];
    for (const value of bad) {
      const unit = [
        insertPerson('a'),
        { sql: 'insert into person (id, name, alive) values ($1, $2, true)', args: ['b', value] },
      ];
      assert.deepEqual(await refusal(db.write(unit)), { kind: 'other', statement: 1 });
      await assert.rejects(db.read('select id from person where id = $1', [value]), TypeError);
    }
    await assert.rejects(db.read('select id from person where id = $1'), TypeError);
    await assert.rejects(db.read('select id from person where id = $1', ['a', 'b']), TypeError);
    assert.deepEqual(await ids(db), []);
  });

  test(`${engine.name}: results are in the order of the statements, and empty for a statement without rows`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    const count = 'select cast(count(*) as bigint) as n from person';
    const unit = [
      { sql: count },
      insertPerson('a'),
      { sql: count },
      { sql: 'delete from person returning id' },
      { sql: count },
    ];
    assert.deepEqual(await db.write(unit), [[{ n: 0 }], [], [{ n: 1 }], [{ id: 'a' }], [{ n: 0 }]]);
  });

  test(`${engine.name}: each of 1,000 concurrent units is stored once`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('p')]);
    const add = { sql: 'update person set born = born + 1 where id = $1', args: ['p'] };
    const names = Array.from({ length: 1_000 }, (_, n) => `u${String(n).padStart(4, '0')}`);
    await Promise.all(
      names.map((name, n) => db.write(n % 10 === 0 ? [insertPerson(name), add] : [insertPerson(name)])),
    );
    assert.deepEqual(await ids(db), ['p', ...names]);
    assert.deepEqual(await db.read('select born from person where id = $1', ['p']), [{ born: 100 }]);
  });

  test(`${engine.name}: an integer that JavaScript cannot hold is an error, not a rounded number`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a', 'a', Number.MAX_SAFE_INTEGER)]);
    await assert.rejects(db.read('select born + 1 as n from person'), /integer above 2\^53/);
    assert.deepEqual(await db.read('select cast(sum(born) as bigint) as n from person'), [
      { n: Number.MAX_SAFE_INTEGER },
    ]);
  });

  test(`${engine.name}: text sorts by its bytes`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write(['z', 'é', 'B', 'a b', 'ab', 'a', '1'].map((id) => insertPerson(id)));
    assert.deepEqual(await ids(db), ['1', 'B', 'a', 'a b', 'ab', 'z', 'é']);
  });

  test(`${engine.name}: an error contains no value of a row`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    const secret = 'Lovelace';
    await db.write([insertPerson(secret)]);
    const attempts = [
      db.write([insertPerson(secret)]),
      db.write([insertLetter('l', secret), insertLetter('m', `${secret}2`)]),
      db.write([insertPerson('x', secret)]),
      db.write([{ sql: 'update person set born = $1', args: [secret] }]),
      db.read('select cast(name as bigint) as n, id || born || $1 as q from person where nowhere = 1', [secret]),
    ];
    for (const attempt of await Promise.allSettled(attempts)) {
      assert.equal(attempt.status, 'rejected');
      const { reason } = attempt;
      const text = [reason.message, reason.stack, JSON.stringify(reason), String(reason.cause)].join(' ');
      assert.ok(!text.includes(secret), text);
    }
  });

  test(`${engine.name}: close waits for pending units, and later units are refused as busy`, async (t) => {
    const location = await engine.createLocation(t);
    const db = await engine.openAt(location);
    await db.write(exampleTables.map((sql) => ({ sql })));
    const before = [db.write([insertPerson('a')]), db.write([insertPerson('b')])];
    const closed = db.close();
    await assert.rejects(db.write([insertPerson('c')]), WriteBusy);
    await Promise.all([closed, ...before, db.close()]);
    const again = await engine.openAt(location);
    assert.deepEqual(await ids(again), ['a', 'b']);
    await again.close();
  });
}

function plain(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? new Uint8Array(value) : value;
}
