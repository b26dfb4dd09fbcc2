import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// A pipe that nobody writes to keeps whoever opens it waiting, as a network mount does whose server is gone.
function silentPlace(t: TestContext): string {
  const folder = makeTestFolder('cs-silent-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const place = join(folder, 'place');
  assert.equal(spawnSync('mkfifo', [place]).status, 0);
  return place;
}

function testSettings(): void {
  test('places that give no answer are named, nothing waits for them, and what else there is is looked at', async (t) => {
    const place = silentPlace(t);
    const places = { ROOT_KEY_FILE: place, TLS_KEY: place, LETTER_FONTS: place };
    const home = await makeServerFixture(t, {
      settings: { ...places, TLS_CERTIFICATE: '/dev/null', LETTER_SPOOL: place },
    });
    const { code, stdout } = await home.runCommand('doctor');
    assert.equal(code, 1);
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    for (const name of [...Object.keys(places), 'LETTER_SPOOL'])
      assert.ok(lines.some((line) => line.startsWith(`FAULT settings ${name}: no answer from ${place} within 5 s`)));
    assert.ok(lines.includes('warn root-key not looked at -> mend ROOT_KEY_FILE first'));
    assert.ok(lines.includes('warn letters not looked at -> mend LETTER_SPOOL first'));
    assert.ok(lines.some((line) => line.startsWith('ok data-dir ')));
  });

  test('a folder of documents that gives no answer keeps its neighbours in DATA_DIR from nothing', async (t) => {
    const home = await makeServerFixture(t);
    const place = join(home.dataDir, 'documents');
    mkdirSync(join(home.dataDir, 'other'));
    assert.equal(spawnSync('mkfifo', [place]).status, 0);
    const { stdout } = await home.runCommand('doctor');
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    assert.ok(lines.some((line) => line.startsWith(`FAULT settings DOCUMENT_STORE: no answer from ${place} within`)));
    assert.ok(lines.includes('warn documents not looked at -> mend DOCUMENT_STORE first'));
    assert.ok(lines.some((line) => line.startsWith('ok data-dir ')));
  });

  test('a link in DATA_DIR to what gives no answer is named, and keeps nothing else from being looked at', async (t) => {
    const home = await makeServerFixture(t);
    const link = join(home.dataDir, 'old-documents');
    symlinkSync(silentPlace(t), link);
    const { code, stdout } = await home.runCommand('doctor');
    assert.equal(code, 1);
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    assert.ok(lines.some((line) => line.startsWith(`FAULT settings DATA_DIR: no answer from ${link} within 5 s`)));
    assert.ok(lines.some((line) => line.startsWith('ok data-dir ')));
  });

  test('where DATA_DIR gives no answer, nothing of what lies in it is looked at', async (t) => {
    const home = await makeServerFixture(t, { settings: { DATA_DIR: silentPlace(t) } });
    const { code, stdout } = await runCommandInProcess(home, 'doctor');
    assert.equal(code, 1);
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    assert.ok(lines.includes('warn data-dir not looked at -> mend DATA_DIR first'));
    for (const name of ['root-key', 'database', 'ledger', 'port'])
      assert.ok(!lines.some((line) => line.split(' ')[1] === name), name);
  });

  test('of settings in a place that gives no answer the first word is that', async (t) => {
    const place = silentPlace(t);
    const home = await makeServerFixture(t, { settings: { SMTP_URL_FILE: join(place, 'relay') } });
    const { code, stdout } = await runCommandInProcess(home, 'doctor');
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^FAULT {2}settings {2}SMTP_URL_FILE: no answer from ${place} within 5 s`));
    assert.match(stdout, /\nwarn {3}settings {2}nothing else was looked at -> mend that first\n$/);
  });
}

function testDataDir(): void {
  for (const [setting, name, check] of [
    ['DATA_DIR', 'citizen-services.sqlite', 'database'],
    ['DATA_DIR', 'citizen-services.sqlite-wal', 'database'],
    ['DATA_DIR', 'root.key', 'root-key'],
    ['DATA_DIR', 'ledger-checkpoint', 'ledger'],
    ['DOCUMENT_STORE', 'documents/sealed', 'documents'],
  ] as const) {
    test(`where ${name} leads to what gives no answer, nothing that reads it waits for it`, async (t) => {
      const home = await makeServerFixture(t);
      const link = join(home.dataDir, name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(silentPlace(t), link);
      const { code, stdout } = await runCommandInProcess(home, 'doctor');
      assert.equal(code, 1);
      const lines = stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
      assert.ok(lines.some((line) => line.startsWith(`FAULT settings ${setting}: no answer from ${link} within 5 s`)));
      assert.ok(!lines.some((line) => line.split(' ')[1] === check && !line.includes('not looked at')));
    });
  }
}

const main = join(import.meta.dirname, '../../src/main.ts');
/** Loaded into a program: what it starts to look at places takes longer for its own start than a place is waited for. */
const slowToStart = `data:text/javascript,if(/place-process/.test(process.argv[1]))Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,5200)`;

function testSlowMachine(): void {
  test('on a machine that is slow to start a process no place counts as silent for that', async (t) => {
    const home = await makeServerFixture(t);
    assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
    const args = [`--import=${slowToStart}`, main, 'doctor'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: home.environment });
    assert.doesNotMatch(stdout, /no answer from/);
    assert.match(stdout, /^ok +data-dir /m);
  });
}

// Each waits for the limit of a look, and for nothing that another does. That a program ends all the same, some show.
suite('silent places', { concurrency: 10 }, () => {
  testSettings();
  testDataDir();
  testSlowMachine();
});
