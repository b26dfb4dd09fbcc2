import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Secret } from '../../src/kernel/secret.ts';
import { type CascadePolicy, inboxAndEmailPolicy } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { createSmsGateway } from '../../src/notifications/channels/sms-gateway.ts';
import { lateReportsInReceipt, parseSmsMapping } from '../../src/notifications/channels/sms-mapping.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import { createProviderWebhook, receiptParser } from '../../src/notifications/provider-webhooks/provider-webhook.ts';
import { findSmsDeliveriesByReference } from '../../src/notifications/provider-webhooks/sms-reference-store.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { createDeliveryApp, type NotificationView } from '../support/delivery-app.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const citizens = { 'cit-tel': { name: 'Tea', phone: '+4740000000' } };
const inboxAndSms: CascadePolicy = {
  ...inboxAndEmailPolicy,
  steps: [
    { channel: 'inbox', afterMs: 0 },
    { channel: 'sms', afterMs: 0 },
  ],
};
const words = { delivered: ['delivered', '1'], failed: ['undelivered', '2'] };

async function listening(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on TCP, so its address has a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Text messages to one citizen through a gateway with its own ids, and its delivery reports in the form of the mapping. */
async function openReceiptApp(t: TestContext, engine: Engine, receipt: object, references: readonly unknown[]) {
  const db = await engine.open(t);
  const { app, time, start, faults } = await createDeliveryApp(t, db, { citizens, cascade: inboxAndSms });
  const mapping = parseSmsMapping(
    JSON.stringify({
      request: { to: '{to}', text: '{text}', back: 'https://here.example/?id={id}' },
      encoding: 'form',
      answer: { reference: '/sid' },
      receipt: { status: '/status', ...words, ...receipt },
    }),
  );
  const sent: URLSearchParams[] = [];
  const url = await listening(t, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      response.writeHead(201).end(JSON.stringify({ sid: references[sent.push(new URLSearchParams(text)) - 1] }));
    });
  });
  const parts = { ...app, read: db.read, clock: time.clock, onFault: (fault: unknown) => faults.push(fault) };
  const read = receiptParser((one) =>
    lateReportsInReceipt(mapping, one, (reference) => findSmsDeliveriesByReference(db.read, reference)),
  );
  const method = mapping.receipt?.method;
  const callback = createProviderWebhook(parts, {
    token: new Secret('t0k:en of the gateway'),
    limitBytes: 10_000,
    method,
    read,
  });
  const back = await listening(t, callback);
  const worker = await start({
    channels: {
      ...unconfiguredChannels,
      inbox: inboxChannel,
      sms: createSmsGateway({ url, mapping, clock: time.clock }),
    },
  });
  const ids: string[] = [];
  /** Sends a message and waits for the gateway, so that its responses have this order. */
  const send = async () => {
    ids.push(await app.accept({ citizenId: 'cit-tel', channels: ['sms'] }));
    worker.wake();
    await worker.idle();
  };
  const stated = async () =>
    await Promise.all(
      ids.map(async (id) => {
        const { deliveries } = (await app.show(id)) as NotificationView;
        return deliveries.find(({ channel }) => channel === 'sms')?.['status'];
      }),
    );
  return { send, stated, sent, back, faults };
}

