import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhookCalls } from '../../src/notifications/list-webhook-calls.ts';
import { readEvents } from '../../src/notifications/read-events.ts';
import { testWebhook } from '../../src/notifications/test-webhook.ts';
import { feedEventTypes } from '../../src/notifications/webhooks/feed-store.ts';
import { engines } from '../support/database-engines.ts';
import { openWebhookApp } from '../support/webhook-app.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

type CallPage = { items: Array<Record<string, unknown>>; next: string | null };

for (const engine of engines) {
  test(`${engine.name}: the calls of a webhook are listed in pages, newest first, with the last attempt of each`, async (t) => {
    const { time, operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    let status = 204;
    const receiver = await startWebhookReceiver(t, () => status);
    const { id } = await operate(createWebhook, { body: { url: receiver.url } });
    await sendMany(2);
    status = 503;
    await sendMany(1);
    const listed: CallPage['items'] = [];
    for (let cursor = ''; ; ) {
      const page = (await operate(listWebhookCalls, { params: { id }, query: `limit=2${cursor}` })) as CallPage;
      listed.push(...page.items);
      if (page.next === null) break;
      cursor = `&cursor=${page.next}`;
    }
    const now = time.clock.now();
    const { nextAttemptAt, ...failed } = listed[0] ?? assert.fail();
    const ids = receiver.calls.map(({ headers }) => headers['webhook-id']).toReversed();
    const called = { type: 'notification.delivery-ended', attempts: 1, durationMs: 0 };
    const instant = new Date(now).toISOString();
    const times = { eventAt: instant, calledAt: instant };
    assert.deepEqual(failed, {
      ...called,
      ...times,
      eventId: ids[0],
      state: 'waiting',
      outcome: 'rejected',
      httpStatus: 503,
    });
    assert.ok(Date.parse(String(nextAttemptAt)) > now);
    const accepted = { ...called, ...times, state: 'done', outcome: 'accepted', httpStatus: 204, nextAttemptAt: null };
    assert.deepEqual(
      listed.slice(1),
      ids.slice(1).map((eventId) => ({ ...accepted, eventId })),
    );
  });

  test(`${engine.name}: another client can neither list the calls of a webhook nor test it`, async (t) => {
    const { app, operate } = await openWebhookApp(t, await engine.open(t));
    const receiver = await startWebhookReceiver(t);
    const { id } = await operate(createWebhook, { body: { url: receiver.url } });
    for (const operation of [listWebhookCalls, testWebhook]) {
      const answer = await app.serve(operation)({ params: { id: String(id) } }, { clientId: 'curious' });
      assert.ok('refused' in answer);
      assert.equal(answer.refused.slug, 'webhook-not-found');
    }
    assert.deepEqual(receiver.calls, []);
  });
}

test('a test event of each type is signed, has the number 0, and is not in the feed', async (t) => {
  const { operate, idle } = await openWebhookApp(t, await (engines[0] ?? assert.fail()).open(t));
  const receiver = await startWebhookReceiver(t);
  const { id, secret } = await operate(createWebhook, { body: { url: receiver.url } });
  for (const type of feedEventTypes) {
    const { durationMs, ...result } = await operate(testWebhook, { params: { id }, body: { type } });
    const { headers, body } = receiver.calls.at(-1) ?? assert.fail();
    assert.deepEqual(result, { eventId: headers['webhook-id'], type, outcome: 'accepted', httpStatus: 204 });
    assert.equal(typeof durationMs, 'number');
    const event = JSON.parse(body) as { type: string; number: number; data: { test: boolean } };
    assert.deepEqual([event.type, event.number, event.data.test], [type, 0, true]);
    assert.doesNotThrow(() => signatureCheck(String(secret), body, headers));
  }
  await idle();
  assert.equal(receiver.calls.length, feedEventTypes.length);
  assert.deepEqual(((await operate(readEvents)) as { items: unknown }).items, []);
});

test('a third test at the same time is refused, and does not reach the receiver', async (t) => {
  const { app, operate } = await openWebhookApp(t, await (engines[0] ?? assert.fail()).open(t));
  const waiting: ServerResponse[] = [];
  const bothArrived = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    waiting.push(response);
    if (waiting.length === 2) bothArrived.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const { id } = await operate(createWebhook, { body: { url: `http://127.0.0.1:${port}/` } });
  const parts = { params: { id: String(id) } };
  const running = [operate(testWebhook, parts), operate(testWebhook, parts)];
  await bothArrived.promise;
  const third = await app.serve(testWebhook)(parts);
  assert.ok('refused' in third);
  assert.equal(third.refused.slug, 'capacity-reduced');
  for (const response of waiting) response.writeHead(204).end();
  const outcomes = (await Promise.all(running)).map(({ outcome }) => outcome);
  assert.deepEqual([outcomes, waiting.length], [['accepted', 'accepted'], 2]);
});

/** Verifies a call with the reference library, which compares the timestamp with the clock of the machine. */
function signatureCheck(secret: string, body: string, headers: object): void {
  const originalNow = Date.now;
  const sent = Number((headers as Record<string, string>)['webhook-timestamp']) * 1_000;
  Date.now = () => sent;
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    Date.now = originalNow;
  }
}

test('the outcome of a test says why a receiver could not be called', async (t) => {
  const { operate } = await openWebhookApp(t, await (engines[0] ?? assert.fail()).open(t));
  let status = 410;
  const receiver = await startWebhookReceiver(t, () => status);
  const outcomeAt = async (url: string) => {
    const { id } = await operate(createWebhook, { body: { url } });
    const { outcome, httpStatus } = await operate(testWebhook, { params: { id } });
    return [outcome, httpStatus];
  };
  assert.deepEqual(await outcomeAt(receiver.url), ['gone', 410]);
  status = 302;
  assert.deepEqual(await outcomeAt(receiver.url), ['rejected', 302]);
  assert.deepEqual(await outcomeAt('http://127.0.0.1:1/'), ['unreachable', null]);
  assert.deepEqual(await outcomeAt('http://missing.invalid/'), ['unknown-host', null]);
});
