import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withApp } from '../../src/app/app-context.ts';
import { createErasureRepeater } from '../../src/app/erasure.ts';
import { readSettings } from '../../src/config/settings.ts';
import { openAnchor } from '../../src/ledger/anchor.ts';
import { clearErasedCitizenIds } from '../../src/ledger/erase-citizen.ts';
import { createSequencer } from '../../src/ledger/sequencer.ts';
import { createSystemKeys } from '../../src/ledger/system-keys.ts';
import { acceptNotification } from '../../src/notifications/notification/accept-notification.ts';
import { waitUntilNoSessions } from '../support/postgres-databases.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { findInStoredData } from '../support/stored-data-search.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// An erasure is killed at each of its steps. The next start completes it.

const citizenId = 'qx-7130-vrelb';
const reference = 'Bescheid-Jubrenk';

/** Imports the citizen, and stores an event in the ledger and a message. No server runs. */
async function prepare(home: ServerFixture, folder: string): Promise<void> {
  const people = join(folder, 'people.csv');
  writeFileSync(people, `citizenId,givenName,familyName,birthDate\n${citizenId},Qzorvina,Vlimpradt,1967-02-11\n`);
  assert.equal((await runCommandInProcess(home, 'citizens', 'import', people)).code, 0);
  await withApp(readSettings(home.environment), async (app) => {
    const { db, citizenKeys, random } = app;
    const accepting = { now: app.clock.now(), createId: app.createId, ports: { citizenKeys, random } };
    const { event, statements } = await acceptNotification(accepting, {
      clientId: 'office',
      citizenId,
      reference,
      category: 'decision',
      legalEffect: null,
      noticeOnly: false,
      language: null,
      sendAt: null,
      deliverBy: app.clock.now() + 86_400_000,
      content: { subject: 'Hello', message: 'Hello.', salt: 'c2FsdA' },
      steps: [],
      isInInbox: true,
    });
    await app.commit({ events: [event], statements });
    const anchor = openAnchor(join(folder, 'anchor'));
    const systemKeys = createSystemKeys(app.root);
    const numbering = { anchor, origin: 'test', maxBatchEvents: 100, stopwatch: () => 0, fence: () => 1 };
    const sequencer = createSequencer({ db, citizenKeys, systemKeys, random, ...numbering });
    while ((await sequencer.step()) !== 0);
  });
}

async function eraseAndKill({ environment }: ServerFixture, at: number): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'erasure-process.ts'), citizenId, String(at)], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal === null) assert.equal(code, 0);
  return signal;
}

/** Before and after each of these writes: the list, the unit, the citizen ids in the ledger, the end of that. */
const lastStep = 8;

for (const engine of ['sqlite', 'postgres'] as const) {
  for (let at = 1; at <= lastStep + 1; at += 1) {
    test(`${engine}: an erasure that was killed at step ${at} is completed by the next start`, async (t) => {
      const home = await makeServerFixture(t, { engine });
      const folder = makeTestFolder('erasure-killed-');
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
      await prepare(home, folder);
      assert.equal(await eraseAndKill(home, at), at <= lastStep ? 'SIGKILL' : null);
      if (home.databaseUrl !== undefined) await waitUntilNoSessions(home.databaseUrl);
      await withApp(readSettings(home.environment), async (app) => {
        await createErasureRepeater(app)();
        await clearErasedCitizenIds({ read: app.db.read, claim: app.claim });
      });
      const left = await findInStoredData(home, [citizenId, reference]);
      // Before the first step nothing has begun.
      if (at === 1) assert.notDeepEqual(left, []);
      else assert.deepEqual(left, []);
    });
  }
}
