#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// What this process writes is for its owner alone: databases, keys, sealed documents.
process.umask(0o077);

// The compiled program, for the next start. In the data folder, since who can write it can change the program, and not in
// the folder for temporary files that all users share, where node would put it. It may be lost at any time.
const dataDir = process.env['DATA_DIR'] ?? './data';
if (existsSync(dataDir)) {
  enableCompileCache(join(dataDir, 'compiled'));
  // For the threads of this process, which read it at their start.
  process.env['NODE_COMPILE_CACHE'] = join(dataDir, 'compiled');
}

const { commandLine } = await import('./command-line.ts');

process.exitCode = await commandLine(process.argv.slice(2), process.env, {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  isInteractive: process.stderr.isTTY === true,
  cwd: process.cwd(),
});
