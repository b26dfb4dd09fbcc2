import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../whole-server.ts';

// After a rotation the file of the root key holds more than its first line. A copy of that line alone opens every key.

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a root key without the keys that last is refused by a start, by commands and by doctor`, async (t) => {
    const home = await makeHome(t, { engine });
    await (await home.start('demo')).end('SIGTERM');
    const file = join(home.dataDir, 'root.key');
    for (const more of [[], ['--finish']]) {
      const rotated = await home.run('keys', 'rotate-root', ...more);
      assert.equal(rotated.code, 0, rotated.stderr);
    }
    const whole = readFileSync(file, 'utf8');
    const backup = join(home.dataDir, '..', `backup-of-${home.port}`);
    t.after(() => rmSync(backup, { recursive: true, force: true }));
    const [first = '', ...lasting] = whole.trim().split('\n');
    assert.ok(lasting.length > 5);
    const told = /root key [0-9a-f]{16} lacks its lines `lasting`.* Bring the whole file back/;
    const runs = [
      ['clients', 'list'],
      ['keys', 'create'],
    ];
    if (engine === 'sqlite') {
      assert.equal((await home.run('backup', 'create', backup)).code, 0);
      runs.push(['backup', 'verify', backup]);
    }
    // Last, for where it is not refused it goes on.
    runs.push(['start']);
    writeFileSync(file, `${first}\n`);
    for (const args of runs) {
      const { code, stderr } = await home.run(...args);
      assert.equal(code, 1, args.join(' '));
      assert.match(stderr, told);
    }
    const { code, stdout } = await home.run('doctor');
    assert.equal(code, 1);
    assert.match(stdout, /^FAULT {2}root-key +the file of root key .* lacks its lines `lasting`/m);
    writeFileSync(file, whole);
    assert.equal((await home.run('clients', 'list')).code, 0);
    if (engine === 'sqlite') assert.equal((await home.run('backup', 'verify', backup)).code, 0);
    assert.doesNotMatch((await home.run('doctor')).stdout, /^FAULT {2}root-key/m);
    assert.equal((await (await home.start('start')).end('SIGTERM')).code, 0);
  });
}
