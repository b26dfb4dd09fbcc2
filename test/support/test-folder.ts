import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memoryFolder = '/dev/shm';
const roomInMemoryBytes = 2 ** 30;

const createdFolders: string[] = [];

process.once('exit', () => {
  for (const folder of createdFolders) removeFolder(folder);
});

/**
 * Makes a temporary folder whose path is short enough for a Unix socket: in memory where there is room, because a fresh
 * database for each test means thousands of small files made and removed. Who makes it removes it, or the end of the process does,
 * or, of a process that was killed, the end of the run.
 */
export function makeTestFolder(prefix: string): string {
  const place = join(hasRoomInMemory() ? memoryFolder : tmpdir(), process.env['TEST_RUN'] ?? '');
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(join(place, prefix));
  createdFolders.push(folder);
  return folder;
}

/** Puts the folders of this process, and of those that it starts, into one for each place, which goes with this process. */
export function useTestRunFolder(): void {
  const run = `cs-run-${randomUUID().slice(0, 8)}`;
  process.env['TEST_RUN'] = run;
  process.once('exit', () => {
    for (const place of [memoryFolder, tmpdir()]) removeFolder(join(place, run));
  });
}

/** With some patience: what was started may be writing its last. */
function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(memoryFolder)) return false;
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize >= roomInMemoryBytes;
}
