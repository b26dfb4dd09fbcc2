import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookupByKey } from '../../src/db/batch-statements.ts';
import type { Batch, Statement } from '../../src/db/database.ts';
import { engines } from '../support/database-engines.ts';
import { insertLetter, insertPerson, openExampleDatabase } from './store-example-tables.ts';

// Statements of one tick may be merged. Each caller still gets its own rows and refusals.

const renameBatch: Batch = {
  kind: 'update',
  idIndex: 1,
  sql: `update person p set name = input.name, born = p.born + 10
    from unnest(cast($1 as text[]), cast($2 as text[]), cast($3 as bigint[])) as input (name, id, born)
    where p.id = input.id and p.born = input.born returning p.id`,
};

const rename = (id: string, name: string, born: number, rows?: number): Statement => ({
  sql: 'update person set name = $1, born = born + 10 where id = $2 and born = $3 returning id',
  args: [name, id, born],
  batch: renameBatch,
  ...(rows === undefined ? {} : { rows }),
});

const findName = lookupByKey('person', 'id', 'id, name');
const findPerson = lookupByKey('person', 'id', 'id, name, born');
const findLetters = lookupByKey('letter', 'person_id', 'person_id, id');
const findMissingColumn = lookupByKey('person', 'id', 'id, nothing');
const findCount = lookupByKey('counted', 'id', 'id, n');

