import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { databaseFile } from '../../src/store/open.ts';
import { createExchange, sendJson } from '../exchange.ts';
import { freePort } from '../free-port.ts';
import { hurrying } from '../hurrying.ts';
import { runHere } from '../run-here.ts';
import { makeTestFolder } from '../test-folder.ts';
import { until } from '../until.ts';
import { startedOnce } from '../until-signed.ts';
import { makeHome, type ServerHome } from '../whole-server.ts';

// It asks its witnesses every ten seconds, and counts what waits every five; here again and again.
const hurried = hurrying(10_000, 5_000);

const claims = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };
const name = 'witness.city.example';

function folderOf(t: TestContext): string {
  const folder = makeTestFolder('cs-witness-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** How the ledger of a server looks from outside, and a use that makes it grow. */
function viewOf({ url }: ServerHome, token: string) {
  const ask = createExchange(url);
  const textOf = async (path: string) => String((await ask({ path })).body);
  return {
    use: async () => {
      const { status, body } = await ask(sendJson(token, '/v1/identity/verify', claims));
      assert.equal(status, 200, String(body));
    },
    published: async () => {
      const note = await textOf('/ledger/checkpoint');
      return { size: Number(note.split('\n')[1]), isCosigned: note.includes(`\n— ${name} `) };
    },
    isSaid: async (ledger: string) => (await textOf('/readyz')).includes(ledger),
  };
}

test('what a witness cosigned is published, its silence is an alarm while it lasts, and so is a log that is not the one it knows', async (t) => {
  const [folder, port] = [folderOf(t), await freePort()];
  const policy = join(folder, 'policy');
  const alone = await makeHome(t);
  await startedOnce(alone);
  const vkey = (await runHere(alone, 'ledger', 'key')).stdout.trim();
  const older = join(folder, 'older');
  cpSync(alone.dataDir, older, { recursive: true });

  const startWitness = async () => {
    const options = ['--data', join(folder, 'witness'), '--name', name, '--log', vkey, '--port', String(port)];
    const witness = alone.launch('witness', ...options);
    await until(async () => witness.stdout().endsWith('\n'));
    return witness;
  };
  const witness = await startWitness();
  writeFileSync(policy, `log ${vkey}\n${witness.stdout()}quorum ${name}\n`);
  const settings = { DATA_DIR: alone.dataDir, LEDGER_WITNESSES: policy, ...hurried };
  const home = await makeHome(t, { settings });
  const [client] = alone.demo().clients;
  const server = await home.start('start');
  const { use, published, isSaid } = viewOf(home, await home.token(client?.scopes, client));
  await until(async () => (await published()).isCosigned);
  await witness.end('SIGTERM');
  // Not before: until then what the demo left to do may have been recorded and cosigned.
  const { size } = await published();
  await use();
  await until(() => isSaid('["ledger-witnesses"]'));
  assert.deepEqual(await published(), { size, isCosigned: true });
  await startWitness();
  await until(() => isSaid('"ok"'));
  assert.ok((await published()).size > size);
  await server.end('SIGTERM');

  // A copy from before the witness was asked, which by now is longer than what it has seen.
  rmSync(alone.dataDir, { recursive: true });
  cpSync(older, alone.dataDir, { recursive: true });
  const restored = await alone.start('demo');
  const again = viewOf(alone, await alone.token());
  for (let uses = 0; uses < 20; uses += 1) await again.use();
  await until(async () => (await again.published()).size > size + 10);
  await restored.end('SIGTERM');
  await home.start('start');
  await until(() => isSaid('"ledger-alarm"'));
});

test('a log whose witnesses have not answered yet publishes no more than before they were asked, and never less than once', async (t) => {
  const [folder, port] = [folderOf(t), await freePort()];
  const alone = await makeHome(t);
  await startedOnce(alone);
  const vkey = (await runHere(alone, 'ledger', 'key')).stdout.trim();
  const options = ['--data', join(folder, 'witness'), '--name', name, '--log', vkey, '--port', String(port)];
  const witness = alone.launch('witness', ...options);
  await until(async () => witness.stdout().endsWith('\n'));
  await witness.end('SIGTERM');
  const policy = join(folder, 'policy');
  writeFileSync(policy, `log ${vkey}\n${witness.stdout()}quorum ${name}\n`);
  const home = await makeHome(t, { settings: { DATA_DIR: alone.dataDir, LEDGER_WITNESSES: policy, ...hurried } });
  const [client] = alone.demo().clients;
  const server = await home.start('start');
  const { use, published, isSaid } = viewOf(home, await home.token(client?.scopes, client));
  await until(() => isSaid('["ledger-witnesses"]'));
  const before = await published();
  const metrics = /http:\/\/\S+\/metrics/.exec(server.stderr())?.[0] ?? assert.fail();
  const signed = async () => {
    const text = await (await fetch(metrics)).text();
    return Number(/^citizen_services_ledger_signed_entries (\d+)$/m.exec(text)?.[1]);
  };
  await use();
  await until(async () => (await signed()) > before.size);
  assert.deepEqual(await published(), before);
  await server.end('SIGTERM');

  const without = await makeHome(t, { settings: { DATA_DIR: alone.dataDir, ...hurried } });
  const unwitnessed = await without.start('start');
  const { size } = await viewOf(without, '').published();
  assert.ok(size > before.size);
  const kept = () => {
    using file = new DatabaseSync(join(alone.dataDir, databaseFile), { readOnly: true });
    return file.prepare('select size from ledger_unwitnessed').all();
  };
  await until(async () => kept().length === 0);
  await unwitnessed.end('SIGTERM');
  await home.start('start');
  assert.ok((await published()).size >= size);
  await until(async () => kept().length === 1);
  assert.ok((await published()).size >= size);
});
