import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeServerFixture, type RunningServer } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Not in a hurry: five seconds, after which a process looks again, are also what it waits for PostgreSQL at its start.
const settings = { ADMIN_PORT: '0' };

test('metrics and /readyz say how the ledger is, and an entry that was changed is an alarm in both', async (t) => {
  const home = await makeServerFixture(t, { engine: 'postgres', settings });
  const adminOf = (said: RunningServer) =>
    /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(`${said.stdout()}${said.stderr()}`)?.[0] ?? assert.fail();
  const server = await home.start();
  let admin = adminOf(server);
  const metric = async (name: string) => {
    const text = await (await fetch(admin)).text();
    const line = text.split('\n').find((one) => one.startsWith(`citizen_services_${name} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  };
  const ready = async () => await (await fetch(`${home.url}/readyz`)).json();
  await waitUntil(async () => Number(await metric('ledger_signed_entries')) > 0);
  await waitUntil(async () => (await metric('ledger_verified_entries')) === (await metric('ledger_signed_entries')));
  assert.ok(Number(await metric('ledger_oldest_waiting_seconds')) < 30);
  assert.deepEqual(await ready(), { status: 'UP', ledger: 'ok' });

  // What cannot be read says nothing of what was signed.
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

  // The monitor begins with the first entry at each start: there it finds what was changed meanwhile.
  await server.stop('SIGTERM');
  await db.write([{ sql: 'update ledger_entry set entry = $1 where leaf_index = 0', args: [Buffer.alloc(200, 1)] }]);
  await db.close();
  const again = await home.start();
  await waitUntil(async () => JSON.stringify(await ready()) === '{"status":"UP","ledger":["ledger-alarm"]}');
  admin = adminOf(again);
  assert.equal(await metric('faults_total{kind="ledger-alarm"}'), 1);
});
