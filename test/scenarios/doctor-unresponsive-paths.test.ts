import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

/** A pipe without a writer: opening it blocks, as on a network mount whose server is down. */
function makeUnresponsivePath(t: TestContext): string {
  const folder = makeTestFolder('cs-unresponsive-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  return path;
}

const linesOf = (stdout: string) => stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
const nothingElse = 'warn settings nothing else was checked -> fix the settings first, then run doctor again';

// Each test waits for the timeout of a probe, and the tests share nothing.
suite('unresponsive paths', { concurrency: 10 }, () => {
  test('doctor reports the first setting with an unresponsive path, checks nothing else, and exits', async (t) => {
    const path = makeUnresponsivePath(t);
    const paths = { ROOT_KEY_FILE: path, TLS_KEY: path, LETTER_FONTS: path, LETTER_LOGOS: path, LETTER_SPOOL: path };
    const home = await makeServerFixture(t, { settings: { ...paths, TLS_CERTIFICATE: '/dev/null' } });
    const { code, stdout } = await home.runCommand('doctor');
    assert.equal(code, 1);
    const [first = '', ...others] = linesOf(stdout);
    const [, name = ''] = /^FAULT settings ([A-Z_]+): no answer from \S+ within 5 s/.exec(first) ?? [];
    assert.ok(name in paths, first);
    assert.deepEqual(others, [nothingElse, '']);
  });

  test('doctor ignores a link in DATA_DIR to an unresponsive path that the server does not use', async (t) => {
    const home = await makeServerFixture(t);
    assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
    symlinkSync(makeUnresponsivePath(t), join(home.dataDir, 'old-documents'));
    const { stdout } = await runCommandInProcess(home, 'doctor');
    assert.ok(
      linesOf(stdout).some((line) => line.startsWith('ok data-dir ')),
      stdout,
    );
  });

  test('doctor reports a settings file in an unresponsive folder, and checks nothing else', async (t) => {
    const path = makeUnresponsivePath(t);
    const home = await makeServerFixture(t, { settings: { SMTP_URL_FILE: join(path, 'relay') } });
    const { code, stdout } = await runCommandInProcess(home, 'doctor');
    assert.equal(code, 1);
    const [first = '', ...others] = linesOf(stdout);
    assert.ok(first.startsWith(`FAULT settings SMTP_URL_FILE: no answer from ${path} within 5 s`), first);
    assert.deepEqual(others, [nothingElse, '']);
  });

  for (const [setting, name] of [
    ['DATA_DIR', 'citizen-services.sqlite'],
    ['DATA_DIR', 'citizen-services.sqlite-wal'],
    ['DATA_DIR', 'root.key'],
    ['DATA_DIR', 'ledger-checkpoint'],
    ['DOCUMENT_STORE', 'documents'],
    ['DOCUMENT_STORE', 'documents/sealed'],
  ] as const) {
    test(`doctor reports ${setting} when ${name} links to an unresponsive path`, async (t) => {
      const home = await makeServerFixture(t);
      const link = join(home.dataDir, name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(makeUnresponsivePath(t), link);
      const { code, stdout } = await runCommandInProcess(home, 'doctor');
      assert.equal(code, 1);
      const [first = '', ...others] = linesOf(stdout);
      assert.ok(first.startsWith(`FAULT settings ${setting}: no answer from ${link} within 5 s`), first);
      assert.deepEqual(others, [nothingElse, '']);
    });
  }
});
