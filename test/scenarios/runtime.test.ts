import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTestFolder } from '../support/test-folder.ts';

const root = join(import.meta.dirname, '../..');
const preload = join(root, 'src/compile-cache.js');

function folderOf(t: TestContext): string {
  const folder = makeTestFolder('runtime-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The exit code and the standard error of Node.js with these arguments. */
function ended(args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
  return { status, stderr };
}

test('an older Node.js exits with one line that explains how to install a newer one', () => {
  const older = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });";
  const asOlder = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
  assert.deepEqual(ended([...asOlder, '--import', preload, '-e', '']), {
    status: 1,
    stderr:
      'citizen-services needs Node.js 24 or newer, and this is 20.20.2. In a clone, run "npm ci" and then "npm start". Elsewhere, install Node.js 26.\n',
  });
});

test('a clone without its packages exits with one line that names npm ci', (t) => {
  const clone = folderOf(t);
  cpSync(join(root, 'src'), join(clone, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(clone, 'package.json'));
  const expected = { status: 1, stderr: 'The packages of citizen-services are not installed. Run: npm ci\n' };
  assert.deepEqual(
    ended(['--import', join(clone, 'src/compile-cache.js'), join(clone, 'src/main.ts'), 'demo']),
    expected,
  );
  assert.deepEqual(ended([join(clone, 'src/main.ts'), 'demo']), expected);
});

test('npm start exits with an installation command when Node.js lacks a library', (t) => {
  const folder = folderOf(t);
  // This Node.js, linked with a library that no system has.
  const program = readFileSync(process.execPath);
  const at = program.indexOf('libstdc++.so.6\0');
  assert.notEqual(at, -1);
  program.write('libstdc++.so.0\0', at);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/node'), program, { mode: 0o755 });
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
  const script = join(root, 'scripts/check-node.sh');
  const { status, stderr } = spawnSync('sh', [script], { env, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^node: .*libstdc\+\+\.so\.0.*\nNode\.js did not start.* run: apt-get install libstdc\+\+6 .*\n$/,
  );
  const { status: whole } = spawnSync('sh', [script], { env: { PATH: `${join(process.execPath, '..')}:/bin` } });
  assert.equal(whole, 0);
});

test('.nvmrc names the Node.js version that npm installs in a clone', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(readFileSync(join(root, '.nvmrc'), 'utf8'), `${devDependencies.node}\n`);
});
