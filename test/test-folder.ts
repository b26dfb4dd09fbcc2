import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memoryFolder = '/dev/shm';
const roomInMemoryBytes = 2 ** 30;

const made: string[] = [];

process.once('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/**
 * Makes a temporary folder whose path is short enough for a Unix socket: in memory where there is room, because a fresh
 * database for each test means thousands of small files made and removed. Who makes it removes it, or the end of the process does.
 */
export function makeTestFolder(prefix: string): string {
  const folder = mkdtempSync(join(hasRoomInMemory() ? memoryFolder : tmpdir(), prefix));
  made.push(folder);
  return folder;
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(memoryFolder)) return false;
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize >= roomInMemoryBytes;
}
