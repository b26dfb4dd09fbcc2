import { type ChildProcess, spawn } from 'node:child_process';

let watcher: ChildProcess | undefined;

/**
 * Kills a process when this one ends, also if this one is killed: a child shell reads the process ids from a pipe, and kills
 * them when the pipe closes. Call the returned function after the process has ended, because its id may be reused.
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
  // The shell and its pipe must not keep this process alive.
  child.unref();
  const stdin = child.stdin as unknown as { unref(): void };
  stdin.unref();
  return child;
}
