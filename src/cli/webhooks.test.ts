import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import { openClientCommands, readPendingEvents } from '../../test/support/run-command.ts';
import { newClient } from '../auth/client.ts';
import { insertClient } from '../auth/client-store.ts';
import type { Clock } from '../kernel/clock.ts';
import type { WebhookId } from '../kernel/id.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import {
  countCalls,
  disableWebhook,
  findPendingRedeliveries,
  insertWebhook,
  markWebhookRemoved,
} from '../notifications/webhooks/webhook-store.ts';
import { webhookCommands } from './webhooks.ts';

/** The commands about webhooks, with a client whose webhook has two failed calls and one waiting call. */
async function openWebhooks(t: TestContext, engine?: Engine) {
  const line = await openClientCommands(t, engine, webhookCommands);
  const { db, clock } = line;
  const client = newTestClient(clock);
  const { clientId } = client;
  const createId = createIdGenerator(clock, systemRandom);
  const id = createId('webhook');
  const secret = new Uint8Array(40);
  await db.write([
    insertClient(client),
    ...insertWebhook({ id, clientId, url: 'https://x.example/', signature: 'v1', secret, createdAt: 1 }),
    ...['dead', 'dead', 'queued', 'done'].flatMap((status) => callOf(createId('event'), { id, clientId, status })),
  ]);
  return { ...line, id, clientId, run: (...args: string[]) => line.run('webhooks', ...args) };
}

function newTestClient(clock: Clock) {
  const wanted = { name: 'x', kind: 'test', scopes: ['events:read'], credential: 'secret' } as const;
  const made = newClient({ ...wanted, ...unstated }, clock, systemRandom);
  if ('fault' in made) throw new Error(made.fault);
  return made.client;
}

const unstated = {
  binding: undefined,
  purposes: undefined,
  legalBases: undefined,
  policy: undefined,
  quota: undefined,
};

function callOf(event: string, { id, clientId, status }: { id: WebhookId; clientId: string; status: string }) {
  return [
    {
      sql: "insert into feed_event (id, client_id, at, type, data) values ($1, $2, 1, 'x', '{}')",
      args: [event, clientId],
    },
    {
      sql: 'insert into webhook_call (webhook_id, event_id, status, attempts, run_at) values ($1, $2, $3, 1, 1)',
      args: [id, event, status],
    },
  ];
}

