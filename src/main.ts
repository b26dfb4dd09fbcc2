#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// What this process writes is for its owner alone: databases, keys, sealed documents.
process.umask(0o077);

// Halves the processor time of a start. The cache lies with the program, not in the folder for temporary files, where
// another user of the machine could put code into it; where the program cannot be written to, there is none.
const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', 'citizen-services');
enableCompileCache(cache);
// The threads of this process read it at their start.
process.env['NODE_COMPILE_CACHE'] = cache;
setTimeout(flushCompileCache, 3_000).unref();

// Whoever reads the output may stop reading, as `head` does.
process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
  if (fault.code !== 'EPIPE') throw fault;
});

const { commandLine } = await import('./command-line.ts');

process.exitCode = await commandLine(process.argv.slice(2), process.env, {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  isInteractive: process.stderr.isTTY === true,
  cwd: process.cwd(),
});
