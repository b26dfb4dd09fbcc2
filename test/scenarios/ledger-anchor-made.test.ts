import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '../test-folder.ts';
import { until } from '../until.ts';
import { makeHome } from '../whole-server.ts';

test('a server on PostgreSQL whose DATA_DIR is not there yet makes it, and signs its ledger', async (t) => {
  const elsewhere = makeTestFolder('cs-keys-');
  t.after(() => rmSync(elsewhere, { recursive: true, force: true }));
  const dataDir = join(elsewhere, 'data');
  const home = await makeHome(t, {
    engine: 'postgres',
    settings: {
      ...{ DATA_DIR: dataDir, DOCUMENT_STORE: join(elsewhere, 'documents') },
      ROOT_KEY_FILE: join(elsewhere, 'root.key'),
    },
  });
  assert.equal((await home.run('keys', 'create')).code, 0);
  rmSync(dataDir, { recursive: true });
  const server = await home.start('start');
  await until(async () => existsSync(join(dataDir, 'ledger-checkpoint')));
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  assert.doesNotMatch(server.stderr(), /"where":"ledger"/);
  assert.equal((await server.end('SIGTERM')).code, 0);
});
