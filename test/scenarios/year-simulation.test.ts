import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../src/cli/command.ts';
import { evidenceVerifyCommand } from '../../src/cli/evidence.ts';
import { ledgerVerifyCommand } from '../../src/cli/ledger-verify.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { openSimulatedServer, startSmsGateway, writeFileIn } from '../support/simulated-server.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';
import { seededRandom } from '../support/test-data.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import {
  allActions,
  createSimulationRecord,
  type SimulatedServer,
  type Simulation,
  simulatedPeople,
  simulationScopes,
} from './year-simulation.ts';

// Simulates one installation for more than a year. `YEAR_SEED=8` draws other actions, `YEAR_LEAP_DAYS=1` draws more of them.

const seed = Number(process.env['YEAR_SEED'] ?? 7);
const day = 86_400_000;
const days = 400;
/** The days after the last action, in which all started work ends. */
const lastDays = 160;
/** The longest time between two actions. */
const longestLeap = Number(process.env['YEAR_LEAP_DAYS'] ?? 4) * day;
const begin = Date.UTC(2026, 0, 5, 9);
const cascade = {
  steps: [
    { channel: 'email' },
    { channel: 'email', afterDays: 3, reminder: true },
    { channel: 'sms', afterDays: 5 },
    { channel: 'letter', afterDays: 7 },
  ],
  letterLeadDays: 5,
  quietHours: { channels: ['email', 'sms'], from: 8, until: 20, timeZone: 'Europe/Lisbon' },
};
const kept = { FEED_DAYS: '60', VERIFICATIONS_KEPT_DAYS: '90' };

/** Reads the new events of the sender's feed into the record. */
async function readFeed({ server, client, record }: Simulation, after: { cursor?: string }): Promise<void> {
  for (;;) {
    const page = await server.ask(`/v1/events?limit=100${after.cursor === undefined ? '' : `&after=${after.cursor}`}`, {
      client,
      scopes: ['events:read'],
    });
    assert.equal(page.status, 200, page.text);
    const { items, after: last } = JSON.parse(page.text);
    record.numbers.push(...items.map(({ number }: { readonly number: number }) => number));
    after.cursor = last;
    if (items.length < 100) return;
  }
}

/** Notifications and deliveries without a final state, deliveries sent twice, and data kept beyond its retention. */
async function findLeftovers(server: SimulatedServer) {
  const read = server.read();
  const now = server.clock.now();
  const [open, waiting, twice] = await Promise.all([
    read("select id, status from notification where status in ('accepted', 'scheduled', 'sending')"),
    read("select id, channel, status, run_at from delivery where status in ('queued', 'sending')"),
    read(`select delivery_id from delivery_attempt where outcome <> 'retry' and outcome <> 'failed'
      group by delivery_id having count(*) > 1`),
  ]);
  const old = await read(
    `select 'verification' as what from verification where checked_at < $1
      union all select 'feed' from feed_event where at < $2
      union all select 'failures' from verification_limit where updated_at < $3
      union all select 'document' from document where erase_at < $4 and status <> 'erased'`,
    [now - 92 * day, now - 62 * day, now - 32 * day, now - 2 * day],
  );
  return { open, waiting, twice, old };
}

/** The proofs of the simulation that do not verify at its end with the keys that were published. */
async function findInvalidProofs({ server, record }: Simulation): Promise<string[]> {
  const said: string[] = [];
  const [stdout, stderr] = [() => undefined, (text: string) => void said.push(text)];
  const terminal = { stdout, stderr, isInteractive: false, cwd: server.dataDir };
  const commands = [ledgerVerifyCommand(terminal, fetch), evidenceVerifyCommand(terminal)];
  const wrong: string[] = [];
  const verify = async (...args: readonly string[]) => {
    if ((await runCommandLine(args, commands, terminal)) !== 0) wrong.push(`${args[2]}: ${said.join('')}`);
    said.length = 0;
  };
  const file = (name: string, text: string) => writeFileIn(server.dataDir, name, text);
  const keys = [...record.logKeys].flatMap((key) => ['--key', key]);
  await server.command('ledger', 'export', 'log');
  const since = record.checkpoints.flatMap((note, at) => ['--since', file(`checkpoint-${at}`, note)]);
  await verify('ledger', 'verify', 'log', ...keys, ...since);
  for (const [at, proof] of record.proofs.entries())
    await verify('ledger', 'verify', file(`${at}.tlog-proof`, proof), ...keys);
  const jwks = file('jwks.json', (await server.ask('/.well-known/jwks.json')).text);
  for (const [at, bundle] of record.bundles.entries())
    await verify('evidence', 'verify', file(`evidence-${at}.json`, bundle), '--keys', jwks);
  return wrong;
}

