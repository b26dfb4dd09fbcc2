import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { newClient } from '../../src/auth/client.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { runCommandLine } from '../../src/cli/command.ts';
import { webhookCommands } from '../../src/cli/webhooks.ts';
import { rootKeyFromBytes } from '../../src/crypto/root-key.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { createWebhook } from '../../src/notifications/create-webhook.ts';
import { listWebhooks } from '../../src/notifications/list-webhooks.ts';
import { readEvents } from '../../src/notifications/read-events.ts';
import { rotateWebhookSecret } from '../../src/notifications/rotate-webhook-secret.ts';
import { pruneFeed } from '../../src/notifications/webhooks/prune-feed.ts';
import { engines } from '../support/database-engines.ts';
import { minuteMs } from '../support/delivery-app.ts';
import { openWebhookApp } from '../support/webhook-app.ts';
import { type ReceivedWebhookCall, startWebhookReceiver } from '../support/webhook-receiver.ts';

const hour = 60 * minuteMs;
const day = 24 * hour;
/** The part of the schema of a page that the test reads. */
type PageSchema = {
  properties: { items: { items: { properties: { type: { description: string }; data: { properties: object } } } } };
};
type Feed = { items: Array<{ number: number }>; after: string };

/** Whether one of the signatures of a call verifies by this public key, implemented from Standard Webhooks 1.0.0. */
function isSignedBy(publicKey: string, { headers, body }: ReceivedWebhookCall): boolean {
  const x = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return String(headers['webhook-signature'])
    .split(' ')
    .map((part) => part.split(','))
    .some(([version, mark = '']) => version === 'v1a' && verify(null, signed, key, Buffer.from(mark, 'base64')));
}

