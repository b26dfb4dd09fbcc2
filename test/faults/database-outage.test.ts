import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase, dropDatabase } from '../support/postgres-databases.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const over = 'the database responds again';

test('an outage of PostgreSQL is logged once at its start and once at its end', async (t) => {
  const database = await createDatabase('migrated');
  t.after(() => dropDatabase(database));
  const proxy = await startPostgresProxy(t, database);
  const home = await makeServerFixture(t, { settings: { DATABASE_URL: proxy.url, LOG_LEVEL: 'info' } });
  const server = await home.start();
  const authorization = `Bearer ${await home.fetchAccessToken()}`;
  const send = async () => {
    const body = JSON.stringify({ citizenId: 'demo-mary', message: 'x' });
    const headers = { authorization, 'content-type': 'application/json' };
    return (await fetch(`${home.url}/v1/notifications/send`, { method: 'POST', headers, body })).status;
  };
  assert.equal(await send(), 202);
  const faults = () => {
    const lines = server.stderr().split('\n').slice(0, -1);
    const end = lines.findIndex((line) => line.includes(over));
    const entries = lines.slice(0, end === -1 ? undefined : end).map((line) => JSON.parse(line) as { where?: string });
    return entries.flatMap(({ where }) => where ?? []);
  };
  assert.deepEqual(faults(), []);

  proxy.redirectTo('postgres://nobody@/nowhere?host=/nowhere');
  await waitUntil(async () => faults().length > 0);
  // Meanwhile the workers for deliveries, event numbers and webhooks retry several times a second.
  for (let count = 0; count < 40; count += 1) assert.equal(await send(), 503);
  proxy.redirectTo(database);
  await waitUntil(async () => server.stderr().includes(over));
  assert.deepEqual(faults(), ['database']);
  await waitUntil(async () => (await send()) === 202);
});
