import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { issueCertificate } from '../../test/support/certificates.ts';
import { engines } from '../../test/support/database-engines.ts';
import { makeDocumentFolder } from '../../test/support/document-app.ts';
import { buildLedgerApp, logSigner } from '../../test/support/ledger-app.ts';
import { type ExitCode, runCommandLine } from './command.ts';
import { ledgerCommands } from './ledger.ts';
import { ledgerVerifyCommand } from './ledger-verify.ts';

async function exportedLog(t: TestContext, isInteractive = false) {
  const [engine = assert.fail()] = engines;
  const [app, folder] = [buildLedgerApp(await engine.open(t)), await makeDocumentFolder(t)];
  await app.use('anna', 'bert');
  await app.sequence();
  const said: string[] = [];
  const write = (text: string) => void said.push(text);
  let hasLeft = false;
  const terminal = { stdout: write, stderr: write, isInteractive, cwd: folder, hasLeft: () => hasLeft };
  const commands = [ledgerVerifyCommand(terminal, fetch), ...ledgerCommands((use) => use({ log: app.view }), terminal)];
  const run = async (...args: string[]): Promise<readonly [ExitCode, string]> => {
    said.length = 0;
    return [await runCommandLine(['ledger', ...args], commands, terminal), said.join('')];
  };
  assert.equal((await run('export', 'log'))[0], 0);
  const leave = () => {
    hasLeft = true;
  };
  return { app, run, leave, path: (name: string) => join(folder, name) };
}

const key = ['--key', logSigner.vkey];

test('an export and a verification show their progress on a terminal', async (t) => {
  const { app, run } = await exportedLog(t, true);
  await app.use(...Array.from({ length: 300 }, () => 'anna'));
  await app.sequence();
  const steps = '\r256 of 302 entries\r302 of 302 entries\r\u001b[K';
  const [exported, verified] = [await run('export', 'log'), await run('verify', 'log', ...key)];
  assert.ok(exported[1].startsWith(`${steps}6 files with 302 entries in `), exported[1]);
  assert.ok(verified[1].startsWith(`${steps}verified: true\n`), verified[1]);
});

test('an export whose caller has ended writes no checkpoint', async (t) => {
  const { run, leave, path } = await exportedLog(t);
  leave();
  assert.deepEqual(await run('export', 'other'), [1, '']);
  assert.equal(existsSync(path('other/checkpoint')), false);
});

test('a checkpoint of a partial tile verifies with the full tile, up to its own size', async (t) => {
  const { app, run, path } = await exportedLog(t);
  const old = readFileSync(path('log/checkpoint'));
  await app.use(...Array.from({ length: 300 }, () => 'anna'));
  await app.sequence();
  assert.equal((await run('export', 'log'))[0], 0);
  assert.equal((await run('verify', 'log', ...key))[0], 0);
  writeFileSync(path('log/checkpoint'), old);
  for (const level of ['0', 'entries']) rmSync(path(`log/tile/${level}/000.p`), { recursive: true });
  assert.match((await run('verify', 'log', ...key))[1], /size: 2\n/);
  const bundle = readFileSync(path('log/tile/entries/000'));
  const change = (at: number) => {
    writeFileSync(path('log/tile/entries/000'), bundle.with(at, (bundle.at(at) ?? assert.fail()) ^ 1));
  };
  change(bundle.length - 1);
  assert.equal((await run('verify', 'log', ...key))[0], 0);
  change(60);
  assert.equal((await run('verify', 'log', ...key))[0], 1);
});

