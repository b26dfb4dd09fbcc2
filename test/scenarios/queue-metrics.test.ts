import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchOnce } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Without fast timers: the interval of five seconds is also the timeout for PostgreSQL at a start.
const settings = { ADMIN_PORT: '0' };

test('only a process with the worker role reports the length of its queues', async (t) => {
  const home = await makeServerFixture(t, { engine: 'postgres', settings });
  assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
  const metricsOf = async (role: string) => {
    const server = home.launchCommand('start', '--roles', role);
    const addressOf = () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(`${server.stdout()}${server.stderr()}`)?.[0];
    await waitUntil(async () => addressOf() !== undefined);
    return async () => {
      const text = await (await fetch(addressOf() ?? assert.fail())).text();
      return text
        .split('\n')
        .filter((line) => /^citizen_services_(deliveries|webhook_calls|scans)_/.test(line))
        .sort();
    };
  };
  const [ofApi, ofWorker] = [await metricsOf('api'), await metricsOf('worker')];
  const channels = ['email', 'inbox', 'letter', 'sms'];
  const all = [
    ...channels.map((channel) => `citizen_services_deliveries_due{channel="${channel}"} 0`),
    ...channels.map((channel) => `citizen_services_deliveries_oldest_due_seconds{channel="${channel}"} 0`),
    'citizen_services_scans_oldest_due_seconds 0',
    'citizen_services_webhook_calls_due 0',
    'citizen_services_webhook_calls_oldest_due_seconds 0',
  ];
  // The queues are measured one after the other.
  await waitUntil(async () => (await ofWorker()).length >= all.length);
  assert.deepEqual(await ofWorker(), all);
  assert.deepEqual(await ofApi(), []);
});

test('the metrics count a document that waits for a scanner that is not configured', async (t) => {
  const demo = await makeServerFixture(t);
  await (await demo.start('demo')).stop('SIGTERM');
  const home = await makeServerFixture(t, { settings: { ...settings, DATA_DIR: demo.dataDir, CLAMAV: '' } });
  const server = await home.start('start');
  const token = await home.fetchAccessToken(['documents:write'], demo.readDemoFile().clients[0]);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
  const about = { 'citizen-id': 'demo-mary', 'document-title': 'A', 'document-kind': 'notice' };
  const answer = await fetch(`${home.url}/v1/documents`, {
    method: 'POST',
    headers: { ...headers, ...about },
    body: 'A',
  });
  assert.equal(((await answer.json()) as Record<string, unknown>)['status'], 'scanning');
  const address = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(server.stderr())?.[0] ?? assert.fail();
  await waitUntil(async () => {
    const text = await (await fetchOnce(address)).text();
    return Number(/^citizen_services_scans_oldest_due_seconds (.*)$/m.exec(text)?.[1]) > 0;
  });
});
