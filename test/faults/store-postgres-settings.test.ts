import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { openReadOnly } from '../../src/db/open-read-only.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, databaseNameOf, dropDatabase, queryServer } from '../support/postgres-databases.ts';

// Settings that an operator made for a database or a role, for example for other programs.

const random = systemRandom;
const clock = { now: () => Date.UTC(2026, 0, 1) };

test('postgres: the settings of a database for value formats change no value that is read', async (t) => {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const settings = ["bytea_output = 'escape'", "datestyle = 'German, DMY'", 'standard_conforming_strings = off'];
  for (const setting of settings) await queryServer(`alter database ${databaseNameOf(url)} set ${setting}`);
  const db = await openPostgres(url, { random });
  t.after(() => db.close());
  await db.write([{ sql: 'create table thing (id text not null primary key, n bigint, b boolean, bytes bytea)' }]);
  const row = { id: String.raw`a\n'b`, n: 2 ** 53 - 1, b: true, bytes: new Uint8Array([0, 39, 92, 120, 255]) };
  await db.write([{ sql: 'insert into thing (id, n, b, bytes) values ($1, $2, $3, $4)', args: Object.values(row) }]);
  const look = 'select id, n, b, bytes from thing where id = $1';
  const readOnly = await openReadOnly({ databaseUrl: url, dataDir: '' });
  t.after(() => readOnly?.close());
  assert.deepEqual([await db.read(look, [row.id]), await readOnly?.read(look, [row.id])], [[row], [row]]);
});

/** An empty database in which the role may not create tables, or has no schema for them. */
async function databaseWithout(t: TestContext, where: 'no right' | 'no schema'): Promise<string> {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  if (where === 'no schema') {
    await queryServer(`alter database ${databaseNameOf(url)} set search_path = nowhere`);
    return url;
  }
  const role = `guest_${process.pid}`;
  await queryServer(`create role ${role} login`);
  t.after(() => queryServer(`drop role ${role}`));
  return url.replace('postgres@', `${role}@`);
}

for (const [where, message] of [
  ['no right', 'PostgreSQL 42501: permission denied for schema public'],
  ['no schema', 'PostgreSQL 3F000: no schema has been selected to create in'],
] as const) {
  test(`postgres: a role with ${where} for tables makes the start fail at once with the reason`, async (t) => {
    const db = await openPostgres(await databaseWithout(t, where), { random });
    t.after(() => db.close());
    await assert.rejects(migrate(db, clock), {
      message: `the tables cannot be made: ${message}; let the role in DATABASE_URL own the database and its schema`,
    });
  });
}

test('postgres: timeouts of the database for idle sessions and transactions do not apply to the sessions of the server', async (t) => {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  const settings = { idle_session_timeout: '1h', transaction_timeout: '2h' };
  // The second setting exists since PostgreSQL 17.
  const known = await queryServer(
    `select name from pg_settings where name in ('${Object.keys(settings).join("', '")}')`,
  );
  const names = known.map(({ name }) => name as keyof typeof settings);
  for (const name of names)
    await queryServer(`alter database ${databaseNameOf(url)} set ${name} = '${settings[name]}'`);
  const db = await openPostgres(url, { random });
  t.after(() => db.close());
  for (const name of names) {
    const setting = `select current_setting('${name}') as ends`;
    assert.deepEqual(
      [await db.read(setting), await db.write([{ sql: setting }])],
      [[{ ends: '0' }], [[{ ends: '0' }]]],
    );
  }
});
