import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../until.ts';
import { makeHome } from '../whole-server.ts';

test('a process with the worker role tells what its queues hold, and one without tells nothing of them', async (t) => {
  const home = await makeHome(t, { engine: 'postgres', settings: { ADMIN_PORT: '0' } });
  assert.equal((await home.run('keys', 'create')).code, 0);
  const metricsOf = async (role: string) => {
    const server = home.launch('start', '--roles', role);
    const addressOf = () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(`${server.stdout()}${server.stderr()}`)?.[0];
    await until(async () => addressOf() !== undefined);
    return async () => {
      const text = await (await fetch(addressOf() ?? assert.fail())).text();
      return text
        .split('\n')
        .filter((line) => /^citizen_services_(deliveries|webhook_calls)_/.test(line))
        .sort();
    };
  };
  const [ofApi, ofWorker] = [await metricsOf('api'), await metricsOf('worker')];
  await until(async () => (await ofWorker()).length > 2);
  const channels = ['email', 'inbox', 'letter', 'sms'];
  assert.deepEqual(await ofWorker(), [
    ...channels.map((channel) => `citizen_services_deliveries_due{channel="${channel}"} 0`),
    ...channels.map((channel) => `citizen_services_deliveries_oldest_due_seconds{channel="${channel}"} 0`),
    'citizen_services_webhook_calls_due 0',
    'citizen_services_webhook_calls_oldest_due_seconds 0',
  ]);
  assert.deepEqual(await ofApi(), []);
});
