import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Engine, engines } from '../support/database-engines.ts';
import { openSimulatedServer, startSmsGateway, writeFileIn } from '../support/simulated-server.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const begin = Date.UTC(2026, 10, 23, 9);
const scopes = 'notifications:send,webhooks:manage';
const ada = {
  ...{ citizenId: 'c-1', givenName: 'Ada', familyName: 'Berg', birthDate: '1980-02-29' },
  ...{ email: 'ada@example.org', phone: '+4740001001' },
};

/** A server whose receiver of text messages, and of calls, can be too busy. */
async function sendingHouse(t: TestContext, engine: Engine['name']) {
  const busy = { gateway: false, receiver: false };
  const sink = await startTestSmtpServer(t);
  const gateway = await startSmsGateway(t, () => busy.gateway);
  const receiver = await startWebhookReceiver(t, () => (busy.receiver ? 503 : 204));
  const providers = { SMTP_URL: sink.url, SMS_URL: gateway.url, SMS_RECEIPT_TOKEN: 'receipts-of-texts' };
  const app = await openSimulatedServer(t, engine, providers, begin);
  await app.start();
  t.after(() => app.stop());
  await app.command('import', 'citizens', writeFileIn(app.dataDir, 'people.jsonl', JSON.stringify(ada)));
  const named = ['create', 'Tax', '--kind', 'test', '--secret', '--scopes', scopes, '--json'];
  const client = JSON.parse(await app.command('clients', ...named)).clientId;
  const post = async (path: string, body: object) => {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const { status, text } = await app.ask(path, { client, scopes: scopes.split(','), ...init });
    assert.ok(status < 300, text);
    return JSON.parse(text);
  };
  const send = async (more: object = {}): Promise<string> =>
    (await post('/v1/notifications/send', { citizenId: 'c-1', message: 'Ready.', ...more })).id;
  const leap = async (ms: number, times = 1) => {
    for (let each = 0; each < times; each += 1) await app.leap(ms);
  };
  await post('/v1/webhooks', { url: receiver.url });
  /** What waits of a message: by which channel, how often tried, and in how many whole hours it is due. */
  const waits = async (id: string) => {
    const rows = await app.read()(
      `select channel, attempts, run_at from delivery where status = 'queued' and notification_id = $1 order by run_at`,
      [id],
    );
    const hours = (row: (typeof rows)[number]) => Math.round((Number(row['run_at']) - app.clock.now()) / hour);
    return rows.map((row) => `${row['channel']} ${Number(row['attempts']) > 0 ? 'again' : 'first'} in ${hours(row)} h`);
  };
  const calls = async () =>
    (await app.read()("select attempts, run_at from webhook_call where status = 'queued'")).map(
      (row) => Number(row['run_at']) - app.clock.now(),
    );
  return { ...{ app, gateway, sink, busy, send, leap, waits, calls } };
}

for (const { name: engine } of engines) {
  for (const [span, ahead] of [
    ['a year', 365 * day],
    ['an hour', hour],
  ] as const) {
    test(`${engine}: what a clock that was ${span} ahead put off waits no longer once it is right`, async (t) => {
      const { app, busy, gateway, send, leap, waits, calls } = await sendingHouse(t, engine);
      const planned = await send();
      await leap(2_000, 5);
      const plan = ['email first in 72 h', 'sms first in 120 h', 'letter first in 168 h'];
      assert.deepEqual(await waits(planned), plan);
      busy.gateway = true;
      busy.receiver = true;
      app.setClock(ahead);
      await leap(minute, 2);
      const late = await send();
      const tried = await send({ channels: ['sms'] });
      const sendAt = new Date(app.clock.now() + 400 * hour).toISOString();
      const stated = await send({ sendAt, channels: ['sms'] });
      await leap(2_000, 5);
      assert.deepEqual(await waits(late), plan);
      assert.deepEqual(await waits(tried), ['sms again in 0 h']);
      app.setClock(-ahead);
      await leap(minute);
      await leap(2_000, 5);
      assert.deepEqual(await waits(late), plan, 'the plan counts from when it was accepted');
      assert.deepEqual(await waits(stated), [
        `inbox first in ${400 + ahead / hour} h`,
        `sms first in ${400 + ahead / hour} h`,
      ]);
      if (ahead === hour) assert.deepEqual(await waits(planned), plan, 'what was planned before stays');
      assert.ok((await calls()).length > 0);
      assert.ok(
        (await calls()).every((ms) => ms <= 6 * minute),
        'calls wait as long as their pause',
      );
      busy.gateway = false;
      await leap(minute, 5);
      assert.deepEqual(await waits(tried), []);
      assert.equal(gateway.taken.length, 1);
    });
  }
}

test('a start does not wait for what a clock that was ahead has put off', async (t) => {
  const app = await openSimulatedServer(t, 'sqlite', {}, begin);
  const broughtBack = Promise.withResolvers<boolean>();
  const started = app.start((given) => ({ ...given, isClockSure: () => broughtBack.promise }));
  assert.equal(await Promise.race([started, pause(60_000, 'it waits', { ref: false })]), undefined);
  assert.equal((await app.ask('/readyz')).status, 200);
  broughtBack.resolve(true);
  await app.stop();
});
