import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withApp } from '../../src/app/app-context.ts';
import { createErasureRepeater } from '../../src/app/erasure.ts';
import { readSettings } from '../../src/config/settings.ts';
import { clearErasedCitizenIds } from '../../src/ledger/erase-citizen.ts';
import { createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { queryServer } from '../support/postgres-databases.ts';
import { makeServerFixture, type ServerFixture, waitUntilSigned } from '../support/server-process.ts';
import { findInStoredData } from '../support/stored-data-search.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// An erasure is killed at each of its steps. The next start completes it.

const citizenId = 'qx-7130-vrelb';
const reference = 'Bescheid-Jubrenk';

/** An installation with a message to the citizen, stopped. */
async function prepare(home: ServerFixture, folder: string): Promise<void> {
  const server = await home.start();
  const people = join(folder, 'people.csv');
  writeFileSync(people, `citizenId,givenName,familyName,birthDate\n${citizenId},Qzorvina,Vlimpradt,1967-02-11\n`);
  assert.equal((await home.runCommand('import', 'citizens', people)).code, 0);
  const token = await home.fetchAccessToken();
  const message = { citizenId, reference, message: 'Hello.' };
  const answer = await createHttpClient(home.url)(postJson(token, '/v1/notifications/send', message));
  assert.equal(answer.status, 202, JSON.stringify(parseJsonBody(answer)));
  await waitUntilSigned(home);
  await server.stop('SIGTERM');
}

/** Copies the stopped installation. The function that it returns puts the copy back. */
async function snapshot({ dataDir, databaseUrl }: ServerFixture, folder: string): Promise<() => Promise<void>> {
  const copy = join(folder, 'data');
  cpSync(dataDir, copy, { recursive: true });
  const name = databaseUrl === undefined ? undefined : new URL(databaseUrl).pathname.slice(1);
  if (name !== undefined) await queryServer(`create database "${name}_copy" template "${name}"`);
  return async () => {
    rmSync(dataDir, { recursive: true });
    cpSync(copy, dataDir, { recursive: true });
    if (name === undefined) return;
    await queryServer(`drop database "${name}" with (force)`);
    await queryServer(`create database "${name}" template "${name}_copy"`);
  };
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

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: an erasure that was killed at any step is completed by the next start`, async (t) => {
    const home = await makeServerFixture(t, { engine });
    const folder = makeTestFolder('erasure-killed-');
    t.after(async () => {
      rmSync(folder, { recursive: true, force: true });
      if (home.databaseUrl !== undefined)
        await queryServer(`drop database if exists "${new URL(home.databaseUrl).pathname.slice(1)}_copy"`);
    });
    await prepare(home, folder);
    const restore = await snapshot(home, folder);
    let at = 1;
    for (; ; at += 1) {
      const signal = await eraseAndKill(home, at);
      await withApp(readSettings(home.environment), async (app) => {
        await createErasureRepeater(app)();
        await clearErasedCitizenIds({ read: app.db.read, claim: app.claim });
      });
      const left = await findInStoredData(home, [citizenId, reference]);
      // Before the first step nothing has begun.
      if (at === 1) assert.notDeepEqual(left, []);
      else assert.deepEqual(left, [], `killed at step ${at}`);
      if (signal === null) break;
      await restore();
    }
    // The list, the unit, the citizen ids in the ledger and the end of that.
    assert.equal(at, 9);
  });
}
