import assert from 'node:assert/strict';
import { globSync, readdirSync, rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { databaseFile } from '../../src/db/open-database.ts';
import { makeBackupFixture, rootKeyPathOf } from '../support/backups.ts';
import { fileCleanupScope, makeServerFixture, type ProcessExit } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

// What is left of a trial of a backup that does not come to its end.

const standing = makeBackupFixture(fileCleanupScope());

/** A place for trials of the backup, with the program that makes them. */
async function openTrials(t: TestContext) {
  const home = await makeServerFixture(t, { settings: { ROOT_KEY_FILE: rootKeyPathOf(standing) } });
  const scratch = makeTestFolder('cs-backup-');
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const verify = ['backup', 'verify', standing.backupDir, '--scratch', scratch] as const;
  /** Ends a trial while it is at work; where one had come to its end before it was told to, the next. */
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

test('a trial that is stopped leaves nothing of itself behind', async (t) => {
  const { scratch, endOne } = await openTrials(t);
  const isAtWork = () => readdirSync(scratch).length === 1;
  const { stderr } = await endOne('SIGTERM', isAtWork, ({ code }) => code === 1);
  assert.match(stderr(), /stopped; the backup was not changed/);
  assert.deepEqual(readdirSync(scratch), []);
});

test('what a trial leaves that is killed, the next one clears away', async (t) => {
  const { scratch, endOne, verify } = await openTrials(t);
  const isAtWork = () => globSync(`citizen-services-trial-*/${databaseFile}`, { cwd: scratch }).length === 1;
  await endOne('SIGKILL', isAtWork, isAtWork);
  assert.equal(readdirSync(scratch).length, 1);
  assert.equal((await verify()).code, 0);
  assert.deepEqual(readdirSync(scratch), []);
});
