import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openBrokenPipe } from '../support/os-pipe.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';

// A command cannot write its output when the disk is full or the reader has closed the pipe.

const ends = [
  {
    name: 'a full disk',
    open: () => openSync('/dev/full', 'w'),
    says: /^Cannot write standard output, [^\n]*ENOSPC/m,
  },
  { name: 'a closed pipe', open: openBrokenPipe, says: /^/ },
];

/** Runs a command with `open` as its standard output. */
async function runInto(t: TestContext, dataDir: string, open: () => number, args: readonly string[]) {
  const output = open();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), ...args], {
    env: { PATH: process.env['PATH'], HOME: dataDir, DATA_DIR: dataDir },
    stdio: ['ignore', output, 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  closeSync(output);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, stderr };
}

const creation = ['clients', 'create', 'x', '--scopes', 'documents:read', '--secret'];

for (const server of ['no server', 'a server']) {
  test(`with ${server}, a command that cannot print a new secret reports its loss and how to disable the client`, async (t) => {
    const home = await makeServerFixture(t);
    if (server === 'a server') await home.start();
    else assert.equal((await runCommandInProcess(home, 'keys', 'create')).code, 0);
    for (const { name, open, says } of ends) {
      const { code, stderr } = await runInto(t, home.dataDir, open, creation);
      assert.equal(code, 1, name);
      assert.match(stderr, says);
      const [, fix = ''] = /The secret of \S+ is lost\. Run "citizen-services ([^"]+)"/.exec(stderr) ?? [];
      assert.match(fix, /^clients disable x-[a-z0-9]{8}$/, `${name}: ${stderr}`);
      assert.equal((await runCommandInProcess(home, ...fix.split(' '))).code, 0);
      const list = await runInto(t, home.dataDir, open, ['clients', 'list', '--json']);
      const isFull = open === ends[0]?.open;
      assert.deepEqual([list.code, list.stderr.split('\n').length], isFull ? [1, 2] : [0, 1], list.stderr);
    }
  });
}