/** Starts an installation with its providers. `troubled` lists the providers that fail at the moment. */
async function startSimulation(t: TestContext, engine: Engine['name']) {
  const troubled = { relay: false, gateway: false, receiver: false };
  const [smtpServer, receiver] = [
    await startTestSmtpServer(t),
    await startWebhookReceiver(t, () => (troubled.receiver ? 503 : 204)),
  ];
  smtpServer.setBehaviour((to) => {
    if (troubled.relay) return { refuse: 'sender', code: 451, text: 'later' };
    return to.startsWith('c-3@') ? { refuse: 'recipient', code: 550, text: '5.1.1 unknown' } : 'accept';
  });
  const gateway = await startSmsGateway(t, () => troubled.gateway);
  const providers = { SMTP_URL: smtpServer.url, SMS_URL: gateway.url, SMS_RECEIPT_TOKEN: 'receipts-of-texts' };
  const policy = join(makeTestFolder('cs-cascade-'), 'cascade.json');
  t.after(() => rmSync(dirname(policy), { recursive: true }));
  writeFileSync(policy, JSON.stringify(cascade));
  const server = await openSimulatedServer(t, engine, { ...kept, ...providers, CASCADE_POLICY: policy }, begin);
  await server.start();
  t.after(() => server.stop());
  const lines = simulatedPeople.map((one) => JSON.stringify(one)).join('\n');
  await server.command('citizens', 'import', writeFileIn(server.dataDir, 'people.jsonl', lines));
  const named = ['create', 'Tax', '--kind', 'test', '--secret', '--scopes', simulationScopes, '--json'];
  const client = JSON.parse(await server.command('clients', ...named)).clientId;
  const short = ['short', '--keep-days', '30', '--erase-after-days', '60', '--basis', 'Code 1'];
  await server.command('retention-classes', 'add', ...short);
  const webhook = { body: JSON.stringify({ url: receiver.url }), headers: { 'content-type': 'application/json' } };
  const made = { client, scopes: ['webhooks:manage'], method: 'POST', ...webhook };
  assert.equal((await server.ask('/v1/webhooks', made)).status, 201);
  const living: Simulation = {
    server,
    client,
    record: createSimulationRecord(),
    random: seededRandom(seed),
    smtpServer,
    smsIds: gateway.taken,
  };
  return { living, troubled, calls: receiver.calls };
}

/** Draws the next action by weight. */
function drawAction(actions: ReturnType<typeof allActions>, random: () => number) {
  let left = random() * actions.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, act] of actions) {
    left -= weight;
    if (left <= 0) return act;
  }
  return assert.fail();
}

for (const { name: engine } of engines) {
  test(`${engine}: after ${days} days each notification has one final state, no data exceeds its retention, and every proof verifies`, async (t) => {
    const { living, troubled, calls } = await startSimulation(t, engine);
    const { server, record, random, smtpServer, smsIds } = living;
    const actions = allActions(living);
    const cursor = {};
    for (let lookAt = 0; server.clock.now() < begin + days * day; ) {
      for (const part of ['relay', 'gateway', 'receiver'] as const) {
        if (random() < (troubled[part] ? 0.3 : 0.03)) troubled[part] = !troubled[part];
      }
      await server.leap(Math.floor(random() * longestLeap));
      await drawAction(actions, random)();
      await server.leap(2_000);
      if (server.clock.now() < lookAt) continue;
      lookAt = server.clock.now() + 30 * day;
      await readFeed(living, cursor);
    }
    Object.assign(troubled, { relay: false, gateway: false, receiver: false });
    for (let passed = 0; passed < lastDays; passed += 2) await server.leap(2 * day);
    assert.deepEqual(await findInvalidProofs(living), []);
    assert.deepEqual(await findLeftovers(server), { open: [], waiting: [], twice: [], old: [] });
    assert.deepEqual(
      record.numbers,
      record.numbers.map((_, at) => at + 1),
    );
    // No process numbers events while the clock jumps.
    assert.deepEqual(
      server.faults.filter((fault) => !fault.startsWith('ledger-behind')),
      [],
    );
    assert.equal(new Set(smtpServer.mails.map(({ messageId }) => messageId)).size, smtpServer.mails.length);
    assert.equal(new Set(smsIds).size, smsIds.length);
    const happened = [record.proofs, record.bundles, record.numbers, record.documents, smtpServer.mails, smsIds, calls];
    assert.ok(
      happened.every(({ length }) => length > 4),
      `${happened.map(({ length }) => length)}`,
    );
  });
}
