import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from './test-folder.ts';

/** Both ends of a non-blocking pipe: a read from an empty pipe and a write to a full one fail with EAGAIN. */
type PipeEnds = { readonly reader: number; readonly writer: number };

/** Opens a named pipe of the system, and removes its name. The caller closes both ends. */
export function openPipe(): PipeEnds {
  const folder = makeTestFolder('cs-pipe-');
  const path = join(folder, 'pipe');
  if (spawnSync('mkfifo', [path]).status !== 0) throw new Error('expected mkfifo to create a pipe: it failed');
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  rmSync(folder, { recursive: true });
  return { reader, writer };
}

/** The write end of a pipe whose read end is closed. */
export function openBrokenPipe(): number {
  const { reader, writer } = openPipe();
  closeSync(reader);
  return writer;
}
