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
  ...{ events: '/batch', mail: '/mail/message-id', word: '/event' },
  ...{ delivered: ['delivered'], bounced: ['hard_bounce', 'dropped'], full: ['over_quota'], refused: ['spam'] },
};

for (const engine of engines) {
  test(`${engine.name}: the provider's words prove or fail mails late, a batch at a time, and only with the token`, async (t) => {
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
    const tell = async (batch: unknown, token = 't0ken') => {
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
    assert.equal(await tell({ batch }, 'guess'), 401);
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
    assert.equal(await tell({ batch }), 200);
    const after = [
      ['delivered', 'delivered', undefined],
      ['undeliverable', 'failed', 'address-refused'],
      ['sending', 'sent', undefined],
    ];
    assert.deepEqual(await stated(), after);
    const told = (await app.events()).length;
    const odd = [{ toString: 7 }, ['delivered'], null, true, 7].map((word) => about(2, word));
    assert.equal(await tell({ batch: odd }), 200);
    // However many come in one body of the size that is taken.
    assert.equal(
      lateReportsInMailEvents(events, { batch: Array.from({ length: 20_000 }, () => about(0, 'delivered')) })?.length,
      20_000,
    );
    assert.deepEqual([await tell({ batch }), await tell({ other: [] }), await tell('no batch')], [200, 200, 200]);
    // Each show is a use and an event of its own; the words that came again were none.
    assert.equal((await app.events()).length, told);
    assert.deepEqual(await stated(), after);
    assert.deepEqual(faults, []);
  });
}

test('a mark of ours is found as Message-ID and as envelope sender, and nothing else is one', () => {
  const id = 'dlv_01J9ZZZZZZZZZZZZZZZZZZZZZZ';
  const events = parseMailEvents(JSON.stringify({ mail: '/m', word: '/w', bounced: ['x'] }));
  const found = (m: unknown) => lateReportsInMailEvents(events, [{ m, w: 'x' }])?.map(({ delivery }) => delivery);
  const good = [`<${id}.1@a>`, `${id}.12@a`, `<${id.toLowerCase()}.1@a>`, `bounces+${id}.1-0123456789ab@a`];
  for (const mark of good) assert.deepEqual(found(mark), [id], mark);
  for (const mark of [`x${id}.1@a`, id, `${id}.1`, 'dlv_short.1@a', 7, null, undefined, { id }]) {
    assert.deepEqual(found(mark), []);
  }
});

test('a mapping that says nothing, or a setting without the other, stops the start and shows no line of the file', (t) => {
  const folder = makeTestFolder('events-');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'events.json');
  const started = (text: string, more: Record<string, string> = { MAIL_EVENTS_TOKEN: 'of the mail provider' }) => {
    writeFileSync(path, text);
    const settings = readSettings({ MAIL_EVENTS: path, ...more });
    return () => mailEventsOf(settings);
  };
  assert.throws(started('{"secret": '), /MAIL_EVENTS: [^{]*expected JSON\. See/);
  assert.throws(started('{"mail": "m", "word": "/w"}'), /mail: expected a JSON pointer/);
  assert.throws(started('{"mail": "/m", "word": "/w"}'), /expected words in one list at least/);
  assert.throws(started('{"mail": "/m", "word": "/w", "bounce": []}'), /no member is called bounce/);
  assert.throws(started('{"mail": "/m", "word": "/w", "bounced": "x"}'), /bounced: expected a list of words/);
  assert.throws(started('{"mail": "/m", "word": "/w", "bounced": [""]}'), /bounced: expected a list of words/);
  const mapped = (more: object) => started(JSON.stringify({ mail: '/m', word: '/w', bounced: ['x'], ...more }));
  assert.throws(mapped({ word: [] }), /word: expected a place or more/);
  assert.throws(mapped({ word: ['/a', 'b'] }), /word: expected a JSON pointer/);
  for (const headers of [{ 'Message-ID': 'x' }, { 'X-A': 'a\r\nBcc: b@c' }, { 'X-A': '' }, { 'X A': 'a' }])
    assert.throws(mapped({ headers }), /headers: expected a name as X-Mark and one line of ASCII/);
  assert.throws(mapped({ headers: ['x'] }), /headers: expected a JSON object/);
  assert.throws(mapped({ json: 'Message' }), /json: expected a JSON pointer/);
  assert.throws(started('{}', {}), /MAIL_EVENTS and MAIL_EVENTS_TOKEN together/);
});
