import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../support/database-engines.ts';
import { fetchOnce } from '../support/http-client.ts';
import { makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const watch = join(import.meta.dirname, '../support/network-log-preload.ts');

/** A server that records its connections. It is started twice, because the first start of the demo calls its own API. */
async function watchedServer(t: TestContext, options: { engine?: Engine['name']; settings?: Record<string, string> }) {
  const folder = makeTestFolder('cs-network-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'log');
  const nodeOptions = `${process.env['NODE_OPTIONS'] ?? ''} --import=${watch}`;
  const settings = { ...options.settings, NODE_OPTIONS: nodeOptions, NETWORK_LOG: file };
  const home = await makeServerFixture(t, { ...options, settings });
  await (await home.start()).stop('SIGTERM');
  writeFileSync(file, '');
  const server = await home.start();
  const places = () =>
    [
      ...new Set(
        readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== ''),
      ),
    ].sort();
  return { home, server, places };
}

/** Calls the three main operations and the first pages of the documentation. */
async function useAll(home: ServerFixture): Promise<void> {
  const { citizens, documents } = home.readDemoFile();
  const { citizenId, givenName, familyName, birthDate } = citizens[0] ?? assert.fail();
  const headers = { authorization: `Bearer ${await home.fetchAccessToken()}`, 'content-type': 'application/json' };
  const ask = async (path: string, body?: object) => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${home.url}${path}`, { headers, ...sent });
    assert.ok(answer.ok, `${path}: ${await answer.text()}`);
  };
  await ask('/v1/identity/verify', { citizenId, givenName, familyName, birthDate });
  await ask('/v1/notifications/send', { citizenId, message: 'See https://elsewhere.example/ for more.' });
  await ask(`/v1/documents/${documents[0]?.id}`);
  for (const page of ['/', '/docs', '/.well-known/jwks.json', '/readyz']) await ask(page);
}

for (const engine of engines) {
  test(`${engine.name}: a server without external services makes no connection and no DNS query`, async (t) => {
    const { home, server, places } = await watchedServer(t, { engine: engine.name });
    await useAll(home);
    await waitUntil(async () => (await (await fetchOnce(`${home.url}/outbox`)).text()).includes('elsewhere.example'));
    await server.stop('SIGTERM');
    assert.deepEqual(places(), []);
  });
}

test('a server with a relay and a webhook connects to these two addresses only', async (t) => {
  const [sink, receiver] = [await startTestSmtpServer(t), await startWebhookReceiver(t)];
  const { home, server, places } = await watchedServer(t, { settings: { SMTP_URL: sink.url } });
  const headers = { authorization: `Bearer ${await home.fetchAccessToken()}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: `http://localhost:${receiver.port}/hook` });
  assert.equal((await fetch(`${home.url}/v1/webhooks`, { method: 'POST', headers, body })).status, 201);
  await useAll(home);
  await waitUntil(async () => sink.mails.length > 0 && receiver.calls.length > 0);
  await server.stop('SIGTERM');
  const configured = [`connect 127.0.0.1:${sink.port}`, `connect localhost:${receiver.port}`, 'name localhost'];
  assert.deepEqual(places(), configured.sort());
});
