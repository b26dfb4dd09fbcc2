import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/document-house.ts';
import { engines } from '../../test/engines.ts';
import { buildLedgerHouse, logSigner } from '../../test/ledger-house.ts';
import { type ExitCode, runCommandLine } from './command.ts';
import { ledgerCommands } from './ledger.ts';
import { ledgerVerifyCommand } from './ledger-verify.ts';

test('what cannot be read ends in 2, and only a log that does not verify in 1', async (t) => {
  const [engine = assert.fail()] = engines;
  const [house, folder] = [buildLedgerHouse(await engine.open(t)), await temporaryFolder(t)];
  await house.use('anna', 'bert');
  await house.sequence();
  const said: string[] = [];
  const write = (text: string) => void said.push(text);
  const terminal = { stdout: write, stderr: write, isInteractive: false, cwd: folder };
  const commands = [
    ledgerVerifyCommand(terminal, fetch),
    ...ledgerCommands((use) => use({ log: house.view }), terminal),
  ];
  const run = async (...args: string[]): Promise<readonly [ExitCode, string]> => {
    said.length = 0;
    return [await runCommandLine(['ledger', ...args], commands, terminal), said.join('')];
  };
  assert.equal((await run('export', 'log'))[0], 0);
  const verify = (place: string, ...more: string[]) => run('verify', place, ...more);
  const key = ['--key', logSigner.vkey];
  writeFileSync(join(folder, 'policy'), 'log x\n');
  for (const [args, why] of [
    [['log', '--key', 'x'], /--key is the public key of a log/],
    [['log', '--policy', 'policy'], /--policy: witness policy, line 1/],
    [['log', '--policy', 'none'], /cannot read .*none: ENOENT/],
    [['log', ...key, '--since', 'none'], /cannot read .*none: ENOENT/],
    [['none.tlog-proof', ...key], /cannot read .*none\.tlog-proof: ENOENT/],
    [['none', ...key], /cannot read .*checkpoint: ENOENT/],
  ] as const) {
    const [code, text] = await verify(...(args as [string, ...string[]]));
    assert.equal(code, 2, args.join(' '));
    assert.match(text, why);
  }
  assert.equal((await verify('log', ...key))[0], 0);
  writeFileSync(join(folder, 'log/tile/entries/000.p/2'), Buffer.alloc(9));
  assert.deepEqual(await verify('log', ...key), [1, 'NOT verified: tile/entries/000.p/2 is no bundle of 2 entries\n']);
});
