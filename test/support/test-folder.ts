import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memoryFolder = '/dev/shm';
const minFreeMemoryBytes = 2 ** 30;

const createdFolders: string[] = [];

process.once('exit', () => {
  for (const folder of createdFolders) removeFolder(folder);
});

/**
 * Creates a temporary folder whose path is short enough for a Unix socket. It is in memory if 1 GiB is free, because a new
 * database for each test creates thousands of small files. The caller may delete it; otherwise the end of this process does,
 * or the end of the test run if this process is killed.
 */
export function makeTestFolder(prefix: string): string {
  const parent = join(hasFreeMemory() ? memoryFolder : tmpdir(), process.env['TEST_RUN'] ?? '');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, prefix));
  createdFolders.push(folder);
  return folder;
}

/** Creates all later folders of this process and of its children in folders that are deleted when this process ends. */
export function useTestRunFolder(): void {
  const run = `cs-run-${randomUUID().slice(0, 8)}`;
  process.env['TEST_RUN'] = run;
  process.once('exit', () => {
    for (const parent of [memoryFolder, tmpdir()]) removeFolder(join(parent, run));
  });
}

/** Retries, because child processes may still be writing. */
function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

function hasFreeMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(memoryFolder)) return false;
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize >= minFreeMemoryBytes;
}
