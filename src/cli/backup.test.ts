import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { changeBackupDatabase } from '../../test/support/backups.ts';
import { makeDocumentFolder } from '../../test/support/document-app.ts';
import { readSettings } from '../config/settings.ts';
import { createRootKey } from '../crypto/root-key-file.ts';
import { migrate } from '../db/migrate.ts';
import { databaseFile } from '../db/open-database.ts';
import { openSqlite } from '../db/sqlite/open-sqlite.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import { backupCommands } from './backup.ts';
import { createBackup } from './backup-create.ts';
import type { WithTrial } from './backup-verify.ts';
import { runCommandLine } from './command.ts';

/** A changed backup of an empty installation, and a function that runs `backup verify`. */
async function backupOf(t: TestContext, change: (db: DatabaseSync) => void = () => undefined) {
  const folder = await makeDocumentFolder(t);
  const [dataDir, backup, scratch] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'scratch')];
  for (const one of [dataDir, scratch]) mkdirSync(one);
  const db = await openSqlite(join(dataDir, databaseFile), { random: systemRandom });
  await migrate(db, systemClock);
  await db.close();
  const settings = readSettings({ DATA_DIR: dataDir });
  const rootKeyPath = join(folder, 'root.key');
  createRootKey(rootKeyPath, systemRandom);
  const options = { folder: backup, earlier: undefined, rootKeyPath, clock: systemClock };
  await createBackup(settings, { ...options, onProgress: () => undefined });
  await changeBackupDatabase(change)(backup, rootKeyPath);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const listenForShutdown = () => ({ received: stopped, [Symbol.dispose]: () => undefined });
  const verify = async (withTrial: WithTrial, onOutput: (text: string) => void = () => undefined) => {
    const received: string[] = [];
    const stderr = (text: string) => {
      received.push(text);
      onOutput(text);
    };
    const terminal = { stdout: assert.fail, stderr, isInteractive: true, cwd: '/' };
    const deps = { settings: () => settings, clock: systemClock, rootKeyPath: () => rootKeyPath };
    const commands = backupCommands({ ...deps, withTrial, listenForShutdown }, terminal);
    const code = await runCommandLine(['backup', 'verify', backup, '--scratch', scratch], commands, terminal);
    return { code, last: received.at(-1), left: readdirSync(scratch) };
  };
  return { stop, verify };
}

const stopped = { code: 1, last: 'The check was stopped. The backup was not changed.\n', left: [] };

test('a trial restore that is stopped while its database opens leaves no copy', async (t) => {
  const { stop, verify } = await backupOf(t);
  // SQLite creates files next to the database while the folder exists.
  const withTrial: WithTrial = async (trial) => {
    stop();
    for (let made = 0; made < 200; made += 1) await writeFile(join(trial.dataDir, `${made}`), '');
    throw new Error('no server was wanted');
  };
  assert.deepEqual(await verify(withTrial), stopped);
});

test('a trial restore can be stopped while SQLite checks the integrity of the database', async (t) => {
  const { stop, verify } = await backupOf(t, (db) => {
    // The reference of each row is slow to compute and takes no space. All rows take ten seconds, so that the stop comes in time
    // on a busy machine.
    db.exec(`pragma foreign_keys = off;
      create table parent (id integer primary key);
      create table slow (id integer primary key);
      insert into slow with recursive counted (id) as (select 1 union all select id + 1 from counted where id < 40)
        select id from counted;
      alter table slow add column
        one generated always as (length(replace(hex(zeroblob(20000000 + id)), '0', 'ab'))) virtual references parent (id)`);
  });
  const reading = Promise.withResolvers<void>();
  const withTrial: WithTrial = async () => assert.fail('it was read to its end');
  const verifying = verify(withTrial, (text) => text.includes('the integrity') && reading.resolve());
  await reading.promise;
  await new Promise<void>((resolve) => setImmediate(resolve));
  stop();
  assert.deepEqual(await verifying, stopped);
});

test('a terminal shows the database as the first step of a backup and of a restore', async (t) => {
  const folder = await makeDocumentFolder(t);
  const at = (name: string) => join(folder, name);
  mkdirSync(at('data'));
  const db = await openSqlite(join(at('data'), databaseFile), { random: systemRandom });
  await migrate(db, systemClock);
  await db.close();
  createRootKey(at('root.key'), systemRandom);
  const run = async (args: readonly string[], DATA_DIR: string) => {
    const received: string[] = [];
    const terminal = {
      stdout: assert.fail,
      stderr: (text: string) => void received.push(text),
      isInteractive: true,
      cwd: '/',
    };
    const parts = {
      clock: systemClock,
      withTrial: async () => assert.fail(),
      listenForShutdown: () => assert.fail(),
      rootKeyPath: () => at('root.key'),
    };
    const commands = backupCommands({ ...parts, settings: () => readSettings({ DATA_DIR }) }, terminal);
    assert.equal(await runCommandLine(['backup', ...args], commands, terminal), 0);
    return received[0];
  };
  const seen = '\rthe database\u001b[K';
  assert.equal(await run(['create', at('backup')], at('data')), seen);
  assert.equal(await run(['restore', at('backup')], at('restored')), seen);
});