for (const engine of engines) {
  test(`${engine.name}: each of many lookups at once gets its own rows`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    const names = Array.from({ length: 40 }, (_, n) => `p${n}`);
    for (const id of names)
      await db.write([insertPerson(id, `name of ${id}`), insertLetter(`${id} 1`, id), insertLetter(`${id} 2`, id)]);
    const asked = [...names, 'nobody', 'p7', "o'; drop table person", ''];
    const found = asked.map((id) => findName(db.read, id));
    const unnamed = asked.map((id) => findPerson(db.read, id));
    const letters = asked.map((id) => findLetters(db.read, id));
    const isThere = (id: string) => names.includes(id);
    assert.deepEqual(
      await Promise.all(found),
      asked.map((id) => (isThere(id) ? [{ id, name: `name of ${id}` }] : [])),
    );
    assert.deepEqual(
      await Promise.all(unnamed),
      asked.map((id) => (isThere(id) ? [{ id, name: `name of ${id}`, born: 0 }] : [])),
    );
    const sorted = (await Promise.all(letters)).map((rows) => rows.map((row) => row['id']).sort());
    assert.deepEqual(
      sorted,
      asked.map((id) => (isThere(id) ? [`${id} 1`, `${id} 2`] : [])),
    );
  });

  test(`${engine.name}: a lookup of a missing column fails for its callers, and other lookups succeed`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a')]);
    const wrong = ['a', 'b', 'c'].map((id) => findMissingColumn(db.read, id));
    const right = ['a', 'b'].map((id) => findName(db.read, id));
    for (const { status } of await Promise.allSettled(wrong)) assert.equal(status, 'rejected');
    assert.deepEqual(await Promise.all(right), [[{ id: 'a', name: 'a' }], []]);
  });

  test(`${engine.name}: a row that cannot be read fails only the lookup of its key`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([{ sql: 'create table counted (id text not null primary key, n bigint not null)' }]);
    const insert = "insert into counted (id, n) values ('a', 1), ('b', 9007199254740991 + 2), ('c', 3)";
    await db.write([{ sql: insert }]);
    const asked = ['a', 'b', 'c', 'nobody'].map((id) => findCount(db.read, id));
    const answers = (await Promise.allSettled(asked)).map((one) =>
      one.status === 'fulfilled' ? one.value : one.status,
    );
    assert.deepEqual(answers, [[{ id: 'a', n: 1 }], 'rejected', [{ id: 'c', n: 3 }], []]);
  });

  test(`${engine.name}: units that end in inserts get their own rows and refusals, and keep their order`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    for (let n = 0; n < 12; n += 1) await db.write([insertPerson(`p${n}`, `p${n}`, 1)]);
    const grow = (n: number): Statement => ({
      sql: 'update person set born = born + 1 where id = $1 and born = $2 returning id, born',
      args: [`p${n}`, n % 4 === 3 ? 99 : 1],
      rows: 1,
    });
    const units = Array.from({ length: 12 }, (_, n) => [
      ...[
        insertLetter(`first ${n}`, `p${n}`),
        grow(n),
        insertPerson(`child ${n}`),
        insertLetter(`to child ${n}`, `child ${n}`),
      ],
      insertLetter(`second ${n}`, `p${n}`),
    ]);
    const results = await Promise.allSettled(units.map((unit) => db.write(unit)));
    for (const [n, result] of results.entries()) {
      if (result.status === 'fulfilled') assert.deepEqual(result.value, [[], [{ id: `p${n}`, born: 2 }], [], [], []]);
      else assert.deepEqual([n % 4, result.reason.kind, result.reason.statement], [3, 'rows', 1]);
    }
    const stored = await db.read('select id from letter order by id');
    const expected = Array.from({ length: 12 }, (_, n) => [`first ${n}`, `second ${n}`, `to child ${n}`]);
    assert.deepEqual(
      stored.map((row) => row['id']),
      expected
        .filter((_, n) => n % 4 !== 3)
        .flat()
        .sort(),
    );
  });

  test(`${engine.name}: each of many updates at once is applied once and gets its own rows`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    for (let n = 0; n < 6; n += 1) await db.write([insertPerson(`p${n}`, `p${n}`, n)]);
    const changes = [
      ...[db.write([rename('p0', 'a', 0)]), db.write([rename('p1', 'b', 1, 1), insertLetter('l1', 'p1')])],
      // Another state than the stored one, with and without `rows`; an unknown id.
      ...[db.write([rename('p2', 'c', 99)]), db.write([rename('p3', 'd', 99, 1), insertLetter('l3', 'p3')])],
      db.write([rename('nobody', 'e', 0)]),
      // Two updates of one row: the second one finds it changed.
      ...[db.write([rename('p4', 'f', 4, 1)]), db.write([rename('p4', 'f', 4, 1)])],
      db.write([rename('p5', "g'; --", 5), insertLetter('l5', 'p5')]),
    ];
    const came = (await Promise.allSettled(changes)).map((one) =>
      one.status === 'fulfilled' ? one.value.map((rows) => rows.map((row) => row['id'])) : one.reason.kind,
    );
    const twice = came.splice(5, 2);
    assert.deepEqual(new Set(twice), new Set([[['p4']], 'rows']));
    assert.deepEqual(came, [[['p0']], [['p1'], []], [[]], 'rows', [[]], [['p5'], []]]);
    const people = await db.read('select name, born from person order by id');
    assert.deepEqual(
      people.map((row) => [row['name'], row['born']]),
      [
        ...[
          ['a', 10],
          ['b', 11],
        ],
        ...[
          ['p2', 2],
          ['p3', 3],
        ],
        ...[
          ['f', 14],
          ["g'; --", 15],
        ],
      ],
    );
  });

  test(`${engine.name}: an update that violates a constraint is refused with its own unit only`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    for (let n = 0; n < 4; n += 1) await db.write([insertPerson(`p${n}`, `p${n}`, n)]);
    const names = ['a', 'p3', 'c'];
    const changes = names.map((name, n) => db.write([rename(`p${n}`, name, n, 1)]));
    const came = (await Promise.allSettled(changes)).map((one) =>
      one.status === 'fulfilled' ? one.value : one.reason.kind,
    );
    assert.deepEqual(came, [[[{ id: 'p0' }]], 'unique', [[{ id: 'p2' }]]]);
    const people = await db.read('select name from person order by id');
    assert.deepEqual(
      people.map((row) => row['name']),
      ['a', 'p1', 'c', 'p3'],
    );
  });

  test(`${engine.name}: close waits for pending reads`, async (t) => {
    const db = await openExampleDatabase(engine, t);
    await db.write([insertPerson('a')]);
    await db.read('select id from person');
    const asked = ['a', 'b'].map((id) => findName(db.read, id));
    await db.close();
    assert.deepEqual(await Promise.all(asked), [[{ id: 'a', name: 'a' }], []]);
  });
}
