import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

test('the metrics count each final status of a notification once, and no status that is not final', async (t) => {
  const home = await makeServerFixture(t, { settings: { ADMIN_PORT: '0' } });
  const server = await home.start('demo');
  const address = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(server.stdout() + server.stderr())?.[0] ?? assert.fail();
  const [ask, token] = [createHttpClient(home.url), await home.fetchAccessToken()];
  const counts = async () => {
    const lines = (await (await fetch(address)).text()).matchAll(
      /^citizen_services_notification_statuses_total\{status="(\w+)"\} (\d+)$/gm,
    );
    return Object.fromEntries([...lines].map(([, status = '', count]) => [status, Number(count)]));
  };
  const send = async (citizenId: string, more: object = {}) => {
    const answer = await ask(postJson(token, '/v1/notifications/send', { citizenId, message: 'Hello', ...more }));
    return String(parseJsonBody(answer)['id']);
  };
  // The messages that the demo begins with are delivered.
  const { delivered: _delivered, ...others } = await counts();
  assert.deepEqual(others, { read: 0, sent: 0, unknown: 0, undeliverable: 0, cancelled: 0 });
  for (const citizenId of ['sim-delivered', 'sim-unknown', 'sim-perm-fail', 'sim-no-contact', 'sim-unread'])
    await send(citizenId);
  const scheduled = await send('sim-delivered', { sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  const cancel = { method: 'POST', path: `/v1/notifications/${scheduled}/cancel`, headers: bearerHeaders(token) };
  // A repeated cancellation changes nothing.
  for (let calls = 0; calls < 2; calls += 1) assert.equal((await ask(cancel)).status, 200);
  await waitUntil(async () => {
    const { delivered = 0, unknown, undeliverable, cancelled } = await counts();
    return delivered > 0 && [unknown, undeliverable, cancelled].join() === '1,2,1';
  });
  const { read, sent } = await counts();
  assert.deepEqual([read, sent], [0, 0]);
});
