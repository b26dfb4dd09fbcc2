import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

test('package.json allows or forbids each install script of a package', () => {
  for (const folder of ['.', 'bench']) {
    const packages: Record<string, { hasInstallScript?: boolean }> = read(`${folder}/package-lock.json`).packages;
    const running = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = running.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    assert.deepEqual(Object.keys(read(`${folder}/package.json`).allowScripts).sort(), [...new Set(names)].sort());
  }
});

test('@scarf/scarf sends no installation statistics, even with an npm that runs all install scripts', async (t) => {
  const requestedUrls: (string | undefined)[] = [];
  const counter = createServer((request, response) => {
    requestedUrls.push(request.url);
    response.end();
  }).listen(0, '127.0.0.1');
  t.after(() => counter.close());
  await once(counter, 'listening');
  const cwd = join(root, 'node_modules/@scarf/scarf');
  const env = {
    PATH: `${createFastNpm(t)}${delimiter}${process.env.PATH}`,
    npm_execpath: process.env.npm_execpath,
    INIT_CWD: root,
    SCARF_LOCAL_PORT: String((counter.address() as AddressInfo).port),
    SCARF_VERBOSE: 'true',
  };
  const { stderr } = await promisify(execFile)(process.execPath, ['report.js'], { cwd, env, timeout: 60_000 });
  assert.match(stderr, /disabled via a package.json/);
  assert.deepEqual(requestedUrls, []);
});

/**
 * A folder with a command `npm` that prints the stored output of `npm ls`. @scarf/scarf waits for it at most three seconds, and
 * on a busy machine npm needs longer to start.
 */
function createFastNpm(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'npm-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const tree = execFileSync('npm', ['ls', '@scarf/scarf', '--json', '--long'], { cwd: root, stdio: 'pipe' });
  writeFileSync(join(folder, 'tree.json'), tree);
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\nexec cat "$(dirname "$0")/tree.json"\n', { mode: 0o755 });
  return folder;
}
