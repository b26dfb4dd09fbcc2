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

// Whoever reads the output may stop reading, as `head` does.
process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
  if (fault.code !== 'EPIPE') throw fault;
});
// What people are told may find no reader and no room: a server does not end by it.
process.stderr.on('error', () => undefined);

const { commandLine } = await import('./command-line.ts');

process.exitCode = await commandLine(process.argv.slice(2), process.env, {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  isInteractive: process.stderr.isTTY === true,
  cwd: process.cwd(),
});

// What did not end in its time, as a relay that never answers, must not keep the process.
setTimeout(() => process.exit(), 2_000).unref();
