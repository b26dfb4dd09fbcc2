import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { expectedOutput } from '../support/expected-output.ts';
import { fencedText, readMarkdownPage } from '../support/markdown-pages.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// Runs the commands and programs of docs/integrate/quick-start.md with a demo. client-package.test.ts runs the one with the client.
const page = readMarkdownPage('docs/integrate/quick-start.md');
let home: ServerFixture;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
});

/** The reason to skip a test that needs these commands; undefined if all are installed. */
function skipReason(...commands: readonly string[]): string | undefined {
  const missing = commands.filter((command) => spawnSync(command, ['--version']).status !== 0);
  if (missing.length === 0) return undefined;
  const reason = `SKIPPED: ${missing.join(' and ')} must be installed to run the quick start`;
  if (process.env['TESTS_REQUIRE_ALL'] === 'true') throw new Error(reason);
  return reason;
}

/** A folder that has the data of the demo in `data`, like a clone after `npm start`. */
function makeClone(t: TestContext): string {
  const folder = makeTestFolder('cs-quick-start-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(home.dataDir, join(folder, 'data'));
  return folder;
}

function run(command: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  const env = { PATH: process.env['PATH'], HOME: cwd, ...more };
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 60_000 });
}

/** Runs shell blocks in one bash with the address of the demo, and returns the output of each block. */
function runBlocks(blocks: readonly string[], cwd: string): string[] {
  const separator = '=== next block ===';
  const lines = blocks.join(`\necho '${separator}'\n`).replaceAll('http://127.0.0.1:3000', home.url);
  const { status, stdout, stderr } = run('bash', ['-euo', 'pipefail', '-c', lines], cwd);
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  return stdout.split(separator);
}

test('each curl command of the quick start prints the output that the page shows after it', (t) => {
  const reason = skipReason('bash', 'curl');
  if (reason !== undefined) return t.skip(reason);
  const shell = page.fences.filter(({ info }) => info === 'sh demo').map(({ text }) => text);
  const shown = page.fences.filter(({ info }) => info === 'text').map(({ text }) => text);
  assert.equal(shell.length, 4);
  assert.equal(shown.length, 4);
  const [, verify = '', send = ''] = shell;
  const wrongYear = verify.replace('1981', '1982');
  const printed = runBlocks([...shell, wrongYear, send], makeClone(t));
  for (const [index, text] of shown.entries()) assert.match(printed[index] ?? '', expectedOutput(text));
  assert.match(printed[4] ?? '', /"decision":"no_match"/);
  assert.equal(printed[5]?.trim(), printed[2]?.trim(), 'a repeated message has the first response');
});

const programs = [
  { language: 'ts', file: 'quick-start.mts', command: process.execPath },
  { language: 'python', file: 'quick_start.py', command: 'python3' },
  { language: 'java', file: 'QuickStart.java', command: 'java' },
];

for (const { language, file, command } of programs) {
  test(`${file} prints the output that the quick start shows, and fails if the server refuses its client`, (t) => {
    const reason = skipReason(command);
    if (reason !== undefined) return t.skip(reason);
    const folder = makeClone(t);
    const program = page.fences.find(({ info, text }) => info === language && /^\S+ (\S+):/.exec(text)?.[1] === file);
    writeFileSync(join(folder, file), program?.text ?? '');
    const { status, stdout, stderr } = run(command, [file], folder);
    assert.equal(status, 0, stderr);
    assert.match(stdout, expectedOutput(fencedText(page, 'text program')));
    rmSync(join(folder, 'data'));
    const unknown = { BASE_URL: home.url, CLIENT_ID: 'unknown', CLIENT_SECRET: 'wrong' };
    const refused = run(command, [file], folder, unknown);
    assert.notEqual(refused.status, 0);
    assert.match(refused.stderr, /401 .*invalid_client/);
  });
}
