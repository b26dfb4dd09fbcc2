import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { newClient } from '../../src/auth/client.ts';
import { insertClient, setClientDisabled } from '../../src/auth/client-store.ts';
import type { Database } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/list-webhooks.ts';
import { insertWebhook, removeClientWebhooks } from '../../src/notifications/webhooks/webhook-store.ts';
import { engines } from '../support/database-engines.ts';
import { createNotificationApp } from '../support/notification-app.ts';
import { createDatabase, dropDatabase } from '../support/postgres-databases.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A house with one client, and what it comes to when that asks for as many webhooks at once. */
async function openGreedy(db: Database) {
  const wanted = { name: 'Greedy', kind: 'test', scopes: ['webhooks:manage'], credential: 'secret' } as const;
  const made = newClient(wanted, systemClock, systemRandom);
  assert.ok('client' in made);
  const { clientId } = made.client;
  await db.write([insertClient(made.client)]);
  const app = await createNotificationApp(db, systemClock, {});
  const create = app.serve(createWebhook);
  const askForMany = async (count: number) => {
    const asked = Array.from({ length: count }, (_, at) =>
      create({ body: { url: `http://127.0.0.1:9/${at}` } }, { clientId }),
    );
    const answers = await Promise.all(asked);
    const told = answers.map((answer) => ('refused' in answer ? answer.refused.slug : answer.status));
    const countOf = (what: unknown) => told.filter((one) => one === what).length;
    return { made: countOf(201), tooMany: countOf('conflict'), noClient: countOf('invalid-access-token') };
  };
  return { app, clientId, askForMany };
}

for (const engine of engines) {
  test(`${engine.name}: a client that asks for many webhooks at once gets ten, and none once it is disabled`, async (t) => {
    const db = await engine.open(t);
    const { app, clientId, askForMany } = await openGreedy(db);
    assert.deepEqual(await askForMany(40), { made: 10, tooMany: 30, noClient: 0 });
    // Another process takes the client for what it was, for up to a minute.
    await db.write([setClientDisabled(clientId, systemClock.now()), removeClientWebhooks(clientId)]);
    assert.deepEqual(await askForMany(2), { made: 0, tooMany: 0, noClient: 2 });
    const left = await app.serve(listWebhooks)({}, { clientId });
    assert.ok('json' in left);
    assert.deepEqual(left.json['items'], []);
  });
}

test('postgres: webhooks wait for one that another process is making for the client, and count it', async (t) => {
  const url = await createDatabase('migrated');
  t.after(() => dropDatabase(url));
  const db = await openPostgres(url, { random: systemRandom });
  t.after(() => db.close());
  const { app, clientId, askForMany } = await openGreedy(db);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('begin');
  const head = { id: app.mint('webhook'), clientId, url: 'http://127.0.0.1:9/other', createdAt: 0 };
  for (const { sql, args = [] } of insertWebhook({ ...head, signature: 'v1', secret: Buffer.alloc(1) })) {
    await other.query(sql, [...args]);
  }
  const asked = askForMany(10);
  const waits = waitUntil(async () => (await other.query('select 1 from pg_locks where not granted')).rows.length > 0);
  assert.equal(await Promise.race([waits, asked]), undefined, 'they did not wait');
  await other.query('commit');
  await other.end();
  assert.deepEqual(await asked, { made: 9, tooMany: 1, noClient: 0 });
});
