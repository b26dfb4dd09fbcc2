import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { killWithThisProcess } from './kill-with-parent.ts';
import { databaseNameOf } from './postgres-databases.ts';
import { makeTestFolder } from './test-folder.ts';
import { waitUntil } from './wait-until.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);

/** For the option `skip` of a test that needs a real pgbouncer. */
export const pgbouncerSkipReason: string | false =
  program === undefined ? 'pgbouncer is not installed: apt-get install --no-install-recommends pgbouncer' : false;

/** A real pgbouncer in front of a database. */
export type Pgbouncer = {
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
export async function startPgbouncer(
  t: TestContext,
  databaseUrl: string,
  settings: readonly string[],
): Promise<Pgbouncer> {
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
