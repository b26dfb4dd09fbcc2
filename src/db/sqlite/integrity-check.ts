import { fork } from 'node:child_process';
import { DatabaseUnusable } from '../database.ts';

/**
 * The faults within an SQLite file, in SQLite's words; none where it is intact. SQLite reads the whole file in one call, which
 * takes minutes for a large file. Therefore it runs in a child process that `signal` ends. Rejects when the child has ended early.
 */
export function checkIntegrity(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const program = import.meta.filename.replace(/integrity-check(\.[jt]s)$/, 'integrity-check-process$1');
  const child = fork(program, [path], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    signal,
    killSignal: 'SIGKILL',
  });
  child.on('message', (faults) => resolve(faults as readonly string[]));
  child.on('error', reject);
  // After 'exit' a message may still be unread; after 'close' none is.
  child.on('close', (code, ended) => reject(new DatabaseUnusable(`the integrity check ended early: ${ended ?? code}`)));
  return promise;
}
