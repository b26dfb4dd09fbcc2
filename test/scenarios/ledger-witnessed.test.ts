import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { databaseFile } from '../../src/db/open-database.ts';
import { withFastTimers } from '../support/fast-timers.ts';
import { freePort } from '../support/free-port.ts';
import { createHttpClient, fetchOnce, postJson } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture, runDemoOnce, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

// It asks its witnesses every ten seconds, and counts pending events every five; this test repeats often.
const hurried = withFastTimers(10_000, 5_000);

const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
const name = 'witness.city.example';

function folderOf(t: TestContext): string {
  const folder = makeTestFolder('cs-witness-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The rows of a table of the ledger, also while a server runs. */
function rowsOf({ dataDir }: ServerFixture, sql: string) {
  using file = new DatabaseSync(join(dataDir, databaseFile), { readOnly: true });
  return file.prepare(sql).all();
}

/** The state of the ledger of a server from outside, and a use that makes it grow. */
function viewOf({ url }: ServerFixture, token: string) {
  const ask = createHttpClient(url);
  const textOf = async (path: string) => String((await ask({ path })).body);
  return {
    use: async () => {
      const { status, body } = await ask(postJson(token, '/v1/identity/verify', claims));
      assert.equal(status, 200, String(body));
    },
    published: async () => {
      const note = await textOf('/ledger/checkpoint');
      return { size: Number(note.split('\n')[1]), isCosigned: note.includes(`\n— ${name} `) };
    },
    isSaid: async (ledger: string) => (await textOf('/readyz')).includes(ledger),
  };
}

test('a cosigned checkpoint is published, and a witness that does not answer or has another log raises an alarm', async (t) => {
  const [folder, port] = [folderOf(t), await freePort()];
  const policy = join(folder, 'policy');
  const alone = await makeServerFixture(t);
  await runDemoOnce(alone);
  const vkey = (await runCommandInProcess(alone, 'ledger', 'key')).stdout.trim();
  const older = join(folder, 'older');
  cpSync(alone.dataDir, older, { recursive: true });

  const startWitness = async () => {
    const options = ['--data', join(folder, 'witness'), '--name', name, '--log', vkey, '--port', String(port)];
    const witness = alone.launchCommand('witness', ...options);
    await waitUntil(async () => witness.stdout().endsWith('\n'));
    return witness;
  };
  const witness = await startWitness();
  writeFileSync(policy, `log ${vkey}\n${witness.stdout()}quorum ${name}\n`);
  const settings = { DATA_DIR: alone.dataDir, LEDGER_WITNESSES: policy, ...hurried };
  const home = await makeServerFixture(t, { settings });
  const [client] = alone.readDemoFile().clients;
  const server = await home.start('start');
  const { use, published, isSaid } = viewOf(home, await home.fetchAccessToken(client?.scopes, client));
  await waitUntil(async () => (await published()).isCosigned);
  await witness.stop('SIGTERM');
  // Not before: until then remaining work of the demo may have been recorded and cosigned.
  const { size } = await published();
  await use();
  await waitUntil(() => isSaid('["ledger-witnesses"]'));
  // The staff pages of all processes read it.
  const storedAlarms = () => rowsOf(alone, 'select kind from ledger_alarm').map(({ kind }) => kind);
  await waitUntil(async () => storedAlarms().includes('ledger-witnesses'));
  assert.deepEqual(await published(), { size, isCosigned: true });
  await startWitness();
  await waitUntil(() => isSaid('"ok"'));
  assert.ok((await published()).size > size);
  assert.deepEqual(storedAlarms(), []);
  await server.stop('SIGTERM');

  // A copy from before the witness was asked, which is larger by now than what the witness has seen.
  rmSync(alone.dataDir, { recursive: true });
  cpSync(older, alone.dataDir, { recursive: true });
  const restored = await alone.start('demo');
  const again = viewOf(alone, await alone.fetchAccessToken());
  for (let uses = 0; uses < 20; uses += 1) await again.use();
  await waitUntil(async () => (await again.published()).size > size + 10);
  await restored.stop('SIGTERM');
  await home.start('start');
  await waitUntil(() => isSaid('"ledger-alarm"'));
  await waitUntil(async () => storedAlarms().includes('ledger-alarm'));
});

test('a log whose witnesses have not answered yet publishes its last published checkpoint, and never an earlier one', async (t) => {
  const [folder, port] = [folderOf(t), await freePort()];
  const alone = await makeServerFixture(t);
  await runDemoOnce(alone);
  const vkey = (await runCommandInProcess(alone, 'ledger', 'key')).stdout.trim();
  const options = ['--data', join(folder, 'witness'), '--name', name, '--log', vkey, '--port', String(port)];
  const witness = alone.launchCommand('witness', ...options);
  await waitUntil(async () => witness.stdout().endsWith('\n'));
  await witness.stop('SIGTERM');
  const policy = join(folder, 'policy');
  writeFileSync(policy, `log ${vkey}\n${witness.stdout()}quorum ${name}\n`);
  const home = await makeServerFixture(t, {
    settings: { DATA_DIR: alone.dataDir, LEDGER_WITNESSES: policy, ...hurried },
  });
  const [client] = alone.readDemoFile().clients;
  const server = await home.start('start');
  const { use, published, isSaid } = viewOf(home, await home.fetchAccessToken(client?.scopes, client));
  await waitUntil(() => isSaid('["ledger-witnesses"]'));
  const before = await published();
  const metrics = /http:\/\/\S+\/metrics/.exec(server.stderr())?.[0] ?? assert.fail();
  const signed = async () => {
    const text = await (await fetchOnce(metrics)).text();
    return Number(/^citizen_services_ledger_signed_entries (\d+)$/m.exec(text)?.[1]);
  };
  await use();
  await waitUntil(async () => (await signed()) > before.size);
  assert.deepEqual(await published(), before);
  await server.stop('SIGTERM');

  const without = await makeServerFixture(t, { settings: { DATA_DIR: alone.dataDir, ...hurried } });
  const unwitnessed = await without.start('start');
  const { size } = await viewOf(without, '').published();
  assert.ok(size > before.size);
  const kept = () => rowsOf(alone, 'select size from ledger_unwitnessed');
  await waitUntil(async () => kept().length === 0);
  await unwitnessed.stop('SIGTERM');
  await home.start('start');
  assert.ok((await published()).size >= size);
  await waitUntil(async () => kept().length === 1);
  assert.ok((await published()).size >= size);
});
