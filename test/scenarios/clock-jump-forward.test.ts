import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../support/database-engines.ts';
import { openSimulatedServer, writeFileIn } from '../support/simulated-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const [hour, day] = [3_600_000, 86_400_000];
const begin = Date.UTC(2026, 10, 23, 9);
const scopes = 'identity:verify,notifications:send,documents:write,events:read';
const ada = { citizenId: 'c-1', givenName: 'Ada', familyName: 'Berg', birthDate: '1980-02-29' };

const ahead = (hours: number) =>
  `clock: no server looked at the clock for ${hours} h, or it has gone ahead by that: nothing is deleted for being old for a day; set it right if it is wrong`;

const toldOf = ({ faults }: { readonly faults: readonly string[] }) =>
  faults.filter((fault) => fault.startsWith('clock'));

/** What is kept for some time: answers of verify, events of the feed, documents of a class. */
async function keptBy(app: Awaited<ReturnType<typeof openSimulatedServer>>): Promise<number[]> {
  const count = async (what: string) => Number((await app.read()(`select count(*) as kept from ${what}`))[0]?.['kept']);
  return [await count('verification'), await count('feed_event'), await count("document where status <> 'erased'")];
}

/** A server that keeps all of that for some weeks, and has some of each. */
async function keepingHouse(t: TestContext, engine: Engine['name']) {
  const app = await openSimulatedServer(t, engine, { FEED_DAYS: '60', VERIFICATIONS_KEPT_DAYS: '90' }, begin);
  await app.start();
  t.after(() => app.stop());
  await app.command('import', 'citizens', writeFileIn(app.dataDir, 'people.jsonl', JSON.stringify(ada)));
  const named = ['create', 'Tax', '--kind', 'test', '--secret', '--scopes', scopes, '--json'];
  const client = JSON.parse(await app.command('clients', ...named)).clientId;
  const short = ['short', '--keep-days', '30', '--erase-after-days', '60', '--basis', 'Code 1'];
  await app.command('documents', 'class', ...short);
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
    return (await keptBy(app)).every((count) => count > 0);
  });
  return app;
}

for (const { name: engine } of engines) {
  test(`${engine}: a clock that goes a year ahead takes nothing away within a day, and the operator is told`, async (t) => {
    const app = await keepingHouse(t, engine);
    const before = await keptBy(app);
    app.setClock(365 * day);
    for (let hours = 0; hours < 24; hours += 1) await app.leap(hour);
    const [verifications, events, documents] = await keptBy(app);
    assert.deepEqual([verifications, documents], [before[0], before[2]]);
    assert.ok(Number(events) >= Number(before[1]));
    assert.deepEqual(toldOf(app), [ahead(8_761)]);
    // Nobody has set it right.
    for (let hours = 0; hours < 4; hours += 1) await app.leap(hour);
    const [noVerification, , noDocument] = await keptBy(app);
    assert.deepEqual([noVerification, noDocument], [0, 0]);
  });

  test(`${engine}: a server that starts with its clock a year ahead takes nothing away within a day, however often it starts`, async (t) => {
    const app = await keepingHouse(t, engine);
    const before = await keptBy(app);
    await app.stop();
    app.setClock(365 * day);
    for (let starts = 0; starts < 3; starts += 1) {
      await app.start();
      for (let hours = 0; hours < 7; hours += 1) await app.leap(hour);
      const [verifications, events, documents] = await keptBy(app);
      assert.deepEqual([verifications, documents], [before[0], before[2]]);
      assert.ok(Number(events) >= Number(before[1]));
      await app.stop();
    }
    assert.deepEqual(toldOf(app), [ahead(8_760)]);
    // Nobody has set it right.
    await app.start();
    for (let hours = 0; hours < 4; hours += 1) await app.leap(hour);
    const [noVerification, , noDocument] = await keptBy(app);
    assert.deepEqual([noVerification, noDocument], [0, 0]);
  });
}
