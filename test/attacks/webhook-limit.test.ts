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

/** An app with one client, and a function that creates many webhooks at the same time and counts the answers. */
async function openGreedy(db: Database) {
  const registration = { name: 'Greedy', kind: 'test', scopes: ['webhooks:manage'], credential: 'secret' } as const;
  const registered = newClient(registration, systemClock, systemRandom);
  assert.ok('client' in registered);
  const { clientId } = registered.client;
  await db.write([insertClient(registered.client)]);
  const app = await createNotificationApp(db, systemClock, {});
  const create = app.serve(createWebhook);
  const createMany = async (count: number) => {
    const requests = Array.from({ length: count }, (_, at) =>
      create({ body: { url: `http://127.0.0.1:9/${at}` } }, { clientId }),
    );
    const answers = await Promise.all(requests);
    const results = answers.map((answer) => ('refused' in answer ? answer.refused.slug : answer.status));
    const countOf = (expected: unknown) => results.filter((one) => one === expected).length;
    return { made: countOf(201), tooMany: countOf('conflict'), noClient: countOf('invalid-access-token') };
  };
  return { app, clientId, createMany };
}

for (const engine of engines) {
  test(`${engine.name}: a client that creates 40 webhooks at once gets ten, and none after it was disabled`, async (t) => {
    const db = await engine.open(t);
    const { app, clientId, createMany } = await openGreedy(db);
    assert.deepEqual(await createMany(40), { made: 10, tooMany: 30, noClient: 0 });
    // The client cache of another process can be a minute old, so its requests still arrive.
    await db.write([setClientDisabled(clientId, systemClock.now()), removeClientWebhooks(clientId)]);
    assert.deepEqual(await createMany(2), { made: 0, tooMany: 0, noClient: 2 });
    const left = await app.serve(listWebhooks)({}, { clientId });
    assert.ok('json' in left);
    assert.deepEqual(left.json['items'], []);
  });
}

test('postgres: a new webhook waits for a webhook that another process is inserting, and counts it', async (t) => {
  const url = await createDatabase('migrated');
  t.after(() => dropDatabase(url));
  const db = await openPostgres(url, { random: systemRandom });
  t.after(() => db.close());
  const { app, clientId, createMany } = await openGreedy(db);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('begin');
  const head = { id: app.createId('webhook'), clientId, url: 'http://127.0.0.1:9/other', createdAt: 0 };
  for (const { sql, args = [] } of insertWebhook({ ...head, signature: 'v1', secret: Buffer.alloc(1) })) {
    await other.query(sql, [...args]);
  }
  const created = createMany(10);
  const waits = waitUntil(async () => (await other.query('select 1 from pg_locks where not granted')).rows.length > 0);
  assert.equal(await Promise.race([waits, created]), undefined, 'the inserts did not wait');
  await other.query('commit');
  await other.end();
  assert.deepEqual(await created, { made: 9, tooMany: 1, noClient: 0 });
});
