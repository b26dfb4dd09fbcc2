import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import { createWebhook } from '../../src/notifications/webhooks/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/webhooks/list-webhooks.ts';
import { createPostCall, type PostCall, type PostResult } from '../../src/notifications/webhooks/post-call.ts';
import { readEvents } from '../../src/notifications/webhooks/read-events.ts';
import { redeliverWebhook } from '../../src/notifications/webhooks/redeliver-webhook.ts';
import { removeWebhook } from '../../src/notifications/webhooks/remove-webhook.ts';
import { rotateWebhookSecret } from '../../src/notifications/webhooks/rotate-webhook-secret.ts';
import { startWebhooks } from '../../src/notifications/webhooks/start-webhooks.ts';
import { insertCalls } from '../../src/notifications/webhooks/webhook-call-store.ts';
import { createDeliveryHouse, minute, settled, until, untilLater } from '../delivery-house.ts';
import { engines } from '../engines.ts';
import { openCalls, openWebhookHouse } from '../webhook-house.ts';
import { startReceiver } from '../webhook-receiver.ts';

for (const engine of engines) {
  test(`${engine.name}: a call without an end is made again after a minute, and what the first came to then changes nothing`, async (t) => {
    const db = await engine.open(t);
    const posts: Array<PromiseWithResolvers<PostResult> & { readonly id: string | undefined }> = [];
    const post: PostCall = ({ headers }) => {
      const ending = { ...Promise.withResolvers<PostResult>(), id: headers['webhook-id'] };
      posts.push(ending);
      return ending.promise;
    };
    const { time, tell, counts } = await openCalls(t, db, { post });
    const later = (ms: number) => time.advance(ms, () => settled(db));
    await tell();
    await until(async () => posts.length === 1);
    await later(minute - 1);
    assert.equal(posts.length, 1);
    await later(1);
    await until(async () => posts.length === 2);
    assert.equal(posts[1]?.id, posts[0]?.id);
    const asLeft = () => db.read('select status, attempts, run_at from webhook_call');
    const before = await asLeft();
    posts[0]?.resolve({ status: 500, retryAfter: undefined });
    await settled(db);
    assert.deepEqual(await asLeft(), before);
    posts[1]?.resolve({ status: 204, retryAfter: undefined });
    await settled(db);
    await later(60 * minute);
    assert.deepEqual([posts.length, await counts()], [2, [0, 0]]);
  });

  test(`${engine.name}: what no webhook may lead to any more is not called, and neither is one that was disabled meanwhile`, async (t) => {
    const db = await engine.open(t);
    let calls = 0;
    const post: PostCall = async () => ({ status: ++calls === 1 ? 410 : 204, retryAfter: undefined });
    const { calling, tell, counts, id, time } = await openCalls(t, db, { post });
    await tell();
    await calling.idle();
    assert.equal(calls, 1);
    // Numbered by a process that had read the webhook before.
    const [event] = await db.read('select event_id from webhook_call');
    await db.write([{ sql: 'delete from webhook_call' }]);
    const again = parseId('event', String(event?.['event_id'])) ?? assert.fail();
    await db.write(insertCalls([{ webhook: id, event: again, at: time.clock.now() }]));
    await calling.idle();
    assert.deepEqual([calls, await counts()], [1, [0, 1]]);
    const strict = await openCalls(t, await engine.open(t), {
      post: async () => assert.fail(),
      allowPrivateTargets: false,
    });
    await strict.tell();
    await strict.calling.idle();
    assert.deepEqual(await strict.counts(), [0, 1]);
  });

  test(`${engine.name}: a receiver that never answers does not keep the calls of another client waiting`, async (t) => {
    const db = await engine.open(t);
    const { house, time } = await createDeliveryHouse(t, db);
    const hanging: Array<() => void> = [];
    let [begun, told, hangingThen] = [0, 0, 0];
    const calling = startWebhooks({
      ...{ ...time, read: db.read, write: db.write, random: house.random },
      ...{
        pollMs: 60 * minute,
        keepMs: minute,
        isClockSure: async () => true,
        webhookKey: house.ports.webhookKey,
        allowPrivateTargets: true,
      },
      onFault: assert.fail,
      post: async ({ url }) => {
        if (url.port === '2') {
          told += 1;
          hangingThen = hanging.length;
          return { status: 204, retryAfter: undefined };
        }
        begun += 1;
        await new Promise<void>((resolve) => hanging.push(resolve));
        return { failed: 'unreachable' };
      },
    });
    t.after(() => calling.stop(1_000));
    const other = { clientId: 'other-office' };
    assert.ok('json' in (await house.serve(createWebhook)({ body: { url: 'http://127.0.0.1:1/' } })));
    assert.ok('json' in (await house.serve(createWebhook)({ body: { url: 'http://127.0.0.1:2/' } }, other)));
    // Cancelled ones are told at once, in the order of their commits.
    const at = '2026-02-01T00:00:00Z';
    for (let sent = 0; sent < 80; sent += 1)
      await house.cancel(await house.accept({ citizenId: 'cit-ada', sendAt: at }));
    await house.cancel(await house.accept({ citizenId: 'cit-ada', sendAt: at }, other), other);
    calling.wake();
    const over = calling.idle();
    await until(async () => told === 1 && hanging.length === 32);
    await settled(db);
    assert.ok(hangingThen <= 32, `${hangingThen} calls hung before the other client was told`);
    assert.equal(begun, 32);
    // As long as it fails it has two places.
    while (begun < 80) {
      for (const end of hanging.splice(0)) end();
      await until(async () => hanging.length === 2);
      await settled(db);
      assert.equal(hanging.length, 2);
    }
    for (const end of hanging) end();
    await over;
    assert.deepEqual([begun, told], [80, 1]);
  });

  test(`${engine.name}: what numbers and what calls end in one time, though nobody answers either`, async (t) => {
    const db = await engine.open(t);
    const { house, time } = await createDeliveryHouse(t, db);
    let [posts, writes, isAway] = [0, 0, false];
    const never = () => new Promise<never>(() => undefined);
    const calling = startWebhooks({
      ...{ ...time, read: db.read, random: house.random, pollMs: 5_000, keepMs: minute, isClockSure: async () => true },
      ...{ webhookKey: house.ports.webhookKey, allowPrivateTargets: true, onFault: assert.fail },
      write: (unit) => {
        writes += 1;
        return isAway ? never() : db.write(unit);
      },
      post: () => {
        posts += 1;
        return never();
      },
    });
    const made = await house.serve(createWebhook)({ body: { url: 'http://127.0.0.1:1/' } });
    assert.ok('json' in made);
    const tell = async () => {
      await house.cancel(await house.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' }));
      calling.wake();
    };
    await tell();
    await untilLater({ time, db }, async () => posts === 1);
    isAway = true;
    writes = 0;
    await tell();
    await until(async () => writes === 1);
    let inTime: boolean | undefined;
    void calling.stop(1_000).then((ended) => {
      inTime = ended;
    });
    await settled(db);
    await time.advance(1_000, () => settled(db));
    assert.equal(inTime, false);
  });

  test(`${engine.name}: a webhook that was removed stays so, whatever its receiver answers and whoever asks`, async (t) => {
    const { operate, sendMany, faults } = await openWebhookHouse(t, await engine.open(t));
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

  test(`${engine.name}: the calls of two webhooks of one client are told apart, and what one got is never called again`, async (t) => {
    const { time, idle, operate, sendMany } = await openWebhookHouse(t, await engine.open(t));
    let [failing, gone] = [true, false];
    const slow = await startReceiver(t, () => (failing ? 500 : 204));
    const quick = await startReceiver(t, () => (gone ? 410 : 204));
    await operate(createWebhook, { body: { url: slow.url } });
    const { id } = await operate(createWebhook, { body: { url: quick.url } });
    const counts = () => [slow.calls.length, quick.calls.length];
    // A call that waits for its next try holds up no newer one.
    await sendMany(1);
    await sendMany(1);
    assert.deepEqual(counts(), [2, 2]);
    failing = false;
    await time.advance(minute, idle);
    assert.deepEqual(counts(), [4, 2]);
    gone = true;
    await sendMany(1);
    assert.deepEqual(counts(), [5, 3]);
    // What happens while it is disabled is in the feed alone.
    await sendMany(1);
    gone = false;
    const asked = await operate(redeliverWebhook, { params: { id } });
    assert.deepEqual([asked['waiting'], asked['dead'], asked['oldSecretUntil']], [1, 0, undefined]);
    await idle();
    assert.deepEqual(counts(), [6, 4]);
    const ids = quick.calls.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([new Set(ids).size, ids[3]], [3, ids[2]]);
    const rotated = await operate(rotateWebhookSecret, { params: { id } });
    assert.equal(rotated['oldSecretUntil'], new Date(time.clock.now() + 24 * 60 * minute).toISOString());
  });

  test(`${engine.name}: a cursor beyond the last event is refused: after a restore its numbers are given again`, async (t) => {
    const { operate, sendMany } = await openWebhookHouse(t, await engine.open(t));
    await sendMany(2);
    assert.deepEqual(await operate(readEvents, { query: 'after=2' }), { items: [], after: '2' });
    await assert.rejects(operate(readEvents, { query: 'after=3' }), /cursor-expired.*The last event has the number 2/);
  });
}

test('neither a resolver nor a receiver that never answers is given more time than a call has', async (t) => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  // A server that listens on TCP has an address with a port.
  const { port } = silent.address() as AddressInfo;
  const url = new URL(`http://slow.example:${port}/hook`);
  const awake = setTimeout(() => undefined, 60_000);
  for (const resolve of [
    () => new Promise<never>(() => undefined),
    async () => [{ address: '127.0.0.1', family: 4 }],
  ]) {
    const post = createPostCall({ resolve, allowPrivate: true, timeoutMs: 50 });
    assert.deepEqual(await post({ url, body: '{}', headers: {} }), { failed: 'unreachable' });
  }
  clearTimeout(awake);
});
