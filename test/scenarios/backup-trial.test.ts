import assert from 'node:assert/strict';
import { globSync, readdirSync, rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { databaseFile } from '../../src/store/open.ts';
import { rootKeyOf, standingBackup } from '../backups.ts';
import { makeTestFolder } from '../test-folder.ts';
import { until } from '../until.ts';
import { afterThisFile, type Ending, makeHome } from '../whole-server.ts';

// What is left of a trial of a backup that does not come to its end.

const standing = standingBackup(afterThisFile());

/** A place for trials of the backup, with the program that makes them. */
async function openTrials(t: TestContext) {
  const home = await makeHome(t, { settings: { ROOT_KEY_FILE: rootKeyOf(standing) } });
  const scratch = makeTestFolder('cs-backup-');
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const verify = ['backup', 'verify', standing.made, '--scratch', scratch] as const;
  /** Ends a trial while it is at work; where one had come to its end before it was told to, the next. */
  const endOne = async (signal: 'SIGTERM' | 'SIGKILL', isAtWork: () => boolean, wasAtWork: (by: Ending) => boolean) => {
    for (;;) {
      const trial = home.launch(...verify);
      let isOver = false;
      void trial.ended.then(() => {
        isOver = true;
      });
      await until(async () => isOver || isAtWork());
      if (wasAtWork(await trial.end(signal))) return trial;
    }
  };
  return { scratch, endOne, verify: () => home.run(...verify) };
}

test('a trial that is stopped leaves nothing of itself behind', async (t) => {
  const { scratch, endOne } = await openTrials(t);
  const isAtWork = () => readdirSync(scratch).length === 1;
  const { stderr } = await endOne('SIGTERM', isAtWork, ({ code }) => code === 1);
  assert.match(stderr(), /stopped; the backup is as it was/);
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
