import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { parseId } from '../../src/kernel/id.ts';
import { createHostResolver } from '../../src/net/resolve-host.ts';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/list-webhooks.ts';
import { statusEventTypes } from '../../src/notifications/webhooks/feed-store.ts';
import { createPostWebhookCall, type PostWebhookCall } from '../../src/notifications/webhooks/post-call.ts';
import { startWebhooks } from '../../src/notifications/webhooks/start-webhooks.ts';
import { createDeliveryApp, createScriptedChannel, minuteMs } from './delivery-app.ts';
import type { JsonBody } from './notification-app.ts';

const hourMs = 60 * minuteMs;

/** Notifications, their feed and the webhooks over one database, on a virtual clock. */
export async function openWebhookApp(t: TestContext, db: Database, keepDays = 180) {
  const { app, time, faults, start } = await createDeliveryApp(t, db);
  const webhookWorker = startWebhooks({
    read: app.db.read,
    write: app.db.write,
    clock: time.clock,
    timer: time.timer,
    random: app.random,
    webhookKey: app.ports.webhookKey,
    allowPrivateTargets: true,
    pollMs: hourMs,
    keepMs: keepDays * 24 * hourMs,
    isClockSure: async () => true,
    post: createPostWebhookCall({ resolve: createHostResolver(true), allowPrivate: true, timeoutMs: 5_000 }),
    onFault: (fault) => faults.push(fault),
  });
  t.after(() => webhookWorker.stop(1_000));
  app.onCommitted(statusEventTypes, webhookWorker.wake);
  const deliveryWorker = await start({ email: createScriptedChannel() });
  const idle = async () => {
    await deliveryWorker.idle();
    webhookWorker.wake();
    await webhookWorker.idle();
  };
  const runOperation = async (operation: Parameters<typeof app.serve>[0], parts: object = {}): Promise<JsonBody> => {
    const answer = await app.serve(operation)(parts);
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return answer.json;
  };
  /** Sends `count` messages and waits until all webhook calls were made. */
  const sendMany = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) await app.accept({ citizenId: 'cit-ada' });
    deliveryWorker.wake();
    await idle();
  };
  return { app, time, faults, idle, operate: runOperation, sendMany };
}

/** A webhook whose calls return what `post` returns, and a function that creates an event for it. */
export async function openWebhookCalls(
  t: TestContext,
  db: Database,
  { post, allowPrivateTargets = true }: WebhookCallsOptions,
) {
  const { app, time } = await createDeliveryApp(t, db);
  const webhookWorker = startWebhooks({
    ...time,
    read: app.db.read,
    write: app.db.write,
    random: app.random,
    pollMs: 60 * minuteMs,
    keepMs: 24 * 60 * minuteMs,
    isClockSure: async () => true,
    webhookKey: app.ports.webhookKey,
    allowPrivateTargets,
    post,
    onFault: assert.fail,
  });
  t.after(() => webhookWorker.stop(1_000));
  const created = await app.serve(createWebhook)({ body: { url: 'http://127.0.0.1:1/' } });
  assert.ok('json' in created);
  const createEvent = async () => {
    await app.cancel(await app.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' }));
    // Wakes the worker, so that the call does not wait for the next poll.
    webhookWorker.wake();
  };
  const counts = async () => {
    const listed = await app.serve(listWebhooks)({});
    assert.ok('json' in listed);
    const [item] = (listed.json as { items: Array<{ waiting: number; dead: number }> }).items;
    return [item?.waiting, item?.dead];
  };
  return {
    time,
    calling: webhookWorker,
    id: parseId('webhook', String(created.json['id'])) ?? assert.fail(),
    createEvent,
    counts,
  };
}

type WebhookCallsOptions = { readonly post: PostWebhookCall; readonly allowPrivateTargets?: boolean };
