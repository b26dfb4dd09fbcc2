#!/usr/bin/env node
import { commandLine } from './command-line.ts';

// What this process writes is for its owner alone: databases, keys, sealed documents.
process.umask(0o077);

process.exitCode = await commandLine(process.argv.slice(2), process.env, {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  isInteractive: process.stderr.isTTY === true,
  cwd: process.cwd(),
});
