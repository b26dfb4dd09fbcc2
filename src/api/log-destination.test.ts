import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openBrokenPipe, openPipe } from '../../test/support/os-pipe.ts';
import { openLogDestination } from './log-destination.ts';

/** Writes until the pipe is full; returns the number of bytes written. */
function fill(descriptor: number): number {
  for (let bytes = 0; ; ) {
    try {
      bytes += writeSync(descriptor, Buffer.alloc(4_096, '.'));
    } catch {
      return bytes;
    }
  }
}

/** Reads all bytes that are in the pipe. */
function drain(descriptor: number): string {
  const piece = Buffer.alloc(65_536);
  for (let text = ''; ; ) {
    try {
      text += piece.toString('latin1', 0, readSync(descriptor, piece));
    } catch {
      return text;
    }
  }
}

const lineOf = (n: number) => `${String(n).padStart(1_023, ' ')}\n`;
const linesUpTo = (count: number) => Array.from({ length: count }, (_, n) => lineOf(n)).join('');

test('up to 16 MiB of lines wait for a slow reader in order, and further lines are dropped and reported', async (t) => {
  const { reader, writer } = openPipe();
  t.after(() => [reader, writer].map(closeSync));
  const before = fill(writer);
  const reported: number[] = [];
  const log = openLogDestination(writer, (count) => reported.push(count));
  const [pending, dropped] = [16_384, 5];
  for (let n = 0; n < pending + dropped; n += 1) log.write(lineOf(n));
  let text = drain(reader).slice(before);
  for (; text.length < pending * 1_024; text += drain(reader)) await pause(1);
  await pause(1);
  assert.deepEqual(reported, [dropped]);
  log.write('the last\n');
  for (; !text.endsWith('the last\n'); text += drain(reader)) await pause(1);
  assert.ok(text === `${linesUpTo(pending)}the last\n`);
});

/** Starts a process that logs this many lines to its standard error and exits at once with code 3. */
function startLoggingProcess(lines: number, stderr: 'pipe' | number = 'pipe') {
  // As in the server, the access to process.stderr makes the pipe non-blocking.
  const script = `import(process.argv[1]).then(({ openLogDestination }) => {
    process.stderr.on('error', () => undefined);
    const log = openLogDestination(2, () => {});
    for (let n = 0; n < ${lines}; n += 1) log.write(String(n).padStart(1023, ' ') + '\\n');
    process.exit(3);
  })`;
  const file = join(import.meta.dirname, 'log-destination.ts');
  return spawn(process.execPath, ['-e', script, file], { stdio: ['ignore', 'ignore', stderr] });
}

test('lines that wait are written when the process exits', async () => {
  // Fewer than a batch, one more than a batch, and several times what a pipe holds.
  for (const lines of [1, 13, 500]) {
    const child = startLoggingProcess(lines);
    const text: string[] = [];
    child.stderr?.setEncoding('latin1').on('data', (piece: string) => text.push(piece));
    assert.deepEqual(await once(child, 'close'), [3, null]);
    assert.ok(text.join('') === linesUpTo(lines), `${lines} lines`);
  }
});

test('a process exits although nobody reads its log', async () => {
  assert.deepEqual(await once(startLoggingProcess(500), 'exit'), [3, null]);
});

test('a process exits although the reader of its log is gone, or the disk of its log is full', async () => {
  for (const stderr of [openBrokenPipe(), openSync('/dev/full', 'w')]) {
    const child = startLoggingProcess(500, stderr);
    closeSync(stderr);
    assert.deepEqual(await once(child, 'exit'), [3, null]);
  }
});

test('a log on a full disk or without a reader does not fail, also when it is written again later', async (t) => {
  for (const descriptor of [openBrokenPipe(), openSync('/dev/full', 'w')]) {
    t.after(() => closeSync(descriptor));
    const log = openLogDestination(descriptor, () => assert.fail('there is no room'));
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 30; n += 1) log.write(lineOf(n));
      await pause(30);
    }
  }
});
