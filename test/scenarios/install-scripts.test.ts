import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

test('of each package that would run something while it is installed it is stated whether it may', () => {
  const packages: Record<string, { hasInstallScript?: boolean }> = read('package-lock.json').packages;
  const running = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = running.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  assert.deepEqual(Object.keys(read('package.json').allowScripts).sort(), [...new Set(names)].sort());
});

test('what counts installations is told of none, by an npm too that asks nobody which scripts may run', async (t) => {
  const told: (string | undefined)[] = [];
  const counter = createServer((request, response) => {
    told.push(request.url);
    response.end();
  }).listen(0, '127.0.0.1');
  t.after(() => counter.close());
  await once(counter, 'listening');
  const cwd = join(root, 'node_modules/@scarf/scarf');
  const SCARF_LOCAL_PORT = String((counter.address() as AddressInfo).port);
  const { PATH, npm_execpath } = process.env;
  const env = { PATH, npm_execpath, INIT_CWD: root, SCARF_LOCAL_PORT, SCARF_VERBOSE: 'true' };
  const { stderr } = await promisify(execFile)(process.execPath, ['report.js'], { cwd, env, timeout: 60_000 });
  assert.match(stderr, /disabled via a package.json/);
  assert.deepEqual(told, []);
});
