import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { withFastTimers } from '../support/fast-timers.ts';
import { freePort } from '../support/free-port.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture, runDemoOnce, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Work that only one process of several does.

/** Creates the tables, keys and ledger of an installation with the first start of a demo. */
async function installed(t: TestContext, settings: Readonly<Record<string, string>>): Promise<ServerFixture> {
  const home = await makeServerFixture(t, { engine: 'postgres', settings });
  await runDemoOnce(home);
  return home;
}

async function begin(home: ServerFixture, role: string) {
  const process = home.launchCommand('start', '--roles', role);
  await waitUntil(async () => process.stderr().includes('metrics at http://'));
  return process;
}

/** A witness that always fails and counts its requests. */
async function startSilentWitness(t: TestContext) {
  let asked = 0;
  const server = createServer((_, answer) => {
    asked += 1;
    answer.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, asked: () => asked };
}

test('postgres: only the leading sequencer of two asks the witnesses', async (t) => {
  const name = 'witness.city.example';
  const first = await installed(t, {});
  const vkey = (await runCommandInProcess(first, 'ledger', 'key')).stdout.trim();
  const port = await freePort();
  const options = ['--data', join(first.dataDir, 'witness'), '--name', name, '--log', vkey, '--port', String(port)];
  const witness = first.launchCommand('witness', ...options);
  await waitUntil(async () => witness.stdout().endsWith('\n'));
  await witness.stop('SIGTERM');
  const sequencer = async (number: number) => {
    const silent = await startSilentWitness(t);
    const policy = join(first.dataDir, `policy-${number}`);
    const line = witness.stdout().replace(`:${port}`, `:${silent.port}`);
    writeFileSync(policy, `log ${vkey}\n${line}quorum ${name}\n`);
    const root = { DATABASE_URL: first.databaseUrl ?? '', ROOT_KEY_FILE: join(first.dataDir, 'root.key') };
    const home = await makeServerFixture(t, {
      settings: { ...root, LEDGER_WITNESSES: policy, ...withFastTimers(10_000) },
    });
    return { ...(await begin(home, 'sequencer')), asked: silent.asked };
  };
  const leading = await sequencer(1);
  await waitUntil(async () => leading.asked() > 0);
  const other = await sequencer(2);
  const before = leading.asked();
  await waitUntil(async () => leading.asked() > before + 3);
  assert.equal(other.asked(), 0);
  await leading.stop('SIGTERM');
  await waitUntil(async () => other.asked() > 0);
});

test('postgres: only a process with the worker role deletes expired data', async (t) => {
  const home = await installed(t, withFastTimers('soon'));
  const db = await home.openDb();
  t.after(() => db.close());
  // Each run looks for old failed verifications.
  await db.write([
    { sql: 'create table cleared (what text not null)' },
    {
      sql: "create function note_clearing() returns trigger language plpgsql as 'begin insert into cleared values (tg_table_name); return null; end'",
    },
    ...['verification_limit', 'feed_event'].map((table) => ({
      sql: `create trigger noted after delete on ${table} for each statement execute function note_clearing()`,
    })),
    { sql: 'update feed_event set at = 0' },
  ]);
  const cleared = async () =>
    (await db.read('select distinct what from cleared order by what')).map(({ what }) => what);
  for (const role of ['api', 'sequencer']) await begin(home, role);
  assert.deepEqual(await cleared(), []);
  await begin(home, 'worker');
  await waitUntil(async () => (await cleared()).length === 2);
});

test('a root key that becomes readable for other users is reported within a minute', async (t) => {
  const home = await makeServerFixture(t, { settings: { LOG_LEVEL: 'error', ...withFastTimers(60_000) } });
  const server = await home.start('demo');
  chmodSync(join(home.dataDir, 'root.key'), 0o644);
  await waitUntil(async () => /"where":"root-key".*others can read it/.test(server.stderr()));
});

test('postgres: a process whose clock is an hour ahead reports this, delays no other process and runs no job early', async (t) => {
  const first = await installed(t, {});
  const own = process.env['ANSWERS_DIR'] === undefined ? '' : process.env['NODE_OPTIONS'];
  const clockAhead = encodeURIComponent('const { now } = Date; Date.now = () => now() + 3_600_000;');
  const NODE_OPTIONS = `${own} --import=data:text/javascript,${clockAhead}`;
  const shared = { DATABASE_URL: first.databaseUrl ?? '', ROOT_KEY_FILE: join(first.dataDir, 'root.key') };
  const home = await makeServerFixture(t, { settings: { ...shared, NODE_OPTIONS, LOG_LEVEL: 'error' } });
  const ahead = await begin(home, 'api,worker,sequencer');
  const db = await first.openDb();
  t.after(() => db.close());
  const exchange = createHttpClient(home.url);
  // A busy server may reject requests because of load.
  const ask = async (request: Parameters<typeof exchange>[0]) => {
    for (;;) {
      const answer = await exchange(request);
      if (answer.status !== 503) return answer;
    }
  };
  const [client] = first.readDemoFile().clients;
  const token = await home.fetchAccessToken(client?.scopes, client);
  const send = async (body: object) => {
    const sent = await ask(
      postJson(token, '/v1/notifications/send', { citizenId: 'demo-mary', message: 'Hello.', ...body }),
    );
    return String(parseJsonBody(sent)['id']);
  };
  const statusOf = async (id: string) =>
    parseJsonBody(await ask({ path: `/v1/notifications/${id}`, headers: bearerHeaders(token) }))['status'];
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const later = await send({ sendAt: inMinutes(30) });
  const limited = await send({ deliverBy: inMinutes(30), channels: ['inbox'] });
  const atOnce = await send({});
  // The worker may start either of the two first.
  for (const id of [atOnce, limited]) await waitUntil(async () => (await statusOf(id)) !== 'accepted');
  assert.deepEqual([await statusOf(later), await statusOf(limited)], ['scheduled', 'sending']);
  const [row] = await db.read('select max(created_at) as at from notification');
  assert.ok(Number(row?.['at']) < Date.now() + 60_000);
  // The end of the process writes the last lines of the log.
  await ahead.stop('SIGTERM');
  // Some seconds more or less if the machine paused between the two clocks.
  assert.match(
    ahead.stderr(),
    /"where":"clock".*this clock is (?:35[89]|36[01])\d s later than the clock of PostgreSQL/,
  );
});
