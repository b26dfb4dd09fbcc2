#!/usr/bin/env node
import './compile-cache.js';

// Only the owner can read the files of this process: databases, keys, sealed documents.
process.umask(0o077);

// `npm start` sends SIGTERM to a shell, which ends without a signal to this process. This process then ends too.
if (process.env['npm_lifecycle_event'] !== undefined) {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

// A server must not end because nobody reads its standard error, or because the disk is full.
process.stderr.on('error', () => undefined);

const [{ commandLine }, { createStandardOutput }] = await Promise.all([
  import('./app/command-line.ts'),
  import('./cli/standard-output.ts'),
]);

const stderr = (text: string) => void process.stderr.write(text);
const { flushed, ...output } = createStandardOutput(process.stdout, stderr);
const exitCode = await commandLine(process.argv.slice(2), process.env, {
  ...output,
  stderr,
  isInteractive: process.stderr.isTTY === true,
  // Some pseudo-terminals have no width and report 0.
  columns: process.stdout.columns || undefined,
  cwd: process.cwd(),
});
process.exitCode = (await flushed()) || exitCode !== 0 ? exitCode : 1;

// A connection that does not close, such as to a relay that never answers, must not keep the process.
setTimeout(() => process.exit(), 2_000).unref();