for (const engine of engines) {
  test(`${engine.name}: the published v1a key verifies each call, and the old key verifies calls for a day after a rotation`, async (t) => {
    const { time, operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    const receiver = await startWebhookReceiver(t);
    const made = await operate(createWebhook, { body: { url: receiver.url, signature: 'v1a' } });
    assert.match(String(made['publicKey']), /^whpk_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual([made['signature'], made['secret']], ['v1a', undefined]);
    const listed = async () => ((await operate(listWebhooks)) as { items: Array<Record<string, unknown>> }).items[0];
    assert.equal((await listed())?.['publicKey'], made['publicKey']);
    await sendMany(1);
    const [first] = receiver.calls;
    assert.ok(first !== undefined && isSignedBy(String(made['publicKey']), first));
    assert.equal(isSignedBy(String(made['publicKey']), { ...first, body: `${first.body} ` }), false);
    const rotated = await operate(rotateWebhookSecret, { params: { id: made['id'] } });
    assert.notEqual(rotated['publicKey'], made['publicKey']);
    assert.equal(rotated['oldPublicKey'], made['publicKey']);
    assert.deepEqual((await listed())?.['publicKey'], rotated['publicKey']);
    await sendMany(1);
    const second = receiver.calls[1];
    assert.ok(second !== undefined);
    for (const key of [made, rotated]) assert.ok(isSignedBy(String(key['publicKey']), second));
    await time.advance(25 * hour, async () => undefined);
    await sendMany(1);
    const third = receiver.calls[2];
    assert.ok(third !== undefined && isSignedBy(String(rotated['publicKey']), third));
    assert.equal(isSignedBy(String(made['publicKey']), third), false);
  });

  test(`${engine.name}: the OpenAPI document names each type and member of an event`, async (t) => {
    const { operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    await sendMany(3);
    const { items } = (await operate(readEvents, { query: '' })) as { items: { type: string; data: object }[] };
    assert.ok(items.length >= 3);
    const page = readEvents.responses[200]?.schema as unknown as PageSchema;
    const { type, data } = page.properties.items.items.properties;
    for (const item of items) {
      assert.ok(type.description.includes(item.type), item.type);
      for (const name of Object.keys(item.data)) assert.ok(name in data.properties, name);
    }
  });

  test(`${engine.name}: a client with agreed hosts can create webhooks at those hosts only`, async (t) => {
    const db = await engine.open(t);
    const { app, time } = await openWebhookApp(t, db);
    const made = newClient(
      { name: 'Parking', kind: 'test', scopes: ['webhooks:manage'], credential: 'secret' },
      time.clock,
      app.random,
    );
    assert.ok('client' in made);
    const { clientId } = made.client;
    await db.write([insertClient(made.client)]);
    const printed: string[] = [];
    const print = (text: string) => void printed.push(text);
    const terminal = { stdout: print, stderr: () => undefined, isInteractive: false, cwd: '/' };
    const keys = { root: rootKeyFromBytes(new Uint8Array(32)), random: systemRandom };
    const deps = {
      ...keys,
      read: db.read,
      commit: app.commit,
      clock: time.clock,
      createId: app.createId,
      operator: 'ops',
    };
    const commands = webhookCommands(async (use) => await use(deps), terminal);
    const run = (...args: string[]) => runCommandLine(['webhooks', 'hosts', ...args], commands, terminal);
    const create = async (url: string, as = clientId) => {
      const answer = await app.serve(createWebhook)({ body: { url } }, { clientId: as });
      return 'refused' in answer ? answer.refused.issues?.[0]?.detail : answer.status;
    };
    assert.equal(await create('https://anywhere.example/hook'), 201);
    assert.equal(await run(clientId, '--set', 'Hooks.Parking.example,b.example'), 0);
    assert.equal(await create('https://hooks.parking.example:8443/hook'), 201);
    for (const url of ['https://parking.example/', 'https://x.b.example/', 'https://b.example.evil.example/']) {
      assert.match(String(await create(url)), /one of the hosts that were agreed for this client/);
    }
    assert.equal(await create('https://parking.example/', 'another'), 201);
    assert.equal(await run(clientId, '--any'), 0);
    assert.equal(await create('https://parking.example/'), 201);
    assert.deepEqual(printed.join(''), 'b.example\nhooks.parking.example\n');
    assert.deepEqual([await run('nobody', '--any'), await run(clientId, '--set', 'a.example:1')], [1, 2]);
    assert.equal(await run(clientId, '--set', 'a.example#b.example'), 2);
    const set = (await app.events()).filter((type) => type === 'client.webhook-hosts-set');
    assert.equal(set.length, 2);
  });

  test(`${engine.name}: events older than the limit are deleted with their calls, and an older cursor gets 410`, async (t) => {
    const db = await engine.open(t);
    const { app, time, idle, operate, sendMany, faults } = await openWebhookApp(t, db, 2);
    const receiver = await startWebhookReceiver(t);
    await operate(createWebhook, { body: { url: receiver.url } });
    await sendMany(3);
    const early = (await operate(readEvents, { query: 'limit=2' })) as Feed;
    assert.equal(early.after, '2');
    await time.advance(1.5 * day, idle);
    await sendMany(2);
    assert.equal(((await operate(readEvents, { query: 'after=0' })) as Feed).items.length, 5);
    await time.advance(day, idle);
    const numbersOf = async (query: string) =>
      ((await operate(readEvents, { query })) as Feed).items.map(({ number }) => number);
    assert.deepEqual(await numbersOf(''), [4, 5]);
    assert.deepEqual(await numbersOf('after=3'), [4, 5]);
    for (const after of ['0', '2']) {
      const answer = await app.serve(readEvents)({ query: `after=${after}` });
      assert.ok('refused' in answer);
      assert.equal(answer.refused.slug, 'cursor-expired');
      assert.match(answer.refused.detail, /up to number 3 were deleted. Send after=3/);
    }
    const [counted] = await db.read('select count(*) as calls from webhook_call');
    assert.equal(counted?.['calls'], 2);
    assert.deepEqual([receiver.calls.length, faults], [5, []]);
    // The feed of another client is complete, and new events continue the numbers.
    const other = await app.serve(readEvents)({ query: 'after=0' }, { clientId: 'another' });
    assert.ok('json' in other);
    await sendMany(1);
    assert.deepEqual(await numbersOf('after=5'), [6]);
    await time.advance(3 * day, idle);
    assert.deepEqual([await numbersOf(''), await numbersOf('after=6')], [[], []]);
  });

  test(`${engine.name}: expired events are deleted within a minute of a start`, async (t) => {
    const db = await engine.open(t);
    const { time, idle, sendMany, faults } = await openWebhookApp(t, db, 7);
    await sendMany(2);
    await db.write([{ sql: 'update feed_event set at = at - $1', args: [8 * day] }]);
    await time.advance(60_000, idle);
    assert.deepEqual([await db.read('select id from feed_event'), faults], [[], []]);
  });

  test(`${engine.name}: events that are deleted while a page is read leave no gap in the page`, async (t) => {
    const db = await engine.open(t);
    let isAsked = false;
    let prune: () => Promise<void> = assert.fail;
    const read: typeof db.read = async (sql, args) => {
      const rows = await db.read(sql, args);
      // Background jobs read other events.
      if (isAsked && sql.includes('from feed_event where client_id = $1 and number > $2')) {
        isAsked = false;
        await prune();
      }
      return rows;
    };
    const { app, sendMany } = await openWebhookApp(t, { ...db, read });
    await sendMany(3);
    prune = async () => {
      await db.write([{ sql: 'update feed_event set at = 0 where number <= 2' }]);
      await pruneFeed({ read: db.read, write: db.write, before: 1 });
    };
    isAsked = true;
    const answer = await app.serve(readEvents)({ query: 'after=1' });
    assert.equal('refused' in answer && answer.refused.slug, 'cursor-expired');
  });
}
