import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

test('postgres: the API role accepts requests, the sequencer numbers entries and the worker delivers, and no role runs the jobs of another', async (t) => {
  const home = await makeServerFixture(t, { engine: 'postgres', settings: { LOG_LEVEL: 'info' } });
  await (await home.start('demo')).stop('SIGTERM');
  const db = await home.openDb();
  t.after(() => db.close());
  const begin = async (role: string) => {
    const process = home.launchCommand('start', '--roles', role);
    await waitUntil(async () => process.stderr().includes('metrics at http://'));
    const keepsDocuments = () => process.stderr().includes('CLAMAV is off: the server delivers documents without');
    return { ...process, keepsDocuments };
  };
  const leases = async () =>
    (await db.read("select name from lease where holder <> ''")).map(({ name }) => String(name));

  const api = await begin('api');
  const ask = createHttpClient(home.url);
  const token = await home.fetchAccessToken();
  const get = async (path: string) => parseJsonBody(await ask({ path, headers: bearerHeaders(token) }));
  const fed = async () => Object.keys((await get('/v1/events'))['items'] ?? {}).length;
  const before = await fed();
  const sent = parseJsonBody(
    await ask(postJson(token, '/v1/notifications/send', { citizenId: 'demo-mary', message: 'Hello.' })),
  );
  const later = { citizenId: 'demo-mary', message: 'Hello.', sendAt: new Date(Date.now() + 3_600_000).toISOString() };
  const { id: withdrawn } = parseJsonBody(await ask(postJson(token, '/v1/notifications/send', later)));
  const cancel = { method: 'POST', path: `/v1/notifications/${withdrawn}/cancel`, headers: bearerHeaders(token) };
  assert.equal(parseJsonBody(await ask(cancel))['status'], 'cancelled');
  const status = async () => (await get(`/v1/notifications/${sent['id']}`))['status'];
  const numbered = async () => (await ask({ path: String(sent['receipt']), headers: bearerHeaders(token) })).status;
  assert.deepEqual(await leases(), []);
  assert.equal(await numbered(), 409, 'the proof needs a numbered entry');

  const sequencer = await begin('sequencer');
  assert.deepEqual(await leases(), ['ledger-sequencer']);
  await waitUntil(async () => (await numbered()) === 200);
  assert.deepEqual([await status(), await fed()], ['accepted', before]);
  assert.deepEqual(await sequencer.stop('SIGTERM'), { code: 0, signal: null });
  assert.deepEqual(await leases(), [], 'the next sequencer need not wait');

  const worker = await begin('worker');
  // The worker holds the lease of batches too while it looks for one.
  assert.match((await leases()).join(), /^worker\/[^,]+(?:,notification-batches)?$/);
  await waitUntil(async () => (await status()) !== 'accepted' && (await fed()) > before);
  await waitUntil(async () => worker.keepsDocuments());
  assert.deepEqual([api.keepsDocuments(), sequencer.keepsDocuments()], [false, false]);
});
