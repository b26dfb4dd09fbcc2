import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

test('a server on PostgreSQL creates a missing DATA_DIR, and signs its ledger', async (t) => {
  const elsewhere = makeTestFolder('cs-keys-');
  t.after(() => rmSync(elsewhere, { recursive: true, force: true }));
  const dataDir = join(elsewhere, 'data');
  const home = await makeServerFixture(t, {
    engine: 'postgres',
    settings: {
      DATA_DIR: dataDir,
      DOCUMENT_STORE: join(elsewhere, 'documents'),
      ROOT_KEY_FILE: join(elsewhere, 'root.key'),
    },
  });
  assert.equal((await home.runCommand('keys', 'create')).code, 0);
  rmSync(dataDir, { recursive: true });
  const server = await home.start('start');
  await waitUntil(async () => existsSync(join(dataDir, 'ledger-checkpoint')));
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  assert.doesNotMatch(server.stderr(), /"where":"ledger"/);
  assert.equal((await server.stop('SIGTERM')).code, 0);
});
