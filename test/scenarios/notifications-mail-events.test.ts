import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { lateReportsInMailEvents, parseMailEvents } from '../../src/notifications/provider-webhooks/mail-events.ts';
import { mailEventsOf } from '../../src/notifications/provider-webhooks/provider-settings.ts';
import { createProviderWebhook, receiptParser } from '../../src/notifications/provider-webhooks/provider-webhook.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs, type NotificationView } from '../support/delivery-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const mapping = {
  events: '/batch',
  id: '/mail/message-id',
  status: '/event',
  delivered: ['delivered'],
  failed: ['hard_bounce', 'dropped'],
  full: ['over_quota'],
  refused: ['spam'],
};

for (const engine of engines) {
  test(`${engine.name}: a batch of mail events records deliveries and failures, and is accepted only with the token`, async (t) => {
    const db = await engine.open(t);
    const { app, time, sink, start, faults } = await createDeliveryApp(t, db);
    const worker = await start();
    const events = parseMailEvents(JSON.stringify(mapping));
    const read = receiptParser((body) => lateReportsInMailEvents(events, body));
    const server = createServer(
      createProviderWebhook(
        { ...app, read: db.read, clock: time.clock, onFault: (fault) => faults.push(fault) },
        { token: new Secret('t0ken'), limitBytes: 10_000, read },
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    // It listens on TCP, so its address has a port.
    const { port } = server.address() as AddressInfo;
    const post = async (batch: unknown, token = 't0ken') => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify(batch);
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    };
    const ids: string[] = [];
    for (const citizenId of ['cit-ada', 'cit-bo', 'cit-ada']) ids.push(await app.accept({ citizenId }));
    worker.wake();
    await time.advance(minuteMs, worker.idle);
    const messageIds = await Promise.all(
      ids.map(async (id) => {
        const [row] = await db.read("select id from delivery where notification_id = $1 and channel = 'email'", [id]);
        return `<${row?.['id']}.1@tax.example>`;
      }),
    );
    assert.deepEqual(new Set(sink.mails.map((mail) => mail.messageId)), new Set(messageIds));
    const about = (index: number, event: unknown) => ({ event, mail: { 'message-id': messageIds[index] } });
    const batch = [about(0, 'delivered'), about(1, 'hard_bounce'), about(2, 'opened'), { event: 'delivered' }, 7, null];
    assert.equal(await post({ batch }, 'guess'), 401);
    const stated = async () =>
      await Promise.all(
        ids.map(async (id) => {
          const { status, deliveries } = (await app.show(id)) as NotificationView;
          const email = deliveries.find(({ channel }) => channel === 'email');
          return [status, email?.['status'], (email?.['reason'] as { code?: string } | undefined)?.code];
        }),
      );
    assert.deepEqual(await stated(), [
      ['sending', 'sent', undefined],
      ['sending', 'sent', undefined],
      ['sending', 'sent', undefined],
    ]);
    assert.equal(await post({ batch }), 200);
    const after = [
      ['delivered', 'delivered', undefined],
      ['undeliverable', 'failed', 'address-refused'],
      ['sending', 'sent', undefined],
    ];
    assert.deepEqual(await stated(), after);
    const countBefore = (await app.events()).length;
    const unusual = [{ toString: 7 }, ['delivered'], null, true, 7].map((status) => about(2, status));
    assert.equal(await post({ batch: unusual }), 200);
    // The largest body that is accepted.
    assert.equal(
      lateReportsInMailEvents(events, { batch: Array.from({ length: 20_000 }, () => about(0, 'delivered')) })?.length,
      20_000,
    );
    assert.deepEqual([await post({ batch }), await post({ other: [] }), await post('no batch')], [200, 200, 200]);
    // Reading a notification adds no event here, and neither does a repeated report.
    assert.equal((await app.events()).length, countBefore);
    assert.deepEqual(await stated(), after);
    assert.deepEqual(faults, []);
  });
}

test('an attempt is found only by its Message-ID or envelope sender', () => {
  const id = 'dlv_01J9ZZZZZZZZZZZZZZZZZZZZZZ';
  const events = parseMailEvents(JSON.stringify({ id: '/m', status: '/w', failed: ['x'] }));
  const found = (m: unknown) => lateReportsInMailEvents(events, [{ m, w: 'x' }])?.map(({ delivery }) => delivery);
  const good = [`<${id}.1@a>`, `${id}.12@a`, `<${id.toLowerCase()}.1@a>`, `bounces+${id}.1-0123456789ab@a`];
  for (const mark of good) assert.deepEqual(found(mark), [id], mark);
  for (const mark of [`x${id}.1@a`, id, `${id}.1`, 'dlv_short.1@a', 7, null, undefined, { id }]) {
    assert.deepEqual(found(mark), []);
  }
});

test('an invalid mapping, or one of the two settings without the other, stops the start with a message that hides the file', (t) => {
  const folder = makeTestFolder('events-');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'events.json');
  const started = (text: string, more: Record<string, string> = { MAIL_EVENTS_TOKEN: 'token of mail events' }) => {
    writeFileSync(path, text);
    const settings = readSettings({ MAIL_EVENTS: path, ...more });
    return () => mailEventsOf(settings);
  };
  const mapped = (more: object) => started(JSON.stringify({ id: '/m', status: '/w', failed: ['x'], ...more }));
  assert.throws(started('{"secret": '), /MAIL_EVENTS: [^{]*: expected JSON, received [^{]*\. See/);
  assert.throws(mapped({ id: 'm' }), /\/id: must match pattern/);
  assert.throws(mapped({ failed: undefined }), /expected a status in at least one list/);
  assert.throws(mapped({ bounce: [] }), /\/bounce: is not a known member/);
  assert.throws(mapped({ failed: 'x' }), /\/failed: must be array/);
  assert.throws(mapped({ failed: [''] }), /\/failed\/0: must not have fewer than 1 characters/);
  assert.throws(mapped({ status: [] }), /\/status: /);
  assert.throws(mapped({ status: ['/a', 'b'] }), /\/status: /);
  assert.throws(mapped({ headers: { 'Message-ID': 'x' } }), /\/headers\/Message-ID: is not a known member/);
  assert.throws(mapped({ headers: { 'X A': 'a' } }), /\/headers\/X A: is not a known member/);
  for (const line of ['a\r\nBcc: b@c', ''])
    assert.throws(mapped({ headers: { 'X-A': line } }), /\/headers\/X-A: must match pattern/);
  assert.throws(mapped({ headers: ['x'] }), /\/headers: must be object/);
  assert.throws(mapped({ json: 'Message' }), /\/json: must match pattern/);
  assert.throws(started('{}', {}), /MAIL_EVENTS and MAIL_EVENTS_TOKEN together/);
});
