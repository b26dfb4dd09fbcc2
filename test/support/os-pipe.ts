import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from './test-folder.ts';

/** The ends of a pipe: neither waits, a read where nothing is there and a write where no room is are refused (EAGAIN). */
export type PipeEnds = { readonly reader: number; readonly writer: number };

/** Makes a pipe of the system; whoever opens it closes its ends. */
export function openPipe(): PipeEnds {
  const folder = makeTestFolder('cs-pipe-');
  const path = join(folder, 'pipe');
  if (spawnSync('mkfifo', [path]).status !== 0) throw new Error('mkfifo made no pipe');
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  rmSync(folder, { recursive: true });
  return { reader, writer };
}

/** A pipe whose reader is gone: the end that is written to. */
export function openBrokenPipe(): number {
  const { reader, writer } = openPipe();
  closeSync(reader);
  return writer;
}
