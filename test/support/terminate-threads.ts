import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { makeTestFolder } from './test-folder.ts';

/** A preload with which SIGUSR2 terminates the threads of a process that run one program, like a crash of the threads. */
const preloadFor = (program: string) => `
const threads = require('node:worker_threads');
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(file, options) {
    super(file, options);
    if (String(file).includes('${program}')) process.on('SIGUSR2', () => void this.terminate());
  }
};
require('node:module').syncBuiltinESMExports();
`;

/** Settings of a server in which SIGUSR2 terminates the threads that run that program. */
export function withTerminableThreads(program: string, t: TestContext): { readonly NODE_OPTIONS: string } {
  const folder = makeTestFolder('cs-preload-');
  t.after(() => rmSync(folder, { recursive: true }));
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, preloadFor(program));
  return { NODE_OPTIONS: `--require "${preload}"` };
}
