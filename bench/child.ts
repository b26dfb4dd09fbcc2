import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process of the bench that ends with this one, however this one ends: see leash.ts. */
export type BenchProcess = { readonly process: ChildProcess; readonly pid: number; stop(): Promise<void> };

export type BenchProcessOptions = {
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The descriptor of a file for both outputs; without one, standard error goes through. */
  readonly log?: number;
};

const stopLimitMs = 30_000;
const exitWithParent = new URL('./exit-with-parent.ts', import.meta.url).href;

/** Starts a program of node in a process of its own. */
export function startProcess(script: string, options: BenchProcessOptions): BenchProcess {
  const { args = [], nodeArgs = [], env = {}, log } = options;
  const child = spawn(process.execPath, [...nodeArgs, '--import', exitWithParent, script, ...args], {
    stdio: ['ignore', log ?? 'ignore', log ?? 'inherit', 'ipc'],
    env: { ...inheritedEnvironment(), ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} could not be started`);
  return { process: child, pid, stop: () => stopProcess(child) };
}

/** Nothing of the settings of whoever runs the bench: they would become those of the servers. */
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

/** The first message of a child, or an error when it ends without one. */
export async function firstMessage(child: BenchProcess): Promise<unknown> {
  const ended = new AbortController();
  const exit = once(child.process, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`a process of the bench ended with code ${code}`);
  });
  const [message] = await Promise.race([once(child.process, 'message', { signal: ended.signal }), exit]);
  exit.catch(() => undefined);
  ended.abort();
  return message;
}
