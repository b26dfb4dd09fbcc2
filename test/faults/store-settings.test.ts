import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { openToLook } from '../../src/store/open-to-look.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { createDatabase, databaseOf, dropDatabase, onServer } from '../postgres-databases.ts';

// What an operator has set for a database or a role, for other programs or long ago.

const random = systemRandom;

test('postgres: how a database is set to write values changes none', async (t) => {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const settings = ["bytea_output = 'escape'", "datestyle = 'German, DMY'", 'standard_conforming_strings = off'];
  for (const setting of settings) await onServer(`alter database ${databaseOf(url)} set ${setting}`);
  const db = await openPostgres(url, { random });
  t.after(() => db.close());
  await db.write([{ sql: 'create table thing (id text not null primary key, n bigint, b boolean, bytes bytea)' }]);
  const row = { id: String.raw`a\n'b`, n: 2 ** 53 - 1, b: true, bytes: new Uint8Array([0, 39, 92, 120, 255]) };
  await db.write([{ sql: 'insert into thing (id, n, b, bytes) values ($1, $2, $3, $4)', args: Object.values(row) }]);
  const look = 'select id, n, b, bytes from thing where id = $1';
  const onlooker = await openToLook({ databaseUrl: url, dataDir: '' });
  t.after(() => onlooker?.close());
  assert.deepEqual([await db.read(look, [row.id]), await onlooker?.read(look, [row.id])], [[row], [row]]);
});
