import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/list-webhooks.ts';
import { readEvents } from '../../src/notifications/read-events.ts';
import { redeliverWebhook } from '../../src/notifications/redeliver-webhook.ts';
import { removeWebhook } from '../../src/notifications/remove-webhook.ts';
import { rotateWebhookSecret } from '../../src/notifications/rotate-webhook-secret.ts';
import {
  createPostWebhookCall,
  type PostWebhookCall,
  type WebhookCallResult,
} from '../../src/notifications/webhooks/post-call.ts';
import { startWebhooks } from '../../src/notifications/webhooks/start-webhooks.ts';
import { insertCalls } from '../../src/notifications/webhooks/webhook-call-store.ts';
import { engines } from '../support/database-engines.ts';
import {
  advanceUntil,
  createDeliveryApp,
  minuteMs,
  waitForDatabaseIdle,
  waitOnEventLoopUntil,
} from '../support/delivery-app.ts';
import { openWebhookApp, openWebhookCalls } from '../support/webhook-app.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

for (const engine of engines) {
  test(`${engine.name}: a call without an outcome is made again after a minute, and a late outcome of the first changes nothing`, async (t) => {
    const db = await engine.open(t);
    const posts: Array<PromiseWithResolvers<WebhookCallResult> & { readonly id: string | undefined }> = [];
    const post: PostWebhookCall = ({ headers }) => {
      const ending = { ...Promise.withResolvers<WebhookCallResult>(), id: headers['webhook-id'] };
      posts.push(ending);
      return ending.promise;
    };
    const { time, createEvent, counts } = await openWebhookCalls(t, db, { post });
    const later = (ms: number) => time.advance(ms, () => waitForDatabaseIdle(db));
    await createEvent();
    await waitOnEventLoopUntil(async () => posts.length === 1);
    await later(minuteMs - 1);
    assert.equal(posts.length, 1);
    await later(1);
    await waitOnEventLoopUntil(async () => posts.length === 2);
    assert.equal(posts[1]?.id, posts[0]?.id);
    const callRow = () => db.read('select status, attempts, run_at from webhook_call');
    const before = await callRow();
    posts[0]?.resolve({ status: 500, retryAfter: undefined });
    await waitForDatabaseIdle(db);
    assert.deepEqual(await callRow(), before);
    posts[1]?.resolve({ status: 204, retryAfter: undefined });
    await waitForDatabaseIdle(db);
    await later(60 * minuteMs);
    assert.deepEqual([posts.length, await counts()], [2, [0, 0]]);
  });

  test(`${engine.name}: a webhook whose URL is no longer allowed or that was disabled is not called`, async (t) => {
    const db = await engine.open(t);
    let calls = 0;
    const post: PostWebhookCall = async () => ({ status: ++calls === 1 ? 410 : 204, retryAfter: undefined });
    const { calling, createEvent, counts, id, time } = await openWebhookCalls(t, db, { post });
    await createEvent();
    await calling.idle();
    assert.equal(calls, 1);
    // A process that had read the webhook before it was disabled has queued this call.
    const [event] = await db.read('select event_id from webhook_call');
    await db.write([{ sql: 'delete from webhook_call' }]);
    const again = parseId('event', String(event?.['event_id'])) ?? assert.fail();
    await db.write(insertCalls([{ webhook: id, event: again, at: time.clock.now() }]));
    await calling.idle();
    assert.deepEqual([calls, await counts()], [1, [0, 1]]);
    const strict = await openWebhookCalls(t, await engine.open(t), {
      post: async () => assert.fail(),
      allowPrivateTargets: false,
    });
    await strict.createEvent();
    await strict.calling.idle();
    assert.deepEqual(await strict.counts(), [0, 1]);
  });

  test(`${engine.name}: a receiver that never answers does not delay the calls of another client`, async (t) => {
    const db = await engine.open(t);
    const { app, time } = await createDeliveryApp(t, db);
    const hanging: Array<() => void> = [];
    let [started, delivered, hangingThen] = [0, 0, 0];
    const calling = startWebhooks({
      ...time,
      read: db.read,
      write: db.write,
      random: app.random,
      pollMs: 60 * minuteMs,
      keepMs: minuteMs,
      isClockSure: async () => true,
      webhookKey: app.ports.webhookKey,
      allowPrivateTargets: true,
      onFault: assert.fail,
      post: async ({ url }) => {
        if (url.port === '2') {
          delivered += 1;
          hangingThen = hanging.length;
          return { status: 204, retryAfter: undefined };
        }
        started += 1;
        await new Promise<void>((resolve) => hanging.push(resolve));
        return { failed: 'unreachable' };
      },
    });
    t.after(() => calling.stop(1_000));
    const other = { clientId: 'other-office' };
    assert.ok('json' in (await app.serve(createWebhook)({ body: { url: 'http://127.0.0.1:1/' } })));
    assert.ok('json' in (await app.serve(createWebhook)({ body: { url: 'http://127.0.0.1:2/' } }, other)));
    // A cancelled notification makes an event at once, in the order of the commits.
    const at = '2026-02-01T00:00:00Z';
    for (let sent = 0; sent < 80; sent += 1) await app.cancel(await app.accept({ citizenId: 'cit-ada', sendAt: at }));
    await app.cancel(await app.accept({ citizenId: 'cit-ada', sendAt: at }, other), other);
    calling.wake();
    const finished = calling.idle();
    await waitOnEventLoopUntil(async () => delivered === 1 && hanging.length === 32);
    await waitForDatabaseIdle(db);
    assert.ok(hangingThen <= 32, `${hangingThen} calls hung before the other client was called`);
    assert.equal(started, 32);
    // A failing webhook has two slots.
    while (started < 80) {
      for (const end of hanging.splice(0)) end();
      await waitOnEventLoopUntil(async () => hanging.length === 2);
      await waitForDatabaseIdle(db);
      assert.equal(hanging.length, 2);
    }
    for (const end of hanging) end();
    await finished;
    assert.deepEqual([started, delivered], [80, 1]);
  });

  test(`${engine.name}: a stop waits at most one deadline for the numbering of events and the calls together`, async (t) => {
    const db = await engine.open(t);
    const { app, time } = await createDeliveryApp(t, db);
    let [posts, writes, isAway] = [0, 0, false];
    const never = () => new Promise<never>(() => undefined);
    const calling = startWebhooks({
      ...time,
      read: db.read,
      random: app.random,
      pollMs: 5_000,
      keepMs: minuteMs,
      isClockSure: async () => true,
      webhookKey: app.ports.webhookKey,
      allowPrivateTargets: true,
      onFault: assert.fail,
      write: (unit) => {
        writes += 1;
        return isAway ? never() : db.write(unit);
      },
      post: () => {
        posts += 1;
        return never();
      },
    });
    const created = await app.serve(createWebhook)({ body: { url: 'http://127.0.0.1:1/' } });
    assert.ok('json' in created);
    const createEvent = async () => {
      await app.cancel(await app.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' }));
      calling.wake();
    };
    await createEvent();
    await advanceUntil({ time, db }, async () => posts === 1);
    isAway = true;
    writes = 0;
    await createEvent();
    await waitOnEventLoopUntil(async () => writes === 1);
    let inTime: boolean | undefined;
    void calling.stop(1_000).then((ended) => {
      inTime = ended;
    });
    await waitForDatabaseIdle(db);
    await time.advance(1_000, () => waitForDatabaseIdle(db));
    assert.equal(inTime, false);
  });

  test(`${engine.name}: a removed webhook stays removed when its receiver answers 410 or a redelivery is requested`, async (t) => {
    const { operate, sendMany, faults } = await openWebhookApp(t, await engine.open(t));
    let id: unknown;
    let calls = 0;
    const leaving = createServer((_request, response) => {
      calls += 1;
      void operate(removeWebhook, { params: { id } }).then(() => response.writeHead(410).end());
    });
    await new Promise<void>((resolve) => leaving.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      leaving.closeAllConnections();
      leaving.close();
    });
    // A server that listens on TCP has an address with a port.
    const { port } = leaving.address() as AddressInfo;
    id = (await operate(createWebhook, { body: { url: `http://127.0.0.1:${port}/hook` } }))['id'];
    await sendMany(1);
    assert.deepEqual([calls, (await operate(listWebhooks))['items'], faults], [1, [], []]);
    await assert.rejects(operate(redeliverWebhook, { params: { id } }), /webhook-not-found/);
    await sendMany(1);
    assert.equal(calls, 1);
  });

  test(`${engine.name}: the calls of two webhooks of a client are independent, and a delivered call is not repeated`, async (t) => {
    const { time, idle, operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    let [failing, gone] = [true, false];
    const slow = await startWebhookReceiver(t, () => (failing ? 500 : 204));
    const quick = await startWebhookReceiver(t, () => (gone ? 410 : 204));
    await operate(createWebhook, { body: { url: slow.url } });
    const { id } = await operate(createWebhook, { body: { url: quick.url } });
    const counts = () => [slow.calls.length, quick.calls.length];
    // A call that waits for its next attempt does not delay a newer one.
    await sendMany(1);
    await sendMany(1);
    assert.deepEqual(counts(), [2, 2]);
    failing = false;
    await time.advance(minuteMs, idle);
    assert.deepEqual(counts(), [4, 2]);
    gone = true;
    await sendMany(1);
    assert.deepEqual(counts(), [5, 3]);
    // An event while the webhook is disabled is only in the feed.
    await sendMany(1);
    gone = false;
    const requested = await operate(redeliverWebhook, { params: { id } });
    assert.deepEqual([requested['waiting'], requested['dead'], requested['oldSecretUntil']], [1, 0, undefined]);
    await idle();
    assert.deepEqual(counts(), [6, 4]);
    const ids = quick.calls.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([new Set(ids).size, ids[3]], [3, ids[2]]);
    const rotated = await operate(rotateWebhookSecret, { params: { id } });
    assert.equal(rotated['oldSecretUntil'], new Date(time.clock.now() + 24 * 60 * minuteMs).toISOString());
  });

  test(`${engine.name}: a cursor after the last event is refused, because its numbers are assigned again after a restore`, async (t) => {
    const { operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    await sendMany(2);
    assert.deepEqual(await operate(readEvents, { query: 'after=2' }), { more: false, items: [], after: '2' });
    await assert.rejects(operate(readEvents, { query: 'after=3' }), /cursor-expired.*The last event has the number 2/);
  });
}

test('a call ends with its timeout when the resolver or receiver never answers', async (t) => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = silent.address() as AddressInfo;
  const url = new URL(`http://slow.example:${port}/hook`);
  const keepAlive = setTimeout(() => undefined, 60_000);
  for (const resolve of [
    () => new Promise<never>(() => undefined),
    async () => [{ address: '127.0.0.1', family: 4 }],
  ]) {
    const post = createPostWebhookCall({ resolve, allowPrivate: true, timeoutMs: 50 });
    assert.deepEqual(await post({ url, body: '{}', headers: {} }), { failed: 'timed-out' });
  }
  clearTimeout(keepAlive);
});
