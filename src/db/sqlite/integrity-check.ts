import { fork } from 'node:child_process';

/**
 * What is wrong within an SQLite file, in SQLite's words; nothing where it is sound. Reads all of it, which takes minutes
 * where it is large, and in one call: so in a process that can be ended on the way. Rejects when it was.
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
  // Not 'exit': by then what it has told may not have been read.
  child.on('close', (code, ended) => reject(new Error(`the database could not be read through: ${ended ?? code}`)));
  return promise;
}
