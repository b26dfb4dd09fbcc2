import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { parseId, type WebhookId } from '../../src/kernel/id.ts';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/list-webhooks.ts';
import { redeliverWebhook } from '../../src/notifications/redeliver-webhook.ts';
import { removeWebhook } from '../../src/notifications/remove-webhook.ts';
import { giveUpCalls } from '../../src/notifications/webhooks/webhook-call-store.ts';
import { countCalls, disableWebhook } from '../../src/notifications/webhooks/webhook-store.ts';
import { engines } from '../support/database-engines.ts';
import { openWebhookApp } from '../support/webhook-app.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const count = 1_100;
const later = Date.UTC(2100, 0, 1);

/** Queues `count` calls of a webhook for a later attempt. */
async function queueMany(db: Database, webhook: WebhookId): Promise<void> {
  const unit = Array.from({ length: count }, (_, at) => `evt_${String(at).padStart(26, '0')}`).flatMap((id, at) => [
    {
      sql: "insert into feed_event (id, client_id, number, at, type, data) values ($1, 'other', $2, 0, 'notification.read', '{}')",
      args: [id, at + 1],
    },
    {
      sql: "insert into webhook_call (webhook_id, event_id, status, attempts, run_at) values ($1, $2, 'queued', 3, $3)",
      args: [webhook, id, later],
    },
  ]);
  await db.write(unit);
}

/** A database that records how many calls each unit abandons. */
function recordGivenUp(db: Database): { db: Database; givenUp: number[] } {
  const givenUp: number[] = [];
  const deadIn = async () =>
    Number((await db.read("select count(*) as dead from webhook_call where status = 'dead'"))[0]?.['dead']);
  const write: Database['write'] = async (unit) => {
    if (!unit.some(({ sql }) => sql.includes("'dead'"))) return await db.write(unit);
    const before = await deadIn();
    const rows = await db.write(unit);
    givenUp.push((await deadIn()) - before);
    return rows;
  };
  return { db: { ...db, write }, givenUp };
}

for (const engine of engines) {
  const open = async (t: Parameters<typeof engine.open>[0], answer = () => 204) => {
    const recorded = recordGivenUp(await engine.open(t));
    const app = await openWebhookApp(t, recorded.db);
    const receiver = await startWebhookReceiver(t, answer);
    const created = await app.operate(createWebhook, { body: { url: receiver.url } });
    const id = parseId('webhook', String(created['id'])) ?? assert.fail();
    await queueMany(recorded.db, id);
    return { ...recorded, ...app, receiver, id };
  };

  test(`${engine.name}: the waiting calls of a removed webhook are abandoned page by page`, async (t) => {
    const { db, id, operate, idle, givenUp, receiver, faults } = await open(t);
    const removed = await operate(removeWebhook, { params: { id } });
    assert.deepEqual([removed['waiting'], removed['dead'], givenUp], [count, 0, []]);
    await idle();
    assert.deepEqual([givenUp, receiver.calls.length, faults], [[500, 500, 100], 0, []]);
    assert.deepEqual(await countCalls(db.read, id), { waiting: 0, dead: count });
  });

  test(`${engine.name}: calls to a receiver that answers 410 are abandoned page by page, and a redelivery repeats all of them`, async (t) => {
    let status = 410;
    const { id, operate, sendMany, idle, givenUp, receiver, faults } = await open(t, () => status);
    const shown = async () => {
      const [webhook] = (await operate(listWebhooks))['items'] as { waiting: number; dead: number }[];
      return [webhook?.waiting, webhook?.dead];
    };
    assert.deepEqual(await shown(), [count, 0]);
    await sendMany(1);
    assert.deepEqual([givenUp, receiver.calls.length, faults], [[500, 500, 100], 1, []]);
    assert.deepEqual(await shown(), [0, count + 1]);
    status = 204;
    await operate(redeliverWebhook, { params: { id } });
    await idle();
    assert.deepEqual([receiver.calls.length, await shown()], [count + 2, [0, 0]]);
  });

  test(`${engine.name}: after a crash between two pages the next process abandons the rest, unless the webhook is active again`, async (t) => {
    const { db, id, operate } = await open(t);
    await db.write([disableWebhook(id)]);
    await db.write(giveUpCalls(id));
    assert.deepEqual(await countCalls(db.read, id), { waiting: count - 500, dead: 500 });
    const [webhook] = (await operate(listWebhooks))['items'] as { waiting: number; dead: number }[];
    assert.deepEqual([webhook?.waiting, webhook?.dead], [0, count]);
    await operate(redeliverWebhook, { params: { id } });
    await db.write(giveUpCalls(id));
    assert.deepEqual(await countCalls(db.read, id), { waiting: count - 500, dead: 500 });
    await db.write([disableWebhook(id)]);
    const next = await openWebhookApp(t, db);
    await next.idle();
    assert.deepEqual(await countCalls(db.read, id), { waiting: 0, dead: count });
  });
}
