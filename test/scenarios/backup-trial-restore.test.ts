import assert from 'node:assert/strict';
import { globSync, readdirSync, rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { databaseFile } from '../../src/db/open-database.ts';
import { makeBackupFixture, rootKeyPathOf } from '../support/backups.ts';
import { fileCleanupScope, makeServerFixture, type ProcessExit } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

// An interrupted trial restore leaves no files.

const fixture = makeBackupFixture(fileCleanupScope());

/** A scratch folder for trials of the backup, and functions that run and interrupt them. */
async function openTrials(t: TestContext) {
  const home = await makeServerFixture(t, { settings: { ROOT_KEY_FILE: rootKeyPathOf(fixture) } });
  const scratch = makeTestFolder('cs-backup-');
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const verify = ['backup', 'verify', fixture.backupDir, '--scratch', scratch] as const;
  /** Interrupts a running trial. Repeats with another one if it ended before the signal. */
  const endOne = async (
    signal: 'SIGTERM' | 'SIGKILL',
    isAtWork: () => boolean,
    wasAtWork: (by: ProcessExit) => boolean,
  ) => {
    for (;;) {
      const trial = home.launchCommand(...verify);
      let isOver = false;
      void trial.exited.then(() => {
        isOver = true;
      });
      await waitUntil(async () => isOver || isAtWork());
      if (wasAtWork(await trial.stop(signal))) return trial;
    }
  };
  return { scratch, endOne, verify: () => home.runCommand(...verify) };
}

test('a trial restore that is stopped leaves no files', async (t) => {
  const { scratch, endOne } = await openTrials(t);
  const isAtWork = () => readdirSync(scratch).length === 1;
  const { stderr } = await endOne('SIGTERM', isAtWork, ({ code }) => code === 1);
  assert.match(stderr(), /The check was stopped\. The backup was not changed/);
  assert.deepEqual(readdirSync(scratch), []);
});

test('the next trial restore removes the files of a killed one', async (t) => {
  const { scratch, endOne, verify } = await openTrials(t);
  const isAtWork = () => globSync(`citizen-services-trial-*/${databaseFile}`, { cwd: scratch }).length === 1;
  await endOne('SIGKILL', isAtWork, isAtWork);
  assert.equal(readdirSync(scratch).length, 1);
  assert.equal((await verify()).code, 0);
  assert.deepEqual(readdirSync(scratch), []);
});
