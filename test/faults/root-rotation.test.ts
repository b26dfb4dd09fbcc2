import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import {
  createMissingSigningKeys,
  openSigningKeys,
  replaceSigningKeyStatements,
} from '../../src/auth/signing-key-store.ts';
import { finishRotation, prepareRotation, type RotationContext, rewrapAll } from '../../src/cli/rotate-root-key.ts';
import { createRootKey, readRootKey } from '../../src/crypto/root-key-file.ts';
import type { Database } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { RootKeyRetired } from '../../src/db/root-key-store.ts';
import { importCitizens } from '../../src/identity/import/import-citizens.ts';
import { createIdGenerator } from '../../src/kernel/id.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createCitizenKeys } from '../../src/ledger/citizen-keys.ts';
import { createCommitter } from '../../src/ledger/commit.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { makeIdentityFolder } from '../support/identity-people.ts';
import { createDatabase, dropDatabase } from '../support/postgres-databases.ts';
import { waitUntil } from '../support/wait-until.ts';

// A key that is wrapped by a root key after a rotation has removed that root key is lost forever.

const clock = { now: () => 1_800_000_000_000 };
const actor = { operator: 'clerk' };
const ids = Array.from({ length: 3_000 }, (_, at) => `CZ-${at}`);

/** A process of an installation, with the root key file that its host has. */
function processOn(db: Database, rootKeyPath: string) {
  const root = readRootKey(rootKeyPath);
  const citizenKeys = createCitizenKeys(db.read, root, systemRandom);
  const commit = createCommitter({ db, citizenKeys, random: systemRandom }).commit;
  const mint = createIdGenerator(clock, systemRandom);
  return {
    db,
    read: db.read,
    write: db.write,
    clock,
    random: systemRandom,
    mint,
    root,
    rootKeyPath,
    citizenKeys,
    commit,
    ...actor,
  };
}

async function installation(t: TestContext, engine: Engine) {
  const folder = makeIdentityFolder(t);
  const rootKeyPath = join(folder, 'root.key');
  const db = await engine.open(t);
  await createMissingSigningKeys({ db, root: createRootKey(rootKeyPath, systemRandom), clock }, systemRandom);
  const file = join(folder, 'people.csv');
  writeFileSync(file, `citizenId,familyName\n${ids.map((id) => `${id},Family of ${id}`).join('\n')}\n`);
  return { db, folder, rootKeyPath, file };
}

const orderOf = (path: string) =>
  ({ path, format: 'csv', conditions: [], dryRun: false, restart: false, actor }) as const;

async function completeRotation(rotation: RotationContext): Promise<void> {
  await prepareRotation(rotation);
  await rewrapAll(rotation, () => undefined);
  assert.ok(!('left' in (await finishRotation(rotation))));
}

for (const engine of engines) {
  test(`${engine.name}: a rotation between the wrapping and the storing of keys loses no citizen of an import`, async (t) => {
    const { db, rootKeyPath, file } = await installation(t, engine);
    const importing = processOn(db, rootKeyPath);
    let rotated = false;
    const result = await importCitizens(
      {
        ...importing,
        commit: async (effect) => {
          if (!rotated && effect.statements.length > 2) {
            rotated = true;
            await completeRotation(processOn(db, rootKeyPath));
          }
          return await importing.commit(effect);
        },
      },
      orderOf(file),
    );
    assert.deepEqual([rotated, result.progress.finished, result.progress.stored], [true, true, ids.length]);
    const { citizenKeys } = processOn(db, rootKeyPath);
    await citizenKeys.preload(ids);
    const [row] = await db.read('select count(*) as keys from citizen_key');
    assert.equal(row?.['keys'], ids.length);
  });

  test(`${engine.name}: a host with an old root key file stores nothing under it, and continues with the new file`, async (t) => {
    const { db, folder, rootKeyPath, file } = await installation(t, engine);
    const otherPath = join(folder, 'other-host.key');
    copyFileSync(rootKeyPath, otherPath);
    const other = processOn(db, otherPath);
    await completeRotation(processOn(db, rootKeyPath));
    await assert.rejects(importCitizens(other, orderOf(file)), RootKeyRetired);
    const replaceKey = async () => {
      const { statements } = replaceSigningKeyStatements(other, { use: 'result' }, systemRandom);
      const head = { id: other.mint('event'), at: clock.now(), actor } as const;
      const event = { type: 'signing-key.replaced', ...head, use: 'result', kid: 'any', atOnce: false } as const;
      await other.commit({ events: [event], statements });
    };
    await assert.rejects(replaceKey(), RootKeyRetired);
    assert.deepEqual(await db.read('select citizen_id from citizen_key'), []);
    assert.equal((await db.read('select kid from signing_key')).length, 4);

    copyFileSync(rootKeyPath, otherPath);
    const { progress, began } = await importCitizens(other, orderOf(file));
    assert.deepEqual([began, progress.stored], ['resumed', ids.length]);
    await replaceKey();
    await processOn(db, rootKeyPath).citizenKeys.preload(ids);
    await openSigningKeys({ db, root: readRootKey(rootKeyPath), clock });
  });
}

test('postgres: a rotation waits for the write of another process that stores keys under the old root key, and wraps them again', async (t) => {
  const url = await createDatabase('migrated');
  t.after(() => dropDatabase(url));
  const db = await openPostgres(url, { random: systemRandom });
  t.after(() => db.close());
  const rootKeyPath = join(makeIdentityFolder(t), 'root.key');
  createRootKey(rootKeyPath, systemRandom);
  const importing = new pg.Client({ connectionString: url });
  importing.on('error', () => undefined);
  await importing.connect();
  t.after(() => importing.end());
  await importing.query('begin');
  for (const { sql, args = [] } of processOn(db, rootKeyPath).citizenKeys.creationStatements(['CZ-1'])) {
    await importing.query(sql, [...args]);
  }

  const rotation = processOn(db, rootKeyPath);
  await prepareRotation(rotation);
  const wrapped = rewrapAll(rotation, () => undefined);
  const waits = waitUntil(
    async () => (await importing.query('select 1 from pg_locks where not granted')).rows.length > 0,
  );
  assert.equal(await Promise.race([waits, wrapped]), undefined, 'the rotation did not wait');
  await importing.query('commit');
  assert.equal((await wrapped).citizenKeys, 1);
  assert.ok(!('left' in (await finishRotation(rotation))));
  await processOn(db, rootKeyPath).citizenKeys.preload(['CZ-1']);
});
