import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lookupByKey } from '../../src/db/batch-statements.ts';
import { type Database, ReadUnavailable, WriteBusy, WriteUnknown } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createDatabase, databaseNameOf, dropDatabase } from '../support/postgres-databases.ts';
import { killWithThisProcess } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);

/** For the option `skip` of a test that needs a real pgbouncer. */
const pgbouncerSkipReason: string | false =
  program === undefined ? 'pgbouncer is not installed: apt-get install --no-install-recommends pgbouncer' : false;

/** A real pgbouncer in front of a database. */
type Pgbouncer = {
  /** The URL of the database through the pooler. */
  readonly url: string;
  /** Kills the pooler with all its connections. */
  kill(): Promise<void>;
  start(): Promise<void>;
};

class PgbouncerFailed extends Error {
  constructor() {
    super('pgbouncer did not start');
    this.name = 'PgbouncerFailed';
  }
}

const nobody = 65_534;

/** Starts a pooler on a socket in a folder of its own, and stops it after the test. `settings`: lines of its configuration. */
async function startPgbouncer(t: TestContext, databaseUrl: string, settings: readonly string[]): Promise<Pgbouncer> {
  const folder = makeTestFolder('cs-pgb-');
  const { username, password, hostname, port, searchParams } = new URL(databaseUrl.replace('@/', '@localhost/'));
  const server = `host=${searchParams.get('host') ?? hostname} port=${port || 5432} user=${username || 'postgres'}`;
  const lines = [
    '[databases]',
    `* = ${server}${password === '' ? '' : ` password=${password}`}`,
    '[pgbouncer]',
    'listen_addr =',
    `unix_socket_dir = ${folder}`,
    'listen_port = 5432',
    'auth_type = any',
    `logfile = ${join(folder, 'log')}`,
    ...settings,
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${lines.join('\n')}\n`);
  // pgbouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o700);
  if (isRoot) for (const path of [folder, file]) chownSync(path, nobody, nobody);
  const owner = isRoot ? { uid: nobody, gid: nobody } : {};
  const socket = join(folder, '.s.PGSQL.5432');
  let running: ChildProcess | undefined;
  const kill = async () => {
    if (running === undefined) return;
    const exited = once(running, 'exit');
    if (running.exitCode === null && running.kill('SIGKILL')) await exited;
    running = undefined;
    rmSync(socket, { force: true });
  };
  const start = async () => {
    const child = spawn(program ?? 'pgbouncer', ['-q', file], { ...owner, cwd: folder, stdio: 'ignore' });
    running = child;
    if (child.pid !== undefined) child.once('exit', killWithThisProcess(child.pid));
    await waitUntil(async () => existsSync(socket) || child.exitCode !== null);
    if (child.exitCode !== null) throw new PgbouncerFailed();
  };
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return { url: `postgres://postgres@localhost/${databaseNameOf(databaseUrl)}?host=${folder}`, kill, start };
}

// A pooler that shares a session between clients also shares its settings and its prepared statements.

const skip = pgbouncerSkipReason;
const random = systemRandom;

async function freshDatabase(t: TestContext): Promise<string> {
  const url = await createDatabase('empty');
  t.after(() => dropDatabase(url));
  return url;
}

async function open(t: TestContext, url: string): Promise<Database> {
  const db = await openPostgres(url, { random });
  t.after(() => db.close());
  return db;
}

const findThing = lookupByKey('thing', 'id', 'id');
const add = (id: string) => ({ sql: 'insert into thing (id) values ($1)', args: [id] });

test('pgbouncer in session mode: two processes write and read, and continue after pgbouncer was killed', {
  skip,
}, async (t) => {
  const pooler = await startPgbouncer(t, await freshDatabase(t), ['pool_mode = session']);
  const [one, two] = [await open(t, pooler.url), await open(t, pooler.url)];
  await one.write([{ sql: 'create table thing (id text not null primary key)' }]);
  const ids = Array.from({ length: 300 }, (_, n) => `a${n}`);
  await Promise.all(ids.map((id, n) => (n % 2 === 0 ? one : two).write([add(id)])));
  const look = (db: Database, id: string) => findThing(db.read, id);
  assert.deepEqual((await Promise.all(ids.map((id, n) => look(n % 2 === 0 ? two : one, id)))).flat().length, 300);
  await pooler.kill();
  await assert.rejects(look(one, 'a0'), ReadUnavailable);
  await assert.rejects(
    two.write([add('lost')]),
    (fault) => fault instanceof WriteUnknown || fault instanceof WriteBusy,
  );
  await pooler.start();
  await Promise.all([one, two].map((db, n) => db.write([add(`b${n}`)])));
  assert.deepEqual(await one.read("select id from thing where id >= 'b' and id < 'l' order by id"), [
    { id: 'b0' },
    { id: 'b1' },
  ]);
});

for (const settings of [['pool_mode = transaction'], ['pool_mode = transaction', 'server_round_robin = 1']]) {
  test(`pgbouncer with ${settings.join(' and ')} is rejected, and the message names the setting`, {
    skip,
  }, async (t) => {
    const pooler = await startPgbouncer(t, await freshDatabase(t), settings);
    await assert.rejects(openPostgres(pooler.url, { random }), /pool_mode = session/);
  });
}

test('pgbouncer in statement mode is rejected with a message that names the mode', { skip }, async (t) => {
  const pooler = await startPgbouncer(t, await freshDatabase(t), ['pool_mode = statement']);
  await assert.rejects(openPostgres(pooler.url, { random }), /statement pooling mode/);
});
