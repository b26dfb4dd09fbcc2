import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { readArgumentFile } from './argument-file.ts';
import { requireCaller, runCommandLine, type Terminal } from './command.ts';
import { forwardCommand, serveCommands } from './command-socket.ts';
import { rowsProgress } from './progress.ts';

test('a line that is not a command is refused, and the server continues', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  const stop = await serveCommands(path, () => []);
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
    assert.match(answer, /Expected one line of JSON.*\n.*"exit":2/, line.slice(0, 20));
  }
  await stop();
});

test('a command ignores the socket of a killed server, and the next server replaces it', async (t) => {
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
  // Longer than one chunk of the socket.
  const order = ['greet', 'x'.repeat(1_000_000)];
  assert.equal(await forwardCommand(path, order, terminal), undefined);
  const stop = await serveCommands(path, (caller) => [
    {
      name: 'greet',
      usage: 'greet',
      summary: '',
      run: async ([name = '']) => {
        // Line separators of other programs, which do not end a line here.
        caller.stdout(`hello\u2028\r\n${name.length}`);
        return 0;
      },
    },
  ]);
  assert.equal(statSync(path).mode & 0o777, 0o600, 'only its owner can send commands to the server');
  assert.deepEqual([await forwardCommand(path, order, terminal), printed], [0, ['hello\u2028\r\n1000000']]);
  await stop();
});

test('a command whose server stops before it is done fails with a message', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  const begun = Promise.withResolvers<void>();
  const run = () => {
    begun.resolve();
    return new Promise<never>(() => undefined);
  };
  const stop = await serveCommands(path, () => [{ name: 'wait', usage: 'wait', summary: '', run }]);
  let printed = '';
  const stderr = (text: string) => {
    printed += text;
  };
  const done = forwardCommand(path, ['wait'], { stdout: () => undefined, stderr, isInteractive: false, cwd: folder });
  await begun.promise;
  await stop();
  assert.equal(await done, 1);
  assert.match(printed, /^The server stopped before the command was done/);
});

test('a command whose server is killed within a line fails with a message', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  const server = createServer((socket) => socket.end('{"out":"the first"}\n{"out":"the sec'));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => server.close());
  const printed: string[] = [];
  const [stdout, stderr] = [(text: string) => void printed.push(text), (text: string) => void printed.push(text)];
  assert.equal(await forwardCommand(path, ['list'], { stdout, stderr, isInteractive: false, cwd: folder }), 1);
  assert.deepEqual(
    printed.map((text) => text.slice(0, 28)),
    ['the first', 'The server stopped before th'],
  );
});

test('a data folder with a path that is too long for a socket does not prevent the start of a server', async () => {
  const stop = await serveCommands(`/${'x'.repeat(200)}`, () => []);
  await stop();
});

test('a long command ends when its caller has ended', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const many = 1_000_000;
  const stop = await serveCommands(path, (caller) => [
    {
      name: 'count',
      usage: 'count',
      summary: '',
      run: async () => {
        const show = rowsProgress(caller, { now: () => 0 }, many);
        try {
          for (let row = 1; row <= many; row += 1) {
            show(row);
            await nextTick();
          }
          end('it went on');
        } catch (fault) {
          end(String(fault));
        }
        return 0;
      },
    },
  ]);
  const socket = connect(path);
  socket.write(`${JSON.stringify({ args: ['count'], cwd: folder, isInteractive: true })}\n`);
  await once(socket, 'data');
  socket.destroy();
  assert.equal(await ended, 'CallerLeft: the caller of this command has ended');
  await stop();
});

