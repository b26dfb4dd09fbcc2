import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiVersion } from '../config/version.ts';

const sourceRoot = join(import.meta.dirname, '..');

test('a health check loads no library and no part of a server', () => {
  // Prints each loaded module on standard error.
  const watch = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context)) });`;
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(watch)}`, join(sourceRoot, 'main.ts'), 'health'],
    { env: { PATH: process.env['PATH'], ADMIN_PORT: '1', DATA_DIR: sourceRoot }, encoding: 'utf8' },
  );
  assert.equal(status, 1, stderr);
  const loaded = stderr.split('\n').filter((line) => line.startsWith('file:'));
  assert.ok(loaded.some((url) => url.endsWith('/src/cli/health.ts')));
  assert.deepEqual(
    loaded.filter((url) => url.includes('/node_modules/') || /\/src\/(?:api|identity|notifications)\//.test(url)),
    [],
  );
});

test('the command version and the flag --version print the version', () => {
  const printed = (...args: readonly string[]) => {
    const { stdout, status } = spawnSync(process.execPath, [join(sourceRoot, 'main.ts'), ...args], {
      env: { PATH: process.env['PATH'], DATA_DIR: sourceRoot },
      encoding: 'utf8',
    });
    return { stdout, status };
  };
  assert.deepEqual(printed('--version'), { stdout: `citizen-services ${apiVersion}\n`, status: 0 });
  assert.deepEqual(printed('version'), printed('--version'));
});
