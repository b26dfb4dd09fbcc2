import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeServerFixture } from '../support/server-process.ts';

type Count = { operation: string; outcome: string; requests: number };
type ClientView = {
  clientId: string;
  scopes: string[];
  quotas: Array<{ scope: string; perSecond: number; burst: number; remaining: number }>;
  usage: { from: string; counts: Count[] };
  credentials: Array<{ id: string; kind: string; lastUsedAt: string | null }>;
  webhooks: number;
};

/** The demo has deposited documents and sent messages with this client. */
const demoOperations = ['depositDocument', 'sendNotification'];
const ownCountsOf = ({ usage }: ClientView) =>
  usage.counts.filter(({ operation }) => !demoOperations.includes(operation));

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a client reads its own scopes, quotas, usage by decision and webhooks, also after a restart`, async (t) => {
    const home = await makeServerFixture(t, { engine });
    const server = await home.start('demo');
    const [client] = home.readDemoFile().clients;
    const made = await home.runCommand('clients', 'create', 'Other', '--scopes', 'events:read', '--secret', '--json');
    const other = JSON.parse(made.stdout) as { clientId: string; clientSecret: string };
    const ask = async (token: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' };
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${home.url}${path}`, init);
      const text = await response.text();
      return { status: response.status, text };
    };
    const viewOf = async (token: string) => JSON.parse((await ask(token, '/v1/client')).text) as ClientView;
    const token = await home.fetchAccessToken();
    const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
    for (const familyName of ['Smith', 'Smith', 'Nobody'])
      assert.equal((await ask(token, '/v1/identity/verify', { ...claims, familyName })).status, 200);
    assert.equal((await ask(token, '/v1/identity/verify', {})).status, 400);
    assert.equal((await ask(token, '/v1/notifications/ntf_1')).status, 404);
    assert.equal((await ask(token, '/v1/webhooks', { url: 'http://127.0.0.1:1/' })).status, 201);
    const expected: Count[] = [
      { operation: 'createWebhook', outcome: 'ok', requests: 1 },
      { operation: 'readNotification', outcome: 'notification-not-found', requests: 1 },
      { operation: 'verifyIdentity', outcome: 'insufficient-claims', requests: 1 },
      { operation: 'verifyIdentity', outcome: 'match', requests: 2 },
      { operation: 'verifyIdentity', outcome: 'no_match', requests: 1 },
    ];
    const view = await viewOf(token);
    assert.deepEqual(ownCountsOf(view), expected);
    assert.deepEqual([view.clientId, view.webhooks], [client?.clientId, 1]);
    assert.deepEqual(
      view.quotas.map(({ scope }) => scope),
      view.scopes,
    );
    const { remaining = 0, burst = 0 } = view.quotas.find(({ scope }) => scope === 'identity:verify') ?? {};
    assert.ok(remaining > 0 && remaining <= burst);
    const [{ kind, lastUsedAt } = { kind: '', lastUsedAt: null }] = view.credentials;
    assert.equal(kind, 'secret');
    assert.ok(Date.parse(String(lastUsedAt)) <= Date.now());
    assert.ok(!JSON.stringify(view).includes(client?.clientSecret ?? ''));

    const otherView = await viewOf(await home.fetchAccessToken([], other));
    assert.deepEqual([otherView.usage.counts, otherView.scopes, otherView.webhooks], [[], ['events:read'], 0]);

    await server.stop('SIGTERM');
    await home.start('demo');
    const reads = { operation: 'readClient', outcome: 'ok', requests: 1 };
    assert.deepEqual(ownCountsOf(await viewOf(await home.fetchAccessToken())), [
      expected[0],
      reads,
      ...expected.slice(1),
    ]);
  });
}
