#!/usr/bin/env node
import './compile-cache.js';

// What this process writes is for its owner alone: databases, keys, sealed documents.
process.umask(0o077);

// npm passes a SIGTERM on to the shell between, which ends without telling this process: then it ends as well.
if (process.env['npm_lifecycle_event'] !== undefined) {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

// What people are told may find no reader and no room: a server does not end by it.
process.stderr.on('error', () => undefined);

const [{ commandLine }, { createStandardOutput }] = await Promise.all([
  import('./app/command-line.ts'),
  import('./cli/standard-output.ts'),
]);

const stderr = (text: string) => void process.stderr.write(text);
const { flushed: whole, ...output } = createStandardOutput(process.stdout, stderr);
const exitCode = await commandLine(process.argv.slice(2), process.env, {
  ...output,
  stderr,
  isInteractive: process.stderr.isTTY === true,
  cwd: process.cwd(),
});
process.exitCode = (await whole()) || exitCode !== 0 ? exitCode : 1;

// What did not end in its time, as a relay that never answers, must not keep the process.
setTimeout(() => process.exit(), 2_000).unref();
