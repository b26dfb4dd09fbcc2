import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/list-webhooks.ts';
import { readEvents } from '../../src/notifications/read-events.ts';
import { redeliverWebhook } from '../../src/notifications/redeliver-webhook.ts';
import { rotateWebhookSecret } from '../../src/notifications/rotate-webhook-secret.ts';
import { retryDelaysMs, startWebhooks } from '../../src/notifications/webhooks/start-webhooks.ts';
import { engines } from '../support/database-engines.ts';
import { minuteMs } from '../support/delivery-app.ts';
import { openWebhookApp } from '../support/webhook-app.ts';
import { type ReceivedWebhookCall, startWebhookReceiver } from '../support/webhook-receiver.ts';

const hour = 60 * minuteMs;

type Feed = { items: Array<{ id: string; number: number; data: object }>; after: string };

/** Verifies a call by the reference library, with its clock set to `at`. */
function verify(secret: string, { headers, body }: ReceivedWebhookCall, at: number): unknown {
  const originalNow = Date.now;
  Date.now = () => at;
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    Date.now = originalNow;
  }
}

for (const engine of engines) {
  test(`${engine.name}: the reference library verifies each call, also with the old secret for a day after its rotation`, async (t) => {
    const { time, operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    const receiver = await startWebhookReceiver(t);
    const { id, secret } = await operate(createWebhook, { body: { url: receiver.url } });
    await sendMany(2);
    assert.equal(receiver.calls.length, 2);
    for (const call of receiver.calls) verify(String(secret), call, time.clock.now());
    const [first] = receiver.calls;
    assert.ok(first !== undefined);
    assert.throws(() =>
      verify(String(secret), { ...first, body: first.body.replace('"number":', '"number":9') }, time.clock.now()),
    );
    const rotated = await operate(rotateWebhookSecret, { params: { id } });
    await sendMany(1);
    const third = receiver.calls[2];
    assert.ok(third !== undefined);
    for (const one of [secret, rotated['secret']]) verify(String(one), third, time.clock.now());
    await time.advance(25 * hour, async () => undefined);
    await sendMany(1);
    const fourth = receiver.calls[3];
    assert.ok(fourth !== undefined);
    verify(String(rotated['secret']), fourth, time.clock.now());
    assert.throws(() => verify(String(secret), fourth, time.clock.now()));
  });

  test(`${engine.name}: each replaced secret signs for a day after its rotation, and no longer`, async (t) => {
    const { time, operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    const receiver = await startWebhookReceiver(t);
    const { id, secret } = await operate(createWebhook, { body: { url: receiver.url } });
    const rotate = async () => String((await operate(rotateWebhookSecret, { params: { id } }))['secret']);
    const secrets = [String(secret), await rotate()];
    await time.advance(hour, async () => undefined);
    // Two rotations, as by a client that lost the first answer.
    secrets.push(await rotate(), await rotate());
    const verifyingSecrets = async () => {
      await sendMany(1);
      const call = receiver.calls.at(-1) ?? assert.fail();
      return secrets.map((one) => {
        try {
          return verify(one, call, time.clock.now()) !== undefined;
        } catch {
          return false;
        }
      });
    };
    assert.deepEqual(await verifyingSecrets(), [true, true, true, true]);
    await time.advance(23 * hour + minuteMs, async () => undefined);
    assert.deepEqual(await verifyingSecrets(), [false, true, true, true]);
    await time.advance(hour, async () => undefined);
    assert.deepEqual(await verifyingSecrets(), [false, false, false, true]);
  });

  test(`${engine.name}: a receiver that was down for three days gets all events from the feed, none missing or repeated`, async (t) => {
    const { time, operate, sendMany, idle, faults } = await openWebhookApp(t, await engine.open(t));
    let down = true;
    const receiver = await startWebhookReceiver(t, () => (down ? 503 : 204));
    const { id } = await operate(createWebhook, { body: { url: receiver.url } });
    await sendMany(5);
    await time.advance(72 * hour, idle);
    assert.ok(receiver.calls.length >= 5 * 8, `${receiver.calls.length} tries`);
    const feed = (await operate(readEvents, { query: 'limit=3' })) as Feed;
    const rest = (await operate(readEvents, { query: `after=${feed.after}` })) as Feed;
    const numbers = [...feed.items, ...rest.items].map(({ number }) => number);
    assert.deepEqual(numbers, [1, 2, 3, 4, 5]);
    const tried = new Set(receiver.calls.map(({ headers }) => headers['webhook-id']));
    assert.deepEqual(tried, new Set([...feed.items, ...rest.items].map((item) => item.id)));
    // The attempts end after 75.5 hours. A redelivery makes the dead calls again.
    await time.advance(12 * hour, idle);
    const shown = (await operate(listWebhooks)) as { items: Array<{ waiting: number; dead: number }> };
    assert.deepEqual([shown.items[0]?.waiting, shown.items[0]?.dead], [0, 5]);
    down = false;
    const before = receiver.calls.length;
    await operate(redeliverWebhook, { params: { id } });
    await time.advance(hour, idle);
    const again = receiver.calls.slice(before).map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(new Set(again), tried);
    assert.deepEqual([again.length, faults], [5, []]);
  });

  test(`${engine.name}: 410 disables a webhook, and a redirect is not followed`, async (t) => {
    const { operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    const gone = await startWebhookReceiver(t, () => 410);
    const moved = await startWebhookReceiver(t, () => 302);
    await operate(createWebhook, { body: { url: gone.url } });
    await operate(createWebhook, { body: { url: moved.url } });
    await sendMany(2);
    await sendMany(1);
    const { items } = (await operate(listWebhooks)) as { items: Array<{ status: string; waiting: number }> };
    assert.deepEqual(
      items.map(({ status, waiting }) => [status, waiting]),
      [
        ['disabled', 0],
        ['active', 3],
      ],
    );
    assert.ok(gone.calls.length <= 2);
  });

  test(`${engine.name}: the feeds of two clients have no gap or duplicate with concurrent commits and two processes that number events`, async (t) => {
    const db = await engine.open(t);
    const { app, idle, faults } = await openWebhookApp(t, db);
    const clock = { now: () => Date.UTC(2030, 0, 1) };
    const other = startWebhooks({
      read: db.read,
      write: db.write,
      clock,
      random: app.random,
      timer: (_ms, call) => {
        const timeout = setTimeout(call, 1);
        return () => clearTimeout(timeout);
      },
      webhookKey: app.ports.webhookKey,
      allowPrivateTargets: true,
      pollMs: 1,
      keepMs: Number.POSITIVE_INFINITY,
      isClockSure: async () => true,
      post: async () => ({ status: 204, retryAfter: undefined }),
      onFault: (fault) => faults.push(fault),
    });
    const ids = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        app.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' }, { clientId: `client-${index % 2}` }),
      ),
    );
    await Promise.all(ids.map((id, index) => app.cancel(id, { clientId: `client-${index % 2}` })));
    await idle();
    await other.idle();
    await other.stop(1_000);
    await idle();
    for (const clientId of ['client-0', 'client-1']) {
      const rows = await db.read('select number from feed_event where client_id = $1 order by number', [clientId]);
      assert.deepEqual(
        rows.map((row) => row['number']),
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
    }
    assert.deepEqual(faults, []);
  });
}

test('the delays between the attempts of a webhook call add up to 75 hours and 35 minutes', () => {
  const total = retryDelaysMs.reduce((sum, delay) => sum + delay, 0);
  assert.equal(total, 75 * hour + 35 * minuteMs + 5_000);
});
