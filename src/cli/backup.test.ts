import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/document-house.ts';
import { readSettings } from '../config/settings.ts';
import { systemClock, systemRandom } from '../kernel/system-clock.ts';
import { migrate } from '../store/migrations.ts';
import { databaseFile } from '../store/open.ts';
import { openSqlite } from '../store/sqlite.ts';
import { backupCommands } from './backup.ts';
import { createBackup } from './backup-create.ts';
import type { OpenTrial } from './backup-verify.ts';
import { runCommandLine } from './command.ts';

test('a trial that is stopped while its database is being opened leaves no copy of it behind', async (t) => {
  const folder = await temporaryFolder(t);
  const [dataDir, backup, scratch] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'scratch')];
  for (const one of [dataDir, scratch]) mkdirSync(one);
  const db = await openSqlite(join(dataDir, databaseFile), { random: systemRandom });
  await migrate(db, systemClock);
  await db.close();
  const settings = readSettings({ DATA_DIR: dataDir });
  await createBackup(settings, { folder: backup, earlier: undefined, clock: systemClock, onProgress: () => undefined });
  const { promise, resolve: stop } = Promise.withResolvers<void>();
  // As SQLite makes its files beside the database, for as long as the folder is there.
  const openTrial: OpenTrial = async (trial) => {
    stop();
    for (let made = 0; made < 200; made += 1) await writeFile(join(trial.dataDir, `${made}`), '');
    throw new Error('no server was wanted');
  };
  const told: string[] = [];
  const terminal = {
    ...{ stdout: assert.fail, stderr: (text: string) => void told.push(text) },
    ...{ isInteractive: false, cwd: '/' },
  };
  const room = { settings: () => settings, clock: systemClock, rootKeyPath: () => '' };
  const commands = backupCommands({ ...room, openTrial, stopped: () => promise }, terminal);
  assert.equal(await runCommandLine(['backup', 'verify', backup, '--scratch', scratch], commands, terminal), 1);
  assert.deepEqual([told, readdirSync(scratch)], [['stopped; the backup is as it was\n'], []]);
});
