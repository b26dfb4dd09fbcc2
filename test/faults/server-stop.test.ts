import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgres } from '../postgres-server.ts';
import { makeHome } from '../whole-server.ts';

const longestMs = 45_000;

test('postgres: a server whose database is gone still ends when it is told to', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const settings = { DATABASE_URL: postgres.url.replace('@/', '@localhost/') };
  const home = await makeHome(t, { settings });
  const server = await home.start();
  await postgres.stop();
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), longestMs);
  t.after(() => clearTimeout(timer));
  const ending = await Promise.race([server.end('SIGTERM'), late.promise]);
  assert.deepEqual(ending, { code: 0, signal: null });
  assert.match(server.stderr(), /"where":"stop"/);
});