for (const engine of engines) {
  test(`${engine.name}: redeliver queues the failed calls of a disabled webhook again, with its event`, async (t) => {
    const line = await openWebhooks(t, engine);
    const { db, id, run, clock } = line;
    await db.write([disableWebhook(id)]);
    assert.deepEqual(await run('redeliver', id), { code: 0, stdout: '', stderr: '2 calls are queued again.\n' });
    assert.deepEqual(await findPendingRedeliveries(db.read), [{ id, after: '' }]);
    assert.deepEqual(await countCalls(db.read, id), { waiting: 1, dead: 2 });
    const change = { webhook: id, change: 'redelivery-asked' };
    assert.deepEqual(await readPendingEvents(line), [
      { type: 'webhook.changed', at: new Date(clock.at).toISOString(), actor: { operator: 'root' }, ...change },
    ]);
  });

  test(`${engine.name}: redeliver fails for a removed webhook, also one that is removed at the same time`, async (t) => {
    const line = await openWebhooks(t, engine);
    const { db, id, run, hooks } = line;
    hooks.beforeCommit = async () => void (await db.write([markWebhookRemoved(id)]));
    const gone = {
      code: 1,
      stdout: '',
      stderr: `Expected the id of a webhook, but ${id} does not exist or was removed. Run "citizen-services webhooks list".\n`,
    };
    assert.deepEqual(await run('redeliver', id), gone);
    hooks.beforeCommit = undefined;
    assert.deepEqual(await run('redeliver', id), gone);
    const other = createIdGenerator(line.clock, systemRandom)('webhook');
    assert.deepEqual(await run('redeliver', other), {
      ...gone,
      stderr: `Expected the id of a webhook, but ${other} does not exist or was removed. Run "citizen-services webhooks list".\n`,
    });
    assert.deepEqual([await findPendingRedeliveries(db.read), await readPendingEvents(line)], [[], []]);
  });

  test(`${engine.name}: list shows the waiting and failed calls of webhooks, of one client or all`, async (t) => {
    const { db, id, clientId, clock, run } = await openWebhooks(t, engine);
    const otherClient = newTestClient(clock);
    const other = otherClient.clientId;
    const createId = createIdGenerator(clock, systemRandom);
    const [second, removed] = [createId('webhook'), createId('webhook')];
    const secret = new Uint8Array(40);
    await db.write([
      insertClient(otherClient),
      ...[second, removed].flatMap((one) =>
        insertWebhook({ id: one, clientId: other, url: 'https://y.example/', signature: 'v1', secret, createdAt: 1 }),
      ),
      disableWebhook(second),
      markWebhookRemoved(removed),
    ]);
    const createdAt = '1970-01-01T00:00:00.001Z';
    const shown = [
      { id, clientId, status: 'active', waiting: 1, dead: 2, createdAt, url: 'https://x.example/' },
      { id: second, clientId: other, status: 'disabled', waiting: 0, dead: 0, createdAt, url: 'https://y.example/' },
    ];
    const lines = [
      `${id}\t${clientId}\tactive\t1 waiting\t2 failed\thttps://x.example/\n`,
      `${second}\t${other}\tdisabled\t0 waiting\t0 failed\thttps://y.example/\n`,
    ];
    const listed = await run('list');
    assert.deepEqual([listed.code, listed.stderr], [0, '2 webhooks\n']);
    assert.deepEqual(listed.stdout.split(/(?<=\n)/).sort(), [...lines].sort());
    assert.deepEqual(await run('list', other), { code: 0, stdout: lines[1], stderr: '1 webhooks\n' });
    assert.deepEqual(JSON.parse((await run('list', clientId, '--json')).stdout), shown.slice(0, 1));
    const nobody = {
      code: 1,
      stdout: '',
      stderr: 'Expected the id of a client, but there is no client nobody. Run "citizen-services clients list".\n',
    };
    assert.deepEqual(await run('list', 'nobody'), nobody);
    assert.match((await run('list', clientId, other)).stderr, /^Expected at most one client id, received /);
  });

  test(`${engine.name}: hosts sets, replaces and removes the allowed hosts, each time with an event`, async (t) => {
    const line = await openWebhooks(t, engine);
    const { run, clientId, clock } = line;
    const all = { code: 0, stdout: '', stderr: 'All public hosts are allowed.\n' };
    assert.deepEqual(await run('hosts', clientId), all);
    const set = await run('hosts', clientId, '--set', ' b.example,A.example, bücher.example ,b.example');
    const hosts = ['a.example', 'b.example', 'xn--bcher-kva.example'];
    const shown = { code: 0, stdout: `${hosts.join('\n')}\n`, stderr: 'Existing webhooks do not change.\n' };
    assert.deepEqual(set, shown);
    assert.deepEqual(await run('hosts', clientId), shown);
    assert.deepEqual(await run('hosts', clientId, '--set', 'c.example'), { ...shown, stdout: 'c.example\n' });
    assert.deepEqual(await run('hosts', clientId, '--any'), all);
    const head = {
      type: 'client.webhook-hosts-set',
      at: new Date(clock.at).toISOString(),
      actor: { operator: 'root' },
      clientId,
    };
    assert.deepEqual(
      await readPendingEvents(line),
      [hosts, ['c.example'], []].map((stated) => ({ ...head, hosts: stated })),
    );
  });
}

test('hosts accepts at most 100 names without ports, paths or wildcards', async (t) => {
  const line = await openWebhooks(t);
  const { run, clientId } = line;
  const many = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.example`).join(',');
  for (const list of [
    '',
    'a.example,',
    'a.example:8443',
    'https://a.example',
    'a.example/x',
    '*.a.example',
    many(101),
  ]) {
    const { code, stdout, stderr } = await run('hosts', clientId, '--set', list);
    assert.deepEqual([code, stdout], [2, ''], list);
    assert.match(stderr, /^--set: expected (?:a comma-separated list of|at most 100) host names/, list);
  }
  assert.deepEqual(await readPendingEvents(line), []);
  assert.equal((await run('hosts', clientId, '--set', many(100))).code, 0);
});

test('a command with a missing, repeated or unknown webhook or client fails with an error', async (t) => {
  const line = await openWebhooks(t);
  const { run, id, clientId } = line;
  for (const args of [[], ['x'], [clientId], [id, id]]) {
    const { code, stderr } = await run('redeliver', ...args);
    assert.equal(code, 2, String(args));
    assert.match(stderr, /^Expected the id of one webhook, such as whk_01…, received /);
  }
  for (const args of [[], [clientId, 'x']])
    assert.match((await run('hosts', ...args)).stderr, /^Expected the id of one client, received /);
  assert.match(
    (await run('hosts', clientId, '--set', 'a.example', '--any')).stderr,
    /^Expected --set or --any, received both\.\n/,
  );
  assert.deepEqual(await run('hosts', 'nobody', '--any'), {
    code: 1,
    stdout: '',
    stderr: 'Expected the id of a client, but there is no client nobody. Run "citizen-services clients list".\n',
  });
  assert.deepEqual(await readPendingEvents(line), []);
});