test('an unreadable file gives exit code 2, and a log that does not verify gives exit code 1', async (t) => {
  const { run, path } = await exportedLog(t);
  const verify = (place: string, ...more: string[]) => run('verify', place, ...more);
  writeFileSync(path('policy'), 'log x\n');
  for (const [args, why] of [
    [['log', '--key', 'x'], /^--key: expected a public key/],
    [['log', '--policy', 'policy'], /--policy: witness policy, line 1/],
    [['log', '--policy', 'none'], /Cannot read .*none: ENOENT/],
    [['log', ...key, '--since', 'none'], /Cannot read .*none: ENOENT/],
    [['none.tlog-proof', ...key], /Cannot read .*none\.tlog-proof: ENOENT/],
    [['none', ...key], /Cannot read .*checkpoint: ENOENT/],
  ] as const) {
    const [code, text] = await verify(...(args as [string, ...string[]]));
    assert.equal(code, 2, args.join(' '));
    assert.match(text, why);
  }
  // Nothing listens there.
  const [code, text] = await verify('http://127.0.0.1:1/ledger', ...key);
  assert.equal(code, 1);
  assert.match(text, /^http:\/\/127\.0\.0\.1:1\/ledger\/checkpoint cannot be fetched: (bad port|.*ECONNREFUSED)/);
  assert.equal((await verify('log', ...key))[0], 0);
  writeFileSync(path('log/tile/entries/000.p/2'), Buffer.alloc(9));
  assert.deepEqual(await verify('log', ...key), [1, 'NOT verified: tile/entries/000.p/2 is no bundle of 2 entries.\n']);
});

/** The bytes with one bit flipped in each byte, truncated at many lengths, and with one more byte. */
function* changed(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1) {
    yield bytes.with(at, (bytes[at] ?? 0) ^ (1 << (at % 8))) as Buffer;
    if (at % 7 === 0) yield bytes.subarray(0, at);
  }
  yield Buffer.concat([bytes, Buffer.from('\n')]);
}

test('a receipt with one changed byte, also in its content key, does not verify', async (t) => {
  const { app, run, path } = await exportedLog(t);
  const [event = assert.fail()] = await app.use('anna');
  await app.sequence();
  const [, receipt] = await run('prove', event);
  const file = path('one.tlog-proof');
  writeFileSync(file, receipt);
  assert.match((await run('verify', file, ...key))[1], /content: \{.*"type":"document\.listed"/);
  for (const bytes of changed(Buffer.from(receipt))) {
    writeFileSync(file, bytes);
    const [code, text] = await run('verify', file, ...key);
    assert.equal(code, 1, `${text}\n${bytes}`);
    assert.match(text, /^NOT verified: /);
  }
  const [, sealed] = await run('prove', event, '--sealed');
  writeFileSync(file, sealed);
  assert.match((await run('verify', file, ...key))[1], /content: null/);
  writeFileSync(path('saved.txt'), sealed);
  assert.equal((await run('verify', 'saved.txt', ...key))[0], 0);
  writeFileSync(path('answer.json'), '{"proof":"c2sp.org/tlog-proof@v1"}\n');
  const fault =
    'expected a receipt, which begins with c2sp.org/tlog-proof@v1, received another file. GET /v1/receipts/ID/proof returns a receipt.';
  assert.deepEqual(await run('verify', 'answer.json', ...key), [1, `NOT verified: ${fault}\n`]);
});

test('a log with one changed byte in a file does not verify', async (t) => {
  const { run, path } = await exportedLog(t);
  for (const name of ['checkpoint', 'tile/0/000.p/2', 'tile/entries/000.p/2']) {
    const whole = readFileSync(path(`log/${name}`));
    for (const bytes of changed(whole)) {
      writeFileSync(path(`log/${name}`), bytes);
      const [code, text] = await run('verify', 'log', ...key);
      assert.equal(code, 1, `${name}: ${text}\n${bytes.toString('latin1')}`);
      assert.match(text, /^NOT verified: /);
    }
    writeFileSync(path(`log/${name}`), whole);
  }
  assert.equal((await run('verify', 'log', ...key))[0], 0);
});

test('a log with a certificate of an unknown authority fails with the setting to change', async (t) => {
  const { run } = await exportedLog(t);
  const { certificate, key: privateKey } = await issueCertificate('localhost', { use: 'server', dns: 'localhost' });
  const server = createServer({ cert: certificate, key: privateKey }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const [code, text] = await run('verify', `https://localhost:${port}/ledger`, ...key);
  assert.equal(code, 1);
  assert.match(
    text,
    /cannot be fetched: self-signed certificate: if your own authority issued it, set NODE_EXTRA_CA_CERTS/,
  );
});
