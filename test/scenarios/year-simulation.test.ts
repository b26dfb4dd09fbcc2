import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../src/cli/command.ts';
import { evidenceVerifyCommand } from '../../src/cli/evidence.ts';
import { ledgerVerifyCommand } from '../../src/cli/ledger-verify.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { openSimulatedServer, startSmsGateway, writeFileIn } from '../support/simulated-server.ts';
import { startTestSmtpServer } from '../support/smtp-server.ts';
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

// One installation lives through more than a year: `YEAR_SEED=8` lives another one, `YEAR_LEAP_DAYS=1` a busier one.

const seed = Number(process.env['YEAR_SEED'] ?? 7);
const day = 86_400_000;
const days = 400;
/** So long everything that was begun may take to its end. */
const lastDays = 160;
/** Time goes on by so much at most before something is done. */
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

/** What the sender reads of its feed since it last looked, in order and without a gap. */
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

/** What the database says of what did not come to an end, was sent twice, or is kept for longer than the operator was told. */
async function leftBehind(server: SimulatedServer) {
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
      union all select 'guesses' from guess_budget where updated_at < $3
      union all select 'document' from document where erase_at < $4 and status <> 'erased'`,
    [now - 92 * day, now - 62 * day, now - 32 * day, now - 2 * day],
  );
  return { open, waiting, twice, old };
}

/** What of the proofs that were taken on the way does not verify at the end, by the keys that were told on the way. */
async function broken({ server, record }: Simulation): Promise<string[]> {
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

/** One installation on that engine at its begin, with all who have to do with it, and who of them has trouble now and then. */
async function beginOf(t: TestContext, engine: Engine['name']) {
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
  await server.command('import', 'citizens', writeFileIn(server.dataDir, 'people.jsonl', lines));
  const named = ['create', 'Tax', '--kind', 'test', '--secret', '--scopes', simulationScopes, '--json'];
  const client = JSON.parse(await server.command('clients', ...named)).clientId;
  const short = ['short', '--keep-days', '30', '--erase-after-days', '60', '--basis', 'Code 1'];
  await server.command('documents', 'class', ...short);
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

/** Draws what is done next, by how often each is. */
function drawnOf(life: ReturnType<typeof allActions>, random: () => number) {
  let left = random() * life.reduce((sum, [often]) => sum + often, 0);
  for (const [often, act] of life) {
    left -= often;
    if (left <= 0) return act;
  }
  return assert.fail();
}

for (const { name: engine } of engines) {
  test(`${engine}: after ${days} days each notification has one final state, no data exceeds its retention, and every proof verifies`, async (t) => {
    const { living, troubled, calls } = await beginOf(t, engine);
    const { server, record, random, smtpServer, smsIds } = living;
    const life = allActions(living);
    const cursor = {};
    for (let lookAt = 0; server.clock.now() < begin + days * day; ) {
      for (const part of ['relay', 'gateway', 'receiver'] as const) {
        if (random() < (troubled[part] ? 0.3 : 0.03)) troubled[part] = !troubled[part];
      }
      await server.leap(Math.floor(random() * longestLeap));
      await drawnOf(life, random)();
      await server.leap(2_000);
      if (server.clock.now() < lookAt) continue;
      lookAt = server.clock.now() + 30 * day;
      await readFeed(living, cursor);
    }
    Object.assign(troubled, { relay: false, gateway: false, receiver: false });
    for (let passed = 0; passed < lastDays; passed += 2) await server.leap(2 * day);
    assert.deepEqual(await broken(living), []);
    assert.deepEqual(await leftBehind(server), { open: [], waiting: [], twice: [], old: [] });
    assert.deepEqual(
      record.numbers,
      record.numbers.map((_, at) => at + 1),
    );
    // Nobody numbers events while time leaps.
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
