import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchOnce } from '../support/http-client.ts';
import { startPostgres } from '../support/postgres-databases.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { withTerminableThreads } from '../support/threaded-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const longestMs = 45_000;

test('a server stops gracefully at SIGHUP, when its terminal is closed', async (t) => {
  const home = await makeServerFixture(t);
  const server = await home.start('demo');
  assert.deepEqual(await server.stop('SIGHUP'), { code: 0, signal: null });
});

test('sqlite: a server that has lost its database logs the fault and exits with 1, so that a supervisor starts it again', async (t) => {
  const home = await makeServerFixture(t, { settings: withTerminableThreads('sqlite-writer', t) });
  const server = await home.start('demo');
  assert.deepEqual(await server.stop('SIGUSR2'), { code: 1, signal: null });
  assert.match(server.stderr(), /"where":"database","fault":.*the SQLite writer is lost: its thread ended with code 1/);
  assert.deepEqual(await (await home.start('demo')).stop('SIGTERM'), { code: 0, signal: null });
});

test('postgres: a server without its database is not ready, and still stops at SIGTERM', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const settings = { DATABASE_URL: postgres.url.replace('@/', '@localhost/') };
  const home = await makeServerFixture(t, { settings });
  const server = await home.start();
  await postgres.stop();
  await waitUntil(async () => (await fetchOnce(`${home.url}/readyz`)).status === 503);
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), longestMs);
  t.after(() => clearTimeout(timer));
  const ending = await Promise.race([server.stop('SIGTERM'), late.promise]);
  assert.deepEqual(ending, { code: 0, signal: null });
  assert.match(server.stderr(), /"where":"stop"/);
});
