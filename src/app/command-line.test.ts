import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { groupCommands } from '../cli/command-help.ts';
import { apiVersion } from '../config/version.ts';
import { loadAllCommands } from './command-line.ts';

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

const allCommands = async () =>
  await loadAllCommands({ stdout: () => undefined, stderr: () => undefined, isInteractive: false, cwd: '/' });

test('each command has a group, and a summary that is one sentence of at most 25 words', async () => {
  const commands = await allCommands();
  assert.ok(commands.length > 50, String(commands.length));
  assert.equal(groupCommands(commands).flatMap((group) => group.commands).length, commands.length);
  assert.deepEqual(
    groupCommands(commands).find(({ title }) => title === 'Other'),
    undefined,
  );
  const wrong = commands.filter(({ summary }) => !/^[A-Z][^.\n]*\.$/.test(summary) || summary.split(' ').length > 25);
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

test('the usage of each command starts with its name, and has the same options as its option lines', async () => {
  const optionsIn = (text: string) => text.match(/--[a-z][a-z-]*/g) ?? [];
  const wrong = (await allCommands()).filter(({ name, usage, options = [] }) => {
    const described = options.map(({ form }) => optionsIn(form).join());
    return !`${usage} `.startsWith(`${name} `) || described.join() !== [...new Set(optionsIn(usage))].join();
  });
  assert.deepEqual(
    wrong.map(({ name, usage }) => ({ name, usage })),
    [],
  );
});
