import assert from 'node:assert/strict';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { engines } from '../support/database-engines.ts';

// A disk may return other bytes than were written.

test('sqlite: a damaged page fails the reads that need it, and other reads succeed', async (t) => {
  const sqlite = engines.find(({ name }) => name === 'sqlite') ?? assert.fail();
  const path = await sqlite.createLocation(t);
  const before = await sqlite.openAt(path);
  await before.write([
    { sql: 'create table well (id text not null)' },
    { sql: 'create table damaged (id text not null)' },
  ]);
  await before.write([{ sql: "insert into well (id) values ('a')" }]);
  const add = { sql: 'insert into damaged (id) values ($1)', args: ['x'.repeat(3_000)] };
  await before.write(new Array(100).fill(add));
  await before.close();
  const db = await sqlite.openAt(path);
  t.after(() => db.close());
  const half = statSync(path).size / 2;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(half, 0x5a), 0, half, half);
  closeSync(file);
  for (let times = 0; times < 3; times += 1) {
    const fault = { message: 'read failed: database disk image is malformed' };
    await assert.rejects(db.read('select max(id) as last from damaged'), fault);
    assert.deepEqual(await db.read('select id from well'), [{ id: 'a' }]);
  }
});
