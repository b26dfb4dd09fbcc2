import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openPipe } from '../../test/support/os-pipe.ts';
import { createLogWriter } from './log-writer.ts';

/** Writes until there is no room; gives how many bytes that took. */
function fill(descriptor: number): number {
  for (let bytes = 0; ; ) {
    try {
      bytes += writeSync(descriptor, Buffer.alloc(4_096, '.'));
    } catch {
      return bytes;
    }
  }
}

/** All that is there to be read at present. */
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

test('lines wait for a reader who is behind, up to 16 MiB: they come whole and in order, and what was lost is told', async (t) => {
  const { reader, writer } = openPipe();
  t.after(() => [reader, writer].map(closeSync));
  const before = fill(writer);
  const told: number[] = [];
  const log = createLogWriter(writer, (times) => told.push(times));
  // The first twelve are written at once, and those that come then wait.
  const [atOnce, kept, lost] = [12, 16_384, 5];
  for (let n = 0; n < atOnce + kept + lost; n += 1) log.write(lineOf(n));
  let text = drain(reader).slice(before);
  const wanted = (atOnce + kept) * 1_024;
  // A pipe holds a part of 250: a reader who pauses for longer than the writer waits takes seconds.
  for (; text.length < wanted; text += drain(reader)) await pause(1);
  assert.deepEqual(told, [lost]);
  log.write('the last\n');
  for (; !text.endsWith('the last\n'); text += drain(reader)) await pause(1);
  assert.ok(text === `${linesUpTo(atOnce + kept)}the last\n`);
});

test('what waits is written when the process ends, behind what is being written, for a reader who is behind too, and not for ever', async () => {
  // Of a process that has looked at its standard error, as ours, a write there does not wait.
  const script = (lines: number) =>
    `import(process.argv[1]).then(({ createLogWriter }) => {
      const log = createLogWriter(2, () => {});
      process.stderr.isTTY;
      for (let n = 0; n < ${lines}; n += 1) log.write(String(n).padStart(1023, ' ') + '\\n');
      process.exit(3);
    })`;
  const start = (lines: number) =>
    spawn(process.execPath, ['-e', script(lines), join(import.meta.dirname, 'log-writer.ts')]);
  const unreadEnds = once(start(500), 'exit');
  // A line more than are written at once, and as many as a pipe holds several times.
  for (const lines of [13, 500]) {
    const read = start(lines);
    const text: string[] = [];
    read.stderr.setEncoding('latin1').on('data', (piece: string) => text.push(piece));
    assert.deepEqual(await once(read, 'close'), [3, null]);
    assert.ok(text.join('') === linesUpTo(lines), `${lines} lines`);
  }
  assert.deepEqual(await unreadEnds, [3, null]);
});