test('a file that the server cannot read is reported with the user that opened it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const commandsFor = (caller: Terminal) => [
    {
      name: 'read',
      usage: 'read FILE',
      summary: '',
      run: async ([name = '']: readonly string[]) => {
        await readArgumentFile(caller.cwd, name);
        return 0 as const;
      },
    },
  ];
  const path = join(folder, 'commands.sock');
  t.after(await serveCommands(path, commandsFor));
  let printed = '';
  const terminal: Terminal = {
    stdout: () => undefined,
    stderr: (text) => {
      printed += text;
    },
    isInteractive: false,
    cwd: folder,
  };
  assert.equal(await forwardCommand(path, ['read', 'not-there'], terminal), 2);
  const [fault, who, usage] = printed.split('\n');
  assert.equal(fault, 'Cannot read not-there: ENOENT, no such file or directory.');
  assert.match(String(who), /^The running server opened this path, .* hides \/tmp and \/home\.$/);
  assert.equal(usage, 'Usage: citizen-services read FILE');
  printed = '';
  assert.equal(await runCommandLine(['read', 'not-there'], commandsFor(terminal), terminal), 2);
  assert.equal(printed, `${fault}\n${usage}\n`);
});

test('a caller whose reader has ended stops the command and receives its exit code', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  const stop = await serveCommands(path, (caller) => [
    {
      name: 'print',
      usage: 'print',
      summary: '',
      run: async () => {
        for (;;) {
          caller.stdout('a line\n', 'it is lost');
          await nextTick();
          try {
            requireCaller(caller);
          } catch (fault) {
            caller.stderr('this far');
            throw fault;
          }
        }
      },
    },
  ]);
  t.after(stop);
  const [said, lost] = [[] as string[], [] as (string | undefined)[]];
  const terminal = {
    stdout: (_text: string, otherwise?: string) => void lost.push(otherwise),
    stderr: (text: string) => void said.push(text),
    hasLeft: () => lost.length > 0,
    isInteractive: false,
    cwd: folder,
  };
  assert.equal(await forwardCommand(path, ['print'], terminal), 1);
  assert.deepEqual([said, new Set(lost)], [['this far'], new Set(['it is lost'])]);
});

test('a caller that ends during a long output does not stop the server, and only its first line is a command', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  let runs = 0;
  const stop = await serveCommands(path, (caller) => [
    {
      name: 'print',
      usage: 'print',
      summary: '',
      run: async () => {
        runs += 1;
        caller.stdout('x'.repeat(10_000_000));
        return 0;
      },
    },
  ]);
  const order = `${JSON.stringify({ args: ['print'], cwd: folder, isInteractive: false })}\n`;
  const leaving = connect(path);
  leaving.write(order);
  // The caller has read the first part. The server still has to write the rest.
  await once(leaving, 'readable');
  leaving.destroy();
  const staying = connect(path).on('error', () => undefined);
  staying.write(order);
  await once(staying, 'data');
  staying.write(order);
  await once(staying, 'close');
  assert.equal(runs, 2);
  await stop();
});

test('a command waits for a caller that does not read, and continues afterwards', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cs-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'commands.sock');
  const [many, page] = [2_000, 'x'.repeat(65_536)];
  let [printed, isWaiting] = [0, false];
  const stop = await serveCommands(path, (caller) => [
    {
      name: 'print',
      usage: 'print',
      summary: '',
      run: async () => {
        for (; printed < many; printed += 1) {
          caller.stdout(page);
          isWaiting = true;
          await caller.drained?.();
          isWaiting = false;
        }
        return 0;
      },
    },
  ]);
  t.after(stop);
  const socket = connect(path);
  socket.write(`${JSON.stringify({ args: ['print'], cwd: folder, isInteractive: false })}\n`);
  await once(socket, 'readable');
  // Output that does not move within 1,000 turns of the event loop waits for the reader.
  for (let before = -1; before !== printed; ) {
    before = printed;
    for (let turn = 0; turn < 1_000; turn += 1) await nextTick();
  }
  assert.ok(isWaiting && printed < 100, `${printed} pages were printed to nobody`);
  let [bytes, last] = [0, ''];
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length;
    // The last line can arrive in two chunks.
    last = `${last}${piece}`.slice(-100);
  });
  await once(socket, 'close');
  assert.ok(bytes > many * page.length);
  assert.match(last, /"exit":0\}\n$/);
});
