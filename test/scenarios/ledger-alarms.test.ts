import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchOnce } from '../support/http-client.ts';
import { makeServerFixture, type RunningServer } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Not urgent: the five seconds after which a process checks again are also its wait for PostgreSQL at the start.
const settings = { ADMIN_PORT: '0' };

test('the metrics and /readyz report the state of the ledger, and a changed entry raises an alarm in both', async (t) => {
  const home = await makeServerFixture(t, { engine: 'postgres', settings });
  const adminOf = (said: RunningServer) =>
    /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(`${said.stdout()}${said.stderr()}`)?.[0] ?? assert.fail();
  const server = await home.start();
  let admin = adminOf(server);
  const metric = async (name: string) => {
    const text = await (await fetchOnce(admin)).text();
    const line = text.split('\n').find((one) => one.startsWith(`citizen_services_${name} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  };
  const ready = async () => await (await fetchOnce(`${home.url}/readyz`)).json();
  await waitUntil(async () => Number(await metric('ledger_signed_entries')) > 0);
  await waitUntil(async () => (await metric('ledger_verified_entries')) === (await metric('ledger_signed_entries')));
  assert.ok(Number(await metric('ledger_oldest_waiting_seconds')) < 30);
  assert.deepEqual(await ready(), { status: 'UP', ledger: 'ok' });

  // A failed read says nothing about the signed log.
  const db = await home.openDb();
  await db.write([{ sql: 'alter table ledger_checkpoint rename to ledger_checkpoint_away' }]);
  const faults = () =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"msg":"fault"'));
  await waitUntil(async () => faults().some((line) => line.includes('monitor.ts')));
  await db.write([{ sql: 'alter table ledger_checkpoint_away rename to ledger_checkpoint' }]);
  assert.deepEqual(
    faults().filter((line) => line.includes('"where":"ledger-alarm"')),
    [],
  );
  assert.equal(await metric('faults_total{kind="ledger-alarm"}'), 0);

  // The monitor starts with the first entry: there it detects a change made while the server was off.
  await server.stop('SIGTERM');
  await db.write([{ sql: 'update ledger_entry set entry = $1 where leaf_index = 0', args: [Buffer.alloc(200, 1)] }]);
  await db.close();
  const again = await home.start();
  await waitUntil(async () => JSON.stringify(await ready()) === '{"status":"UP","ledger":["ledger-alarm"]}');
  admin = adminOf(again);
  assert.equal(await metric('faults_total{kind="ledger-alarm"}'), 1);
});
