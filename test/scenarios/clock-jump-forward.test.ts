import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../support/database-engines.ts';
import { openSimulatedServer, writeFileIn } from '../support/simulated-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const [hour, day] = [3_600_000, 86_400_000];
const begin = Date.UTC(2026, 10, 23, 9);
const scopes = 'identity:verify,notifications:send,documents:write,events:read';
const ada = { citizenId: 'c-1', givenName: 'Ada', familyName: 'Berg', birthDate: '1980-02-29' };

const clockFaults = ({ faults }: { readonly faults: readonly string[] }) =>
  faults.filter((fault) => fault.startsWith('clock'));

/** Counts the data that is deleted after some time: verification results, feed events, documents of a class. */
async function countStored(app: App): Promise<number[]> {
  const count = async (table: string) =>
    Number((await app.read()(`select count(*) as rows from ${table}`))[0]?.['rows']);
  return [await count('verification'), await count('feed_event'), await count("document where status <> 'erased'")];
}

/** A server with such data, and retention periods of some weeks. */
async function startWithData(t: TestContext, engine: Engine['name']) {
  const app = await openSimulatedServer(t, engine, { FEED_DAYS: '60', VERIFICATIONS_KEPT_DAYS: '90' }, begin);
  await app.start();
  t.after(() => app.stop());
  await app.command('citizens', 'import', writeFileIn(app.dataDir, 'people.jsonl', JSON.stringify(ada)));
  const named = ['create', 'Tax', '--kind', 'test', '--secret', '--scopes', scopes, '--json'];
  const client = JSON.parse(await app.command('clients', ...named)).clientId;
  const short = ['short', '--keep-days', '30', '--erase-after-days', '60', '--basis', 'Code 1'];
  await app.command('retention-classes', 'add', ...short);
  const post = async (path: string, body: string, headers = {}) => {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const { status, text } = await app.ask(path, { client, scopes: scopes.split(','), ...init });
    assert.ok(status < 300, text);
  };
  await post('/v1/identity/verify', JSON.stringify({ ...ada, purpose: 'Permit' }));
  await post('/v1/notifications/send', JSON.stringify({ citizenId: 'c-1', message: 'Ready.' }));
  const terms = { 'citizen-id': 'c-1', 'document-title': 'Permit', 'document-retention-class': 'short' };
  await post('/v1/documents', 'Permit', { ...terms, 'content-type': 'text/plain' });
  await waitUntil(async () => {
    await app.leap(2_000);
    return (await countStored(app)).every((count) => count > 0);
  });
  return app;
}

type App = Awaited<ReturnType<typeof openSimulatedServer>>;

async function assertNothingDeleted(app: App, before: readonly number[]): Promise<void> {
  const [verifications, events, documents] = await countStored(app);
  assert.deepEqual([verifications, documents], [before[0], before[2]]);
  assert.ok(Number(events) >= Number(before[1]));
}

async function assertDeletedAfterConfirmation(app: App): Promise<void> {
  assert.match(clockFaults(app).join('\n'), /the server deletes no old data for a day/);
  await app.command('clock', 'confirm');
  for (let hours = 0; hours < 4; hours += 1) await app.leap(hour);
  const [verifications, , documents] = await countStored(app);
  assert.deepEqual([verifications, documents], [0, 0]);
}

for (const { name: engine } of engines) {
  test(`${engine}: a clock that jumps a year ahead deletes nothing for a day, or until the operator confirms it`, async (t) => {
    const app = await startWithData(t, engine);
    const before = await countStored(app);
    app.setClock(365 * day);
    for (let hours = 0; hours < 20; hours += 1) await app.leap(hour);
    await assertNothingDeleted(app, before);
    assert.equal(clockFaults(app).length, 1);
    await assertDeletedAfterConfirmation(app);
  });

  test(`${engine}: a clock that jumps a year ahead and is set back deletes nothing`, async (t) => {
    const app = await startWithData(t, engine);
    const before = await countStored(app);
    app.setClock(365 * day);
    for (let hours = 0; hours < 4; hours += 1) await app.leap(hour);
    app.setClock(-365 * day);
    for (let hours = 0; hours < 4; hours += 1) await app.leap(hour);
    await assertNothingDeleted(app, before);
  });

  test(`${engine}: a server that starts with its clock a year ahead deletes nothing, however often it starts`, async (t) => {
    const app = await startWithData(t, engine);
    const before = await countStored(app);
    await app.stop();
    app.setClock(365 * day);
    for (let starts = 0; starts < 3; starts += 1) {
      await app.start();
      for (let hours = 0; hours < 7; hours += 1) await app.leap(hour);
      await assertNothingDeleted(app, before);
      await app.stop();
    }
    await app.start();
    await app.leap(hour);
    await assertDeletedAfterConfirmation(app);
  });
}
