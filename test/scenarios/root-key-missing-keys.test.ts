import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommandInProcess } from '../support/run-command.ts';
import { type CommandResult, makeServerFixture, runDemoOnce } from '../support/server-process.ts';

// After a rotation the root key file has more than one line. A copy of the first line decrypts all keys, but lacks the long-lived
// subkeys.

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a start, commands and doctor refuse a root key whose long-lived subkeys are missing`, async (t) => {
    const home = await makeServerFixture(t, { engine });
    // A start checks the entries that were numbered with the long-lived subkeys.
    await runDemoOnce(home);
    const file = join(home.dataDir, 'root.key');
    for (const more of [[], ['--finish']]) {
      const rotated = await runCommandInProcess(home, 'keys', 'rotate', 'root', ...more);
      assert.equal(rotated.code, 0, rotated.stderr);
    }
    const whole = readFileSync(file, 'utf8');
    const backup = join(home.dataDir, '..', `backup-of-${home.port}`);
    t.after(() => rmSync(backup, { recursive: true, force: true }));
    const [first = '', ...lasting] = whole.trim().split('\n');
    assert.ok(lasting.length > 5);
    const missingSubkeys = /root key [0-9a-f]{16} has no lines `lasting`.* Restore the whole file/;
    const runs = [['keys', 'create']];
    if (engine === 'sqlite') {
      assert.equal((await runCommandInProcess(home, 'backup', 'create', backup)).code, 0);
      runs.push(['backup', 'verify', backup]);
    }
    writeFileSync(file, `${first}\n`);
    const refused = (args: readonly string[], { code, stderr }: CommandResult) => {
      assert.equal(code, 1, args.join(' '));
      assert.match(stderr, missingSubkeys);
    };
    for (const args of runs) refused(args, await runCommandInProcess(home, ...args));
    // Separate processes. The start is last, because it continues if it is not refused.
    for (const args of [['clients', 'list'], ['start']]) refused(args, await home.runCommand(...args));
    const { code, stdout } = await runCommandInProcess(home, 'doctor');
    assert.equal(code, 1);
    assert.match(stdout, /^FAULT {2}root-key +the file of root key .* has no lines `lasting`/m);
    writeFileSync(file, whole);
    assert.equal((await runCommandInProcess(home, 'clients', 'list')).code, 0);
    if (engine === 'sqlite') assert.equal((await runCommandInProcess(home, 'backup', 'verify', backup)).code, 0);
    assert.doesNotMatch((await runCommandInProcess(home, 'doctor')).stdout, /^FAULT {2}root-key/m);
    assert.equal((await (await home.start('start')).stop('SIGTERM')).code, 0);
  });
}
