import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { BenchFailed } from './bench-failed.ts';

/** A process of the bench. It ends when this process ends, also after a crash: see exit-with-parent.ts. */
export type BenchProcess = { readonly process: ChildProcess; readonly pid: number; stop(): Promise<void> };

export type BenchProcessOptions = {
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** File descriptor for standard output and standard error. Without it, standard error is inherited. */
  readonly log?: number;
};

const stopLimitMs = 30_000;
const exitWithParent = new URL('./exit-with-parent.ts', import.meta.url).href;

/** Starts a Node.js script in its own process. */
export function startProcess(script: string, options: BenchProcessOptions): BenchProcess {
  const { args = [], nodeArgs = [], env = {}, log } = options;
  const child = spawn(process.execPath, [...nodeArgs, '--import', exitWithParent, script, ...args], {
    stdio: ['ignore', log ?? 'ignore', log ?? 'inherit', 'ipc'],
    env: { ...inheritedEnvironment(), ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new BenchFailed(`expected ${script} to start`);
  return { process: child, pid, stop: () => stopProcess(child) };
}

/** Passes on only these variables. Settings of the caller would become settings of the servers. */
function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', BENCH_CITIZENS } = process.env;
  return BENCH_CITIZENS === undefined ? { PATH } : { PATH, BENCH_CITIZENS };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
  await exited;
  clearTimeout(killTimer);
}

/** Resolves with the first message of a child. Rejects if the child exits without one. */
export async function firstMessage(child: BenchProcess): Promise<unknown> {
  const ended = new AbortController();
  const exit = once(child.process, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new BenchFailed(`expected a message from a process of the bench, but it exited with code ${code}`);
  });
  const [message] = await Promise.race([once(child.process, 'message', { signal: ended.signal }), exit]);
  exit.catch(() => undefined);
  ended.abort();
  return message;
}