const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`any:${password}`).toString('base64')}` });
const bearer = { authorization: 'Bearer t0k:en of the gateway' };

for (const engine of engines) {
  test(`${engine.name}: a delivery report in a form with the gateway's id proves the message with that id`, async (t) => {
    const form = { reference: '/MessageSid', status: '/MessageStatus' };
    const { send, stated, back, faults } = await openReceiptApp(t, engine, form, ['SM1', 'SM2', 7]);
    const report = async (MessageSid: string, MessageStatus: string, headers = basic('t0k:en of the gateway')) =>
      (await fetch(back, { method: 'POST', headers, body: new URLSearchParams({ MessageSid, MessageStatus }) })).status;
    await send();
    assert.equal(await report('SM2', 'delivered'), 503, 'not known yet, so it has to come again');
    assert.equal(await report('SM2', 'queued'), 200, 'that word says nothing');
    for (let count = 0; count < 2; count += 1) await send();
    assert.equal(await report('SM1', 'delivered', basic('t0k')), 401);
    assert.equal(await report('SM1', 'delivered', { authorization: 'Basic dDBrOmVu' }), 401);
    assert.deepEqual(await stated(), ['sent', 'sent', 'sent']);
    assert.deepEqual(
      [await report('SM2', 'delivered'), await report('SM1', 'undelivered'), await report('7', 'delivered')],
      [200, 200, 200],
    );
    assert.deepEqual(await stated(), ['failed', 'delivered', 'delivered']);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: an id that the gateway used twice proves nothing, and each report of a list is processed on its own`, async (t) => {
    const list = { events: '/results', reference: '/messageId', id: '/callbackData', status: '/status/name' };
    const { send, stated, sent, back, faults } = await openReceiptApp(t, engine, list, ['a', 'a', 'b', 'c', '']);
    for (let count = 0; count < 5; count += 1) await send();
    const report = async (results: unknown) =>
      (await fetch(back, { method: 'POST', headers: bearer, body: JSON.stringify({ results }) })).status;
    const about = (messageId: unknown, name: unknown, callbackData?: unknown) => ({
      messageId,
      status: { name },
      ...(callbackData === undefined ? {} : { callbackData }),
    });
    const own = new URL(sent[3]?.get('back') ?? '').searchParams.get('id');
    const junk = [
      null,
      7,
      'x',
      {},
      about('b', { toString: 7 }),
      about('', 'delivered'),
      about(null, 'delivered'),
      about('b', 'pending'),
    ];
    assert.equal(await report([...junk, about('a', 'delivered')]), 200);
    assert.deepEqual(await stated(), ['sent', 'sent', 'sent', 'sent', 'sent']);
    assert.equal(
      await report([about('b', 'undelivered'), about('other', 'delivered'), about('b', 'delivered', own)]),
      503,
    );
    assert.deepEqual(await stated(), ['sent', 'sent', 'failed', 'delivered', 'sent']);
    assert.equal(await report([about('b', 'delivered'), about('c', 'undelivered')]), 200);
    assert.deepEqual(await stated(), ['sent', 'sent', 'delivered', 'delivered', 'sent'], 'a proof stays one');
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a report with an id that is not stored is matched by the message id, and delays no other report`, async (t) => {
    const list = { events: '/results', reference: '/sid', status: '/status' };
    const odd = ['a\u0000b', `${'x'.repeat(199)}\u{1f600}`, 'half \ud83d'];
    const { send, stated, back, faults } = await openReceiptApp(t, engine, list, [...odd, 'plain']);
    for (let count = 0; count < 4; count += 1) await send();
    assert.deepEqual([await stated(), faults], [['sent', 'sent', 'sent', 'sent'], []]);
    const report = async (...sids: readonly string[]) => {
      const results = sids.map((sid) => ({ sid, status: 'delivered' }));
      return (await fetch(back, { method: 'POST', headers: bearer, body: JSON.stringify({ results }) })).status;
    };
    assert.equal(await report('nobody \u0000', 'plain'), 503, 'one has to come again');
    assert.deepEqual(await stated(), ['sent', 'sent', 'sent', 'delivered']);
    assert.equal(await report(...odd), 200);
    assert.deepEqual([await stated(), faults], [['delivered', 'delivered', 'delivered', 'delivered'], []]);
  });

  test(`${engine.name}: a delivery report by GET has its fields in the query`, async (t) => {
    const query = { method: 'GET', id: '/id', status: '/status' };
    const { send, stated, sent, back, faults } = await openReceiptApp(t, engine, query, []);
    for (let count = 0; count < 2; count += 1) await send();
    const report = async (index: number, status: string, method = 'GET', headers = basic('t0k:en of the gateway')) => {
      const id = new URL(sent[index]?.get('back') ?? '').searchParams.get('id') ?? '';
      const fields = new URLSearchParams({ id, status });
      return (await fetch(`${back}?${fields}`, { method, headers })).status;
    };
    assert.deepEqual([await report(0, '1', 'POST'), await report(0, '1', 'GET', basic('guess'))], [405, 401]);
    assert.deepEqual([await report(0, '8'), await report(0, '1'), await report(1, '2')], [200, 200, 200]);
    assert.equal((await fetch(back, { headers: bearer })).status, 200);
    assert.deepEqual(await stated(), ['delivered', 'failed']);
    assert.deepEqual(faults, []);
  });
}

test('a server accepts delivery reports only with the method of its mapping', async (t) => {
  const folder = makeTestFolder('receipts-');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'gateway.json');
  const receipt = { method: 'GET', reference: '/sid', status: '/status', ...words };
  const request = { to: '{to}', text: '{text}' };
  writeFileSync(path, JSON.stringify({ request, answer: { reference: '/sid' }, receipt }));
  const home = await makeServerFixture(t, {
    settings: { SMS_GATEWAY: path, SMS_RECEIPT_TOKEN: 't0k:en of the gateway' },
  });
  await home.start();
  const report = async (
    query: string,
    method = 'GET',
    headers: Record<string, string> = basic('t0k:en of the gateway'),
  ) => (await fetch(`${home.url}/callbacks/sms${query}`, { method, headers })).status;
  assert.deepEqual(
    [await report('?sid=a&status=3'), await report('?sid=a&status=1'), await report('?sid=a&status=1', 'POST')],
    [200, 503, 405],
  );
  assert.equal(await report('?sid=a&status=1', 'GET', {}), 401);
});
