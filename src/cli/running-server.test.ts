import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Terminal } from './command.ts';
import { handOver, takeCommands } from './running-server.ts';

test('what is no order is refused, and the server goes on', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  const stop = await takeCommands(path, () => []);
  for (const line of ['hello\n', '{"args":"greet"}\n', 'null\n', 'x'.repeat(5_000_000)]) {
    const socket = connect(path)
      .setEncoding('utf8')
      .on('error', () => undefined);
    let answer = '';
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.write(line);
    await once(socket, 'close');
    assert.match(answer, /takes one line of JSON.*\n.*"exit":2/, line.slice(0, 20));
  }
  await stop();
});

test('a command passes by the socket of a server that was killed, and the next server takes it over', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  const dying = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', dying, path]);
  assert.ok(existsSync(path));

  const printed: string[] = [];
  const terminal: Terminal = {
    stdout: (text) => printed.push(text),
    stderr: (text) => printed.push(text),
    isInteractive: false,
    cwd: folder,
  };
  assert.equal(await handOver(path, ['greet'], terminal), undefined);
  const stop = await takeCommands(path, (caller) => [
    {
      ...{ name: 'greet', usage: 'greet', summary: '' },
      run: async () => {
        caller.stdout('hello');
        return 0;
      },
    },
  ]);
  assert.deepEqual([await handOver(path, ['greet'], terminal), printed], [0, ['hello']]);
  await stop();
});
