import { type ChildProcess, spawn } from 'node:child_process';

let watcher: ChildProcess | undefined;

/**
 * Sees to it that a process does not outlive this one, however this one ends: a shell of our own, told of it through a
 * pipe, kills it when the pipe closes. Call what is given back when the process is gone, since its id may be another's then.
 */
export function killWithThisProcess(pid: number): () => void {
  watcher ??= startWatcher();
  const { stdin } = watcher;
  stdin?.write(`+ ${pid}\n`);
  return () => stdin?.write(`- ${pid}\n`);
}

const script = `
pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid ";;
    -) pids="\${pids%% $pid *} \${pids#* $pid }";;
  esac
done
for pid in $pids; do kill -KILL "$pid"; done`;

function startWatcher(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Neither the shell nor the pipe to it keeps this process alive.
  child.unref();
  const stdin = child.stdin as unknown as { unref(): void };
  stdin.unref();
  return child;
}
