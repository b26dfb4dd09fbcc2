import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/list-webhooks.ts';
import { redeliverWebhook } from '../../src/notifications/redeliver-webhook.ts';
import { findPendingRedeliveries, redeliverPage } from '../../src/notifications/webhooks/webhook-store.ts';
import { engines } from '../support/database-engines.ts';
import { openWebhookApp } from '../support/webhook-app.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const count = 1_100;
const eventIds = Array.from({ length: count }, (_, at) => `evt_${String(at).padStart(26, '0')}`);

/** Stores `count` abandoned calls of a webhook. */
async function insertDeadCalls(db: Database, webhook: unknown): Promise<void> {
  const unit = eventIds.flatMap((id, at) => [
    {
      sql: "insert into feed_event (id, client_id, number, at, type, data) values ($1, 'other', $2, 0, 'notification.read', '{}')",
      args: [id, at + 1],
    },
    {
      sql: "insert into webhook_call (webhook_id, event_id, status, attempts, run_at) values ($1, $2, 'dead', 10, 0)",
      args: [String(webhook), id],
    },
  ]);
  await db.write(unit);
}

const deadIn = async ({ read }: Database) =>
  Number((await read("select count(*) as dead from webhook_call where status = 'dead'"))[0]?.['dead']);

for (const engine of engines) {
  test(`${engine.name}: a redelivery queues failed calls page by page, and all of them are made`, async (t) => {
    const db = await engine.open(t);
    const redelivered: number[] = [];
    const recordingDb: Database = {
      ...db,
      write: async (unit) => {
        if (!unit.some(({ sql }) => sql.includes("'queued', attempts = 0"))) return await db.write(unit);
        const before = await deadIn(db);
        const rows = await db.write(unit);
        redelivered.push(before - (await deadIn(db)));
        return rows;
      },
    };
    const { operate, idle, faults } = await openWebhookApp(t, recordingDb);
    const receiver = await startWebhookReceiver(t, () => 204);
    const { id } = await operate(createWebhook, { body: { url: receiver.url } });
    await insertDeadCalls(db, id);
    const shown = async () =>
      ((await operate(listWebhooks)) as { items: { waiting: number; dead: number }[] }).items[0];
    assert.deepEqual([(await shown())?.waiting, (await shown())?.dead], [0, count]);
    const requested = await operate(redeliverWebhook, { params: { id } });
    assert.deepEqual([requested['waiting'], requested['dead']], [count, 0]);
    assert.deepEqual([(await shown())?.waiting, (await shown())?.dead], [count, 0]);
    await idle();
    assert.deepEqual(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])), new Set(eventIds));
    assert.deepEqual([receiver.calls.length, faults], [count, []]);
    assert.deepEqual(
      redelivered.filter((calls) => calls > 0),
      [500, 500, 100],
    );
    assert.deepEqual([(await shown())?.waiting, (await shown())?.dead], [0, 0]);
  });

  test(`${engine.name}: a call that is abandoned again during a redelivery stays failed`, async (t) => {
    const db = await engine.open(t);
    const { operate } = await openWebhookApp(t, {
      ...db,
      read: async (sql, args) => (sql.includes('redeliver_after is not null') ? [] : await db.read(sql, args)),
    });
    const { id } = await operate(createWebhook, { body: { url: 'http://127.0.0.1:9/hook' } });
    await insertDeadCalls(db, id);
    await operate(redeliverWebhook, { params: { id } });
    let pages = 0;
    for (
      let left = await findPendingRedeliveries(db.read);
      left.length > 0;
      left = await findPendingRedeliveries(db.read)
    ) {
      for (const pending of left) await db.write(await redeliverPage(db.read, pending, 1_000));
      await db.write([
        { sql: "update webhook_call set status = 'dead' where event_id = $1", args: [eventIds[3] ?? ''] },
      ]);
      pages += 1;
    }
    assert.deepEqual([pages, await deadIn(db)], [3, 1]);
  });
}
